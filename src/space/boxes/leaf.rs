//! The last proposition of a rule, by prefix sums.
//!
//! With E the prefix sums of the residual over the bins of the last feature, the sum of an interval is
//! E[hi + 1] - E[lo], so that the largest |sum| over all intervals is max E - min E. One pass over the bins
//! bounds all intervals, and single intervals are evaluated only if that bound exceeds the threshold.

use std::ops::AddAssign;

use super::walk::Walker;
use super::{BoxPattern, Proposition};
use crate::space::{Bound, NodeStats, ReportMode, Sign, Visitor};

/// Sample weight and number of some training rows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub weight: f64,
    pub count: f64,
}

impl From<&NodeStats> for Tally {
    fn from(stats: &NodeStats) -> Self {
        Self { weight: stats.weight, count: stats.count }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.weight += other.weight;
        self.count += other.count;
    }
}

pub(super) struct Leaf<'w, 'a, V> {
    pub walker: &'w mut Walker<'a, V>,
    pub f: usize,
    pub sign: Sign,
    /// The rows of the node, if the walk has them.
    pub within: Option<&'w [u32]>,
}

/// Whether some proposition may exceed the threshold, given the smallest and the largest prefix sum.
#[inline]
pub(super) fn passes(
    low: f64,
    high: f64,
    weight: f64,
    bound: &Bound,
    length: usize,
    feature: &super::BoxFeature,
) -> bool {
    // The complement of a level is the union of two ranges.
    let ranges = if feature.nominal { 2.0 } else { 1.0 };
    let slack = if bound.radius > 0.0 { bound.radius * weight.sqrt() } else { 0.0 };
    ranges * (high - low) + slack > bound.threshold_at(length)
}

/// The best proposition of one sign.
type Best = Option<(f64, Proposition, Sign)>;

impl<V: Visitor<BoxPattern>> Leaf<'_, '_, V> {
    /// Reports propositions above the threshold; `tally` is computed only if there may be one.
    #[inline]
    pub fn scan(&mut self, correlation: &[f64], weight: f64, tally: impl FnOnce() -> Vec<Tally>) {
        self.walker.nodes += 1;
        let bound = self.walker.visitor.bound();
        let length = self.walker.path.len() + 1;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &e in correlation {
            low = low.min(e);
            high = high.max(e);
        }
        if !passes(low, high, weight, &bound, length, &self.walker.space.features[self.f]) {
            return;
        }
        self.propositions(correlation, bound, tally);
    }

    /// Evaluates each proposition.
    fn propositions(&mut self, correlation: &[f64], bound: Bound, tally: impl FnOnce() -> Vec<Tally>) {
        let space = self.walker.space;
        let feature = &space.features[self.f];
        let length = self.walker.path.len() + 1;
        let all = self.walker.visitor.report_mode() != ReportMode::Best;
        let needs = all || bound.radius > 0.0 || space.min_support > 1;
        let tally = if needs { tally() } else { Vec::new() };
        let ends = Ends::new(correlation, &tally, feature.bins, &bound, length, feature.nominal);
        let mut best: [Best; 2] = [None, None];
        let sign = self.sign;
        let mut entered: Vec<(Proposition, f64, Sign)> = Vec::new();
        let mut nodes = 0;
        feature_propositions(feature, &ends, |p, proposition_sign| {
            nodes += 1;
            let Some(sign) = sign.and(proposition_sign) else { return };
            let sum = p.sum(correlation);
            let mut weight = 0.0;
            if needs {
                let (m, count, whole) = tallied(&tally, p);
                if count < space.min_support as f64 || (count >= whole) || (all && !tight(feature, &tally, p))
                {
                    return;
                }
                weight = m;
            }
            if !bound.pattern(sum, weight, sign, length) {
                return;
            }
            if all {
                entered.push((p, sum, sign));
                return;
            }
            let side = &mut best[usize::from(sum < 0.0)];
            if side.is_none_or(|(value, _, _)| sum.abs() > value) {
                *side = Some((sum.abs(), p, sign));
            }
        });
        self.walker.nodes += nodes;
        for (p, sum, sign) in entered {
            self.walker.enter(self.f, p, sum, sign, self.within);
        }
        for (_, p, sign) in best.into_iter().flatten() {
            self.walker.enter(self.f, p, p.sum(correlation), sign, self.within);
        }
    }
}

/// Whether each first bin has an interval above the threshold, by the largest and the smallest prefix sum
/// at or after it.
struct Ends {
    open: Vec<bool>,
}

impl Ends {
    fn new(
        correlation: &[f64],
        tally: &[Tally],
        bins: usize,
        bound: &Bound,
        length: usize,
        nominal: bool,
    ) -> Self {
        if nominal || bins < 12 {
            return Self { open: Vec::new() };
        }
        let threshold = bound.threshold_at(length);
        let slack = |lo: usize| {
            if bound.radius > 0.0 {
                bound.radius * (tally[bins].weight - tally[lo].weight).max(0.0).sqrt()
            } else {
                0.0
            }
        };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut open = vec![false; bins];
        for lo in (0..bins).rev() {
            low = low.min(correlation[lo + 1]);
            high = high.max(correlation[lo + 1]);
            open[lo] = (high - correlation[lo]).max(correlation[lo] - low) + slack(lo) > threshold;
        }
        Self { open }
    }

    fn is_open(&self, lo: usize) -> bool {
        self.open.get(lo).copied().unwrap_or(true)
    }
}

/// [`super::BoxFeature::propositions`], without first bins that are not open.
fn feature_propositions(feature: &super::BoxFeature, ends: &Ends, mut f: impl FnMut(Proposition, Sign)) {
    if feature.nominal || ends.open.is_empty() {
        feature.propositions(f);
        return;
    }
    let m = feature.bins;
    for lo in (0..m).filter(|&lo| ends.is_open(lo)) {
        for hi in (lo..m).rev() {
            if (lo > 0 || hi + 1 < m)
                && let Some(sign) = feature.sign(lo, hi)
            {
                f(Proposition::range(lo, hi), sign);
            }
        }
    }
    if feature.missing && m > 0 {
        f(Proposition::range(0, m - 1), Sign::Either);
        f(Proposition::range(m, m), Sign::Either);
    }
}

/// Weight and number of the rows of a proposition, and the number of all rows.
fn tallied(tally: &[Tally], p: Proposition) -> (f64, f64, f64) {
    let (from, to, end) = (tally[p.lo as usize], tally[p.hi as usize + 1], tally[tally.len() - 1]);
    let (weight, count) = (to.weight - from.weight, to.count - from.count);
    if p.negated { (end.weight - weight, end.count - count, end.count) } else { (weight, count, end.count) }
}

/// Whether no narrower interval has the same rows (each bounded end bin is occupied).
fn tight(feature: &super::BoxFeature, tally: &[Tally], p: Proposition) -> bool {
    if feature.nominal || p.lo as usize >= feature.bins {
        return true;
    }
    let occupied = |b: usize| tally[b + 1].count > tally[b].count;
    let (lo, hi) = (p.lo as usize, p.hi as usize);
    let is_full = lo == 0 && hi + 1 == feature.bins;
    if feature.monotonic_cst == 0 {
        is_full || (occupied(lo) && occupied(hi))
    } else {
        is_full || (lo == 0 || occupied(lo)) && (hi + 1 == feature.bins || occupied(hi))
    }
}
