//! The current point: coefficients, predictions, residual and correlations.

use super::column::{Column, combine, dots};
use super::risk::Risk;
use crate::data::sums::{LANES, PART, in_lanes, sum_of_parts};
use crate::linalg::root::{LOGIT_STEP, Slope, seek_zero};
use crate::loss::{SecondOrder, Task, with_smooth_loss};
use crate::threads;

/// Sum of the residual that counts as 0, as a fraction of its magnitude: the rounding of the sum. With a
/// smaller one Newton's method would oscillate.
const RESIDUAL_SUM: f64 = 4.0 * f64::EPSILON;

/// Coefficients and intercept, with the predictions, residual and correlations.
#[derive(Debug, Clone)]
pub struct Iterate {
    /// Coefficient of each column of the working set.
    pub coefficients: Vec<f64>,
    /// The intercept.
    pub intercept: f64,
    /// Prediction of each row.
    pub predictions: Vec<f64>,
    /// The dual residual: minus the slope of the loss times the weight, of each row; sums to 0.
    pub residual: Vec<f64>,
    /// Inner product of each column with the residual.
    pub correlations: Vec<f64>,
    /// Whether predictions, residual and correlations were recomputed from the coefficients, not updated.
    pub is_exact: bool,
}

impl Iterate {
    /// No coefficients, `n` rows.
    pub fn new(n: usize) -> Self {
        Self {
            coefficients: Vec::new(),
            intercept: 0.0,
            predictions: vec![0.0; n],
            residual: vec![0.0; n],
            correlations: Vec::new(),
            is_exact: true,
        }
    }

    /// Recomputes predictions, residual and correlations from the coefficients, which removes accumulated
    /// rounding.
    pub fn recompute_residuals<P: Sync>(&mut self, risk: &Risk<'_>, columns: &[Column<P>]) {
        self.predictions.fill(self.intercept);
        combine(columns, &self.coefficients, &mut self.predictions);
        self.fit_intercept(risk);
        self.correlate(columns);
        self.is_exact = true;
    }

    /// Inner products of all columns with the residual.
    pub fn correlate<P: Sync>(&mut self, columns: &[Column<P>]) {
        self.correlations = dots(columns, &self.residual);
    }

    /// Moves the intercept so that the residual sums to 0.
    pub fn fit_intercept(&mut self, risk: &Risk<'_>) {
        let (longest, mut shift) = (self.longest_step(risk), 0.0);
        let at = |by: f64| {
            shift = by;
            let [sum, size, derivative] = self.shift_residual(risk, by);
            Slope { value: -sum, size, derivative }
        };
        seek_zero(at, RESIDUAL_SUM, longest);
        self.intercept += shift;
        self.predictions.iter_mut().for_each(|f| *f += shift);
    }

    /// The longest step of the intercept before it has a bracket. The minimiser of a regression may be as distant as the
    /// responses; a quadratic needs one step from anywhere.
    fn longest_step(&self, risk: &Risk<'_>) -> f64 {
        if risk.loss.is_quadratic() {
            return f64::INFINITY;
        }
        if risk.loss.task() == Task::Classification {
            return LOGIT_STEP;
        }
        risk.y.iter().zip(&self.predictions).map(|(y, f)| (y - f).abs()).fold(0.0, f64::max)
    }

    /// The residual at predictions shifted by `shift`; its sum, its size, and the curvature there.
    fn shift_residual(&mut self, risk: &Risk<'_>, shift: f64) -> [f64; 3] {
        let Risk { loss, y, sample_weights } = *risk;
        let f = &self.predictions;
        let parts: Vec<[f64; 3]> = with_smooth_loss!(loss, loss => {
            threads::map_chunks(&mut self.residual, PART, |k, residual| {
                let rows = k * PART..k * PART + residual.len();
                in_lanes([&y[rows.clone()], &sample_weights[rows.clone()], &f[rows]], |at, [y, v, f]| {
                    let mut terms = [[0.0; LANES]; 3];
                    for l in 0..LANES {
                        let [_, slope, curvature] = loss.expansion(y[l], f[l] + shift);
                        terms[0][l] = -v[l] * slope;
                        terms[1][l] = (v[l] * slope).abs();
                        terms[2][l] = v[l] * curvature;
                    }
                    residual[at..].iter_mut().zip(terms[0]).for_each(|(r, s)| *r = s);
                    terms
                })
            })
        });
        parts.iter().fold([0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    }

    /// Sum of the losses.
    pub fn losses(&self, risk: &Risk<'_>) -> f64 {
        let Risk { loss, y, sample_weights } = *risk;
        let f = &self.predictions;
        with_smooth_loss!(loss, loss => sum_of_parts(y.len(), |rows| {
            let [sum] = in_lanes([&y[rows.clone()], &sample_weights[rows.clone()], &f[rows]], |_, [y, v, f]| {
                let mut losses = [0.0; LANES];
                for l in 0..LANES {
                    losses[l] = v[l] * loss.expansion(y[l], f[l])[0];
                }
                [losses]
            });
            sum
        }))
    }

    /// Second derivative of the loss at the prediction of each row.
    pub fn curvatures(&self, risk: &Risk<'_>) -> Vec<f64> {
        let Risk { loss, y, .. } = *risk;
        let rows = y.iter().zip(&self.predictions);
        with_smooth_loss!(loss, loss => rows.map(|(&y, &f)| loss.expansion(y, f)[2]).collect())
    }
}
