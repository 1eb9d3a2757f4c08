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
//!
//! Factors of users and items of few rows need a ridge, beside which the penalty of components is weak. From the best rank and
//! ridge the search goes to the next rank, a larger ridge and a smaller one, as long as one of them lowers the loss
//! (`benches/record/2026-11-30-machine-factor-ridge.md`).

use std::ops::RangeInclusive;

use super::fold_search::FoldSearch;
use super::ladders::Comparison;
use super::params::{Params, RANKS};
use super::search::OutputSearch;
use super::training::Rows;
use crate::document::CvDoc;
use crate::error::Result;
use crate::select::cross_validation::PART_OF_TIME;

/// Factor from ridge to ridge of the factors, and the least and the largest.
const RIDGE_STEP: f64 = 3.162_277_660_168_379_5;
const RIDGES: RangeInclusive<f64> = 9e-6..=1.1e-2;
/// Epochs of a fit in a fold: errors of later ones differ by a hundredth, near overfitting they take hundreds.
pub(super) const MAX_EPOCHS: usize = 50;
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

/// Compares strengths, ranks and ridges of the factors on pairs of rows to learn from and rows held out; `fallback` is the
/// strength of a comparison that had no time.
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
pub(super) enum Move {
    /// To the next rank.
    Rank,
    LargerRidge,
    SmallerRidge,
}

impl Move {
    /// The parameters after it; `None` beyond the last rank or ridge.
    pub(super) fn of(self, params: &Params) -> Option<Params> {
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
