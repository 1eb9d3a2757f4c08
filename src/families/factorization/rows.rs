//! The training rows while the predictions change.

use super::problem::Problem;
use crate::linalg::root::{LOGIT_STEP, Slope, seek_zero};
use crate::loss::{Loss, Smooth, with_smooth_loss};

/// Sum of the slopes relative to the sum of their sizes at which the intercept counts as optimal, and the part of the
/// weights that counts as a size: of a single class the intercept has no optimum.
const SLOPE_SUM: f64 = 1e-10;
const LEAST_SIZE: f64 = 1e-4;

/// For each row the slope of its loss times its weight, which follows the prediction.
pub(super) struct RowSlopes<'a> {
    problem: Problem<'a>,
    slopes: Vec<f64>,
    /// Not kept for squared loss, whose slopes say it all.
    predictions: Vec<f64>,
}

impl<'a> RowSlopes<'a> {
    pub(super) fn new(problem: Problem<'a>, predictions: Vec<f64>) -> Self {
        fn slopes<L: Loss>(loss: L, problem: &Problem<'_>, predictions: &[f64]) -> Vec<f64> {
            let rows = problem.y.iter().zip(predictions).enumerate();
            rows.map(|(row, (&y, &f))| problem.weight(row) * loss.gradient(y, f)).collect()
        }
        let slopes = with_smooth_loss!(problem.loss, loss => slopes(loss, &problem, &predictions));
        Self { problem, slopes, predictions }
    }

    /// The mean loss of the predictions.
    pub(super) fn mean_loss(&self) -> f64 {
        fn residual<L: Smooth>(_: L) -> Option<f64> {
            L::QUADRATIC.then_some(1.0 / L::BOUND)
        }
        let problem = &self.problem;
        let Some(by) = with_smooth_loss!(problem.loss, loss => residual(loss)) else {
            return problem.mean_loss(&self.predictions);
        };
        let of_row = |(row, (y, slope)): (usize, (&f64, &f64))| y + by * slope / problem.weight(row);
        let rows = problem.y.iter().zip(&self.slopes).enumerate();
        problem.mean_loss(&rows.map(of_row).collect::<Vec<f64>>())
    }

    pub(super) fn slopes(&self) -> &[f64] {
        &self.slopes
    }

    /// For squared loss, whose slopes say it all.
    pub(super) fn slopes_mut(&mut self) -> &mut [f64] {
        &mut self.slopes
    }

    /// One a row; `None`: all 1.
    pub(super) fn weights(&self) -> Option<&'a [f64]> {
        self.problem.weights
    }

    /// All rows, to be moved one after the other.
    pub(super) fn view(&mut self) -> RowsView<'_> {
        let Problem { y, weights, .. } = self.problem;
        RowsView { y, weights, slopes: &mut self.slopes, predictions: &mut self.predictions }
    }

    /// Moves the intercept to its optimum, where the slopes sum to 0; returns by how much. A step on the bound of the
    /// curvature would not do: where a class is rare the curvature is a small part of it.
    pub(super) fn move_intercept<L: Smooth>(&mut self, loss: L) -> f64 {
        if L::QUADRATIC {
            let by = -self.slopes.iter().sum::<f64>() / (L::BOUND * self.problem.total);
            let (n, mut view) = (self.slopes.len(), self.view());
            (0..n).for_each(|row| view.advance(loss, row, by));
            return by;
        }
        let Self { problem, slopes, predictions } = self;
        let mut by = 0.0;
        let at = |shift: f64| {
            by = shift;
            let mut sums = Slope { value: 0.0, size: LEAST_SIZE * problem.total, derivative: 0.0 };
            for (row, (slope, f)) in slopes.iter_mut().zip(&*predictions).enumerate() {
                let (y, f, weight) = (problem.y[row], f + shift, problem.weight(row));
                *slope = weight * loss.gradient(y, f);
                sums.value += *slope;
                sums.size += slope.abs();
                sums.derivative += weight * loss.curvature(y, f);
            }
            sums
        };
        seek_zero(at, SLOPE_SUM, LOGIT_STEP);
        predictions.iter_mut().for_each(|f| *f += by);
        by
    }
}

/// Rows with nothing between them and a loop.
pub(super) struct RowsView<'v> {
    y: &'v [f64],
    weights: Option<&'v [f64]>,
    slopes: &'v mut [f64],
    predictions: &'v mut [f64],
}

impl RowsView<'_> {
    /// Moves the prediction of a row.
    #[inline]
    pub(super) fn advance<L: Smooth>(&mut self, loss: L, row: usize, by: f64) {
        if L::QUADRATIC {
            let by = L::BOUND * by;
            self.slopes[row] += self.weights.map_or(by, |w| w[row] * by);
        } else if by != 0.0 {
            self.predictions[row] += by;
            let slope = loss.gradient(self.y[row], self.predictions[row]);
            self.slopes[row] = self.weights.map_or(slope, |w| w[row] * slope);
        }
    }
}
