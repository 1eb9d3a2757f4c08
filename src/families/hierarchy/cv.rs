//! Held-out scores. Each fold learns its own cut points and solves its own path for the same values of
//! C = 1 / (alpha n), with n of all rows, so that the penalty has the same strength relative to the loss
//! of one row.

use super::params::{Scoring, Select, Strength, ValidParams};
use super::path::{self, held_out_score};
use super::prepared::BinnedRows;
use crate::control::Control;
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::select::folds::mean_loss;

/// Smallest tolerance of the relative gap in folds.
const MIN_FOLD_TOL: f64 = 1e-3;

/// Training and test rows of one fold.
pub struct FoldData {
    train: Rows,
    test: Rows,
    binned: BinnedRows,
    /// Which test rows satisfy each proposition.
    satisfied: Vec<Vec<bool>>,
    /// Total weight of the test rows.
    pub weight: f64,
}

impl FoldData {
    /// Splits rows that all have a positive weight.
    pub fn new(rows: &Rows, fold: &Fold, params: &ValidParams, control: &Control) -> Result<Self> {
        let (train, test) = rows.split(fold)?;
        let (train, test) = (train.merged(), test.merged());
        let binned = BinnedRows::new(&train, params, control)?;
        let codes = binned.binning.encode(&test.table)?;
        let propositions = 0..binned.lattice.propositions().len() as u32;
        let satisfied = propositions.map(|k| binned.lattice.satisfied_rows(k, &codes)).collect();
        let weight = test.weights.iter().sum();
        Ok(Self { train, test, binned, satisfied, weight })
    }

    /// Mean held-out score at each strength; fewer if the time ran out.
    pub fn scores(
        &self,
        output: usize,
        strengths: &[Strength],
        params: &ValidParams,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let rows = self.binned.merge(&self.train, output, params.loss);
        let tol = params.tol.max(MIN_FOLD_TOL);
        let points = path::fit_path(&self.binned.lattice, &rows, strengths, params, tol, control)?;
        let is_error_rate = matches!(params.select, Select::Cv { scoring: Scoring::Error, .. });
        let (y, v) = (&self.test.y[output], &self.test.weights);
        let n_complete = if control.is_out_of_time() { points.len() - 1 } else { points.len() };
        let score = |point: &path::PathPoint| {
            let f = point.predict(&self.satisfied, y.len());
            mean_loss(y, v, &f, |y, f| held_out_score(params.loss, is_error_rate, y, f))
        };
        Ok(points[..n_complete].iter().map(score).collect())
    }
}
