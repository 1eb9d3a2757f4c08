//! The gain of a pattern: how much its optimal coefficient lowers an objective.
//!
//! With c the sum of the residual over the rows of a pattern and W their weight, the gain is
//!
//! ```text
//! c^2 / (2 D(W)),    D(W) = slope W - drop W^2
//! ```
//!
//! (see [`Curvature`]). A descendant of a node has a sum c of at most the sum p of the node's positive parts.
//! Its weight is at least that of the rows of largest residual, of all rows, with this sum, w(c), and at most
//! that of all rows without the most negative ones, which balance it: n - w'(c). D is concave, so that it is
//! smallest at one of the two, and the gain of every descendant is at most
//!
//! ```text
//! B(p) = max over c <= p of  c^2 / (2 min(D(w(c)), D(n - w'(c))))
//! ```
//!
//! a function of p alone. c^2 / D is convex between two steps of w, so that the steps decide. Negative sums
//! likewise.
//!
//! A set of rows gains more than T if |c| > sqrt(2 T D(W)), which is concave in W and so above its chords: [`Lines`].
//! The best interval by a line is found in one pass over the bins.

use super::{Bound, LINES, Lines, RowWeights, Sign};
use crate::penalty::L1;

/// Number of lines for weights above half of the total.
const LINES_ABOVE_HALF: usize = 2;
/// Fraction by which the limits on sums lie below their computed values, for rounding.
const ROUNDING: f64 = 1e-10;

/// The curvature of an objective in the direction of a pattern of weight W: `slope W - drop W^2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curvature {
    /// Of the loss and of a penalty on coefficients that is weighted by rows.
    pub slope: f64,
    /// What the intercept takes away.
    pub drop: f64,
}

impl Curvature {
    #[inline]
    fn at(self, weight: f64) -> f64 {
        weight * (self.slope - self.drop * weight)
    }

    fn gain(self, sum: f64, weight: f64) -> f64 {
        let curvature = self.at(weight);
        if sum == 0.0 {
            0.0
        } else if curvature > 0.0 {
            sum * sum / (2.0 * curvature)
        } else {
            f64::INFINITY
        }
    }

    /// Chords of the square root between the weights 0, that of a row, others in geometric progression up to half of
    /// the total, and the total.
    fn chords(self, n_rows: usize, total: f64) -> Lines {
        let (half, steps) = (0.5 * total, (LINES - LINES_ABOVE_HALF - 1) as f64);
        let end = |k: usize| match k.checked_sub(LINES - LINES_ABOVE_HALF) {
            None if k == 0 => 0.0,
            None => half * (2.0 / n_rows as f64).powf(1.0 - (k - 1) as f64 / steps),
            Some(above) => half * (1.0 + above as f64 / LINES_ABOVE_HALF as f64),
        };
        let height = |weight: f64| self.at(weight).max(0.0).sqrt() * (1.0 - ROUNDING);
        let mut lines = Lines { start: [0.0; LINES], rise: [0.0; LINES] };
        for k in 0..LINES {
            let (from, to) = (end(k), end(k + 1));
            let slope = (height(to) - height(from)) / (to - from);
            // Equal ends of one or two rows.
            lines.rise[k] = if slope.is_finite() { slope } else { 0.0 };
            lines.start[k] = height(from) - lines.rise[k] * from;
        }
        lines
    }
}

/// The largest gain of any set of rows by the sum of its residuals: steps of B, for sums > 0 and < 0.
#[derive(Debug)]
pub struct GainTable {
    curvature: Curvature,
    /// Growth of the cost of a pattern with each proposition after the first.
    growth: f64,
    steps: [Vec<Step>; 2],
    /// Chords of sqrt(D).
    chords: Lines,
}

/// Sets of rows with a sum of at most `sum` have a gain of at most `gain`.
#[derive(Debug, Clone, Copy)]
struct Step {
    sum: f64,
    gain: f64,
}

impl GainTable {
    /// The steps for the residuals of some rows, whose sum is 0.
    pub fn new(rows: &RowWeights, curvature: Curvature, growth: f64) -> Self {
        let lightest = [lightest(rows, 1.0), lightest(rows, -1.0)];
        let total: f64 = rows.stats.iter().map(|s| s.weight).sum();
        let steps = |own: &[(f64, f64)], other: &[(f64, f64)]| {
            let (mut balance, mut below) = (0, 0.0);
            let mut most: f64 = 0.0;
            let step = |&(sum, weight): &(f64, f64)| {
                // Sums between two steps are balanced by at least the rows that balance the smaller one.
                while balance + 1 < other.len() && other[balance + 1].0 <= below * (1.0 - ROUNDING) {
                    balance += 1;
                }
                below = sum;
                let heaviest = total - other[balance].1;
                most = most.max(curvature.gain(sum, weight)).max(curvature.gain(sum, heaviest));
                Step { sum, gain: most }
            };
            own.iter().map(step).collect::<Vec<Step>>()
        };
        Self {
            curvature,
            growth,
            steps: [steps(&lightest[0], &lightest[1]), steps(&lightest[1], &lightest[0])],
            chords: curvature.chords(rows.residual.len(), total),
        }
    }

    fn cost(&self, length: usize) -> f64 {
        L1 { growth: self.growth }.cost(length)
    }

    /// The sum that rows of a sign must exceed to gain more than `gain`.
    fn limit(&self, side: usize, gain: f64) -> f64 {
        let steps = &self.steps[side];
        // All sums up to the last step within the gain are within it.
        let within = steps.partition_point(|step| step.gain <= gain);
        if within == steps.len() {
            return f64::INFINITY;
        }
        within.checked_sub(1).map_or(0.0, |last| steps[last].sum * (1.0 - ROUNDING))
    }

    /// A bound for patterns whose gain exceeds `threshold` times their cost by more than `offset`.
    pub fn above(&self, offset: f64, threshold: f64) -> GainBound<'_> {
        let mut bound = GainBound {
            table: self,
            offset,
            threshold: f64::NEG_INFINITY,
            limits: [[0.0; 2]; LENGTHS],
            twice: [0.0; LENGTHS],
            is_beam: false,
        };
        bound.raise(threshold);
        bound
    }
}

/// Sums of the largest residuals of a sign, and the weight of their rows: the smallest that any rows with such
/// a sum have. Starts with no rows.
fn lightest(rows: &RowWeights, sign: f64) -> Vec<(f64, f64)> {
    let residual = |r: &u32| sign * rows.residual[*r as usize];
    let ratio = |r: &u32| residual(r) / rows.stats[*r as usize].weight;
    let mut order: Vec<u32> = (0..rows.residual.len() as u32).filter(|r| residual(r) > 0.0).collect();
    order.sort_unstable_by(|a, b| ratio(b).total_cmp(&ratio(a)).then(a.cmp(b)));
    let (mut sum, mut weight) = (0.0, 0.0);
    let mut sums = vec![(0.0, 0.0)];
    sums.extend(order.iter().map(|r| {
        sum += residual(r);
        weight += rows.stats[*r as usize].weight;
        (sum, weight)
    }));
    sums
}

/// Number of lengths with limits of their own; those of longer patterns are those of the last.
const LENGTHS: usize = 4;

/// The threshold that `(gain - offset) / cost` of a pattern must exceed: the price per unit of cost that it is worth.
#[derive(Debug, Clone, Copy)]
pub struct GainBound<'a> {
    table: &'a GainTable,
    offset: f64,
    threshold: f64,
    /// Sums of positive and of negative residuals that a pattern above the threshold must exceed, by length.
    limits: [[f64; 2]; LENGTHS],
    /// Twice the gain that a pattern of each length must exceed.
    twice: [f64; LENGTHS],
    /// See [`Self::beam`].
    is_beam: bool,
}

impl GainBound<'_> {
    /// Twice the gain that a pattern of this length must exceed.
    #[inline]
    fn twice(&self, length: usize) -> f64 {
        self.twice.get(length - 1).copied().unwrap_or_else(|| 2.0 * self.needed(length))
    }

    /// The gain that a pattern of this length must exceed.
    fn needed(&self, length: usize) -> f64 {
        self.offset + self.threshold * self.table.cost(length)
    }

    /// The same bound for an incomplete search, which goes on below patterns of two and more propositions only if
    /// they gain enough for one proposition.
    #[must_use]
    pub fn beam(self) -> Self {
        Self { is_beam: true, ..self }
    }
}

impl Bound for GainBound<'_> {
    fn numbers(&self) -> Vec<f64> {
        let Curvature { slope, drop } = self.table.curvature;
        let is_beam = f64::from(u8::from(self.is_beam));
        vec![self.offset, self.threshold, is_beam, self.table.growth, slope, drop]
    }

    #[inline]
    fn uses_weights(&self) -> bool {
        true
    }

    #[inline]
    fn score(&self, correlation: f64, weight: f64, sign: Sign, length: usize) -> f64 {
        let gain = self.table.curvature.gain(sign.signed_correlation(correlation).max(0.0), weight);
        (gain - self.offset) / self.table.cost(length)
    }

    fn raise(&mut self, score: f64) {
        if score <= self.threshold {
            return;
        }
        self.threshold = score;
        self.twice = std::array::from_fn(|at| 2.0 * self.needed(at + 1));
        self.limits =
            std::array::from_fn(|at| [0, 1].map(|side| self.table.limit(side, self.needed(at + 1))));
    }

    #[inline]
    fn needed(&self, _: f64, length: usize) -> [f64; 2] {
        self.limits[length.clamp(1, LENGTHS) - 1]
    }

    #[inline]
    fn descends(&self, correlation: f64, weight: f64, length: usize) -> bool {
        !self.is_beam
            || length <= 2
            || correlation * correlation > self.twice(1) * self.table.curvature.at(weight)
    }

    /// With c and w the sums and the weights of the bins of a union of weight W, its sum is at most
    /// `sqrt(W sum c^2 / w)` over the bins of its sign (Cauchy-Schwarz).
    #[inline]
    fn bins(&self, bins: impl Iterator<Item = (f64, f64)>, length: usize) -> bool {
        let (mut up, mut down, mut all) = (0.0, 0.0, 0.0);
        for (sum, weight) in bins {
            let square = if weight > 0.0 { sum * sum / weight } else { 0.0 };
            if sum > 0.0 {
                up += square;
            } else {
                down += square;
            }
            all += weight;
        }
        let Curvature { slope, drop } = self.table.curvature;
        f64::max(up, down) * (1.0 + ROUNDING) > self.twice(length) * (slope - drop * all)
    }

    #[inline]
    fn lines(&self, length: usize) -> Option<Lines> {
        let scale = self.twice(length).max(0.0).sqrt();
        let Lines { start, rise } = self.table.chords;
        Some(Lines { start: start.map(|s| s * scale), rise: rise.map(|r| r * scale) })
    }

    #[inline]
    fn pattern(&self, correlation: f64, weight: f64, sign: Sign, length: usize) -> bool {
        let signed = sign.signed_correlation(correlation);
        signed > 0.0 && signed * signed > self.twice(length) * self.table.curvature.at(weight)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_rows_below_a_node_gain_more(
            rows in prop::collection::vec((-4i32..5, 1u32..4), 1..9),
            node in any::<u8>(),
            (ridge, threshold) in (0.01..1.0f64, 0.0..4.0f64),
            takes_intercept in any::<bool>(),
        ) {
            let weights: Vec<f64> = rows.iter().map(|r| f64::from(r.1)).collect();
            let total: f64 = weights.iter().sum();
            let mean = rows.iter().map(|r| f64::from(r.0)).sum::<f64>() / total;
            let residual: Vec<f64> = rows.iter().map(|r| f64::from(r.0) - mean * f64::from(r.1)).collect();
            let curvature = if takes_intercept {
                Curvature { slope: 1.0 + ridge, drop: 1.0 / total }
            } else {
                Curvature { slope: ridge, drop: 0.0 }
            };
            let row_weights = RowWeights::new(residual.clone(), &weights, &vec![1.0; rows.len()]);
            let table = GainTable::new(&row_weights, curvature, 0.0);
            let bound = table.above(threshold - 0.5, 0.5);
            let sums = |mask: u8| (0..rows.len()).filter(|i| mask >> i & 1 == 1).fold(
                (0.0, 0.0, 0.0),
                |(up, down, weight), i| (up + residual[i].max(0.0), down - residual[i].min(0.0), weight + weights[i]),
            );
            let (up, down, weight) = sums(node);
            for mask in 0..=u8::MAX {
                let (own_up, own_down, own_weight) = sums(mask & node);
                let gain = curvature.gain(own_up - own_down, own_weight);
                if gain > threshold + 1e-9 {
                    prop_assert!(bound.subtree(up, down, weight, Sign::Either, 1), "{} of {}", gain, node);
                    prop_assert!(bound.pattern(own_up - own_down, own_weight, Sign::Either, 1));
                    let lines = bound.lines(1).unwrap();
                    let above = |k: usize| (own_up - own_down).abs() > lines.start[k] + lines.rise[k] * own_weight;
                    prop_assert!((0..LINES).any(above), "{} at weight {}", own_up - own_down, own_weight);
                }
            }
        }
    }
}
