//! Cross-validation: each fold learns its own space and path from its training rows alone.

use super::folds::Scores;
use super::{Options, PenaltyKind, Relaxation, TrainingView, race, subset_sizes};
use crate::control::Control;
use crate::error::Result;
use crate::shares;
use crate::space::{PatternSpace, Sign};

/// The fraction of the time limit that a cross-validation may take; the rest is left for the final fit.
pub(crate) const PART_OF_TIME: f64 = 0.7;

/// One fold: a space over the training rows, and the test rows.
pub trait Split: Send + Sync {
    /// The patterns.
    type Space: PatternSpace;

    /// The training rows.
    fn view(&self) -> TrainingView<'_, Self::Space>;
    /// Responses of an output for the training rows.
    fn y(&self, output: usize) -> &[f64];
    /// Responses of an output for the test rows, and their weights.
    fn held_out(&self, output: usize) -> (&[f64], &[f64]);
    /// Total weight of the test rows, independent of their order.
    fn weight(&self) -> f64;
    /// The test rows that contain a pattern, in the form in which a model shows it.
    fn rows(&self, pattern: &PatternOf<Self>, sign: Sign) -> Vec<u32>;
    /// The dense columns of the test rows.
    fn dense(&self) -> &[Vec<f64>];
}

pub(super) type PatternOf<F> = <<F as Split>::Space as PatternSpace>::Pattern;

/// Number of strengths that each fold solves between two comparisons.
pub(crate) const STRENGTHS_PER_COMPARISON: usize = 2;

/// Scores of the alphas of one output: for each way to relax the coefficients those of the alphas, as far as
/// they were compared.
pub(crate) struct Comparison {
    pub choices: Vec<Option<Relaxation>>,
    pub scores: Vec<Scores>,
    /// For each the indices of the alphas that were compared, ascending.
    pub places: Vec<Vec<usize>>,
    /// Whether the time ran out first.
    pub is_cut_short: bool,
}

impl Comparison {
    /// No scores: the time was over before the folds were prepared.
    pub fn without_time(options: &Options, n_folds: usize) -> Self {
        let choices = match options.penalty {
            PenaltyKind::L1 => options.relax.choices(),
            PenaltyKind::L0 => subset_sizes::choices(&options.ridges()),
        };
        let none = Scores::new(vec![Vec::new(); n_folds], &vec![1.0; n_folds]);
        let count = choices.len();
        Self { scores: vec![none; count], places: vec![Vec::new(); count], choices, is_cut_short: true }
    }

    /// Whether the time was over before there was anything to choose from.
    pub fn is_without_choice(&self) -> bool {
        self.is_cut_short && self.scores.iter().all(|s| s.mean.len() < 2)
    }

    /// Whether the time was over when the largest size so far had the least loss: the best may be any larger one of the `n_sizes`.
    pub fn is_still_falling(&self, n_sizes: usize) -> bool {
        let compared = self.places.iter().map(Vec::len).max().unwrap_or(0);
        self.is_cut_short && compared < n_sizes && self.best(false).at + 1 >= compared
    }

    /// The choice by the scores; the first one where there are none.
    pub fn best(&self, one_standard_error: bool) -> Choice<'_> {
        let lengths: Vec<usize> = self.scores.iter().map(|s| s.mean.len()).collect();
        let (all, starts) = Scores::concatenated(&self.scores.iter().collect::<Vec<_>>(), &lengths);
        let best = all.choose(&starts, one_standard_error, 0.0);
        let holds_best = |k: &usize| starts[*k] <= best && !self.scores[*k].mean.is_empty();
        let choice = (0..starts.len()).rev().find(holds_best).unwrap_or(0);
        let places = &self.places[choice];
        Choice {
            at: places.get(best - starts[choice]).copied().unwrap_or(0),
            relaxation: self.choices[choice],
            scores: &self.scores[choice],
            places,
        }
    }
}

/// What a comparison chose.
pub(crate) struct Choice<'a> {
    /// Index of the alpha, or the size of the best subset.
    pub at: usize,
    /// How its coefficients are relaxed; of a best subset the ridge penalty.
    pub relaxation: Option<Relaxation>,
    /// The scores of the alphas that were compared relaxed so.
    pub scores: &'a Scores,
    /// The indices of these alphas.
    pub places: &'a [usize],
}

/// Scores the alphas of each output (`alphas[output]`) on the folds, in the time of `control`.
pub(crate) fn scores<F: Split>(
    splits: &[F],
    alphas: &[Vec<f64>],
    options: &Options,
    control: &Control,
) -> Result<Vec<Comparison>> {
    shares::try_map(alphas.len(), control, |o, control| match options.penalty {
        PenaltyKind::L1 => race::compare(splits, o, &alphas[o], options, control),
        PenaltyKind::L0 => subset_sizes::compare(splits, o, alphas[o].len() - 1, options, control),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::Relax;

    #[test]
    fn without_scores_the_first_choice_is_taken() {
        let options = Options { relax: Relax::Cv, ..Options::default() };
        let mut comparison = Comparison::without_time(&options, 2);
        assert_eq!(comparison.best(false).relaxation, None);
        let worse = Scores::new(vec![vec![2.0, 3.0]; 2], &[1.0; 2]);
        let better = Scores::new(vec![vec![1.0]; 2], &[1.0; 2]);
        (comparison.scores[1], comparison.scores[3]) = (worse, better);
        comparison.places = comparison.scores.iter().map(|s| (0..s.mean.len()).collect()).collect();
        assert_eq!(comparison.best(false).relaxation, comparison.choices[3]);
    }

    #[test]
    fn losses_that_still_fall_leave_larger_sizes() {
        let options = Options { relax: Relax::Off, ..Options::default() };
        let mut comparison = Comparison::without_time(&options, 2);
        for (losses, falls) in [(vec![3.0, 2.0, 1.0], true), (vec![3.0, 1.0, 2.0], false), (vec![3.0], true)]
        {
            comparison.places = vec![(0..losses.len()).collect()];
            comparison.scores = vec![Scores::new(vec![losses; 2], &[1.0; 2])];
            assert_eq!(comparison.is_still_falling(4), falls);
            assert!(!comparison.is_still_falling(comparison.places[0].len()));
        }
    }
}
