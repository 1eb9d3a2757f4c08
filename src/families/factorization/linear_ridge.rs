//! The ridge penalty of the linear term, of one output: the one of least held-out loss without interactions.
//!
//! Where columns are nearly as many as rows the linear term fits noise, which no penalty of the factors changes; where rows
//! have many times the columns, or columns are users and items, it needs nearly none. Fits without interactions
//! take few epochs, so that this is compared before the strength (benches/record/2026-11-29-linear-ridge.md).
//!
//! What interactions explain is noise to a linear term without them: smaller ridges are compared again with the
//! interactions of the strength that was chosen (benches/record/2026-11-29-warm-up.md).

use super::cross_validation::{Choice, MAX_EPOCHS};
use super::fold_search::{BestSoFar, FoldSearch, held_out_losses, linear_losses};
use super::params::{LINEAR_RIDGE, Params};
use super::search::OutputSearch;
use super::training::Rows;
use crate::error::Result;
use crate::select::cross_validation::PART_OF_TIME as PART_OF_COMPARISONS;
use crate::select::folds::Scores;

/// Factor from ridge to ridge.
const STEP: f64 = 10.0;
/// The least and the largest that are compared, for standardised columns.
const RANGE: (f64, f64) = (1e-5, 1.0);
/// The fraction of the time that the comparison may take.
const PART_OF_TIME: f64 = 0.2;

/// Compares ridges on pairs of rows to learn from and rows held out: from the usual one on while the loss falls, upwards, or
/// else downwards. Of those within a standard error of the best it is the nearest to the usual one.
pub(super) fn choose(search: &OutputSearch<'_>, splits: &[(&Rows, &Rows)]) -> Result<f64> {
    if !search.params.fit_linear {
        return Ok(LINEAR_RIDGE);
    }
    let control = search.control.until(PART_OF_TIME).quiet();
    let losses = |ridge: f64| {
        let max_iter = search.params.max_iter.min(MAX_EPOCHS);
        // A single component costs little, and is 0.
        let params = Params { l2_linear: Some(ridge), rank: Some(1), max_iter, ..search.params.clone() };
        let within = OutputSearch { goes_on: false, params: &params, control: &control, ..*search };
        linear_losses(&mut FoldSearch::of_splits(&within, splits))
    };
    let weight: Vec<f64> = splits.iter().map(|(_, test)| test.total()).collect();
    let Some(usual) = losses(LINEAR_RIDGE)? else { return Ok(LINEAR_RIDGE) };
    let mut ridges = vec![LINEAR_RIDGE];
    let mut by_fold: Vec<Vec<f64>> = usual.into_iter().map(|loss| vec![loss]).collect();
    let mut scores = Scores::new(by_fold.clone(), &weight);
    for step in [STEP, 1.0 / STEP] {
        let mut ridge = LINEAR_RIDGE * step;
        while (RANGE.0..=RANGE.1).contains(&(ridge * (1.0 - f64::EPSILON))) {
            let Some(found) = losses(ridge)? else { break };
            ridges.push(ridge);
            by_fold.iter_mut().zip(found).for_each(|(of_fold, loss)| of_fold.push(loss));
            scores = Scores::new(by_fold.clone(), &weight);
            if scores.best() + 1 < ridges.len() {
                break;
            }
            ridge *= step;
        }
        if scores.best() > 0 {
            break;
        }
    }
    let (rises, errors) = scores.rises_above(scores.best());
    let is_as_good = |k: &usize| rises[*k] <= errors[*k];
    Ok(ridges[(0..ridges.len()).find(is_as_good).unwrap_or(scores.best())])
}

/// Compares ridges from the usual one on, if that of a search is larger, at the strength chosen with it; returns the first
/// whose loss is less than that of the search, and writes its score into the choice.
pub(super) fn lower(
    search: &OutputSearch<'_>,
    splits: &[(&Rows, &Rows)],
    choice: &mut Choice,
) -> Result<f64> {
    let largest = search.params.linear_ridge();
    let weight: Vec<f64> = splits.iter().map(|(_, test)| test.total()).collect();
    let control = search.control.until(PART_OF_COMPARISONS).quiet();
    let max_iter = search.params.max_iter.min(MAX_EPOCHS);
    let mut ridge = LINEAR_RIDGE;
    while choice.losses.len() == splits.len() && ridge < largest * (1.0 - f64::EPSILON) {
        let params = Params { l2_linear: Some(ridge), max_iter, ..search.params.clone() };
        let within = OutputSearch { goes_on: false, params: &params, control: &control, ..*search };
        let mut folds = FoldSearch::of_splits(&within, splits);
        folds.iter_mut().zip(&choice.losses).for_each(|(fold, loss)| fold.losses.push(*loss));
        let bar = BestSoFar { place: 0, bar: 0.0 };
        let Some((found, _)) = held_out_losses(&mut folds, choice.alpha, bar)? else { break };
        let by_fold = choice.losses.iter().zip(found).map(|(old, new)| vec![*old, new]).collect();
        let scores = Scores::new(by_fold, &weight);
        if scores.best() == 1 {
            if let Some(cv) = &mut choice.scores
                && let Some(at) = cv.strengths.iter().position(|strength| *strength == choice.alpha)
            {
                (cv.mean[at], cv.se[at]) = (scores.mean[1], scores.se[1]);
            }
            return Ok(ridge);
        }
        ridge *= STEP;
    }
    Ok(largest)
}
