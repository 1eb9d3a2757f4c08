//! Supervised cut points: the thresholds of a small boosted tree model.
//!
//! For each target an ensemble of shallow trees is grown on fine bins by second-order gradient
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

use super::cuts::Distinct;
use super::sums::PART;
use super::table::Table;
use crate::control::Control;
use crate::error::Result;
use crate::loss::{Smooth, SmoothLoss, with_smooth_loss};
use crate::threads;
use fine::FineColumn;
use tree::{Grower, Sums};

/// Maximum number of trees for each target, see [`rounds`].
const MAX_TREES_PER_TARGET: usize = 60;

/// Minimum number of trees for each target.
const MIN_TREES_PER_TARGET: usize = 20;
/// Number of trees of all targets together above which each target has fewer trees.
const MAX_TREES: usize = 600;

/// Factor on the Newton step of a leaf.
const LEARNING_RATE: f64 = 0.1;

/// Lower bound of the curvature of a row as a fraction of the bound of the loss; limits the steps of
/// leaves with well-fitted rows.
const CURVATURE_FLOOR: f64 = 0.01;

/// Maximum number of Newton steps for the intercept.
const MAX_INTERCEPT_STEPS: usize = 30;

/// One response and the loss it is fitted with.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Response of each row: a real number, or -1 / +1.
    pub y: &'a [f64],
    /// The loss.
    pub loss: SmoothLoss,
}

/// The thresholds of small boosted trees, at most `per_feature` for each column, ascending.
///
/// The score of a threshold is the gain of its splits; the gains of each target are divided by their sum,
/// so that all targets count alike. Missing values go to the better side of a split. Categorical columns
/// are used by the trees (one level against the rest) but have no thresholds, nor have unused columns.
/// `distinct` holds the values of each column. No tree is begun after the time is over.
/// Fails if it is over before the first tree.
pub fn supervised(
    table: &Table,
    distinct: &[Distinct],
    targets: &[Target<'_>],
    weights: &[f64],
    per_feature: usize,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let columns = threads::try_map_range(distinct.len(), |j| {
        control.require_time("columns were binned")?;
        Ok(FineColumn::new(&table.columns()[j], &distinct[j], weights))
    })?;
    let mut scores: Vec<Vec<f64>> = columns.iter().map(|column| vec![0.0; column.cuts.len()]).collect();
    for (number, target) in targets.iter().enumerate() {
        if number > 0 && control.should_stop() {
            break;
        }
        let rounds = rounds(targets.len());
        let gains =
            with_smooth_loss!(target.loss, loss => gains(loss, &columns, target.y, weights, rounds, control));
        let total: f64 = gains.iter().flatten().sum();
        if total > 0.0 {
            let pairs = scores.iter_mut().flatten().zip(gains.iter().flatten());
            pairs.for_each(|(score, gain)| *score += gain / total);
        }
    }
    let chosen = |(column, scores): (&FineColumn, Vec<f64>)| select::select(column, scores, per_feature);
    Ok(columns.iter().zip(scores).map(chosen).collect())
}

/// Number of trees for each of `n_targets` targets.
fn rounds(n_targets: usize) -> usize {
    (MAX_TREES / n_targets.max(1)).clamp(MIN_TREES_PER_TARGET, MAX_TREES_PER_TARGET)
}

/// Boosts one target and returns the gain of each fine cut point.
fn gains<L: Smooth>(
    loss: L,
    columns: &[FineColumn],
    y: &[f64],
    weights: &[f64],
    rounds: usize,
    control: &Control,
) -> Vec<Vec<f64>> {
    let start = intercept(loss, y, weights);
    let mut predictions = vec![start; y.len()];
    let mut rows: Vec<Sums> = row_sums(loss, y, weights, &predictions);
    let mut grower = Grower::new(columns, &rows);
    for _ in 0..rounds {
        let before = grower.total_gain();
        let tree = grower.grow(&rows);
        threads::map_chunks(&mut predictions, PART, |k, predictions| {
            for (row, f) in (k * PART..).zip(predictions) {
                *f += LEARNING_RATE * tree.step(columns, row);
            }
        });
        if grower.total_gain() <= before || control.should_stop() {
            break;
        }
        rows = row_sums(loss, y, weights, &predictions);
    }
    grower.into_gains()
}

/// Gradient, curvature and weight of every row.
fn row_sums<L: Smooth>(loss: L, y: &[f64], weights: &[f64], predictions: &[f64]) -> Vec<Sums> {
    let floor = CURVATURE_FLOOR * L::BOUND;
    let row = |i: usize| Sums {
        gradient: weights[i] * loss.gradient(y[i], predictions[i]),
        curvature: weights[i] * loss.curvature(y[i], predictions[i]).max(floor),
        weight: weights[i],
    };
    threads::map_range(y.len(), PART, row)
}

/// The constant prediction that minimises the loss, by Newton steps.
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
