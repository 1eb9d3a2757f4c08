//! The best step function over ordered bins: optimal segmentation by dynamic programming.
//!
//! F(k) = min over s < k of F(s) + cost(s, k) + lambda0 [s > 0] is the least objective of the
//! first k bins; [`Starts`] drops starts that no best segmentation needs. Missing values are one
//! bin more without a place in the order: they share the value of any piece, or are a piece of
//! their own. G(k) is F(k) with the missing values in one of its pieces.
//!
//! # References
//! Jackson et al. 2005, "An algorithm for optimal partitioning of data on an interval".

use super::cost::Cost;
use super::starts::Starts;

/// Sums of one bin.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sums {
    /// First sum of the cost.
    pub a: f64,
    /// Second sum of the cost.
    pub b: f64,
    /// Weight of the rows.
    pub w: f64,
}

impl std::ops::AddAssign for Sums {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.a += other.a;
        self.b += other.b;
        self.w += other.w;
    }
}

/// Where missing values went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// There are none.
    Absent,
    /// Into this piece.
    In(usize),
    /// Into a piece of their own.
    Apart,
}

/// A segmentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Pieces {
    /// First bin of each piece, the first of all (0) included.
    pub starts: Vec<usize>,
    /// Where missing values went.
    pub missing: Missing,
    /// Cost of the pieces + lambda0 * (pieces - 1).
    pub objective: f64,
}

impl Pieces {
    /// Everything in one piece.
    pub fn single<C: Cost>(cost: C, bins: &[Sums], missing: Option<Sums>) -> Self {
        let mut all = missing.unwrap_or_default();
        bins.iter().for_each(|&bin| all += bin);
        let place = if missing.is_some() { Missing::In(0) } else { Missing::Absent };
        Self { starts: vec![0], missing: place, objective: cost.least(all.a, all.b) }
    }

    /// Number of pieces, that of missing values alone included.
    pub fn len(&self) -> usize {
        self.starts.len() + usize::from(self.missing == Missing::Apart)
    }
}

/// What a segmentation must obey.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Price of a jump.
    pub lambda0: f64,
    /// Least weight of a piece, unless it is the only one.
    pub min_weight: f64,
    /// Whether missing values may share a piece.
    pub share: bool,
    /// Sums that each of several pieces has besides its rows' (weight 0): a stand-in for
    /// penalties that couple pieces.
    pub prior: Sums,
}

/// How a prefix was reached: start of its last piece, whether missing values are in that
/// piece, whether they are in an earlier one.
#[derive(Clone, Copy, Default)]
struct Step {
    start: usize,
    here: bool,
    before: bool,
}

struct Best {
    value: f64,
    step: Step,
}

impl Best {
    fn none() -> Self {
        Self { value: f64::INFINITY, step: Step::default() }
    }

    #[inline]
    fn offer(&mut self, value: f64, step: impl FnOnce() -> Step) {
        if value < self.value {
            *self = Self { value, step: step() };
        }
    }
}

/// The best pieces of `bins` (at least one) with the bin of missing values, if there is one.
pub fn segment<C: Cost>(cost: C, bins: &[Sums], missing: Option<Sums>, rule: Rule) -> Pieces {
    let extra = missing.filter(|_| rule.share);
    // What the prior costs at its own best is no part of the penalty that it stands for.
    let free = cost.least(rule.prior.a, rule.prior.b);
    let jump = rule.lambda0 - free;
    let mut starts = Starts::new(bins.len(), rule);
    let mut steps: Vec<(Step, Step)> = Vec::with_capacity(bins.len());
    let (mut without, mut with) = (-free, f64::INFINITY);
    for (k, &bin) in bins.iter().enumerate() {
        starts.push(cost, k, (without, with));
        starts.extend(cost, bin);
        let (plain, joined) = last_piece(cost, &starts, extra, rule.min_weight);
        steps.push((plain.step, joined.step));
        (without, with) = (plain.value + jump, joined.value + jump);
        starts.prune(cost, (without, with));
    }
    finish(cost, bins, missing, rule, &steps, (without - jump, with - jump))
}

/// The best start of the last piece: without missing values so far, and with them.
fn last_piece<C: Cost>(cost: C, starts: &Starts, extra: Option<Sums>, min_weight: f64) -> (Best, Best) {
    let (mut plain, mut joined) = (Best::none(), Best::none());
    let n = starts.at.len();
    let (own, w) = (&starts.own[..n], &starts.w[..n]);
    let (without, with) = (&starts.without[..n], &starts.with[..n]);
    let step = |i: usize| Step { start: starts.at[i], here: false, before: false };
    for i in (0..n).filter(|&i| w[i] >= min_weight) {
        plain.offer(without[i] + own[i], || step(i));
    }
    let Some(e) = extra else { return (plain, joined) };
    for i in 0..n {
        if w[i] >= min_weight {
            joined.offer(with[i] + own[i], || Step { before: true, ..step(i) });
        }
        if w[i] + e.w >= min_weight {
            let both = cost.least(starts.a[i] + e.a, starts.b[i] + e.b);
            joined.offer(without[i] + both, || Step { here: true, ..step(i) });
        }
    }
    (plain, joined)
}

/// Takes the best of: missing values absent or apart, in a piece, everything in one piece.
fn finish<C: Cost>(
    cost: C,
    bins: &[Sums],
    missing: Option<Sums>,
    rule: Rule,
    steps: &[(Step, Step)],
    (without, with): (f64, f64),
) -> Pieces {
    let mut best = Pieces::single(cost, bins, missing);
    let apart = match missing {
        Some(e) if e.w >= rule.min_weight => {
            let free = cost.least(rule.prior.a, rule.prior.b);
            without + cost.least(e.a + rule.prior.a, e.b + rule.prior.b) - free + rule.lambda0
        }
        Some(_) => f64::INFINITY,
        None => without,
    };
    if apart < best.objective {
        let place = if missing.is_some() { Missing::Apart } else { Missing::Absent };
        best = Pieces { starts: trace(steps, false).0, missing: place, objective: apart };
    }
    if with < best.objective {
        let (starts, piece) = trace(steps, true);
        best = Pieces { starts, missing: Missing::In(piece), objective: with };
    }
    best
}

/// Follows the steps back: starts of the pieces, and the piece that holds missing values.
fn trace(steps: &[(Step, Step)], mut joined: bool) -> (Vec<usize>, usize) {
    let mut starts = Vec::new();
    let (mut end, mut after) = (steps.len(), 0);
    while end > 0 {
        let step = if joined { steps[end - 1].1 } else { steps[end - 1].0 };
        if joined && step.here {
            after = starts.len();
        }
        joined = joined && step.before;
        starts.push(step.start);
        end = step.start;
    }
    starts.reverse();
    let piece = starts.len() - 1 - after;
    (starts, piece)
}
