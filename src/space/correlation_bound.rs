//! The safe screening and pruning rules of the L1 penalty, common to all spaces.
//!
//! With phi the residual of the rows, a pattern k of length L may be active only if
//!
//! ```text
//! |sum_k phi| + radius * sqrt(C_k - C_k^2 / n)  >  threshold * cost(L)        (SS,  [SRF] Lemma 3)
//! ```
//!
//! and a descendant of k may be active only if
//!
//! ```text
//! max(sum_k phi+, sum_k phi-) + radius * sqrt(C_k)  >  threshold * cost(L)   (mSS, [SRF] Theorem 1)
//! ```
//!
//! because a subset of the rows of k has no larger sum of one sign and no larger weight than k. Radius 0
//! tests phi itself (`lambda_max`, violators, the certificate); a radius > 0 tests every phi' within that
//! distance (norm weighted by 1 / weight, both orthogonal to the intercept).
//!
//! References: \[SRF\] Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule
//! Model by Meta Safe Screening".

use super::{Bound, Sign};
use crate::penalty::L1;

/// The threshold that correlations must exceed, and the ball of residuals. The score is the correlation
/// divided by the cost of the pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrelationBound {
    /// Threshold for a pattern of cost 1.
    pub threshold: f64,
    /// Radius of the ball around the residual; 0: the residual alone.
    pub radius: f64,
    /// Increase of the cost of a pattern for each proposition after the first.
    pub growth: f64,
    /// Sum of the weights of all rows.
    pub total: f64,
}

impl CorrelationBound {
    /// Cost of a pattern of `length` propositions.
    #[inline]
    pub fn cost(&self, length: usize) -> f64 {
        L1 { growth: self.growth }.cost(length)
    }

    /// The most by which the sum over rows of a weight changes within the ball.
    #[inline]
    fn slack(&self, weight: f64) -> f64 {
        if self.radius > 0.0 {
            self.radius * (weight - weight * weight / self.total).max(0.0).sqrt()
        } else {
            0.0
        }
    }

    /// The radius from which on a pattern passes.
    pub fn critical_radius(&self, correlation: f64, weight: f64, sign: Sign, length: usize) -> f64 {
        let excess = sign.signed_correlation(correlation) - self.threshold_at(length);
        -excess / (weight - weight * weight / self.total).max(0.0).sqrt()
    }

    /// Threshold for a pattern of `length` propositions.
    #[inline]
    pub fn threshold_at(&self, length: usize) -> f64 {
        self.threshold * self.cost(length)
    }
}

impl Bound for CorrelationBound {
    fn numbers(&self) -> Vec<f64> {
        vec![self.threshold, self.radius, self.growth, self.total]
    }

    #[inline]
    fn uses_weights(&self) -> bool {
        self.radius > 0.0
    }

    #[inline]
    fn score(&self, correlation: f64, _: f64, sign: Sign, length: usize) -> f64 {
        sign.signed_correlation(correlation) / self.cost(length)
    }

    fn raise(&mut self, score: f64) {
        self.threshold = self.threshold.max(score);
    }

    #[inline]
    fn needed(&self, weight: f64, length: usize) -> [f64; 2] {
        let slack = if self.radius > 0.0 { self.radius * weight.max(0.0).sqrt() } else { 0.0 };
        [self.threshold_at(length) - slack; 2]
    }

    /// The slack grows with the weight up to half of the total.
    fn least(&self, weight: f64, length: usize) -> f64 {
        self.threshold_at(length) - self.slack(weight.min(0.5 * self.total))
    }

    #[inline]
    fn pattern(&self, correlation: f64, weight: f64, sign: Sign, length: usize) -> bool {
        sign.signed_correlation(correlation) > self.threshold_at(length) - self.slack(weight)
    }
}
