//! The three losses in the Lagrangian dual: the minimum of loss - theta f over the prediction f of a cell,
//! and the ridge penalty of a piece less its linear term.
//!
//! ```text
//! logistic     v log(1 + e^f) - s f - theta f        minimum  v H((theta + s) / v)
//! squared      v (y - f)^2 / 2 - theta f             minimum  -theta y - theta^2 / (2 v)
//! exponential  P e^-f + N e^f - theta f              minimum  q - theta log((theta + q) / (2 N))
//! ```
//!
//! with H the entropy in nats, y the mean response of the cell, P and N the weights of its positive and
//! negative rows, and q = sqrt(theta^2 + 4 P N).

use super::super::cells::Cells;
use super::super::cost::{PieceCost, Quadratic};
use super::super::predictions::CellLoss;
use super::hyperbolic::Hyperbolic;
use crate::data::sums::{over_rows, total};
use crate::loss;

/// A loss with a dual.
pub trait DualLoss: CellLoss {
    /// The ridge penalty of a piece with the linear term: `a` is twice the ridge of its rows, `b` the sum of
    /// their -theta.
    type RidgeCost: PieceCost;
    /// That cost.
    fn ridge_cost() -> Self::RidgeCost;
    /// The ridge penalty of a row of weight 1 at value `v` with its two derivatives; by default v^2.
    fn ridge_penalty(v: f64) -> [f64; 3] {
        [v * v, 2.0 * v, 2.0]
    }
    /// The sum over the cells of the minimum of loss - theta f over f; -infinity if some cell has none.
    fn dual_loss(cells: &Cells, theta: &[f64]) -> f64;
}

/// The sum over the cells of a function of weight, weighted sum of y, and theta.
fn sum_over_cells(cells: &Cells, theta: &[f64], of_cell: impl Fn(f64, f64, f64) -> f64 + Sync) -> f64 {
    over_rows(theta.len(), |i| of_cell(cells.weight[i], cells.sum[i], theta[i]))
}

impl DualLoss for loss::Logistic {
    type RidgeCost = Quadratic;

    fn ridge_cost() -> Quadratic {
        Quadratic { limit: f64::INFINITY }
    }

    fn dual_loss(cells: &Cells, theta: &[f64]) -> f64 {
        let part = |u: f64| if u > 0.0 { -u * u.ln() } else { 0.0 };
        let cell = |v: f64, s: f64, t: f64| {
            let u = ((t + s) / v).clamp(0.0, 1.0);
            v * (part(u) + part(1.0 - u))
        };
        sum_over_cells(cells, theta, cell)
    }
}

impl DualLoss for loss::Squared {
    type RidgeCost = Quadratic;

    fn ridge_cost() -> Quadratic {
        Quadratic { limit: f64::INFINITY }
    }

    /// Responses are centred, which changes nothing because theta sums to 0, and keeps digits.
    fn dual_loss(cells: &Cells, theta: &[f64]) -> f64 {
        let mean = total(&cells.sum) / total(&cells.weight);
        let cell = |v: f64, s: f64, t: f64| -t * (s / v - mean) - 0.5 * t * t / v;
        cells.within_loss + sum_over_cells(cells, theta, cell)
    }
}

impl DualLoss for loss::Exponential {
    type RidgeCost = Hyperbolic;

    fn ridge_cost() -> Hyperbolic {
        Hyperbolic
    }

    fn ridge_penalty(v: f64) -> [f64; 3] {
        let half = (0.5 * v).sinh();
        [4.0 * half * half, 2.0 * v.sinh(), 2.0 * v.cosh()]
    }

    fn dual_loss(cells: &Cells, theta: &[f64]) -> f64 {
        let cell = |v: f64, positive: f64, t: f64| {
            let negative = v - positive;
            let q = t.hypot(2.0 * (positive * negative).sqrt());
            // The two forms of e^f are equal; each keeps its digits for one sign of theta.
            let odds = if t >= 0.0 { (t + q) / (2.0 * negative) } else { 2.0 * positive / (q - t) };
            if t == 0.0 { q } else { q - t * odds.ln() }
        };
        sum_over_cells(cells, theta, cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One cell with the given sums.
    fn cell(weight: f64, sum: f64) -> Cells {
        Cells::of_sums(Vec::new(), &[(weight, sum, 0.0)])
    }

    /// The least value on a grid of predictions.
    fn least(value: impl Fn(f64) -> f64) -> f64 {
        (-40_000..=40_000).map(|k| value(f64::from(k) * 1e-3)).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn they_are_the_minima(v in 0.5..4.0f64, share in 0.0..1.0f64, u in 0.001..0.999f64) {
            let s = v * share;
            let close = |dual: f64, grid: f64| dual <= grid + 1e-12 && grid - dual < 1e-5;
            let t = v * u - s;
            let value = |f: f64| v * f.exp().ln_1p() - (s + t) * f;
            prop_assert!(close(loss::Logistic::dual_loss(&cell(v, s), &[t]), least(value)));
            let value = |f: f64| s * (-f).exp() + (v - s) * f.exp() - t * f;
            prop_assert!(close(loss::Exponential::dual_loss(&cell(v, s), &[t]), least(value)));
            // One cell has its mean as the centre.
            let value = |f: f64| 0.5 * v * f * f - t * f;
            prop_assert!(close(loss::Squared::dual_loss(&cell(v, s), &[t]), least(value)));
        }
    }

    #[test]
    fn cells_of_one_class_have_limits() {
        let (positive, negative) = (cell(2.0, 2.0), cell(2.0, 0.0));
        assert!(
            (loss::Exponential::dual_loss(&positive, &[-0.5]) - least(|f| 2.0 * (-f).exp() + 0.5 * f)).abs()
                < 1e-6
        );
        assert_eq!(loss::Exponential::dual_loss(&positive, &[0.1]), f64::NEG_INFINITY);
        assert_eq!(loss::Exponential::dual_loss(&negative, &[-0.1]), f64::NEG_INFINITY);
        for one in [positive, negative] {
            assert_eq!(loss::Exponential::dual_loss(&one, &[0.0]), 0.0);
            assert_eq!(loss::Logistic::dual_loss(&one, &[0.0]), 0.0);
        }
    }
}
