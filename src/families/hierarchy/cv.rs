//! Held-out scores: each fold learns its own cuts and walks its own path over the same C = 1 / (alpha n), n of
//! all rows: the strength of the penalty beside one row's loss.

use super::params::{Scoring, Select, Strength, ValidParams};
use super::path::{self, score};
use super::prepared::Prepared;
use crate::control::Control;
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::select::folds::mean_loss;

/// A gap that held-out scores do not feel.
const ROUGH: f64 = 1e-3;

/// One fold: rows to learn from and rows to score.
pub struct Split {
    train: Rows,
    test: Rows,
    prepared: Prepared,
    /// Which propositions hold for the rows held out.
    holds: Vec<Vec<bool>>,
    /// Weight held out.
    pub weight: f64,
}

impl Split {
    /// Splits the rows, all of positive weight.
    pub fn new(rows: &Rows, fold: &Fold, params: &ValidParams) -> Result<Self> {
        let (train, test) = rows.split(fold)?;
        let (train, test) = (train.merged(), test.merged());
        let prepared = Prepared::new(&train, params)?;
        let codes = prepared.binning.encode(&test.table)?;
        let propositions = 0..prepared.lattice.propositions().len() as u32;
        let holds = propositions.map(|k| prepared.lattice.rows(k, &codes)).collect();
        let weight = test.weights.iter().sum();
        Ok(Self { train, test, prepared, holds, weight })
    }

    /// Mean held-out score at each strength; shorter if the time ran out.
    pub fn scores(
        &self,
        output: usize,
        strengths: &[Strength],
        params: &ValidParams,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let sample = self.prepared.sample(&self.train, output, params.loss);
        let tol = params.tol.max(ROUGH);
        let points = path::run(&self.prepared.lattice, &sample, strengths, params, tol, control)?;
        let error = matches!(params.select, Select::Cv { scoring: Scoring::Error, .. });
        let (y, v) = (&self.test.y[output], &self.test.weights);
        let done = if control.is_out_of_time() { points.len() - 1 } else { points.len() };
        let one = |point: &path::Point| {
            let f = point.predict(&self.holds, y.len());
            mean_loss(y, v, &f, |y, f| score(params.loss, error, y, f))
        };
        Ok(points[..done].iter().map(one).collect())
    }
}
