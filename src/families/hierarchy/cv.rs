//! Held-out scores. Each fold learns its own cut points and solves its own path for the same values of
//! C = 1 / (alpha n), with n of all rows, so that the penalty has the same strength relative to the loss
//! of one row. Folds need no proof: their working sets grow as long as that lowers the objective. A strength whose
//! working set is full in some fold, or whose rough gaps are large, is not compared, nor are smaller ones: their optima could
//! not be proven.

use std::sync::atomic::{AtomicBool, Ordering};

use super::params::{Scoring, Select, Strength, ValidParams};
use super::path::{PathPoint, Walk, held_out_score};
use super::prepared::{BinnedRows, MergedRows};
use crate::control::Control;
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::select::folds::{Scores, mean_loss};
use crate::shares::Shares;
use crate::threads;

/// Smallest tolerance of the relative gap in folds: on twelve of thirteen problems the strength of
/// least held-out loss is that of 1e-3 (benches/record/2026-11-25-hierarchy-defaults.md).
const MIN_FOLD_TOL: f64 = 1e-2;
/// Largest relative gap over the working set at which a solution is scored that ran out of time: at .05
/// eleven of thirteen problems have the same strength of least held-out loss (the same record).
const MAX_SCORED_GAP: f64 = 0.05;
/// Largest mean over the folds of the rough gap at which a strength is compared: of 32 larger ones none could be proven on
/// all rows (benches/record/2026-11-29-hierarchy-proofs.md).
const MAX_ROUGH_GAP: f64 = 0.28;
/// A score has risen if it exceeds the smallest by the tolerance of a fold and this number of standard errors of their
/// difference. Against those of the smallest score itself, which the folds share, thirteen problems have the same
/// models, two of them in less than half the time.
const RISE_IN_STANDARD_ERRORS: f64 = 0.25;
/// The folds' paths end after one risen score, but only after this many in a row as long as no score is better
/// than the first: a rise before the first interaction is found says nothing about what follows.
const MAX_RISES: usize = 3;

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

    /// Mean held-out score of a solution.
    fn score(&self, output: usize, point: &PathPoint, params: &ValidParams) -> f64 {
        let is_error_rate = matches!(params.select, Select::Cv { scoring: Scoring::Error, .. });
        let (y, v) = (&self.test.y[output], &self.test.weights);
        let f = point.predict(&self.satisfied, y.len());
        mean_loss(y, v, &f, |y, f| held_out_score(params.loss, is_error_rate, y, f))
    }
}

/// Scores of the strengths of one output.
pub struct Comparison {
    /// Those of the strengths that were compared, from the largest on.
    pub scores: Scores,
    /// Whether the time ran out first.
    pub is_cut_short: bool,
}

impl Comparison {
    /// No scores: the time was over before the folds were prepared.
    pub fn without_time() -> Self {
        Self { scores: Scores::new(vec![Vec::new()], &[1.0]), is_cut_short: true }
    }
}

/// The path of one fold.
struct FoldPath<'a> {
    data: &'a FoldData,
    walk: Walk<'a>,
    scores: Vec<f64>,
    /// Whether the last strength filled the working set.
    is_full: bool,
    /// The relative gap of the last strength over the lattice, as far as a rough bound shows it; 0 if there was no time.
    gap: f64,
}

impl FoldPath<'_> {
    /// Scores the next strength, if there is time for that and the working set is not full.
    fn advance(
        &mut self,
        output: usize,
        strength: Strength,
        params: &ValidParams,
        control: &Control,
    ) -> Result<()> {
        if control.is_out_of_time() {
            return Ok(());
        }
        let point = self.walk.solve(strength, control)?;
        self.is_full = self.walk.is_full(&point);
        if self.is_full {
            return Ok(());
        }
        let solution = &point.solution;
        let is_bounded = solution.square.is_finite() && !control.is_out_of_time();
        self.gap = if is_bounded { self.walk.relative_gap(&point) } else { 0.0 };
        // Rows of one class are solved without a round.
        let is_scored = solution.complete
            || solution.n_rounds > 0
                && (!control.is_out_of_time() || solution.restricted_gap <= MAX_SCORED_GAP * solution.primal);
        if is_scored {
            self.scores.push(self.data.score(output, &point, params));
        }
        Ok(())
    }
}

/// Whether smaller strengths are unlikely to have a better score.
fn is_past_best(scores: &Scores, tol: f64) -> bool {
    let (least, _) = scores.minimum();
    let (rises, errors) = scores.rises_above(scores.best());
    let has_risen = |k: &usize| rises[*k] > tol * least.abs() + RISE_IN_STANDARD_ERRORS * errors[*k];
    let n_risen = (0..rises.len()).rev().take_while(has_risen).count();
    let has_fallen = !rises.is_empty() && has_risen(&0);
    n_risen >= if has_fallen { 1 } else { MAX_RISES }
}

/// Scores the next strength on each fold; false if the time ran out or a working set is full. The folds have equal parts of
/// the time, and those that need more have equal parts of what the others leave.
fn advance_all(
    paths: &mut [FoldPath<'_>],
    output: usize,
    strength: Strength,
    params: &ValidParams,
    control: &Control,
) -> Result<bool> {
    let n_done = paths.first().map_or(0, |path| path.scores.len());
    let is_open = |path: &FoldPath<'_>| path.scores.len() == n_done;
    let mut n_open = paths.len();
    let is_full = AtomicBool::new(false);
    while n_open > 0 {
        let shares = Shares::new(n_open, threads::count(), control);
        let advanced = threads::map_chunks(paths, 1, |fold, path| {
            if !is_open(&path[0]) || is_full.load(Ordering::Relaxed) {
                return Ok(());
            }
            path[0].advance(output, strength, params, &shares.next().within(fold))?;
            is_full.fetch_or(path[0].is_full, Ordering::Relaxed);
            Ok(())
        });
        advanced.into_iter().collect::<Result<()>>()?;
        let still_open = paths.iter().filter(|path| is_open(path)).count();
        if is_full.load(Ordering::Relaxed)
            || still_open == n_open
            || (still_open > 0 && control.is_out_of_time())
        {
            return Ok(false);
        }
        n_open = still_open;
    }
    Ok(true)
}

/// Scores the strengths, the largest first, on all folds alike, until they end, the score has risen, or the
/// time is over.
pub fn compare(
    folds: &[FoldData],
    output: usize,
    strengths: &[Strength],
    params: &ValidParams,
    control: &Control,
) -> Result<Comparison> {
    let rows: Vec<MergedRows> =
        folds.iter().map(|fold| fold.binned.merge(&fold.train, output, params.loss)).collect();
    let weight: Vec<f64> = folds.iter().map(|fold| fold.weight).collect();
    let tol = params.tol.max(MIN_FOLD_TOL);
    let path = |(data, rows)| -> Result<FoldPath<'_>> {
        let data: &FoldData = data;
        let walk = Walk::new(&data.binned.lattice, rows, params, tol, false, control)?;
        Ok(FoldPath { data, walk, scores: Vec::new(), is_full: false, gap: 0.0 })
    };
    let mut paths: Vec<FoldPath<'_>> = folds.iter().zip(&rows).map(path).collect::<Result<_>>()?;
    let mut scores = Scores::new(vec![Vec::new(); folds.len()], &weight);
    for &strength in strengths {
        if !advance_all(&mut paths, output, strength, params, control)? {
            let is_cut_short = !paths.iter().any(|path| path.is_full);
            return Ok(Comparison { scores, is_cut_short });
        }
        let gap: f64 = paths.iter().zip(&weight).map(|(path, weight)| weight * path.gap).sum();
        if gap > MAX_ROUGH_GAP.max(tol) * weight.iter().sum::<f64>() {
            break;
        }
        scores = Scores::new(paths.iter().map(|path| path.scores.clone()).collect(), &weight);
        control.report("cross-validation", scores.mean.len(), strengths.len(), || {
            format!("held-out score {:.6}", scores.minimum().0)
        });
        if is_past_best(&scores, tol) {
            break;
        }
    }
    Ok(Comparison { scores, is_cut_short: false })
}
