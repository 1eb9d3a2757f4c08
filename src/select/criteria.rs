//! Selection of a point of a path: cross-validation, one standard error, BIC, EBIC.
//!
//! Degrees of freedom are the number of nonzero coefficients plus the intercept (unbiased for
//! the lasso: Zou, Hastie, Tibshirani 2007, "On the degrees of freedom of the lasso"). EBIC
//! adds 2 log C(p, k) for k coefficients out of p candidates (Chen, Chen 2008, "Extended Bayesian
//! information criteria for model selection with large model spaces", gamma = 1).
//!
//! Where the variance of the errors is estimated from the same residuals (squared loss), they vanish as the
//! coefficients become as many as the rows, and their logarithm falls without bound. The penalty has the
//! correction for it: log n of a degree of freedom becomes n log n / (n - d - 2) with d degrees of freedom
//! (McQuarrie 1999, "A small-sample correction for the Schwarz SIC model selection criterion").
//!
//! The smallest alphas of a path take most of its time, and are seldom chosen: a path ends where alpha is below 0.4 of
//! the best so far and the criterion is larger than anywhere since. A lower minimum after such a rise is missed.

use num_bigint::BigUint;

use crate::loss::{LossKind, SmoothLoss};
use crate::solve::path::Point;

/// Mean over folds weighted by their held-out weight, and its standard error, of the
/// `losses[fold][point]` that every fold has.
pub fn summary(losses: &[&[f64]], weight: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let count = losses.iter().map(|l| l.len()).min().unwrap_or(0);
    let total: f64 = weight.iter().sum();
    let folds = losses.len() as f64;
    (0..count)
        .map(|k| {
            let mean = losses.iter().zip(weight).map(|(l, w)| l[k] * w).sum::<f64>() / total;
            let spread = |(l, w): (&&[f64], &f64)| w * (l[k] - mean) * (l[k] - mean);
            let spread = losses.iter().zip(weight).map(spread).sum::<f64>() / total;
            (mean, (spread / (folds - 1.0).max(1.0)).sqrt())
        })
        .unzip()
}

/// A path does not end before alpha is below this fraction of the best so far.
const MIN_ALPHA_RATIO: f64 = 0.4;

/// Whether a criterion along falling strengths has been above its minimum for long, and is the largest since.
pub fn is_past_minimum(values: &[f64], strength: impl Fn(usize) -> f64) -> bool {
    let best = argmin(values);
    let Some((last, before)) = values.get(best..).and_then(<[f64]>::split_last) else { return false };
    strength(values.len() - 1) < MIN_ALPHA_RATIO * strength(best)
        && *last > values[best]
        && before.iter().all(|value| value <= last)
}

/// Index of the smallest value, the first among equal ones (the strongest penalty).
pub fn argmin(values: &[f64]) -> usize {
    let mut best = 0;
    for (k, &value) in values.iter().enumerate() {
        if value < values[best] || values[best].is_nan() {
            best = k;
        }
    }
    best
}

/// Natural logarithm of a large integer.
pub fn ln(n: &BigUint) -> f64 {
    let bits = n.bits();
    let shift = bits.saturating_sub(60);
    let top: u64 = (n >> shift).try_into().unwrap_or(1);
    (top.max(1) as f64).ln() + shift as f64 * std::f64::consts::LN_2
}

/// ln C(p, k) for k much smaller than p.
fn ln_choose(ln_p: f64, k: usize) -> f64 {
    let p = ln_p.exp();
    (0..k)
        .map(|i| if p.is_finite() { (p - i as f64).max(1.0).ln() } else { ln_p } - ((i + 1) as f64).ln())
        .sum()
}

/// Minus twice the log-likelihood of `rows` rows with a mean loss, and whether the variance of the errors is estimated. A
/// loss that is no likelihood takes the place of the squared one, as in Machado (1993), "Robust model selection and
/// M-estimation".
fn deviance(loss: SmoothLoss, rows: f64, mean_loss: f64) -> (f64, bool) {
    let of_errors = || (LossKind::Squared.deviance(rows, mean_loss).unwrap_or(f64::INFINITY), true);
    loss.kind().deviance(rows, mean_loss).map_or_else(of_errors, |fit| (fit, loss.is_quadratic()))
}

/// The deviance of a point plus its penalty, for `rows` rows and a mean loss.
pub fn criterion<P>(
    point: &Point<P>,
    loss: SmoothLoss,
    mean_loss: f64,
    rows: f64,
    extended: Option<f64>,
) -> f64 {
    let (fit, is_variance_estimated) = deviance(loss, rows, mean_loss);
    let k = point.terms.len() + point.dense.iter().filter(|w| **w != 0.0).count();
    let degrees = (k + 1) as f64;
    let correction = if is_variance_estimated { rows / (rows - degrees - 2.0).max(1.0) } else { 1.0 };
    let extra = extended.map_or(0.0, |ln_p| 2.0 * ln_choose(ln_p, k));
    fit + degrees * rows.ln() * correction + extra
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_without_a_likelihood_has_a_value_to_compare() {
        let squared = deviance(SmoothLoss::Squared, 50.0, 0.3);
        assert_eq!(deviance(SmoothLoss::Huber { delta: 1.0 }, 50.0, 0.3), squared);
        assert_eq!(deviance(SmoothLoss::SquaredHinge, 50.0, 0.3), squared);
        assert_eq!(deviance(SmoothLoss::Logistic, 50.0, 0.3), (30.0, false));
        assert!(deviance(SmoothLoss::SquaredHinge, 50.0, 0.0).0.is_finite());
    }

    #[test]
    fn a_path_ends_at_its_largest_value_far_below_the_best_strength() {
        let is_past = |values: &[f64]| is_past_minimum(values, |k| [1.0, 0.8, 0.6, 0.35, 0.3][k]);
        assert!(!is_past(&[]));
        assert!(!is_past(&[50.0, 40.0, 60.0, 70.0]));
        assert!(is_past(&[50.0, 40.0, 60.0, 70.0, 70.0]));
        assert!(!is_past(&[50.0, 40.0, 60.0, 70.0, 69.0]));
        assert!(!is_past(&[50.0, 60.0, 60.0, 59.0, 49.0]));
        assert!(!is_past(&[50.0, 50.0, 50.0, 50.0, 50.0]));
        assert!(is_past(&[50.0, 60.0, 55.0, 61.0]));
    }
}
