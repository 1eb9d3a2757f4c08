//! Supervised cuts: the thresholds that a small boosted tree model uses.
//!
//! One ensemble of shallow trees a target, grown on fine bins by second-order gradient
//! boosting; every threshold is credited with the gain of its splits. Nothing is random
//! and rows count only through sums over their weights (the smallest leaf is a fraction of
//! the total weight), so a row of weight 2 and two rows of weight 1 give the same cuts.
//!
//! # References
//! Friedman, "Greedy function approximation: a gradient boosting machine", 2001.
//! Chen, Guestrin, "XGBoost: a scalable tree boosting system", 2016, equation (7).

mod fine;
mod select;
mod tree;

use super::table::Table;
use crate::loss::{Smooth, SmoothLoss, with_smooth_loss};
use fine::FineColumn;
use tree::{Grower, Sums};

/// Trees a target; fewer when there are many targets, see [`rounds`].
const MAX_TREES_PER_TARGET: usize = 60;

/// The fewest trees a target, and the number of trees of all targets together from
/// which on a target gets fewer.
const MIN_TREES_PER_TARGET: usize = 20;
const MAX_TREES: usize = 600;

/// Fraction of its Newton step that a leaf takes.
const LEARNING_RATE: f64 = 0.1;

/// A row's curvature counts as at least this fraction of the loss's bound, so that leaves of
/// well-fitted rows do not take endless steps.
const CURVATURE_FLOOR: f64 = 0.01;

/// Newton steps for the intercept.
const MAX_INTERCEPT_STEPS: usize = 30;

/// One response and the loss it is fitted with.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// One value a row: a real number, or -1 / +1.
    pub y: &'a [f64],
    /// The loss whose gradient drives the trees.
    pub loss: SmoothLoss,
}

/// The thresholds of small boosted trees, at most `per_feature` a column, ascending.
///
/// Scores are gains, each target's divided by their sum over all columns, so that every
/// target has one vote. Missing values go to the better side of a split; categorical
/// columns take part in the trees (one level against the rest) but have no thresholds.
/// Columns that the trees do not use have none either.
pub fn supervised(
    table: &Table,
    targets: &[Target<'_>],
    weights: &[f64],
    per_feature: usize,
) -> Vec<Vec<f64>> {
    let columns: Vec<FineColumn> =
        table.columns().iter().map(|column| FineColumn::new(column, weights)).collect();
    let mut scores: Vec<Vec<f64>> = columns.iter().map(|column| vec![0.0; column.cuts.len()]).collect();
    for target in targets {
        let rounds = rounds(targets.len());
        let gains = with_smooth_loss!(target.loss, loss => gains(loss, &columns, target.y, weights, rounds));
        let total: f64 = gains.iter().flatten().sum();
        if total > 0.0 {
            let pairs = scores.iter_mut().flatten().zip(gains.iter().flatten());
            pairs.for_each(|(score, gain)| *score += gain / total);
        }
    }
    let chosen = |(column, scores): (&FineColumn, Vec<f64>)| select::select(column, scores, per_feature);
    columns.iter().zip(scores).map(chosen).collect()
}

/// Trees a target, of `n_targets`.
fn rounds(n_targets: usize) -> usize {
    (MAX_TREES / n_targets.max(1)).clamp(MIN_TREES_PER_TARGET, MAX_TREES_PER_TARGET)
}

/// Boosts one target; returns the gain of every fine cut.
fn gains<L: Smooth>(
    loss: L,
    columns: &[FineColumn],
    y: &[f64],
    weights: &[f64],
    rounds: usize,
) -> Vec<Vec<f64>> {
    let start = intercept(loss, y, weights);
    let mut predictions = vec![start; y.len()];
    let mut rows: Vec<Sums> = row_sums(loss, y, weights, &predictions);
    let mut grower = Grower::new(columns, &rows);
    for _ in 0..rounds {
        let before = grower.total_gain();
        grower.grow(&rows, |row, step| predictions[row as usize] += LEARNING_RATE * step);
        if grower.total_gain() <= before {
            break;
        }
        rows = row_sums(loss, y, weights, &predictions);
    }
    grower.into_gains()
}

/// Gradient, curvature and weight of every row.
fn row_sums<L: Smooth>(loss: L, y: &[f64], weights: &[f64], predictions: &[f64]) -> Vec<Sums> {
    let floor = CURVATURE_FLOOR * L::BOUND;
    let row = |((&y, &weight), &f): ((&f64, &f64), &f64)| Sums {
        gradient: weight * loss.gradient(y, f),
        curvature: weight * loss.curvature(y, f).max(floor),
        weight,
    };
    y.iter().zip(weights).zip(predictions).map(row).collect()
}

/// The constant prediction of least loss, by Newton steps.
fn intercept<L: Smooth>(loss: L, y: &[f64], weights: &[f64]) -> f64 {
    let mut f = 0.0;
    for _ in 0..MAX_INTERCEPT_STEPS {
        let mut all = Sums::default();
        for row in row_sums(loss, y, weights, &vec![f; y.len()]) {
            all.add(&row);
        }
        let step = all.step();
        f += step;
        if L::QUADRATIC || step.abs() <= 1e-9 * (1.0 + f.abs()) {
            break;
        }
    }
    f
}

#[cfg(test)]
mod tests;
