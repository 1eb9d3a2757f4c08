//! Cut points of a numeric column: quantiles, intervals, all midpoints.
//!
//! A cut lies between two neighbouring distinct values; a value equal to a cut belongs
//! to the bin below it. NaN is ignored everywhere, and so are rows of weight 0.
//!
//! # References
//! \[SRF\] Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule Model by
//! Meta Safe Screening", appendix B.2, Algorithms 3 and 4.

use super::table::Column;

/// The distinct values of a column with the weight up to and including each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Distinct {
    values: Vec<f64>,
    cumulated: Vec<f64>,
    /// Whether all weights are integers, so that order statistics of repeated rows exist.
    has_integer_weights: bool,
}

impl Distinct {
    /// Those of a numeric column; none of a categorical one.
    pub(crate) fn of_column(column: &Column, weights: &[f64]) -> Self {
        match column {
            Column::Numeric(values) => Self::new(values, weights),
            Column::Categorical { .. } => Self::default(),
        }
    }

    /// Sorts the values that are not NaN and have a positive weight.
    pub(crate) fn new(values: &[f64], weights: &[f64]) -> Self {
        let mut rows: Vec<(f64, f64)> = values
            .iter()
            .copied()
            .zip(weights.iter().copied())
            .filter(|&(x, s)| !x.is_nan() && s > 0.0)
            .collect();
        // Sorted by weight too, so that the sums do not depend on the order of rows.
        rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut distinct = Self { has_integer_weights: true, ..Self::default() };
        let mut sum = 0.0;
        for (x, s) in rows {
            distinct.has_integer_weights &= s.fract() == 0.0;
            sum += s;
            match (distinct.values.last(), distinct.cumulated.last_mut()) {
                (Some(&last), Some(upto)) if last == x => *upto = sum,
                _ => {
                    distinct.values.push(x);
                    distinct.cumulated.push(sum);
                }
            }
        }
        distinct.has_integer_weights &= sum < 2_f64.powi(52);
        distinct
    }

    /// The distinct values, ascending.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The fraction of the weight that lies below the gap after value `k`.
    pub(crate) fn fraction(&self, k: usize) -> f64 {
        self.cumulated[k] / self.cumulated[self.cumulated.len() - 1]
    }

    /// The gap that contains a cut: `Some(k)` between values k and k + 1, `None` if all values lie on one side
    /// of it.
    pub(crate) fn gap(&self, cut: f64) -> Option<usize> {
        let below = self.values.partition_point(|&x| x <= cut);
        (below > 0 && below < self.values.len()).then(|| below - 1)
    }

    /// The cut in the gap after value `k`.
    pub(crate) fn cut(&self, k: usize) -> f64 {
        between(self.values[k], self.values[k + 1])
    }

    /// All midpoints between neighbouring values.
    pub(crate) fn midpoints(&self) -> Vec<f64> {
        self.values.windows(2).map(|pair| between(pair[0], pair[1])).collect()
    }

    /// Quantile cuts, \[SRF\] Algorithm 3.
    ///
    /// With M = `bins` and q = 1 .. M - 1, the position q n / M of the sorted values (the
    /// printed index q / n is an erratum) lies at the order statistics of its floor and its
    /// ceiling, counted from 1. If they differ, their midpoint is the cut; if not, the
    /// midpoint between that value and its nearer distinct neighbour, the lower one on a
    /// tie (as printed, the comparison takes the farther). A column with M distinct values
    /// or fewer keeps all its midpoints. Equal cuts are one cut.
    ///
    /// With integer weights the order statistics are exactly those of rows repeated by their weights. With
    /// other weights the value is the smallest one with at least q / M of the total weight up to it, so that
    /// a common factor of the weights has no effect.
    pub(crate) fn quantiles(&self, bins: usize) -> Vec<f64> {
        if self.values.len() <= bins {
            return self.midpoints();
        }
        let mut gaps: Vec<usize> = (1..bins).map(|q| self.gap_at(q, bins)).collect();
        gaps.dedup();
        gaps.into_iter().map(|k| self.cut(k)).collect()
    }

    /// The gap of quantile q / bins; at least two distinct values.
    fn gap_at(&self, q: usize, bins: usize) -> usize {
        let total = self.cumulated[self.cumulated.len() - 1];
        let (lower, upper) = if self.has_integer_weights {
            // Exactly the order statistics of the repeated rows.
            let position = q as u128 * total as u128;
            let (floor, ceil) = (position / bins as u128, position.div_ceil(bins as u128));
            (self.index_at(floor as f64), self.index_at(ceil as f64))
        } else {
            // With this margin a common factor of the weights does not change the index.
            let at = self.index_at(total * q as f64 / bins as f64 * (1.0 - 1e-12));
            (at, at)
        };
        if lower == upper { self.nearer_gap(lower) } else { lower }
    }

    /// The smallest value that has at least `position` of the weight up to it.
    fn index_at(&self, position: f64) -> usize {
        self.cumulated.partition_point(|&upto| upto < position).min(self.values.len() - 1)
    }

    /// The gap beside value `k` whose other end is nearer; the lower one on a tie.
    fn nearer_gap(&self, k: usize) -> usize {
        let last = self.values.len() - 1;
        let lower = k > 0
            && (k == last || self.values[k] - self.values[k - 1] <= self.values[k + 1] - self.values[k]);
        if lower { k - 1 } else { k }
    }

    /// Interval cuts, \[SRF\] Algorithm 4: the midpoint of every two sorted neighbours that
    /// are more than `delta` times the column's range apart; `delta` = 0 gives all.
    pub(crate) fn intervals(&self, delta: f64) -> Vec<f64> {
        let (Some(&low), Some(&high)) = (self.values.first(), self.values.last()) else {
            return Vec::new();
        };
        // Halves cannot overflow; the range of finite values can.
        let least = delta * (0.5 * high - 0.5 * low);
        let far = |pair: &&[f64]| 0.5 * pair[1] - 0.5 * pair[0] > least || delta == 0.0;
        self.values.windows(2).filter(far).map(|pair| between(pair[0], pair[1])).collect()
    }

    /// Cut points that divide the range into `bins` equal parts; those with the same values on each side are
    /// merged into the midpoint of the neighbouring values.
    pub(crate) fn uniform(&self, bins: usize) -> Vec<f64> {
        let (Some(&low), Some(&high)) = (self.values.first(), self.values.last()) else {
            return Vec::new();
        };
        let fraction = |k: usize| k as f64 / bins as f64;
        let spread = (1..bins).map(|k| low * (1.0 - fraction(k)) + high * fraction(k));
        let gaps: Vec<(usize, f64)> = spread.filter_map(|cut| Some((self.gap(cut)?, cut))).collect();
        let same = |a: &(usize, f64), b: &(usize, f64)| a.0 == b.0;
        let cut = |group: &[(usize, f64)]| if group.len() > 1 { self.cut(group[0].0) } else { group[0].1 };
        gaps.chunk_by(same).map(cut).collect()
    }
}

/// A number c with a <= c < b, the midpoint where floating point has one.
fn between(a: f64, b: f64) -> f64 {
    let middle = a.midpoint(b);
    if middle < b { middle } else { a }
}

#[cfg(test)]
mod tests;
