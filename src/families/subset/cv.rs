//! Held-out losses of one output's paths: each fold standardises its own columns and follows the penalties of the path
//! on all rows.
//!
//! An automatic path and those of the folds are solved in turn, and end once the held-out loss has risen: the smallest
//! penalties take most of the time, and their models are not chosen. The folds go forward only. Backward passes and
//! proofs of local optimality would take most of their time and change losses by less than folds differ.

use super::design::{Design, SubsetProblem};
use super::params::ValidParams;
use super::path::{self, PathBuilder};
use super::path_point::{PathPoint, PathStep};
use crate::control::Control;
use crate::data::numbers::{NumberColumn, NumberTable};
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::families::l0::Lambda0;
use crate::loss::SelfConcordant;
use crate::select::cross_validation::{PART_OF_TIME, STRENGTHS_PER_COMPARISON};
use crate::select::folds::{Scores, mean_loss};
use crate::threads;

/// A score has risen if it exceeds the least by this number of standard errors of their difference.
const RISE_IN_STANDARD_ERRORS: f64 = 1.0;
/// Number of scores in a row that have risen at which paths end.
const MAX_RISES: usize = 5;

/// Training and test rows of one fold.
pub struct FoldData<X> {
    /// Responses of the training rows.
    y: Vec<Vec<f64>>,
    test: Rows<X>,
    design: Design,
    /// Total weight of the test rows.
    pub weight: f64,
    /// Weight of the training rows as a fraction of all; scales the penalties, since the loss is a sum.
    weight_fraction: f64,
}

impl<X: NumberTable> FoldData<X> {
    /// Splits rows that all have a positive weight.
    pub fn new(rows: &Rows<X>, fold: &Fold, total_weight: f64, control: &Control) -> Result<Self> {
        let (train, test) = rows.split(fold)?;
        control.require_time("a fold was split")?;
        let (train, test) = (train.merged(), test.merged());
        let design = Design::new(&train.table, train.weights, control)?;
        let weight = test.weights.iter().sum();
        let weight_fraction = design.total_weight / total_weight;
        Ok(Self { y: train.y, test, design, weight, weight_fraction })
    }

    fn held_out_loss(
        &self,
        output: usize,
        point: &PathPoint,
        columns: &[NumberColumn<'_>],
        params: &ValidParams,
    ) -> f64 {
        let mut f = vec![point.intercept; self.test.table.n_rows()];
        for &(j, w) in &point.terms {
            columns[j].add_to(&mut f, w);
        }
        let (y, v) = (&self.test.y[output], &self.test.weights);
        mean_loss(y, v, &f, |y, f| params.loss.held_out_loss(y, f))
    }
}

/// The path of one fold.
struct FoldPath<'a, 'c, L, X> {
    data: &'a FoldData<X>,
    output: usize,
    columns: Vec<NumberColumn<'a>>,
    builder: PathBuilder<'a, 'c, L>,
    /// Held-out losses; fewer than steps if the time ran out.
    losses: Vec<f64>,
}

impl<L: SelfConcordant, X: NumberTable> FoldPath<'_, '_, L, X> {
    /// Solves at the steps that follow those so far.
    fn follow(&mut self, steps: &[PathStep], params: &ValidParams, control: &Control) {
        for step in &steps[self.losses.len()..] {
            if control.should_stop() {
                break;
            }
            let lambda0 = step.lambda0 * self.data.weight_fraction;
            self.builder.record(PathStep { lambda0, ..*step }, true);
        }
        self.score(params);
    }

    /// Solves at given penalties.
    fn follow_values(&mut self, values: &[f64], params: &ValidParams) {
        let values: Vec<f64> = values.iter().map(|value| value * self.data.weight_fraction).collect();
        self.builder.run_values(&values);
        self.score(params);
    }

    /// Adds the losses of new models.
    fn score(&mut self, params: &ValidParams) {
        let new = self.builder.models_from(self.losses.len());
        self.losses.extend(new.map(|m| self.data.held_out_loss(self.output, &m, &self.columns, params)));
    }
}

/// The path of all rows, and the held-out losses at its points; fewer if the time ran out.
pub fn scored_path<L: SelfConcordant, X: NumberTable>(
    problem: &SubsetProblem<'_, L>,
    folds: &[FoldData<X>],
    output: usize,
    params: &ValidParams,
    min_null_loss: f64,
    control: &Control,
) -> Result<(Vec<PathPoint>, Scores)> {
    let bounds = params.intervals();
    let of_fold = |data| -> SubsetProblem<'_, L> {
        let FoldData { design, y, weight_fraction, .. }: &FoldData<X> = data;
        let lambda2 = problem.lambda2 * weight_fraction;
        SubsetProblem::new(design, &y[output], problem.loss, lambda2, bounds.as_deref())
    };
    let problems: Vec<SubsetProblem<'_, L>> = folds.iter().map(of_fold).collect();
    // The rest of the time is for the backward pass and the proofs, which paths of given values have behind them.
    let is_automatic = params.lambda0 == Lambda0::Auto;
    let forward = control.until(if is_automatic { PART_OF_TIME } else { 1.0 });
    let n_paths = params.lambda2.len() * (folds.len() + 1);
    let weight: Vec<f64> = folds.iter().map(|data| data.weight).collect();
    let builder = |problem| PathBuilder::new(problem, params, min_null_loss, n_paths, &forward);
    let mut paths = threads::try_map_range(folds.len(), |fold| -> Result<FoldPath<'_, '_, L, X>> {
        let data = &folds[fold];
        let columns = data.test.table.columns()?;
        Ok(FoldPath { data, output, columns, builder: builder(&problems[fold]), losses: Vec::new() })
    })?;
    if let Lambda0::Values { values } = &params.lambda0 {
        // The path of all rows is one task more, the first.
        let mut tasks: Vec<_> = std::iter::once(None).chain(paths.iter_mut().map(Some)).collect();
        let run = |task: &mut Option<&mut FoldPath<'_, '_, L, X>>| {
            let Some(path) = task else { return path::run(problem, params, min_null_loss, control) };
            path.follow_values(values, params);
            Ok(Vec::new())
        };
        let points = threads::map_chunks(&mut tasks, 1, |_, task| run(&mut task[0])).swap_remove(0)?;
        return Ok((points, Scores::new(paths.into_iter().map(|path| path.losses).collect(), &weight)));
    }
    let mut whole = builder(problem);
    whole.report_progress = true;
    loop {
        let has_grown = (0..STRENGTHS_PER_COMPARISON).all(|_| whole.extend());
        let steps = whole.steps();
        threads::map_chunks(&mut paths, 1, |_, path| path[0].follow(&steps, params, &forward));
        let scores = Scores::new(paths.iter().map(|path| path.losses.clone()).collect(), &weight);
        control.report("cross-validation", scores.mean.len(), steps.len(), || {
            format!("held-out loss {:.6}", scores.minimum().0)
        });
        if !has_grown || has_risen(&scores) || forward.should_stop() {
            whole.descend_a_little();
            return Ok((whole.finish(control)?, scores));
        }
    }
}

/// Whether smaller penalties are unlikely to have a better score.
fn has_risen(scores: &Scores) -> bool {
    let (rises, errors) = scores.rises_above(scores.best());
    let is_above = |k: &usize| rises[*k] > RISE_IN_STANDARD_ERRORS * errors[*k];
    (0..rises.len()).rev().take_while(is_above).count() >= MAX_RISES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_end_after_rises_that_folds_share() {
        let scores = |means: &[f64], spread: f64| {
            let fold =
                |sign: f64| means.iter().enumerate().map(|(k, m)| m + sign * spread * k as f64).collect();
            Scores::new(vec![fold(1.0), fold(-1.0)], &[1.0, 1.0])
        };
        let rising = [3.0, 1.0, 1.5, 1.5, 1.5, 1.5, 1.5];
        assert!(has_risen(&scores(&rising, 0.0)) && !has_risen(&scores(&rising[..6], 0.0)));
        // The folds disagree.
        assert!(!has_risen(&scores(&rising, 1.0)));
        // A later model is better.
        assert!(!has_risen(&scores(&[3.0, 1.0, 1.5, 1.5, 1.5, 1.5, 0.9], 0.0)));
        assert!(!has_risen(&Scores::new(vec![Vec::new()], &[1.0])));
    }
}
