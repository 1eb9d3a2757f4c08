//! The minimum of a loss with a ridge penalty over an intercept and a few columns.
//!
//! ```text
//! min_{w, b}  sum_i v_i (loss(y_i, b + sum_k x_ik w_k) + ridge sum_k (x_ik w_k)^2)     subject to  s_k w_k >= 0
//! ```
//!
//! Newton's method on dense columns; each step minimises its quadratic model exactly.

use super::{check_time, dual};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{dot, line_search, minimise_with_signs};
use crate::loss::{Loss, SecondOrder, SmoothLoss, with_smooth_loss};

/// Maximum number of steps; nearly separable classes take about 20.
const MAX_STEPS: usize = 200;
/// Decrease that a step must promise, as a fraction of the objective.
const MIN_DECREASE: f64 = 1e-13;
/// Smallest curvature of a row: rows of none make the model too flat.
const MIN_CURVATURE: f64 = 1e-9;
/// Maximum number of halvings of a step.
const MAX_HALVINGS: usize = 60;

/// A loss over rows, and a ridge penalty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RidgeProblem<'a> {
    pub loss: SmoothLoss,
    pub y: &'a [f64],
    /// Row weights, mean 1.
    pub sample_weights: &'a [f64],
    pub ridge: f64,
    pub control: &'a Control,
}

/// A column with the sign that its coefficient may have; 0 allows both.
#[derive(Debug, Clone)]
pub(crate) struct SignedColumn {
    pub values: Vec<f64>,
    pub sign: f64,
}

/// A minimum.
pub(crate) struct Minimum {
    pub objective: f64,
    /// Minus the slope of the loss times the weight, of each row.
    pub residual: Vec<f64>,
}

impl RidgeProblem<'_> {
    /// The minimum over an intercept and the coefficients of some columns; `None` if it is not found.
    pub fn minimum(&self, columns: &[&SignedColumn]) -> Result<Option<Minimum>> {
        let n = self.y.len();
        let ones = vec![1.0; n];
        let all: Vec<&[f64]> = columns.iter().map(|c| &*c.values).chain([&*ones]).collect();
        let signs: Vec<f64> = columns.iter().map(|c| c.sign).chain([0.0]).collect();
        let mut diagonal: Vec<f64> =
            columns.iter().map(|c| 2.0 * self.ridge * self.squares(&c.values)).collect();
        diagonal.push(0.0);
        let mut w = vec![0.0; all.len()];
        let mut objective = self.objective(&all, &w, &diagonal);
        for _ in 0..MAX_STEPS {
            let f = predictions(&all, &w, n);
            let (slopes, curvatures) = self.derivatives(&f);
            let row = |(k, x): (usize, &&[f64])| -> Result<Vec<f64>> {
                check_time(self.control)?;
                let scaled: Vec<f64> = x.iter().zip(&curvatures).map(|(x, h)| x * h).collect();
                let product = |(l, other): (usize, &&[f64])| {
                    dot(&scaled, other) + if l == k { diagonal[k] } else { 0.0 }
                };
                Ok(all.iter().enumerate().map(product).collect())
            };
            let matrix: Vec<Vec<f64>> = all.iter().enumerate().map(row).collect::<Result<_>>()?;
            let gradient: Vec<f64> =
                (0..w.len()).map(|k| dot(all[k], &slopes) + diagonal[k] * w[k]).collect();
            let c: Vec<f64> = (0..w.len()).map(|k| dot(&matrix[k], &w) - gradient[k]).collect();
            let Some(target) = minimise_with_signs(&matrix, &c, &signs, w.clone()) else { return Ok(None) };
            let step: Vec<f64> = target.iter().zip(&w).map(|(to, from)| to - from).collect();
            let is_found = -dot(&gradient, &step) <= MIN_DECREASE * objective.abs();
            let mut lengths = line_search::steps(1.0, 0.5).take(if is_found { 0 } else { MAX_HALVINGS });
            let shortened = lengths.find_map(|length| {
                let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w + length * s).collect();
                let value = self.objective(&all, &next, &diagonal);
                (value < objective).then_some((next, value))
            });
            // A decrease that no length shows is rounding.
            let Some((next, value)) = shortened else {
                return Ok(Some(Minimum { objective, residual: slopes.iter().map(|s| -s).collect() }));
            };
            (w, objective) = (next, value);
        }
        Ok(None)
    }

    /// Weighted sum of the squares of a column.
    pub fn squares(&self, column: &[f64]) -> f64 {
        column.iter().zip(self.sample_weights).map(|(x, v)| v * x * x).sum()
    }

    /// The dual objective at a residual of sum 0.
    pub fn dual(&self, residual: &[f64], scale: f64) -> f64 {
        let Self { loss, y, sample_weights, .. } = *self;
        with_smooth_loss!(loss, loss => dual(loss, y, sample_weights, residual, scale))
    }

    fn objective(&self, columns: &[&[f64]], w: &[f64], diagonal: &[f64]) -> f64 {
        let (Self { loss, y, sample_weights: v, .. }, f) = (*self, predictions(columns, w, self.y.len()));
        let losses: f64 =
            with_smooth_loss!(loss, loss => (0..y.len()).map(|i| v[i] * loss.value(y[i], f[i])).sum());
        losses + w.iter().zip(diagonal).map(|(w, d)| 0.5 * d * w * w).sum::<f64>()
    }

    /// Slope and curvature of the loss of each row, by weight.
    fn derivatives(&self, f: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let Self { loss, y, sample_weights: v, .. } = *self;
        with_smooth_loss!(loss, loss => (0..y.len())
            .map(|i| (v[i] * loss.gradient(y[i], f[i]), v[i] * loss.curvature(y[i], f[i]).max(MIN_CURVATURE)))
            .unzip())
    }
}

fn predictions(columns: &[&[f64]], w: &[f64], n: usize) -> Vec<f64> {
    let mut f = vec![0.0; n];
    for (x, w) in columns.iter().zip(w) {
        f.iter_mut().zip(*x).for_each(|(f, x)| *f += w * x);
    }
    f
}
