//! The optimal step function over ordered bins: segmentation by dynamic programming.
//!
//! ```text
//! F(k) = min over s < k of  F(s) + cost(s, k) + lambda0 [s > 0]
//! ```
//!
//! is the smallest objective of the first k bins. [`StartCandidates`] drops starts s that no optimal
//! segmentation needs. Missing values are a further bin without a place in the order: they share the
//! value of some piece, or form a piece of their own. G(k) is F(k) with the missing values in one of its
//! pieces (`objective_missing` below).
//!
//! # References
//! Jackson et al. 2005, "An algorithm for optimal partitioning of data on an interval".

use super::cost::PieceCost;
use super::starts::StartCandidates;

/// Sums over the rows of a bin or a piece that determine its cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CostSums {
    /// First argument of the cost.
    pub a: f64,
    /// Second argument of the cost.
    pub b: f64,
    /// Weight of the rows.
    pub weight: f64,
}

impl std::ops::AddAssign for CostSums {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.a += other.a;
        self.b += other.b;
        self.weight += other.weight;
    }
}

/// The piece of the missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingPlacement {
    /// There are no missing values.
    Absent,
    /// This piece.
    In(usize),
    /// A piece of their own.
    Apart,
}

/// A segmentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Segmentation {
    /// First bin of each piece, starting with 0.
    pub starts: Vec<usize>,
    /// The piece of the missing values.
    pub missing: MissingPlacement,
    /// Cost of the pieces + lambda0 * (pieces - 1).
    pub objective: f64,
}

impl Segmentation {
    /// Pieces without missing values.
    pub fn of_numbers(starts: Vec<usize>, objective: f64) -> Self {
        Self { starts, missing: MissingPlacement::Absent, objective }
    }

    /// The least weight of a piece, that of missing values included; infinite if there is only one.
    pub fn least_weight(&self, bins: &[CostSums], missing: Option<CostSums>) -> f64 {
        if self.len() == 1 {
            return f64::INFINITY;
        }
        let missing = missing.map_or(0.0, |sums| sums.weight);
        let ends = self.starts[1..].iter().copied().chain([bins.len()]);
        let weight = |(piece, (&start, end)): (usize, (&usize, usize))| {
            let numbers: f64 = bins[start..end].iter().map(|bin| bin.weight).sum();
            numbers + if self.missing == MissingPlacement::In(piece) { missing } else { 0.0 }
        };
        let apart = (self.missing == MissingPlacement::Apart).then_some(missing);
        self.starts.iter().zip(ends).enumerate().map(weight).chain(apart).fold(f64::INFINITY, f64::min)
    }

    /// All bins in one piece.
    pub fn single<C: PieceCost>(cost: C, bins: &[CostSums], missing: Option<CostSums>) -> Self {
        let mut all = missing.unwrap_or_default();
        bins.iter().for_each(|&bin| all += bin);
        let place = if missing.is_some() { MissingPlacement::In(0) } else { MissingPlacement::Absent };
        Self { starts: vec![0], missing: place, objective: cost.minimum(all.a, all.b) }
    }

    /// Number of pieces, including a piece of missing values alone.
    pub fn len(&self) -> usize {
        self.starts.len() + usize::from(self.missing == MissingPlacement::Apart)
    }
}

/// The penalty and the constraints of a segmentation.
#[derive(Debug, Clone, Copy)]
pub struct SegmentationParams {
    /// Penalty on the number of jumps.
    pub lambda0: f64,
    /// Minimum weight of a piece, unless it is the only one.
    pub min_weight: f64,
    /// Whether missing values may share a piece with other bins.
    pub can_share_missing: bool,
    /// Sums (of weight 0) added to each piece if there are several: an approximation of penalties that
    /// couple pieces.
    pub piece_penalty: CostSums,
}

impl SegmentationParams {
    /// The same without a minimum weight.
    pub fn without_weight(self) -> Self {
        Self { min_weight: 0.0, ..self }
    }
}

/// The piece of an optimal prefix that contains the missing values.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PrefixMissing {
    #[default]
    Absent,
    Last,
    Earlier,
}

/// The start of the last piece of an optimal prefix.
#[derive(Clone, Copy, Default)]
struct Backpointer {
    start: usize,
    missing: PrefixMissing,
}

struct BestStart {
    value: f64,
    backpointer: Backpointer,
}

impl BestStart {
    fn empty() -> Self {
        Self { value: f64::INFINITY, backpointer: Backpointer::default() }
    }

    #[inline]
    fn update(&mut self, value: f64, backpointer: impl FnOnce() -> Backpointer) {
        if value < self.value {
            *self = Self { value, backpointer: backpointer() };
        }
    }
}

/// The optimal segmentation of `bins` (at least one) and of the missing values, if there are any.
pub fn segment<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
) -> Segmentation {
    segment_with_starts(cost, bins, missing, params, &[0])
}

/// The same among the segmentations that have a piece starting at each of `required_starts`, which ascend from 0;
/// of infinite objective if there is none.
pub fn segment_with_starts<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
    required_starts: &[usize],
) -> Segmentation {
    let prefixes = PrefixOptima::new(cost, bins, missing, params, required_starts);
    let mut single = Segmentation::single(cost, bins, missing);
    if required_starts.len() > 1 {
        (single.starts, single.objective) = (required_starts.to_vec(), f64::INFINITY);
    }
    prefixes.best(cost, missing, single)
}

/// The optimal segmentations of the first k bins, for each k, without and with the missing values in a piece.
pub struct PrefixOptima {
    /// Cost of the pieces + lambda0 for each, and that of the same with missing values.
    pub objectives: Vec<(f64, f64)>,
    backpointers: Vec<(Backpointer, Backpointer)>,
    params: SegmentationParams,
}

impl PrefixOptima {
    /// Those that have a piece starting at each of `required_starts`.
    pub fn new<C: PieceCost>(
        cost: C,
        bins: &[CostSums],
        missing: Option<CostSums>,
        params: SegmentationParams,
        required_starts: &[usize],
    ) -> Self {
        let shared_missing = missing.filter(|_| params.can_share_missing);
        // The minimum of the approximation alone is no part of the penalty.
        let jump = params.lambda0 - cost.minimum(params.piece_penalty.a, params.piece_penalty.b);
        let mut starts = StartCandidates::new(bins.len(), params);
        let mut backpointers: Vec<(Backpointer, Backpointer)> = Vec::with_capacity(bins.len());
        let mut objectives = Vec::with_capacity(bins.len() + 1);
        objectives.push((0.0, f64::INFINITY));
        let mut required = required_starts.iter().copied().peekable();
        for (k, &bin) in bins.iter().enumerate() {
            if required.next_if_eq(&k).is_some() {
                starts.clear();
            }
            starts.push(cost, k, objectives[k]);
            starts.extend(cost, bin);
            let (best, best_missing) = last_piece(cost, &starts, shared_missing);
            backpointers.push((best.backpointer, best_missing.backpointer));
            objectives.push((best.value + jump, best_missing.value + jump));
        }
        Self { objectives, backpointers, params }
    }

    /// The best segmentation of all bins and the missing values, or `single` if that is no worse.
    fn best<C: PieceCost>(&self, cost: C, missing: Option<CostSums>, single: Segmentation) -> Segmentation {
        let (objective, objective_missing) = self.objectives[self.backpointers.len()];
        let lambda0 = self.params.lambda0;
        let objectives = (objective - lambda0, objective_missing - lambda0);
        best_placement(cost, single, missing, self.params, &self.backpointers, objectives)
    }
}

/// The optimal start of the last piece, without and with missing values in the prefix.
fn last_piece<C: PieceCost>(
    cost: C,
    starts: &StartCandidates,
    shared_missing: Option<CostSums>,
) -> (BestStart, BestStart) {
    let (mut best, mut best_missing) = (BestStart::empty(), BestStart::empty());
    let n = starts.n_heavy;
    let piece_cost = &starts.piece_cost[..n];
    let (objective, objective_missing) = (&starts.objective[..n], &starts.objective_missing[..n]);
    let backpointer = |i: usize, missing| move || Backpointer { start: starts.first_bin[i], missing };
    for i in 0..n {
        best.update(objective[i] + piece_cost[i], backpointer(i, PrefixMissing::Absent));
    }
    let Some(e) = shared_missing else { return (best, best_missing) };
    for i in 0..n {
        let value = objective_missing[i] + piece_cost[i];
        best_missing.update(value, backpointer(i, PrefixMissing::Earlier));
    }
    for i in 0..starts.n_heavy_with(e.weight) {
        let both = cost.minimum(starts.a[i] + e.a, starts.b[i] + e.b);
        best_missing.update(starts.objective[i] + both, backpointer(i, PrefixMissing::Last));
    }
    (best, best_missing)
}

/// The best of three placements of the missing values: absent or apart, in some piece, or all bins in
/// one piece, which is `best` so far.
fn best_placement<C: PieceCost>(
    cost: C,
    mut best: Segmentation,
    missing: Option<CostSums>,
    params: SegmentationParams,
    backpointers: &[(Backpointer, Backpointer)],
    (objective, objective_missing): (f64, f64),
) -> Segmentation {
    let apart = match missing {
        Some(e) if e.weight >= params.min_weight => {
            let free = cost.minimum(params.piece_penalty.a, params.piece_penalty.b);
            objective + cost.minimum(e.a + params.piece_penalty.a, e.b + params.piece_penalty.b) - free
                + params.lambda0
        }
        Some(_) => f64::INFINITY,
        None => objective,
    };
    if apart < best.objective {
        let place = if missing.is_some() { MissingPlacement::Apart } else { MissingPlacement::Absent };
        best = Segmentation { starts: trace_back(backpointers, false).0, missing: place, objective: apart };
    }
    if objective_missing < best.objective {
        let (starts, piece) = trace_back(backpointers, true);
        best = Segmentation { starts, missing: MissingPlacement::In(piece), objective: objective_missing };
    }
    best
}

/// Follows the back pointers: the starts of the pieces, and the piece with the missing values.
fn trace_back(
    backpointers: &[(Backpointer, Backpointer)],
    mut includes_missing: bool,
) -> (Vec<usize>, usize) {
    let mut starts = Vec::new();
    let (mut end, mut after) = (backpointers.len(), 0);
    while end > 0 {
        let (without, with) = backpointers[end - 1];
        let backpointer = if includes_missing { with } else { without };
        if backpointer.missing == PrefixMissing::Last {
            after = starts.len();
        }
        includes_missing = backpointer.missing == PrefixMissing::Earlier;
        starts.push(backpointer.start);
        end = backpointer.start;
    }
    starts.reverse();
    let piece = starts.len() - 1 - after;
    (starts, piece)
}
