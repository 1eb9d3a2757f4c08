//! Predictions of all cells under each of the three losses, with the sums that a block move, a joint
//! Newton step and the objective need.
//!
//! Sums over the bins of a column give the loss as a function of the values of that column: exactly
//! for the squared and the exponential loss, to second order for the logistic loss.

mod exponential;
mod logistic;
mod residuals;
mod squared;

use self::exponential::ExponentialPredictions;
use self::logistic::LogisticPredictions;
pub use self::residuals::Residuals;
pub use self::squared::SquaredPredictions;
use super::cells::Cells;
use super::cost::PieceCost;
use super::segment::CostSums;
use super::shape::Shape;
use crate::data::sums::{PART, over_rows, total};
use crate::loss::{self, Loss};
use crate::threads;

/// The largest log-odds of a constant: their exponential has room for the values of columns.
const MAX_LOG_ODDS: f64 = 600.0;

/// The change of the prediction in each bin of a column; without a column, of all cells.
#[derive(Debug, Clone)]
pub struct BinChange {
    pub column: Option<usize>,
    pub by_bin: Vec<f64>,
}

impl BinChange {
    /// The same change in all cells.
    pub fn shift(by: f64) -> Self {
        Self { column: None, by_bin: vec![by] }
    }
}

/// The predictions f of all cells under one loss.
pub trait Predictions: Clone + Send + Sync {
    /// The cost of a piece.
    type Cost: PieceCost;
    /// Whether the cost of a column's pieces is the loss, not its second-order expansion.
    const IS_EXACT: bool;
    /// Whether the values of a column are within [`MAX_ABS_VALUE`](super::cost::MAX_ABS_VALUE) of their middle.
    const IS_BOUNDED: bool;

    /// The constant that minimises the loss, and the predictions with that constant.
    fn new(cells: &Cells) -> (f64, Self);
    /// The same, kept for each cell: the loss has all its digits, and derivatives are at hand.
    fn new_by_cell(cells: &Cells) -> (f64, Self) {
        Self::new(cells)
    }
    /// The cost of a piece.
    fn cost() -> Self::Cost;
    /// Cost sums of the bins of column `j` whose present function is `shape`; `ridge` is the ridge strength
    /// for a row of weight 1.
    fn bin_sums(&self, cells: &Cells, j: usize, shape: &Shape, weight: &[f64], ridge: f64) -> Vec<CostSums>;
    /// The cost sums of values that are measured from `origin`, up to a constant of the cost.
    fn sums_from(origin: f64, CostSums { a, b, weight }: CostSums) -> CostSums {
        CostSums { a, b: b - a * origin, weight }
    }
    /// Adds the changes of the bins of some columns to f.
    fn apply(&mut self, cells: &Cells, changes: &[BinChange]);
    /// The sum of the losses.
    fn loss(&self, cells: &Cells) -> f64;
    /// First and second derivative of the loss with respect to the f of each cell.
    fn derivatives(&self, cells: &Cells) -> (Vec<f64>, Vec<f64>);
    /// The residuals of bins, where predictions are kept by them.
    fn residuals(&self) -> Option<&Residuals> {
        None
    }
    /// First and second derivative of the ridge penalty of a row of weight 1 at value `v`; by default of v^2.
    fn ridge_derivatives(v: f64) -> (f64, f64) {
        (2.0 * v, 2.0)
    }
    /// The ridge penalty of a column, minimised over a shift of the function.
    fn ridge_penalty(shape: &Shape, weight: &[f64]) -> f64 {
        mean_and_spread(shape, weight).1
    }
    /// The shift of a column that minimises its ridge penalty.
    fn centre(shape: &Shape, weight: &[f64]) -> f64 {
        mean_and_spread(shape, weight).0
    }
}

/// A loss for which predictions of cells are implemented.
pub trait CellLoss: Loss {
    /// The predictions under this loss.
    type Predictions: Predictions;
}

impl CellLoss for loss::Squared {
    type Predictions = SquaredPredictions;
}

impl CellLoss for loss::Logistic {
    type Predictions = LogisticPredictions;
}

impl CellLoss for loss::Exponential {
    type Predictions = ExponentialPredictions;
}

/// Two numbers of each of `n` cells as two lists.
fn unzip_cells(n: usize, of_cell: impl Fn(usize) -> (f64, f64) + Sync) -> (Vec<f64>, Vec<f64>) {
    let mut lists = (vec![0.0; n], vec![0.0; n]);
    let mut parts: Vec<_> = lists.0.chunks_mut(PART).zip(lists.1.chunks_mut(PART)).collect();
    threads::map_chunks(&mut parts, 1, |k, part| {
        let (first, second) = &mut part[0];
        for (i, (a, b)) in (k * PART..).zip(first.iter_mut().zip(&mut **second)) {
            (*a, *b) = of_cell(i);
        }
    });
    lists
}

/// Half the log-odds of all cells together, or this `limit` where a class has no weight.
fn half_log_odds(cells: &Cells, limit: f64) -> f64 {
    let positive = total(&cells.sum);
    let negative = over_rows(cells.len(), |i| cells.weight[i] - cells.sum[i]);
    if positive > 0.0 && negative > 0.0 {
        return 0.5 * (positive.ln() - negative.ln()).clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS);
    }
    if positive == negative { 0.0 } else { limit.copysign(positive - negative) }
}

/// The weighted mean of a function and the weighted sum of squared deviations from it.
fn mean_and_spread(shape: &Shape, weight: &[f64]) -> (f64, f64) {
    let pieces = shape.sum_by_piece(weight);
    let total: f64 = pieces.iter().sum();
    let mean = pieces.iter().zip(&shape.values).map(|(w, v)| w * v).sum::<f64>() / total;
    let spread = pieces.iter().zip(&shape.values).map(|(w, v)| w * (v - mean) * (v - mean)).sum();
    (mean, spread)
}
