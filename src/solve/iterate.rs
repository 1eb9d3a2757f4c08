//! The current point: coefficients, predictions, residual and correlations.

use super::column::{Column, combine, dots};
use super::risk::Risk;
use crate::data::sums::{PART, over_rows};
use crate::loss::Task;
use crate::loss::{Loss, SecondOrder, with_smooth_loss};
use crate::threads;

/// Sum of the residual that counts as 0, as a fraction of its magnitude: the rounding of the sum. With a
/// smaller one Newton's method would oscillate.
const RESIDUAL_SUM: f64 = 4.0 * f64::EPSILON;
/// Maximum number of Newton steps for the intercept; bisection alone needs 64.
const MAX_INTERCEPT_STEPS: usize = 200;
/// Longest step of the intercept of a classification while it has no bracket: a change of a logit by 8
/// moves a probability from 0.02 to 0.98.
const MAX_INTERCEPT_STEP: f64 = 8.0;

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

    /// Moves the intercept so that the residual sums to 0, by Newton's method with bisection if a step leaves
    /// the bracket.
    pub fn fit_intercept(&mut self, risk: &Risk<'_>) {
        let (mut low, mut high) = self.intercept_bracket(risk);
        let mut shift = 0.0;
        for _ in 0..MAX_INTERCEPT_STEPS {
            let [sum, size, curvature] = self.shift_residual(risk, shift);
            if sum > 0.0 {
                low = shift;
            } else {
                high = shift;
            }
            let newton = shift + sum / curvature.max(f64::MIN_POSITIVE);
            // The minimiser of a regression may be as distant as the responses.
            let is_short =
                risk.loss.task() == Task::Regression || (newton - shift).abs() < MAX_INTERCEPT_STEP;
            let next = match (low.is_finite(), high.is_finite()) {
                _ if newton > low && newton < high && is_short => newton,
                (true, true) => 0.5 * (low + high),
                _ => shift + if sum > 0.0 { MAX_INTERCEPT_STEP } else { -MAX_INTERCEPT_STEP },
            };
            if sum.abs() <= RESIDUAL_SUM * size || next == shift || next <= low || next >= high {
                break;
            }
            shift = next;
        }
        self.intercept += shift;
        self.predictions.iter_mut().for_each(|f| *f += shift);
    }

    /// An interval that contains the shift of [`Self::fit_intercept`]. Losses of a regression grow with
    /// the distance of prediction and response, so that it lies amid the distances; a quadratic
    /// needs one step from anywhere.
    fn intercept_bracket(&self, risk: &Risk<'_>) -> (f64, f64) {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        if risk.loss.is_quadratic() || risk.loss.task() == Task::Classification {
            return everything;
        }
        let distances = risk.y.iter().zip(&self.predictions).map(|(y, f)| y - f);
        distances.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), d| (low.min(d), high.max(d)))
    }

    /// The residual at predictions shifted by `shift`; its sum, its size, and the curvature there.
    fn shift_residual(&mut self, risk: &Risk<'_>, shift: f64) -> [f64; 3] {
        let Risk { loss, y, sample_weights } = *risk;
        let f = &self.predictions;
        let parts: Vec<[f64; 3]> = with_smooth_loss!(loss, loss => {
            threads::map_chunks(&mut self.residual, PART, |k, residual| {
                let mut sums = [0.0; 3];
                for (i, s) in (k * PART..).zip(residual) {
                    *s = -sample_weights[i] * loss.gradient(y[i], f[i] + shift);
                    sums[0] += *s;
                    sums[1] += s.abs();
                    sums[2] += sample_weights[i] * loss.curvature(y[i], f[i] + shift);
                }
                sums
            })
        });
        parts.iter().fold([0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    }

    /// Sum of the losses.
    pub fn losses(&self, risk: &Risk<'_>) -> f64 {
        let Risk { loss, y, sample_weights } = *risk;
        let f = &self.predictions;
        with_smooth_loss!(loss, loss => over_rows(y.len(), |i| sample_weights[i] * loss.value(y[i], f[i])))
    }

    /// Second derivative of the loss at the prediction of each row.
    pub fn curvatures(&self, risk: &Risk<'_>) -> Vec<f64> {
        let Risk { loss, y, .. } = *risk;
        let rows = y.iter().zip(&self.predictions);
        with_smooth_loss!(loss, loss => rows.map(|(&y, &f)| loss.curvature(y, f)).collect())
    }
}
