//! Cut points of a numeric column: quantiles, intervals, between all neighbours.
//!
//! A cut lies between two neighbouring distinct values; a value equal to a cut belongs
//! to the bin below it. The cut is the decimal number of fewest digits between them that is nearest to their
//! midpoint, so that a model is printed as it is computed. NaN is ignored everywhere, and so are rows of weight 0.
//!
//! # References
//! \[SRF\] Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule Model by
//! Meta Safe Screening", appendix B.2, Algorithms 3 and 4.

mod shortest;

use super::coded::CodedNumbers;
use super::table::Column;
use shortest::{cut_between, shortest_near};

/// The distinct values of a column with the weight up to and including each; in a column whose codes are ranges, the
/// ranges, each under its largest value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Distinct {
    values: Vec<f64>,
    /// Smallest value of each range; empty if there are none.
    lows: Vec<f64>,
    cumulated: Vec<f64>,
    /// Whether all weights are integers, so that order statistics of repeated rows exist.
    has_integer_weights: bool,
}

impl Distinct {
    /// Those of a numeric column; none of a categorical one.
    pub(crate) fn of_column(column: &Column, weights: &[f64]) -> Self {
        match column {
            Column::Numeric(values) => Self::new(values, weights),
            Column::Coded(numbers) => Self::of_codes(numbers, weights),
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
            distinct.push(x, sum);
        }
        distinct.has_integer_weights &= sum < MAX_COUNT;
        distinct
    }

    /// Those of the codes of the rows of positive weight.
    fn of_codes(numbers: &CodedNumbers, weights: &[f64]) -> Self {
        let dictionary = numbers.dictionary();
        let n = dictionary.numbers().len();
        let rows = || numbers.codes().map(usize::from).zip(weights.iter().copied());
        let rows = || rows().filter(|&(code, s)| code < n && s > 0.0);
        let mut counts = vec![0_usize; n];
        let mut sums = vec![0.0; n];
        let mut has_integer_weights = true;
        for (code, s) in rows() {
            counts[code] += 1;
            sums[code] += s;
            has_integer_weights &= s.fract() == 0.0;
        }
        has_integer_weights &= sums.iter().sum::<f64>() < MAX_COUNT;
        let mut distinct = Self { has_integer_weights, ..Self::default() };
        let mut upto = 0.0;
        let by_code = if has_integer_weights { Vec::new() } else { weights_by_code(rows(), &counts) };
        let mut from = 0;
        for code in (0..n).filter(|&code| counts[code] > 0) {
            if has_integer_weights {
                upto += sums[code];
            } else {
                // The same additions in the same order as for numbers.
                by_code[from..from + counts[code]].iter().for_each(|s| upto += s);
                from += counts[code];
            }
            let is_new = distinct.push(dictionary.high(code), upto);
            if is_new && !dictionary.is_exact() {
                distinct.lows.push(dictionary.low(code));
            }
        }
        distinct
    }

    /// Adds a value with the weight up to it, unless it equals the last one; returns whether it is new.
    fn push(&mut self, x: f64, upto: f64) -> bool {
        match (self.values.last(), self.cumulated.last_mut()) {
            (Some(&last), Some(of_last)) if last == x => {
                *of_last = upto;
                false
            }
            _ => {
                self.values.push(x);
                self.cumulated.push(upto);
                true
            }
        }
    }

    /// The smallest value of range `k`.
    fn low(&self, k: usize) -> f64 {
        self.lows.get(k).copied().unwrap_or(self.values[k])
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
        cut_between(self.values[k], self.low(k + 1))
    }

    /// The cuts between all neighbouring values.
    pub(crate) fn midpoints(&self) -> Vec<f64> {
        (1..self.values.len()).map(|k| self.cut(k - 1)).collect()
    }

    /// Quantile cuts, \[SRF\] Algorithm 3.
    ///
    /// With M = `bins` and q = 1 .. M - 1, the position q n / M of the sorted values (the
    /// printed index q / n is an erratum) lies at the order statistics of its floor and its
    /// ceiling, counted from 1. If they differ, the cut lies between them; if not,
    /// between that value and its nearer distinct neighbour (as printed, the comparison takes the farther). Values
    /// of equal distances, such as whole numbers or those of one decimal, are cut where the weight below is nearest to the
    /// position. A column with M distinct values or fewer is cut between all. Equal cuts are one cut.
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
        let position = total * q as f64 / bins as f64;
        let (lower, upper) = if self.has_integer_weights {
            // Exactly the order statistics of the repeated rows.
            let position = q as u128 * total as u128;
            let (floor, ceil) = (position / bins as u128, position.div_ceil(bins as u128));
            (self.index_at(floor as f64), self.index_at(ceil as f64))
        } else {
            // With this margin a common factor of the weights does not change the index.
            let at = self.index_at(position * (1.0 - ROUNDING_OF_WEIGHTS));
            (at, at)
        };
        if lower == upper { self.nearer_gap(lower, position) } else { lower }
    }

    /// The smallest value that has at least `position` of the weight up to it.
    fn index_at(&self, position: f64) -> usize {
        self.cumulated.partition_point(|&upto| upto < position).min(self.values.len() - 1)
    }

    /// The gap beside value `k` whose other end is nearer; of equal ones the one with the weight below it nearer to
    /// `position`, the lower one on a tie.
    fn nearer_gap(&self, k: usize, position: f64) -> usize {
        let last = self.values.len() - 1;
        if k == 0 || k == last {
            return k.min(last - 1);
        }
        let (below, above) = (self.low(k) - self.values[k - 1], self.low(k + 1) - self.values[k]);
        let size = self.values[k - 1].abs().max(self.low(k + 1).abs());
        let is_lower = if (below - above).abs() <= ROUNDING_OF_VALUES * size {
            let (before, upto) = (self.cumulated[k - 1], self.cumulated[k]);
            position - before <= (upto - position) + ROUNDING_OF_WEIGHTS * position
        } else {
            below < above
        };
        if is_lower { k - 1 } else { k }
    }

    /// Interval cuts, \[SRF\] Algorithm 4: between every two sorted neighbours that
    /// are more than `delta` times the column's range apart; `delta` = 0 gives all.
    pub(crate) fn intervals(&self, delta: f64) -> Vec<f64> {
        let Some(&high) = self.values.last() else { return Vec::new() };
        // Halves cannot overflow; the range of finite values can.
        let least = delta * (0.5 * high - 0.5 * self.low(0));
        let far = |k: &usize| 0.5 * self.low(k + 1) - 0.5 * self.values[*k] > least || delta == 0.0;
        (0..self.values.len() - 1).filter(far).map(|k| self.cut(k)).collect()
    }

    /// Cut points near the bounds of `bins` equal parts of the range; those with the same values on each side are
    /// merged into the cut between the neighbouring values.
    pub(crate) fn uniform(&self, bins: usize) -> Vec<f64> {
        let Some(&high) = self.values.last() else { return Vec::new() };
        let low = self.low(0);
        let gaps: Vec<(usize, f64)> =
            uniform_bounds([low, high], bins).filter_map(|cut| Some((self.gap(cut)?, cut))).collect();
        let same = |a: &(usize, f64), b: &(usize, f64)| a.0 == b.0;
        // A cut point within a range moves to its bound.
        let is_apart = |&(k, cut): &(usize, f64)| cut < self.low(k + 1);
        let cut = |group: &[(usize, f64)]| {
            let &(k, bound) = &group[0];
            let is_near = group.len() == 1 && is_apart(&group[0]);
            if is_near { shortest_near(self.values[k], bound, self.low(k + 1)) } else { self.cut(k) }
        };
        gaps.chunk_by(same).map(cut).collect()
    }
}

/// Of values of one decimal in 32 bits: a difference of distances that is rounding.
const ROUNDING_OF_VALUES: f64 = 1.2e-7;
/// Of sums of weights.
const ROUNDING_OF_WEIGHTS: f64 = 1e-12;

/// Integer weights below this sum are added without rounding.
const MAX_COUNT: f64 = (1_u64 << 52) as f64;

/// The weights of the rows of each code, one code after the other, ascending within a code.
fn weights_by_code(rows: impl Iterator<Item = (usize, f64)>, counts: &[usize]) -> Vec<f64> {
    let mut next: Vec<usize> = counts
        .iter()
        .scan(0, |end, count| {
            let start = *end;
            *end += count;
            Some(start)
        })
        .collect();
    let mut weights = vec![0.0; counts.iter().sum()];
    for (code, s) in rows {
        weights[next[code]] = s;
        next[code] += 1;
    }
    let mut rest = &mut weights[..];
    for &count in counts {
        let (own, others) = rest.split_at_mut(count);
        own.sort_unstable_by(f64::total_cmp);
        rest = others;
    }
    weights
}

/// The inner bounds of `bins` equal parts of a range.
pub(super) fn uniform_bounds([low, high]: [f64; 2], bins: usize) -> impl Iterator<Item = f64> {
    let fraction = move |k: usize| k as f64 / bins as f64;
    (1..bins).map(move |k| low * (1.0 - fraction(k)) + high * fraction(k))
}

#[cfg(test)]
mod tests;
