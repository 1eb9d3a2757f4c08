//! The strength of least held-out loss, for one output.
//!
//! The strengths fall by half powers of ten. Most problems have a strength above which no interaction is worth its
//! price; it depends on how often columns are non-zero together (1e-7 for 700 x 400 one-hot columns, .1 for 30 columns
//! of normal numbers), but fits above it take a few epochs. The best strength is mostly a tenth to a hundredth of it: of 40
//! drawn problems (`benches/record/2026-11-26-machine-strengths.md`) a fixed one (.01, classes .003) had 1.4 to 5.4 times
//! the least error in 8, this one 1.14 times in one and at most 1.02 times in the others.
//!
//! As long as interactions explain little, a rise says nothing: the factors of users and items explain nothing before most
//! of them are in the machine, at a strength a thousandth of that at which the first chance product of two numbers enters.
//! The search then ends only where the loss has risen and no longer depends on the strength.
//!
//! Most strengths are far from the best, which few folds and few epochs tell: two folds leave what has lost, or has no
//! interactions, before the others are fitted, and a fit ends once its score is known ([`super::scored`]).

use std::iter;

use super::fold_search::{BestSoFar, FoldSearch, held_out_losses, linear_losses};
use super::search::OutputSearch;
use super::training::Rows;
use crate::document::CvDoc;
use crate::error::{Error, Result};
use crate::select::cross_validation::PART_OF_TIME;
use crate::select::folds::{SCORE_TIE_TOLERANCE, Scores};

/// The first strength, in the units of standardised columns and targets.
const FIRST: f64 = 0.3;
/// Factor from strength to strength, the square root of a tenth.
const STEP: f64 = 0.316_227_766_016_837_94;
/// Strengths at most, down to 3e-8: below it the penalty is no longer felt.
pub const N_STRENGTHS: usize = 15;
/// Epochs of a fit in a fold: errors of later ones differ by a hundredth, near overfitting they take hundreds.
pub(super) const MAX_EPOCHS: usize = 50;
/// Rise of the score above the least, in standard errors, that ends the search.
const RISE: f64 = 1.0;
/// Folds that are fitted first: a strength that is worse in each of them by [`LOST`] standard errors of the least score
/// is left, and one without interactions in each has none in the others.
const FIRST_FOLDS: usize = 2;
const LOST: f64 = 0.25;
/// Strengths with interactions in a row without a better score that end it.
const PATIENCE: usize = 4;
/// Relative change of the loss of the first folds from strength to strength below which the penalty is no longer felt, and
/// how many such changes in a row end a search that has found little.
const FLAT: f64 = 0.01;
const N_FLAT: usize = 2;

/// What was chosen.
pub(super) struct Choice {
    pub(super) alpha: f64,
    pub(super) scores: Option<CvDoc>,
    /// The held-out loss of each fold.
    pub(super) losses: Vec<f64>,
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
    let within = OutputSearch { goes_on: false, params: &params, control: &control, ..*search };
    let mut folds = FoldSearch::of_splits(&within, splits);
    let weight: Vec<f64> = splits.iter().map(|(_, test)| test.total()).collect();
    let first = FIRST_FOLDS.min(folds.len());
    let (mut strengths, mut is_cut_short) = (Vec::new(), false);
    let mut ending = Ending::default();
    let mut scores = Scores::new(vec![Vec::new(); folds.len()], &weight);
    let alphas = iter::successors(Some(FIRST), |alpha| Some(alpha * STEP)).take(N_STRENGTHS);
    for (step, alpha) in alphas.enumerate() {
        let (_, se) = scores.minimum();
        let best = BestSoFar { place: scores.best(), bar: RISE * se };
        let Some((of_first, has_interactions)) = held_out_losses(&mut folds[..first], alpha, best)? else {
            is_cut_short = true;
            break;
        };
        let rise = least_rise(&of_first, &folds, best.place);
        ending.see(of_first.iter().sum(), rise > best.bar);
        if first < folds.len() && rise > LOST * se {
            ending.n_useless += usize::from(has_interactions);
            if ending.is_here(&scores, rise > best.bar) {
                break;
            }
            continue;
        }
        let of_others = if has_interactions {
            held_out_losses(&mut folds[first..], alpha, best)?
        } else {
            linear_losses(&mut folds[first..])?.map(|losses| (losses, false))
        };
        let Some((of_others, others_have_interactions)) = of_others else {
            is_cut_short = true;
            break;
        };
        strengths.push(alpha);
        let found = of_first.into_iter().chain(of_others);
        folds.iter_mut().zip(found).for_each(|(fold, loss)| fold.losses.push(loss));
        scores = Scores::new(folds.iter().map(|fold| fold.losses.clone()).collect(), &weight);
        let (done, best) = (strengths.len(), scores.best());
        search.control.report("cross-validation", step + 1, N_STRENGTHS, || {
            format!("held-out loss {:.6} at alpha {alpha:.1e}", scores.mean[done - 1])
        });
        let has_interactions = has_interactions || others_have_interactions;
        ending.n_useless =
            if best + 1 == done { 0 } else { ending.n_useless + usize::from(has_interactions) };
        if ending.is_here(&scores, best + 1 < done && scores.has_risen_above(scores.minimum(), RISE)) {
            break;
        }
    }
    let chosen = scores.choose(&[0], one_standard_error, SCORE_TIE_TOLERANCE);
    let alpha = strengths.get(chosen).copied().unwrap_or(fallback);
    let losses = folds.iter().filter_map(|fold| fold.losses.get(chosen).copied()).collect();
    Ok(Choice { alpha, scores: scores.document(strengths.into_iter()), losses, is_cut_short })
}

/// What tells that smaller strengths have no better score.
#[derive(Default)]
struct Ending {
    /// Strengths with interactions in a row without a better score.
    n_useless: usize,
    /// The loss of the first folds at the strength before, and how often in a row it has risen above the bar and rested.
    before: Option<f64>,
    n_flat: usize,
}

impl Ending {
    /// Takes in the loss of the first folds at a strength.
    fn see(&mut self, loss: f64, is_above_bar: bool) {
        let is_flat = self.before.is_some_and(|before| (loss - before).abs() <= FLAT * before);
        self.n_flat = if is_flat && is_above_bar { self.n_flat + 1 } else { 0 };
        self.before = Some(loss);
    }

    /// Whether the search ends.
    fn is_here(&self, scores: &Scores, has_risen: bool) -> bool {
        self.n_flat >= N_FLAT || scores.explains_much() && (has_risen || self.n_useless >= PATIENCE)
    }
}

/// By how much the loss of each of the first folds exceeds that of a strength before, at least.
fn least_rise(losses: &[f64], folds: &[FoldSearch<'_>], before: usize) -> f64 {
    let rise = |(loss, fold): (&f64, &FoldSearch<'_>)| loss - fold.losses.get(before).unwrap_or(loss);
    losses.iter().zip(folds).map(rise).fold(f64::INFINITY, f64::min)
}
