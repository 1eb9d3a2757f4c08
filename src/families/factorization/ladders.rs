//! The strengths that are compared on the folds: ladders of falling strengths, each at a rank and ridge of its own.

use std::iter;
use std::ops::Range;

use super::cross_validation::{Choice, Move};
use super::fold_search::{BestSoFar, FoldSearch, held_out_losses, linear_losses};
use super::ladder_end::LadderEnd;
use super::params::{Params, RANKS};
use crate::control::Control;
use crate::error::Result;
use crate::select::folds::{SCORE_TIE_TOLERANCE, Scores};

/// The first strength, in the units of standardised columns and targets.
const FIRST: f64 = 0.3;
/// Factor from strength to strength, the square root of a tenth.
const STEP: f64 = 0.316_227_766_016_837_94;
/// Strengths at most of a rank, down to 3e-8: below it the penalty is no longer felt.
pub const N_STRENGTHS: usize = 15;
/// How many strengths above the best of a smaller rank the next one begins.
const N_ABOVE: usize = 2;
/// Relative fall of the loss at another rank or ridge after which the search goes on from it.
const GAIN: f64 = 1e-3;
/// Rise of the score above the least, in standard errors, that ends the search.
const RISE: f64 = 1.0;
/// Folds that are fitted first: a strength that is worse in each of them by [`LOST`] standard errors of the least score
/// is left, and one without interactions in each has none in the others.
const FIRST_FOLDS: usize = 2;
const LOST: f64 = 0.25;

/// Strengths at some parameters.
struct Ladder {
    params: Params,
    /// Whether all strengths are compared, or as long as the loss falls.
    is_whole: bool,
    /// The place of its first strength among all.
    start: usize,
}

/// The strengths compared so far, of one ladder after the other.
pub(super) struct Comparison<'a> {
    folds: Vec<FoldSearch<'a>>,
    control: &'a Control,
    ladders: Vec<Ladder>,
    strengths: Vec<f64>,
    scores: Scores,
    pub(super) is_cut_short: bool,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(folds: Vec<FoldSearch<'a>>, control: &'a Control) -> Self {
        let scores = scores(&folds, &[]);
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
    pub(super) fn ladder(&mut self, params: Params) -> Result<()> {
        let strengths = self.falling(N_ABOVE);
        let mut ending = LadderEnd::default();
        self.begin(params, true);
        for alpha in strengths {
            if !self.compare(alpha, &mut ending)? {
                break;
            }
        }
        Ok(())
    }

    /// Compares the strengths of other parameters than the best, of another ridge as long as the loss falls; whether it has
    /// fallen.
    pub(super) fn step(&mut self, to: Move) -> Result<bool> {
        let (least, _) = self.scores.minimum();
        let Some(params) = to.of(&self.best_ladder().params) else { return Ok(false) };
        if self.ladders.iter().any(|ladder| is_same(&ladder.params, &params)) {
            return Ok(false);
        }
        if to == Move::Rank {
            self.ladder(params)?;
        } else {
            let strengths = self.falling(0);
            let mut ending = LadderEnd::default();
            self.begin(params, false);
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
    fn begin(&mut self, params: Params, is_whole: bool) {
        self.folds.iter_mut().for_each(|fold| fold.set_params(&params));
        self.ladders.push(Ladder { params, is_whole, start: self.strengths.len() });
    }

    /// Takes in a strength; whether a smaller one may be better.
    fn compare(&mut self, alpha: f64, ending: &mut LadderEnd) -> Result<bool> {
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
        let places: Vec<usize> = (0..self.strengths.len()).collect();
        self.scores = scores(&self.folds, &places);
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

    /// The places of the strengths of a ladder.
    fn places(&self, ladder: usize) -> Range<usize> {
        let end = self.ladders.get(ladder + 1).map_or(self.strengths.len(), |next| next.start);
        self.ladders[ladder].start..end
    }

    /// The best strength, with the scores of its ladder; of a ridge also those of the strengths that were compared before at
    /// its rank alone.
    pub(super) fn choice(self, one_standard_error: bool, fallback: f64) -> Choice {
        let starts: Vec<usize> = self.ladders.iter().map(|ladder| ladder.start).collect();
        let chosen = self.scores.choose(&starts, one_standard_error, SCORE_TIE_TOLERANCE);
        let last = starts.iter().rposition(|start| *start <= chosen).unwrap_or(0);
        let whole = self.ladders[..=last].iter().rposition(|ladder| ladder.is_whole).unwrap_or(last);
        let own = self.places(last);
        let is_alone = |place: &usize| !self.strengths[own.clone()].contains(&self.strengths[*place]);
        let mut places: Vec<usize> = self.places(whole).filter(is_alone).chain(own.clone()).collect();
        places.sort_by(|a, b| self.strengths[*b].total_cmp(&self.strengths[*a]));
        let params = &self.ladders[last].params;
        Choice {
            alpha: self.strengths.get(chosen).copied().unwrap_or(fallback),
            rank: params.rank(),
            l2_factors: params.factor_ridge(),
            scores: scores(&self.folds, &places).document(places.iter().map(|&place| self.strengths[place])),
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

/// The scores of the strengths at some places.
fn scores(folds: &[FoldSearch<'_>], places: &[usize]) -> Scores {
    let weight: Vec<f64> = folds.iter().map(FoldSearch::weight).collect();
    let of_fold = |fold: &FoldSearch<'_>| places.iter().map(|&place| fold.losses[place]).collect();
    Scores::new(folds.iter().map(of_fold).collect(), &weight)
}

/// By how much the loss of each of the first folds exceeds that of a strength before, at least.
fn least_rise(losses: &[f64], folds: &[FoldSearch<'_>], before: usize) -> f64 {
    let rise = |(loss, fold): (&f64, &FoldSearch<'_>)| loss - fold.losses.get(before).unwrap_or(loss);
    losses.iter().zip(folds).map(rise).fold(f64::INFINITY, f64::min)
}
