//! The strength and the number of components of least held-out loss, for one output.
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
//!
//! Users and items need a few components, one for each taste: 30 have 1.08 times the error and take three times as long.
//! Products of pairs need one for each pair, or their factors have entries of several pairs, whose products are many. So
//! ranks are compared as well, small ones first (`benches/record/2026-11-30-machine-ranks.md`).

use std::iter;

use super::fold_search::{BestSoFar, FoldSearch, held_out_losses, linear_losses};
use super::params::{Params, RANKS};
use super::search::OutputSearch;
use super::training::Rows;
use crate::control::Control;
use crate::document::CvDoc;
use crate::error::{Error, Result};
use crate::select::cross_validation::PART_OF_TIME;
use crate::select::folds::{SCORE_TIE_TOLERANCE, Scores};

/// The first strength, in the units of standardised columns and targets.
const FIRST: f64 = 0.3;
/// Factor from strength to strength, the square root of a tenth.
const STEP: f64 = 0.316_227_766_016_837_94;
/// Strengths at most of a rank, down to 3e-8: below it the penalty is no longer felt.
pub const N_STRENGTHS: usize = 15;
const LAST: f64 = 2e-8;
/// The first strength of a rank over the best of a smaller one.
const ABOVE: f64 = 10.0;
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
    /// The number of components.
    pub(super) rank: usize,
    /// Those of the strengths that were compared at this rank.
    pub(super) scores: Option<CvDoc>,
    /// The held-out loss of each fold.
    pub(super) losses: Vec<f64>,
    /// Whether the time ended the comparison.
    pub(super) is_cut_short: bool,
}

/// Compares the strengths on pairs of rows to learn from and rows held out, at the first of some `ranks` and at the next one as
/// long as the last was the best; `fallback` is the strength of a comparison that had no time.
pub(super) fn choose(
    search: &OutputSearch<'_>,
    splits: &[(&Rows, &Rows)],
    ranks: &[usize],
    one_standard_error: bool,
    fallback: f64,
) -> Result<Choice> {
    if splits.is_empty() {
        return Err(Error::parameter("cv", "got no folds; give at least one"));
    }
    let max_iter = search.params.max_iter.min(MAX_EPOCHS);
    let of_rank = |&rank: &usize| Params { rank: Some(rank), max_iter, ..search.params.clone() };
    let params: Vec<Params> = ranks.iter().map(of_rank).collect();
    let control = search.control.until(PART_OF_TIME).quiet();
    let within = OutputSearch { goes_on: false, control: &control, ..*search };
    let mut comparison = Comparison::new(FoldSearch::of_splits(&within, splits), splits);
    for params in &params {
        comparison.compare(params, search.control)?;
        if comparison.is_cut_short || comparison.scores.best() < comparison.start() {
            break;
        }
    }
    Ok(comparison.choice(ranks, one_standard_error, fallback))
}

/// The strengths compared so far, of one rank after the other.
struct Comparison<'a> {
    folds: Vec<FoldSearch<'a>>,
    /// Total weight of the rows held out of each fold.
    weight: Vec<f64>,
    strengths: Vec<f64>,
    /// The place of the first strength of each rank.
    starts: Vec<usize>,
    scores: Scores,
    is_cut_short: bool,
}

impl<'a> Comparison<'a> {
    fn new(folds: Vec<FoldSearch<'a>>, splits: &[(&Rows, &Rows)]) -> Self {
        let weight: Vec<f64> = splits.iter().map(|(_, test)| test.total()).collect();
        let scores = Scores::new(vec![Vec::new(); folds.len()], &weight);
        Self { folds, weight, strengths: Vec::new(), starts: Vec::new(), scores, is_cut_short: false }
    }

    /// The place of the first strength of the last rank.
    fn start(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Compares the strengths of one rank: all, or those around the best of a smaller one.
    fn compare(&mut self, params: &'a Params, control: &Control) -> Result<()> {
        let largest = self.strengths.get(self.scores.best()).map_or(FIRST, |best| FIRST.min(best * ABOVE));
        self.starts.push(self.strengths.len());
        self.folds.iter_mut().for_each(|fold| fold.set_params(params));
        let first = FIRST_FOLDS.min(self.folds.len());
        let mut ending = Ending::default();
        let alphas =
            iter::successors(Some(largest), |alpha| Some(alpha * STEP)).take_while(|alpha| *alpha > LAST);
        for alpha in alphas {
            let (_, se) = self.scores.minimum();
            let best = BestSoFar { place: self.scores.best(), bar: RISE * se };
            let Some((of_first, has_interactions)) = held_out_losses(&mut self.folds[..first], alpha, best)?
            else {
                self.is_cut_short = true;
                break;
            };
            let rise = least_rise(&of_first, &self.folds, best.place);
            ending.see(of_first.iter().sum(), rise > best.bar);
            if first < self.folds.len() && rise > LOST * se {
                ending.count(has_interactions, false);
                if ending.is_here(&self.scores, rise > best.bar) {
                    break;
                }
                continue;
            }
            let of_others = if has_interactions {
                held_out_losses(&mut self.folds[first..], alpha, best)?
            } else {
                linear_losses(&mut self.folds[first..])?.map(|losses| (losses, false))
            };
            let Some((of_others, others_have_interactions)) = of_others else {
                self.is_cut_short = true;
                break;
            };
            self.strengths.push(alpha);
            let found = of_first.into_iter().chain(of_others);
            self.folds.iter_mut().zip(found).for_each(|(fold, loss)| fold.losses.push(loss));
            let losses = self.folds.iter().map(|fold| fold.losses.clone()).collect();
            self.scores = Scores::new(losses, &self.weight);
            let (done, best) = (self.strengths.len(), self.scores.best());
            let rank = params.rank();
            control.report("cross-validation", done, RANKS.len() * N_STRENGTHS, || {
                let loss = self.scores.mean[done - 1];
                format!("held-out loss {loss:.6} at alpha {alpha:.1e} and rank {rank}")
            });
            ending.count(has_interactions || others_have_interactions, best + 1 == done);
            let has_risen = best + 1 < done && self.scores.has_risen_above(self.scores.minimum(), RISE);
            if ending.is_here(&self.scores, has_risen) {
                break;
            }
        }
        Ok(())
    }

    /// The best strength of the best rank, with the scores of this rank.
    fn choice(self, ranks: &[usize], one_standard_error: bool, fallback: f64) -> Choice {
        let chosen = self.scores.choose(&self.starts, one_standard_error, SCORE_TIE_TOLERANCE);
        let place = self.starts.iter().rposition(|start| *start <= chosen).unwrap_or(0);
        let end = self.starts.get(place + 1).copied().unwrap_or(self.strengths.len());
        let of_rank = self.starts.get(place).copied().unwrap_or(0)..end;
        let losses = self.folds.iter().map(|fold| fold.losses[of_rank.clone()].to_vec()).collect();
        Choice {
            alpha: self.strengths.get(chosen).copied().unwrap_or(fallback),
            rank: ranks[place],
            scores: Scores::new(losses, &self.weight).document(self.strengths[of_rank].iter().copied()),
            losses: self.folds.iter().filter_map(|fold| fold.losses.get(chosen).copied()).collect(),
            is_cut_short: self.is_cut_short,
        }
    }
}

/// What tells that smaller strengths of a rank have no better score.
#[derive(Default)]
struct Ending {
    /// Strengths with interactions in a row without a better score.
    n_useless: usize,
    /// The loss of the first folds at the strength before, and how often in a row it has risen above the bar and rested.
    before: Option<f64>,
    n_flat: usize,
    /// The least loss of the first folds at this rank, and whether that of the last strength is larger: a larger rank begins
    /// at strengths that are worse than the best of a smaller one.
    least: Option<f64>,
    is_past_least: bool,
}

impl Ending {
    /// Takes in the loss of the first folds at a strength.
    fn see(&mut self, loss: f64, is_above_bar: bool) {
        self.is_past_least = self.least.is_some_and(|least| loss > least);
        self.least = Some(self.least.map_or(loss, |least| least.min(loss)));
        let is_flat = self.before.is_some_and(|before| (loss - before).abs() <= FLAT * before);
        self.n_flat = if is_flat && is_above_bar && self.is_past_least { self.n_flat + 1 } else { 0 };
        self.before = Some(loss);
    }

    /// Counts the strength, whose score `is_best` of all so far or not.
    fn count(&mut self, has_interactions: bool, is_best: bool) {
        let is_useless = self.is_past_least && !is_best;
        self.n_useless = if is_useless { self.n_useless + usize::from(has_interactions) } else { 0 };
    }

    /// Whether the search ends.
    fn is_here(&self, scores: &Scores, has_risen: bool) -> bool {
        let has_risen = has_risen && self.is_past_least;
        self.n_flat >= N_FLAT || scores.explains_much() && (has_risen || self.n_useless >= PATIENCE)
    }
}

/// By how much the loss of each of the first folds exceeds that of a strength before, at least.
fn least_rise(losses: &[f64], folds: &[FoldSearch<'_>], before: usize) -> f64 {
    let rise = |(loss, fold): (&f64, &FoldSearch<'_>)| loss - fold.losses.get(before).unwrap_or(loss);
    losses.iter().zip(folds).map(rise).fold(f64::INFINITY, f64::min)
}
