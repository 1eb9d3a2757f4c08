//! The propositions of one column.

use super::Proposition;
use crate::space::Sign;

/// The bins of a column and the propositions that rules may contain about it.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxFeature {
    /// Number of ordered bins, or of levels.
    pub bins: usize,
    /// Number of further bins, the last: one for each special code, and one for missing values. A proposition is one of
    /// them, or all ordered bins.
    pub n_apart: usize,
    /// Whether the bins are unordered levels; a proposition is then one level or all but one.
    pub nominal: bool,
    /// Monotonicity constraint. -1 or 1: rules have one-sided intervals of the feature and coefficients of
    /// the sign that makes the model decrease or increase with it. 0: none.
    pub monotonic_cst: i8,
}

impl BoxFeature {
    /// Number of bins, including those of special codes and of missing values.
    pub fn cells(&self) -> usize {
        self.bins + self.n_apart
    }

    /// Number of intervals of bins whose union a proposition is at most: the complement of a level is that of two.
    pub(super) fn ranges(&self) -> f64 {
        if self.nominal { 2.0 } else { 1.0 }
    }

    /// Calls `f` with each proposition and the sign it allows, in order.
    pub fn propositions(&self, mut f: impl FnMut(Proposition, Sign)) {
        let m = self.bins;
        if self.nominal {
            let cells = self.cells();
            for level in 0..if cells > 1 { cells } else { 0 } {
                f(Proposition::level(level, false), Sign::Either);
                if cells > 2 {
                    f(Proposition::level(level, true), Sign::Either);
                }
            }
            return;
        }
        for lo in 0..m {
            for hi in (lo..m).rev() {
                if (lo > 0 || hi + 1 < m)
                    && let Some(sign) = self.sign(lo, hi)
                {
                    f(Proposition::range(lo, hi), sign);
                }
            }
        }
        self.propositions_apart(|p| f(p, Sign::Either));
    }

    /// Calls `f` with all ordered bins and with each bin apart, if there are any.
    pub(super) fn propositions_apart(&self, mut f: impl FnMut(Proposition)) {
        if self.n_apart > 0 && self.bins > 0 {
            f(Proposition::range(0, self.bins - 1));
            (self.bins..self.cells()).for_each(|bin| f(Proposition::range(bin, bin)));
        }
    }

    /// The sign that an interval of ordered bins allows; `None` when monotonicity forbids it.
    #[inline]
    pub fn sign(&self, lo: usize, hi: usize) -> Option<Sign> {
        let (low, high) = (lo > 0, hi + 1 < self.bins);
        if self.monotonic_cst == 0 || lo >= self.bins || !(low || high) {
            return Some(Sign::Either);
        }
        match (low, high, self.monotonic_cst > 0) {
            (true, true, _) => None,
            (true, false, true) | (false, true, false) => Some(Sign::Plus),
            _ => Some(Sign::Minus),
        }
    }

    /// Numbers of propositions by sign: either, plus, minus.
    pub(super) fn counts(&self) -> [u64; 3] {
        let m = self.bins as u64;
        if self.nominal {
            let cells = self.cells() as u64;
            return [
                match cells {
                    0 | 1 => 0,
                    2 => 2,
                    _ => 2 * cells,
                },
                0,
                0,
            ];
        }
        let extra = if self.n_apart > 0 && m > 0 { 1 + self.n_apart as u64 } else { 0 };
        if self.monotonic_cst == 0 {
            return [(m * (m + 1) / 2).saturating_sub(1) + extra, 0, 0];
        }
        [extra, m.saturating_sub(1), m.saturating_sub(1)]
    }
}
