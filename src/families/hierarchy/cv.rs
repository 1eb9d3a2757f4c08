//! Held-out scores: each fold learns its own cuts and walks its own path over the same C = 1 / (alpha n), n of
//! all rows: the strength of the penalty beside one row's loss.

use rayon::prelude::*;

use super::params::{Scoring, Select, Strength, ValidParams};
use super::path::{self, score};
use super::prepared::Prepared;
use crate::control::Control;
use crate::data::rows::Fold;
use crate::data::rows::Rows;
use crate::error::Result;

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
    fn score(
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
            (0..f.len()).map(|i| v[i] * score(params.loss, error, y[i], f[i])).sum::<f64>() / self.weight
        };
        Ok(points[..done].iter().map(one).collect())
    }
}

/// Held-out scores `[fold][point]` of one output.
pub fn scores(
    splits: &[Split],
    output: usize,
    strengths: &[Strength],
    params: &ValidParams,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    splits
        .par_iter()
        .with_max_len(1)
        .enumerate()
        .map(|(k, split)| {
            let scores = split.score(output, strengths, params, control)?;
            control.report("cross-validation", k + 1, splits.len(), || format!("{} strengths", scores.len()));
            Ok(scores)
        })
        .collect()
}
