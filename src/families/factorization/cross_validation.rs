//! The strength of least held-out loss, for one output.
//!
//! The strengths fall by half powers of ten. Most problems have a strength above which no interaction is worth its
//! price; it depends on how often columns are non-zero together (1e-7 for 700 x 400 one-hot columns, .1 for 30 columns
//! of normal numbers), but fits above it take a few epochs. The best strength is mostly a tenth to a hundredth of it: of 40
//! drawn problems (`benches/record/2026-11-26-machine-strengths.md`) a fixed one (.01, classes .003) had 1.4 to 5.4 times
//! the least error in 8, this one 1.14 times in one and at most 1.02 times in the others.

use super::fit::refit;
use super::interactions::count;
use super::search::OutputSearch;
use super::training::Rows;
use crate::document::CvDoc;
use crate::error::{Error, Result};
use crate::select::cross_validation::PART_OF_TIME;
use crate::select::folds::{SCORE_TIE_TOLERANCE, Scores};
use crate::threads;

/// The first strength, in the units of standardised columns and targets.
const FIRST: f64 = 0.3;
/// Factor from strength to strength, the square root of a tenth.
const STEP: f64 = 0.316_227_766_016_837_94;
/// Strengths at most, down to 3e-8: below it the penalty is no longer felt.
pub const N_STRENGTHS: usize = 15;
/// Epochs of a fit in a fold: errors of later ones differ by a hundredth, near overfitting they take hundreds.
const MAX_EPOCHS: usize = 50;
/// Rise of the score above the least, in standard errors, that ends the search.
const RISE: f64 = 1.0;
/// Strengths with interactions in a row without a better score that end it.
const PATIENCE: usize = 4;

/// What was chosen.
pub(super) struct Choice {
    pub(super) alpha: f64,
    pub(super) scores: Option<CvDoc>,
    /// Whether the time ended the comparison.
    pub(super) is_cut_short: bool,
}

/// Compares the strengths on pairs of rows to learn from and rows held out; `fallback` is that of a comparison that had
/// no time.
pub(super) fn choose(
    search: &OutputSearch<'_>,
    splits: &[(&Rows, &Rows)],
    one_standard_error: bool,
    fallback: f64,
) -> Result<Choice> {
    if splits.is_empty() {
        return Err(Error::parameter("cv", "got no folds; give at least one"));
    }
    let mut params = search.params.clone();
    params.max_iter = params.max_iter.min(MAX_EPOCHS);
    let control = search.control.until(PART_OF_TIME).quiet();
    let folds: Vec<OutputSearch<'_>> = splits
        .iter()
        .map(|&(rows, test)| OutputSearch {
            rows,
            held_out: params.patience.map(|_| test),
            params: &params,
            control: &control,
            ..*search
        })
        .collect();
    let weight: Vec<f64> = splits.iter().map(|(_, test)| test.total()).collect();
    let mut losses = vec![Vec::new(); splits.len()];
    let (mut strengths, mut n_useless, mut is_cut_short) = (Vec::new(), 0, false);
    let mut scores = Scores::new(losses.clone(), &weight);
    let mut alpha = FIRST;
    while strengths.len() < N_STRENGTHS {
        let of_fold = |k: usize| folds[k].held_out_loss(splits[k].1, alpha);
        let found: Option<Vec<(f64, bool)>> =
            threads::try_map_range(folds.len(), of_fold)?.into_iter().collect();
        let Some(found) = found else {
            is_cut_short = true;
            break;
        };
        strengths.push(alpha);
        losses.iter_mut().zip(&found).for_each(|(losses, (loss, _))| losses.push(*loss));
        scores = Scores::new(losses.clone(), &weight);
        let (done, best) = (strengths.len(), scores.best());
        search.control.report("cross-validation", done, N_STRENGTHS, || {
            format!("held-out loss {:.6} at alpha {alpha:.1e}", scores.mean[done - 1])
        });
        let has_interactions = found.iter().any(|(_, has_interactions)| *has_interactions);
        n_useless = if best + 1 == done { 0 } else { n_useless + usize::from(has_interactions) };
        if n_useless == PATIENCE || best + 1 < done && scores.has_risen_above(scores.minimum(), RISE) {
            break;
        }
        alpha *= STEP;
    }
    let chosen = scores.choose(&[0], one_standard_error, SCORE_TIE_TOLERANCE);
    let alpha = strengths.get(chosen).copied().unwrap_or(fallback);
    Ok(Choice { alpha, scores: scores.document(strengths.into_iter()), is_cut_short })
}

impl OutputSearch<'_> {
    /// The held-out loss of a strength, and whether columns interact; `None` once the time is over.
    fn held_out_loss(&self, test: &Rows, alpha: f64) -> Result<Option<(f64, bool)>> {
        self.control.check()?;
        if self.control.is_out_of_time() {
            return Ok(None);
        }
        let mut outcome = self.solve(&(self.fresh(), None), alpha)?;
        if let Some(ridge) = self.params.refit {
            let problem = self.problem(self.rows, alpha);
            outcome.machine = refit(problem, outcome.machine, ridge, self.params, self.control)?;
        }
        if self.control.is_out_of_time() {
            return Ok(None);
        }
        let problem = self.problem(test, alpha);
        let loss = problem.unit * problem.mean_loss(&outcome.machine.predict(problem.design));
        let has_interactions = count(&outcome.machine, self.owners, 1, self.control)? > 0;
        Ok(Some((loss, has_interactions)))
    }
}
