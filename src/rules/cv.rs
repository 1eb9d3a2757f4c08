//! Cross-validation: each fold learns its own bins and its own path; nothing of the rows
//! held out is seen.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::params::ValidParams;
use super::prepared::{Prepared, Shortest, standardised};
use super::{Fold, Rows, dispatch};
use crate::control::Control;
use crate::data::bins::Codes;
use crate::error::{Error, Result};
use crate::path::{Grid, Next, Point};
use crate::space::boxes::BoxPattern;

/// Held-out scores of one output.
#[derive(Debug, Clone)]
pub struct Scores {
    /// Mean loss, one an alpha; alphas that some fold did not reach are left out.
    pub mean: Vec<f64>,
    /// Standard error of the mean over folds.
    pub se: Vec<f64>,
}

/// Scores each output's alphas (`alphas[output]`) on the folds.
pub fn scores(rows: &Rows, folds: &[Fold], alphas: &[Vec<f64>], params: &ValidParams, control: &Control) -> Result<Vec<Scores>> {
    if folds.len() < 2 {
        return Err(Error::parameter("cv", format!("got {} folds; cross-validation needs at least 2", folds.len())));
    }
    let split: Vec<Split> = folds.par_iter().map(|fold| Split::new(rows, fold, params)).collect::<Result<_>>()?;
    let jobs: Vec<(usize, usize)> = (0..alphas.len()).flat_map(|o| (0..folds.len()).map(move |k| (o, k))).collect();
    let done = std::sync::atomic::AtomicUsize::new(0);
    let losses: Vec<Vec<f64>> = jobs
        .par_iter()
        .with_max_len(1)
        .map(|&(output, fold)| {
            let losses = split[fold].losses(output, &alphas[output], params, control)?;
            let step = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            control.report("cross-validation", step, jobs.len(), || format!("output {output}, fold {fold}: {} penalties", losses.len()));
            Ok(losses)
        })
        .collect::<Result<_>>()?;
    let weight: Vec<f64> = split.iter().map(|s| s.test.weights.iter().sum()).collect();
    Ok((0..alphas.len()).map(|o| summary(&losses[o * folds.len()..(o + 1) * folds.len()], &weight)).collect())
}

/// Mean over folds weighted by their held-out weight, and its standard error.
fn summary(losses: &[Vec<f64>], weight: &[f64]) -> Scores {
    let count = losses.iter().map(Vec::len).min().unwrap_or(0);
    let total: f64 = weight.iter().sum();
    let folds = losses.len() as f64;
    let mut scores = Scores { mean: Vec::new(), se: Vec::new() };
    for k in 0..count {
        let mean = losses.iter().zip(weight).map(|(l, w)| l[k] * w).sum::<f64>() / total;
        let spread = losses.iter().zip(weight).map(|(l, w)| w * (l[k] - mean) * (l[k] - mean)).sum::<f64>() / total;
        scores.mean.push(mean);
        scores.se.push((spread / (folds - 1.0).max(1.0)).sqrt());
    }
    scores
}

struct Split {
    train: Rows,
    test: Rows,
    prepared: Prepared,
    held_out: Codes,
    /// Standardised columns of the rows held out.
    side: Vec<Vec<f64>>,
}

impl Split {
    fn new(rows: &Rows, fold: &Fold, params: &ValidParams) -> Result<Self> {
        let (train, test) = (rows.take(&fold.train), rows.take(&fold.test));
        if train.table.n_rows() == 0 || test.table.n_rows() == 0 {
            return Err(Error::parameter("cv", "a fold has no rows of positive weight on one side; give fewer folds"));
        }
        let binning = train.bins(params)?;
        let prepared = Prepared::new(&train.table, &train.weights, binning, params)?;
        let held_out = prepared.binning.encode(&test.table)?;
        let side = prepared.linear.iter().map(|t| standardised(&test.table.columns()[t.feature], t)).collect();
        Ok(Self { train, test, prepared, held_out, side })
    }

    /// Mean held-out loss at each alpha.
    fn losses(&self, output: usize, alphas: &[f64], params: &ValidParams, control: &Control) -> Result<Vec<f64>> {
        let n = self.train.table.n_rows() as f64;
        let grid = Grid::Given(alphas.iter().map(|a| a * n).collect());
        let mut held = HeldOut { split: self, shortest: Shortest::default(), rows: BTreeMap::new() };
        let mut losses = Vec::new();
        dispatch(&self.prepared, &self.train.y[output], &grid, params, control, |point| {
            if point.outcome.complete || !control.is_late() {
                losses.push(held.loss(output, &point, params));
            }
            // The final fit needs time too.
            Ok(if control.spent() > 0.7 { Next::Stop } else { Next::Go })
        })?;
        Ok(losses)
    }
}

struct HeldOut<'a> {
    split: &'a Split,
    shortest: Shortest,
    rows: BTreeMap<BoxPattern, Vec<u32>>,
}

impl HeldOut<'_> {
    fn loss(&mut self, output: usize, point: &Point<BoxPattern>, params: &ValidParams) -> f64 {
        let test = &self.split.test;
        let mut f = vec![point.intercept; test.table.n_rows()];
        for (values, &w) in self.split.side.iter().zip(&point.side).filter(|(_, w)| **w != 0.0) {
            f.iter_mut().zip(values).for_each(|(f, x)| *f += w * x);
        }
        for term in &point.terms {
            let shown = self.shortest.of(&self.split.prepared.space, &term.pattern, term.sign());
            let codes = &self.split.held_out;
            let rows = self.rows.entry(shown).or_insert_with_key(|pattern| matching(pattern, codes));
            rows.iter().for_each(|&r| f[r as usize] += term.weight);
        }
        let total: f64 = test.weights.iter().sum();
        let y = &test.y[output];
        (0..f.len()).map(|i| test.weights[i] * params.loss.value(y[i], f[i])).sum::<f64>() / total
    }
}

/// Rows that a rule holds on, new levels and all.
fn matching(pattern: &BoxPattern, codes: &Codes) -> Vec<u32> {
    let holds = |r: usize| pattern.propositions().iter().all(|&(j, p)| p.holds(codes.columns[j as usize][r]));
    (0..codes.n_rows).filter(|&r| holds(r)).map(|r| r as u32).collect()
}
