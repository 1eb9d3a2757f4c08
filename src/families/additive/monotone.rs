//! The optimal step function over ordered bins with a trend.
//!
//! An optimal increasing function has no two neighbouring pieces of equal value (merging them saves lambda0), so
//! that no constraint is active and each piece has its unconstrained optimal value. Moving a jump to an
//! end of a block of the isotonic regression (pool adjacent violators) does not raise the cost. The
//! values of the blocks increase, so every segmentation of the blocks is increasing, and the
//! unconstrained segmentation of the blocks is optimal. With a minimum weight jumps cannot be moved
//! freely: where the optimum without it has lighter pieces, dynamic programming over the last two starts is used, in
//! O(bins^2) entries.
//!
//! A function with a peak is an increasing one of the first k bins and a decreasing one of the others, for some k. The
//! optima of all prefixes come from one pass: the blocks of a prefix below a start are those of the prefix that ends there.
//!
//! # References
//! Haiminen, Gionis, Laasonen 2008, "Algorithms for unimodal segmentation with applications
//! to unimodality detection".

use super::cost::PieceCost;
use super::segment::{CostSums, MissingPlacement, Segmentation, SegmentationParams, segment};
use crate::data::trend::Trend;

/// The optimal segmentation with a trend. Except for [`Trend::Free`], missing values share the only piece or have their own.
pub fn segment_with_trend<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
    trend: Trend,
) -> Segmentation {
    if params.min_weight > 0.0 && trend != Trend::Free {
        // What is optimal without the minimum weight, and has it, is optimal with it.
        let without = SegmentationParams { min_weight: 0.0, ..params };
        let relaxed = segment_with_trend(cost, bins, missing, without, trend);
        if relaxed.least_weight(bins, missing) >= params.min_weight {
            return relaxed;
        }
    }
    let increasing = || segment_increasing(cost, bins, missing, params);
    let decreasing = || {
        let reversed: Vec<CostSums> = bins.iter().rev().copied().collect();
        let pieces = segment_increasing(cost, &reversed, missing, params);
        Segmentation { starts: reversed_starts(&pieces.starts, bins.len(), 0), ..pieces }
    };
    match trend {
        Trend::Free => segment(cost, bins, missing, params),
        Trend::Increasing => increasing(),
        Trend::Decreasing => decreasing(),
        Trend::Monotone => {
            let (up, down) = (increasing(), decreasing());
            if down.objective < up.objective { down } else { up }
        }
        Trend::Peak => segment_unimodal(cost, bins, missing, params, 1.0),
        Trend::Valley => segment_unimodal(cost, bins, missing, params, -1.0),
    }
}

/// The starts of the pieces of `end` - `begin` bins that were segmented in reversed order, after a bin `begin`.
fn reversed_starts(starts: &[usize], end: usize, begin: usize) -> Vec<usize> {
    std::iter::once(begin).chain(starts[1..].iter().rev().map(|start| end - start)).collect()
}

/// The optimal increasing segmentation.
fn segment_increasing<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
) -> Segmentation {
    let params = SegmentationParams { can_share_missing: false, ..params };
    if params.min_weight > 0.0 {
        let prefixes = Prefixes::new(cost, bins, params, 1.0);
        let (starts, objective) = (prefixes.starts(bins.len()), prefixes.objective[bins.len()]);
        return with_missing(cost, bins, missing, params, starts, objective);
    }
    let mut blocks = Blocks::default();
    for (k, &bin) in bins.iter().enumerate() {
        blocks.push(cost, k, bin, 1.0);
    }
    let mut pieces = segment(cost, &blocks.sums, missing, params);
    pieces.starts.iter_mut().for_each(|s| *s = blocks.first_bins[*s]);
    pieces
}

/// The optimal segmentation with a peak (`sign` = 1) or a valley (-1).
fn segment_unimodal<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
    sign: f64,
) -> Segmentation {
    let reversed: Vec<CostSums> = bins.iter().rev().copied().collect();
    let before = Prefixes::new(cost, bins, params, sign);
    let after = Prefixes::new(cost, &reversed, params, sign);
    let n = bins.len();
    // The objective of no bins is -lambda0: a side without pieces has no jump to the other.
    let objective = |k: usize| before.objective[k] + params.lambda0 + after.objective[n - k];
    let mut best = 0;
    for k in 1..=n {
        best = if objective(k) < objective(best) { k } else { best };
    }
    let mut starts = if best > 0 { before.starts(best) } else { Vec::new() };
    if best < n {
        starts.extend(reversed_starts(&after.starts(n - best), n, best));
    }
    with_missing(cost, bins, missing, params, starts, objective(best))
}

/// A segmentation with missing values apart, or all bins in one piece.
fn with_missing<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    missing: Option<CostSums>,
    params: SegmentationParams,
    starts: Vec<usize>,
    objective: f64,
) -> Segmentation {
    let single = Segmentation::single(cost, bins, missing);
    let (place, apart) = match missing {
        Some(e) if e.weight < params.min_weight => return single,
        Some(e) => (MissingPlacement::Apart, cost.minimum(e.a, e.b) + params.lambda0),
        None => (MissingPlacement::Absent, 0.0),
    };
    if objective + apart < single.objective {
        return Segmentation { starts, missing: place, objective: objective + apart };
    }
    single
}

/// Blocks of increasing value, by pooling adjacent violators.
#[derive(Default)]
struct Blocks {
    sums: Vec<CostSums>,
    first_bins: Vec<usize>,
}

impl Blocks {
    /// Adds a bin; with `sign` = -1 the values fall.
    fn push<C: PieceCost>(&mut self, cost: C, k: usize, bin: CostSums, sign: f64) {
        let (mut block, mut begin) = (bin, k);
        while let Some(&last) = self.sums.last() {
            let rank = |s: CostSums| sign * cost.unclamped_rank(s.a, s.b);
            if rank(last) < rank(block) && last.a + last.b.abs() > 0.0 && block.a + block.b.abs() > 0.0 {
                break;
            }
            block += last;
            self.sums.pop();
            begin = self.first_bins.pop().unwrap_or(0);
        }
        self.sums.push(block);
        self.first_bins.push(begin);
    }
}

/// The optimal increasing segmentations of the first k bins, for each k.
struct Prefixes {
    /// Cost of the pieces + lambda0 * (pieces - 1).
    objective: Vec<f64>,
    /// Start of the last piece, and that of the piece before it.
    last: Vec<(usize, usize)>,
    /// With a minimum weight: the start before the last two, by end and start of the last piece.
    table: Vec<Vec<(usize, TableEntry)>>,
}

impl Prefixes {
    /// Those of `bins`; with `sign` = -1 the decreasing ones.
    fn new<C: PieceCost>(cost: C, bins: &[CostSums], params: SegmentationParams, sign: f64) -> Self {
        let mut new = Self { objective: vec![-params.lambda0], last: vec![(0, 0)], table: Vec::new() };
        if params.min_weight > 0.0 {
            new.table = table_with_min_weight(cost, bins, params, sign);
            for entries in &new.table[1..] {
                let least = entries.iter().min_by(|a, b| a.1.objective.total_cmp(&b.1.objective));
                new.objective.push(least.map_or(f64::INFINITY, |(_, entry)| entry.objective));
                new.last.push(least.map_or((0, 0), |(start, entry)| (*start, entry.before)));
            }
            return new;
        }
        let mut blocks = Blocks::default();
        for (k, &bin) in bins.iter().enumerate() {
            blocks.push(cost, k, bin, sign);
            let (mut piece, mut best) = (CostSums::default(), (f64::INFINITY, 0));
            for (&block, &start) in blocks.sums.iter().zip(&blocks.first_bins).rev() {
                piece += block;
                let value = new.objective[start] + params.lambda0 + cost.minimum(piece.a, piece.b);
                best = if value < best.0 { (value, start) } else { best };
            }
            new.objective.push(best.0);
            new.last.push((best.1, 0));
        }
        new
    }

    /// The starts of the pieces of the first `end` > 0 bins, ascending.
    fn starts(&self, end: usize) -> Vec<usize> {
        let (mut start, mut before) = self.last[end];
        let mut starts = vec![start];
        while start > 0 {
            if self.table.is_empty() {
                start = self.last[start].0;
            } else {
                let entry = self.table[start].iter().find(|(h, _)| *h == before);
                start = before;
                before = entry.map_or(0, |(_, c)| c.before);
            }
            starts.push(start);
        }
        starts.reverse();
        starts
    }
}

/// One entry of the table: the optimum of the first k bins with bins i..k as the last piece.
struct TableEntry {
    rank: f64,
    objective: f64,
    before: usize,
}

/// D(i, k) = cost(i, k) + min over h with a lower value of (h, i) of D(h, i) + lambda0.
///
/// The result holds for each k the pieces that end at k, by their start, each with the optimum before it.
fn table_with_min_weight<C: PieceCost>(
    cost: C,
    bins: &[CostSums],
    params: SegmentationParams,
    sign: f64,
) -> Vec<Vec<(usize, TableEntry)>> {
    let n = bins.len();
    let mut ending_at: Vec<Vec<(usize, TableEntry)>> = (0..=n).map(|_| Vec::new()).collect();
    for i in 0..n {
        // Pieces that end at i in order of value, with the smallest objective up to each.
        let mut lower: Vec<(f64, f64, usize)> =
            ending_at[i].iter().map(|(h, c)| (c.rank, c.objective, *h)).collect();
        lower.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        for index in 1..lower.len() {
            if lower[index - 1].1 <= lower[index].1 {
                (lower[index].1, lower[index].2) = (lower[index - 1].1, lower[index - 1].2);
            }
        }
        let mut sums = CostSums::default();
        for k in i + 1..=n {
            sums += bins[k - 1];
            if sums.weight < params.min_weight {
                continue;
            }
            let rank = sign * cost.unclamped_rank(sums.a, sums.b);
            let (start, before) = if i == 0 {
                (0.0, 0)
            } else {
                let below = lower.partition_point(|l| l.0 < rank);
                let Some(l) = below.checked_sub(1).map(|index| lower[index]) else { continue };
                (l.1 + params.lambda0, l.2)
            };
            ending_at[k]
                .push((i, TableEntry { rank, objective: start + cost.minimum(sums.a, sums.b), before }));
        }
    }
    ending_at
}
