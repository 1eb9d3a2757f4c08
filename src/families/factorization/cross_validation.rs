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
use std::ops::{Range, RangeInclusive};

use super::fold_search::{BestSoFar, FoldSearch, held_out_losses, linear_losses};
use super::params::{Params, RANKS};
use super::search::OutputSearch;
use super::training::Rows;
use crate::control::Control;
use crate::document::CvDoc;
use crate::error::Result;
use crate::select::cross_validation::PART_OF_TIME;
use crate::select::folds::{SCORE_TIE_TOLERANCE, Scores};

/// The first strength, in the units of standardised columns and targets.
const FIRST: f64 = 0.3;
/// Factor from strength to strength, the square root of a tenth.
const STEP: f64 = 0.316_227_766_016_837_94;
/// Strengths at most of a rank, down to 3e-8: below it the penalty is no longer felt.
pub const N_STRENGTHS: usize = 15;
/// How many strengths above the best of a smaller rank the next one begins.
const N_ABOVE: usize = 2;
/// Factor from ridge to ridge of the factors, and the least and the largest.
const RIDGE_STEP: f64 = 3.162_277_660_168_379_5;
const RIDGES: RangeInclusive<f64> = 9e-6..=1.1e-2;
/// Relative fall of the loss at another rank or ridge after which the search goes on from it.
const GAIN: f64 = 1e-3;
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
    /// The ridge penalty of the factors.
    pub(super) l2_factors: f64,
    /// Those of the strengths that were compared at this rank and ridge.
    pub(super) scores: Option<CvDoc>,
    /// The held-out loss of each fold.
    pub(super) losses: Vec<f64>,
    /// Whether the time ended the comparison.
    pub(super) is_cut_short: bool,
}

/// Compares the strengths on pairs of rows to learn from and rows held out, at the first of some ranks and at the next one as
/// long as the last was the best, then at other ridges of the factors; `fallback` is the strength of a comparison that had
/// no time.
pub(super) fn choose(
    search: &OutputSearch<'_>,
    splits: &[(&Rows, &Rows)],
    one_standard_error: bool,
    fallback: f64,
) -> Result<Choice> {
    let params = Params { max_iter: search.params.max_iter.min(MAX_EPOCHS), ..search.params.clone() };
    let control = search.control.until(PART_OF_TIME).quiet();
    let within = OutputSearch { goes_on: false, control: &control, ..*search };
    let mut comparison = Comparison::new(FoldSearch::of_splits(&within, splits), search.control);
    let mut moves = Vec::new();
    if params.rank.is_none() {
        moves.push(Move::Rank);
    }
    if params.l2_factors.is_none() && !one_standard_error {
        moves.extend([Move::LargerRidge, Move::SmallerRidge]);
    }
    comparison.ladder(Params { rank: Some(params.rank.unwrap_or(RANKS[0])), ..params })?;
    let mut n_failed = 0;
    while n_failed < moves.len() && !comparison.is_cut_short {
        let is_better = comparison.step(moves[0])?;
        n_failed = if is_better { 0 } else { n_failed + 1 };
        if !is_better {
            moves.rotate_left(1);
        }
    }
    Ok(comparison.choice(one_standard_error, fallback))
}

/// From the parameters of the best strength to others.
#[derive(Clone, Copy, PartialEq)]
enum Move {
    /// To the next rank.
    Rank,
    LargerRidge,
    SmallerRidge,
}

impl Move {
    fn of(self, params: &Params) -> Option<Params> {
        let step = match self {
            Self::Rank => {
                let rank = RANKS.into_iter().find(|rank| *rank > params.rank())?;
                return Some(Params { rank: Some(rank), ..params.clone() });
            }
            Self::LargerRidge => RIDGE_STEP,
            Self::SmallerRidge => 1.0 / RIDGE_STEP,
        };
        let ridge = params.factor_ridge() * step;
        RIDGES.contains(&ridge).then(|| Params { l2_factors: Some(ridge), ..params.clone() })
    }
}

/// Strengths at some parameters.
struct Ladder {
    params: Params,
    /// The place of its first strength among all.
    start: usize,
}

/// The strengths compared so far, of one ladder after the other.
struct Comparison<'a> {
    folds: Vec<FoldSearch<'a>>,
    control: &'a Control,
    ladders: Vec<Ladder>,
    strengths: Vec<f64>,
    scores: Scores,
    is_cut_short: bool,
}

impl<'a> Comparison<'a> {
    fn new(folds: Vec<FoldSearch<'a>>, control: &'a Control) -> Self {
        let scores = scores(&folds, 0..0);
        Self { folds, control, ladders: Vec::new(), strengths: Vec::new(), scores, is_cut_short: false }
    }

    /// The strengths that may be compared, falling.
    fn grid() -> Vec<f64> {
        iter::successors(Some(FIRST), |alpha| Some(alpha * STEP)).take(N_STRENGTHS).collect()
    }

    /// The strengths from a number of steps above the best one, or from the first.
    fn falling(&self, n_above: usize) -> Vec<f64> {
        let grid = Self::grid();
        let best = self.strengths.get(self.scores.best());
        let place = best.and_then(|best| grid.iter().position(|alpha| alpha == best)).unwrap_or(0);
        grid[place.saturating_sub(n_above)..].to_vec()
    }

    /// Compares the strengths of some parameters: all, or those around the best of others.
    fn ladder(&mut self, params: Params) -> Result<()> {
        let strengths = self.falling(N_ABOVE);
        let mut ending = Ending::default();
        self.begin(params);
        for alpha in strengths {
            if !self.compare(alpha, &mut ending)? {
                break;
            }
        }
        Ok(())
    }

    /// Compares the strengths of other parameters than the best, of another ridge as long as the loss falls; whether it has
    /// fallen.
    fn step(&mut self, to: Move) -> Result<bool> {
        let (least, _) = self.scores.minimum();
        let Some(params) = to.of(&self.best_ladder().params) else { return Ok(false) };
        if self.ladders.iter().any(|ladder| is_same(&ladder.params, &params)) {
            return Ok(false);
        }
        if to == Move::Rank {
            self.ladder(params)?;
        } else {
            let strengths = self.falling(0);
            let mut ending = Ending::default();
            self.begin(params);
            for alpha in strengths {
                if !self.compare(alpha, &mut ending)? || self.scores.best() + 1 < self.strengths.len() {
                    break;
                }
            }
        }
        Ok(self.scores.minimum().0 < (1.0 - GAIN) * least)
    }

    /// The ladder of the best strength.
    fn best_ladder(&self) -> &Ladder {
        let best = self.scores.best();
        self.ladders.iter().rfind(|ladder| ladder.start <= best).unwrap_or(&self.ladders[0])
    }

    /// Strengths of other parameters from now on.
    fn begin(&mut self, params: Params) {
        self.folds.iter_mut().for_each(|fold| fold.set_params(&params));
        self.ladders.push(Ladder { params, start: self.strengths.len() });
    }

    /// Takes in a strength; whether a smaller one may be better.
    fn compare(&mut self, alpha: f64, ending: &mut Ending) -> Result<bool> {
        let (_, se) = self.scores.minimum();
        let best = BestSoFar { place: self.scores.best(), bar: RISE * se };
        let first = FIRST_FOLDS.min(self.folds.len());
        let Some((of_first, has_interactions)) = held_out_losses(&mut self.folds[..first], alpha, best)?
        else {
            self.is_cut_short = true;
            return Ok(false);
        };
        let rise = least_rise(&of_first, &self.folds, best.place);
        ending.see(of_first.iter().sum(), rise > best.bar);
        if first < self.folds.len() && rise > LOST * se {
            ending.count(has_interactions, false);
            return Ok(!ending.is_here(&self.scores, rise > best.bar));
        }
        let of_others = if has_interactions {
            held_out_losses(&mut self.folds[first..], alpha, best)?
        } else {
            linear_losses(&mut self.folds[first..])?.map(|losses| (losses, false))
        };
        let Some((of_others, others_have_interactions)) = of_others else {
            self.is_cut_short = true;
            return Ok(false);
        };
        self.strengths.push(alpha);
        let found = of_first.into_iter().chain(of_others);
        self.folds.iter_mut().zip(found).for_each(|(fold, loss)| fold.losses.push(loss));
        self.scores = scores(&self.folds, 0..self.strengths.len());
        let (done, best) = (self.strengths.len(), self.scores.best());
        self.control.report("cross-validation", done, RANKS.len() * N_STRENGTHS, || {
            let loss = self.scores.mean[done - 1];
            let params = &self.ladders[self.ladders.len() - 1].params;
            let (rank, ridge) = (params.rank(), params.factor_ridge());
            format!("held-out loss {loss:.6} at alpha {alpha:.1e}, rank {rank} and l2_factors {ridge:.1e}")
        });
        ending.count(has_interactions || others_have_interactions, best + 1 == done);
        let has_risen = best + 1 < done && self.scores.has_risen_above(self.scores.minimum(), RISE);
        Ok(!ending.is_here(&self.scores, has_risen))
    }

    /// The best strength, with the scores of its ladder.
    fn choice(self, one_standard_error: bool, fallback: f64) -> Choice {
        let starts: Vec<usize> = self.ladders.iter().map(|ladder| ladder.start).collect();
        let chosen = self.scores.choose(&starts, one_standard_error, SCORE_TIE_TOLERANCE);
        let place = starts.iter().rposition(|start| *start <= chosen).unwrap_or(0);
        let end = starts.get(place + 1).copied().unwrap_or(self.strengths.len());
        let Ladder { ref params, start } = self.ladders[place];
        Choice {
            alpha: self.strengths.get(chosen).copied().unwrap_or(fallback),
            rank: params.rank(),
            l2_factors: params.factor_ridge(),
            scores: scores(&self.folds, start..end).document(self.strengths[start..end].iter().copied()),
            losses: self.folds.iter().filter_map(|fold| fold.losses.get(chosen).copied()).collect(),
            is_cut_short: self.is_cut_short,
        }
    }
}

/// Whether parameters have the same rank and ridge.
fn is_same(params: &Params, other: &Params) -> bool {
    let ratio = params.factor_ridge() / other.factor_ridge();
    params.rank() == other.rank() && (0.9..1.1).contains(&ratio)
}

/// The scores of some strengths.
fn scores(folds: &[FoldSearch<'_>], strengths: Range<usize>) -> Scores {
    let weight: Vec<f64> = folds.iter().map(FoldSearch::weight).collect();
    Scores::new(folds.iter().map(|fold| fold.losses[strengths.clone()].to_vec()).collect(), &weight)
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
