//! The last proposition of a rule, by prefix sums.
//!
//! With E the prefix sums of the residual over the bins of the last feature, the sum of an interval is
//! E[hi + 1] - E[lo], so that the largest |sum| over all intervals is max E - min E. One pass over the bins
//! bounds all intervals, and single intervals are evaluated only if that bound exceeds the threshold.

use std::ops::{AddAssign, Sub};

use super::pairs::extremes;
use super::walk::Walker;
use super::{BoxPattern, Proposition};
use crate::space::{Bound, LINES, Lines, NodeStats, ReportMode, Sign, Visitor};

/// Sample weight and number of some training rows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub weight: f64,
    pub count: f64,
}

impl Tally {
    /// The rows of a proposition, from the prefix sums over bins.
    #[inline]
    fn of(prefix: &[Self], p: Proposition) -> Self {
        let inside = prefix[p.hi as usize + 1] - prefix[p.lo as usize];
        if p.negated { prefix[prefix.len() - 1] - inside } else { inside }
    }
}

impl From<&NodeStats> for Tally {
    fn from(stats: &NodeStats) -> Self {
        Self { weight: stats.weight, count: stats.count }
    }
}

impl Sub for Tally {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { weight: self.weight - other.weight, count: self.count - other.count }
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
    bound: &impl Bound,
    length: usize,
    feature: &super::BoxFeature,
) -> bool {
    let range = feature.ranges() * (high - low);
    bound.subtree(range, range, weight, Sign::Either, length)
}

/// The best proposition of one sign, with its score and weight.
type Best = Option<(f64, Proposition, Sign, f64)>;

impl<V: Visitor<BoxPattern>> Leaf<'_, '_, V> {
    /// Reports propositions above the threshold; `tally` is computed only if there may be one.
    #[inline]
    pub fn scan(&mut self, correlation: &[f64], weight: f64, tally: impl FnOnce() -> Vec<Tally>) {
        self.walker.nodes += 1;
        let bound = self.walker.visitor.bound();
        let length = self.walker.path.len() + 1;
        let (low, high) = extremes(correlation);
        if !passes(low, high, weight, &bound, length, &self.walker.space.features[self.f]) {
            return;
        }
        self.propositions(correlation, bound, tally);
    }

    /// Evaluates each proposition.
    pub fn propositions(
        &mut self,
        correlation: &[f64],
        bound: impl Bound,
        tally: impl FnOnce() -> Vec<Tally>,
    ) {
        let space = self.walker.space;
        let feature = &space.features[self.f];
        let length = self.walker.path.len() + 1;
        let all = self.walker.visitor.report_mode() != ReportMode::Best;
        let uses_weights = bound.uses_weights();
        let needs = all || uses_weights || space.min_support > 1;
        let tally = if needs { tally() } else { Vec::new() };
        let bin = |b: usize| {
            (
                correlation[b + 1] - correlation[b],
                if needs { tally[b + 1].weight - tally[b].weight } else { 0.0 },
            )
        };
        if !bound.bins((0..feature.cells()).map(bin), length) {
            return;
        }
        let ends = Ends::new(correlation, &tally, feature.bins, &bound, length, feature.nominal);
        let mut best: [Best; 2] = [None, None];
        let sign = self.sign;
        let mut entered: Vec<(Proposition, (f64, f64), Sign)> = Vec::new();
        let mut nodes = 0;
        feature_propositions(feature, &ends, |p, proposition_sign| {
            nodes += 1;
            let Some(sign) = sign.and(proposition_sign) else { return };
            let sum = p.sum(correlation);
            let weight = if uses_weights { Tally::of(&tally, p).weight } else { 0.0 };
            if !bound.pattern(sum, weight, sign, length) {
                return;
            }
            if needs {
                let (count, whole) = (Tally::of(&tally, p).count, tally[tally.len() - 1].count);
                if count < space.min_support as f64 || count >= whole || (all && !tight(feature, &tally, p)) {
                    return;
                }
            }
            if all {
                entered.push((p, (sum, weight), sign));
                return;
            }
            let side = &mut best[usize::from(sum < 0.0)];
            let score = bound.score(sum, weight, sign, length);
            if side.is_none_or(|(best, ..)| score > best) {
                *side = Some((score, p, sign, weight));
            }
        });
        self.walker.nodes += nodes;
        for (p, sums, sign) in entered {
            self.walker.enter(self.f, p, sums, sign, self.within);
        }
        for (_, p, sign, weight) in best.into_iter().flatten() {
            self.walker.enter(self.f, p, (p.sum(correlation), weight), sign, self.within);
        }
    }
}

/// Whether each first bin has an interval above the threshold, by lines, or by the largest and the smallest prefix
/// sum at or after it.
struct Ends {
    open: Vec<bool>,
}

impl Ends {
    fn new(
        correlation: &[f64],
        tally: &[Tally],
        bins: usize,
        bound: &impl Bound,
        length: usize,
        nominal: bool,
    ) -> Self {
        if nominal || bins < 12 {
            return Self { open: Vec::new() };
        }
        if let Some(lines) = bound.lines(length) {
            return Self::above(&lines, &correlation[..=bins], tally);
        }
        let uses_weights = bound.uses_weights();
        let weight = |lo: usize| if uses_weights { tally[bins].weight - tally[lo].weight } else { 0.0 };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut open = vec![false; bins];
        for lo in (0..bins).rev() {
            low = low.min(correlation[lo + 1]);
            high = high.max(correlation[lo + 1]);
            let (up, down) = (high - correlation[lo], correlation[lo] - low);
            open[lo] = bound.subtree(up, down, weight(lo), Sign::Either, length);
        }
        Self { open }
    }

    /// First bins of an interval whose sum, or minus its sum, is above a line.
    fn above(lines: &Lines, correlation: &[f64], tally: &[Tally]) -> Self {
        let mut open = vec![false; correlation.len() - 1];
        // The largest surplus over the rise of each line of an interval that begins at a bin.
        let (mut up, mut down) = ([0.0; LINES], [0.0; LINES]);
        for (lo, open) in open.iter_mut().enumerate().rev() {
            let sum = correlation[lo + 1] - correlation[lo];
            let weight = tally[lo + 1].weight - tally[lo].weight;
            for k in 0..LINES {
                let fall = lines.rise[k] * weight;
                up[k] = if up[k] > 0.0 { up[k] } else { 0.0 } + sum - fall;
                down[k] = if down[k] > 0.0 { down[k] } else { 0.0 } - sum - fall;
                *open |= up[k] > lines.start[k] || down[k] > lines.start[k];
            }
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
    feature.propositions_apart(|p| f(p, Sign::Either));
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
