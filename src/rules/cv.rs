//! Cross-validation: each fold learns its own bins and its own path; nothing of the rows
//! held out is seen.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::params::ValidParams;
use super::prepared::{Prepared, Shortest, standardised};
use super::{Fold, Rows, select};
use crate::control::Control;
use crate::data::bins::Codes;
use crate::error::{Error, Result};
use crate::loss::{Logistic, Loss, LossKind, Squared, SquaredHinge};
use crate::path::{Grid, Point, Walk};
use crate::solve::Problem;
use crate::space::boxes::{BoxPattern, BoxSpace};

/// Held-out scores of one output.
#[derive(Debug, Clone)]
pub struct Scores {
    /// Mean loss, one an alpha; alphas that some fold did not reach are left out.
    pub mean: Vec<f64>,
    /// Standard error of the mean over folds.
    pub se: Vec<f64>,
}

/// A path over the folds ends once alpha has fallen to this share of the best so far.
const PATIENCE: f64 = 0.5;
/// Alphas that the folds take before they are compared again.
const STRIDE: usize = 5;

/// Scores each output's alphas (`alphas[output]`) on the folds.
pub fn scores(
    rows: &Rows,
    folds: &[Fold],
    alphas: &[Vec<f64>],
    params: &ValidParams,
    control: &Control,
) -> Result<Vec<Scores>> {
    if folds.is_empty() {
        return Err(Error::parameter("cv", "got no folds; give at least one"));
    }
    let splits: Vec<Split> =
        folds.par_iter().map(|fold| Split::new(rows, fold, params)).collect::<Result<_>>()?;
    let score = |o: usize| match params.loss {
        LossKind::Squared => lockstep(Squared, &splits, o, &alphas[o], params, control),
        LossKind::Logistic => lockstep(Logistic, &splits, o, &alphas[o], params, control),
        LossKind::SquaredHinge => lockstep(SquaredHinge, &splits, o, &alphas[o], params, control),
    };
    (0..alphas.len()).into_par_iter().with_max_len(1).map(score).collect()
}

/// Walks the folds' paths side by side, a few alphas at a time, until the alphas end, the
/// mean score has not improved for long, or most of the time is spent (the final fit needs
/// some too).
fn lockstep<L: Loss>(
    loss: L,
    splits: &[Split],
    output: usize,
    alphas: &[f64],
    params: &ValidParams,
    control: &Control,
) -> Result<Scores> {
    let problems: Vec<_> =
        splits.iter().map(|s| s.prepared.problem(loss, &s.train.y[output], params)).collect();
    let weight: Vec<f64> = splits.iter().map(|s| s.weight).collect();
    let mut folds: Vec<HeldOut<'_, L>> = problems
        .par_iter()
        .zip(splits)
        .map(|(problem, split)| HeldOut::new(problem, split, alphas, params, control))
        .collect::<Result<_>>()?;
    loop {
        folds
            .par_iter_mut()
            .with_max_len(1)
            .map(|fold| fold.advance(STRIDE, output, params))
            .collect::<Result<()>>()?;
        let scores = summary(&folds, &weight);
        let done = scores.mean.len();
        control.report("cross-validation", done, alphas.len(), || {
            format!("held-out loss {:.6}", scores.mean.iter().copied().fold(f64::INFINITY, f64::min))
        });
        let stale = done > 0 && alphas[done - 1] < PATIENCE * alphas[select::least(&scores.mean)];
        if stale || done >= alphas.len() || folds.iter().any(|f| f.ended) || control.spent() > 0.7 {
            return Ok(scores);
        }
    }
}

/// What the folds scored so far.
fn summary<L: Loss>(held: &[HeldOut<'_, L>], weight: &[f64]) -> Scores {
    let losses: Vec<&[f64]> = held.iter().map(|h| h.losses.as_slice()).collect();
    let (mean, se) = select::summary(&losses, weight);
    Scores { mean, se }
}

struct Split {
    /// Weight of the rows held out.
    weight: f64,
    train: Rows,
    test: Rows,
    prepared: Prepared,
    held_out: Codes,
    /// Standardised columns of the rows held out.
    side: Vec<Vec<f64>>,
}

impl Split {
    fn new(rows: &Rows, fold: &Fold, params: &ValidParams) -> Result<Self> {
        let (train, held) = (rows.take(&fold.train).merged(), rows.take(&fold.test));
        let (test, weight) = (held.merged(), held.merged_weight());
        if train.table.n_rows() == 0 || test.table.n_rows() == 0 {
            return Err(Error::parameter(
                "cv",
                "a fold has no rows of positive weight on one side; give fewer folds",
            ));
        }
        let binning = train.bins(params)?;
        let prepared = Prepared::new(&train, binning, params)?;
        let held_out = prepared.binning.encode(&test.table)?;
        let side =
            prepared.linear.iter().map(|t| standardised(&test.table.columns()[t.feature], t)).collect();
        Ok(Self { weight, train, test, prepared, held_out, side })
    }
}

/// One fold's path and what it scores on the rows held out.
struct HeldOut<'a, L> {
    split: &'a Split,
    walk: Walk<'a, BoxSpace, L>,
    shortest: Shortest,
    rows: BTreeMap<BoxPattern, Vec<u32>>,
    losses: Vec<f64>,
    ended: bool,
}

impl<'a, L: Loss> HeldOut<'a, L> {
    fn new(
        problem: &'a Problem<'a, BoxSpace, L>,
        split: &'a Split,
        alphas: &[f64],
        params: &ValidParams,
        control: &'a Control,
    ) -> Result<Self> {
        let n = split.train.table.n_rows() as f64;
        let grid = Grid::Given(alphas.iter().map(|a| a * n).collect());
        let walk = Walk::new(problem, &grid, params.strategy, control)?;
        Ok(Self {
            split,
            walk,
            shortest: Shortest::default(),
            rows: BTreeMap::new(),
            losses: Vec::new(),
            ended: false,
        })
    }

    /// Scores the next `count` alphas.
    fn advance(&mut self, count: usize, output: usize, params: &ValidParams) -> Result<()> {
        for _ in 0..count {
            match self.walk.next_point()? {
                Some(point) if point.outcome.complete || !self.walk.is_late() => {
                    let loss = self.loss(output, &point, params);
                    self.losses.push(loss);
                }
                _ => self.ended = true,
            }
            if self.ended {
                break;
            }
        }
        Ok(())
    }

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
