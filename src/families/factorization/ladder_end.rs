//! When smaller strengths of a ladder have no better score.

use crate::select::folds::Scores;

/// Strengths with interactions in a row without a better score that end it.
const PATIENCE: usize = 4;
/// Relative change of the loss of the first folds from strength to strength below which the penalty is no longer felt, and
/// how many such changes in a row end a search that has found little.
const FLAT: f64 = 0.01;
const N_FLAT: usize = 2;

/// What tells that smaller strengths of a rank have no better score.
#[derive(Default)]
pub(super) struct LadderEnd {
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

impl LadderEnd {
    /// Takes in the loss of the first folds at a strength.
    pub(super) fn see(&mut self, loss: f64, is_above_bar: bool) {
        self.is_past_least = self.least.is_some_and(|least| loss > least);
        self.least = Some(self.least.map_or(loss, |least| least.min(loss)));
        let is_flat = self.before.is_some_and(|before| (loss - before).abs() <= FLAT * before);
        self.n_flat = if is_flat && is_above_bar && self.is_past_least { self.n_flat + 1 } else { 0 };
        self.before = Some(loss);
    }

    /// Counts the strength, whose score `is_best` of all so far or not.
    pub(super) fn count(&mut self, has_interactions: bool, is_best: bool) {
        let is_useless = self.is_past_least && !is_best;
        self.n_useless = if is_useless { self.n_useless + usize::from(has_interactions) } else { 0 };
    }

    /// Whether the search ends.
    pub(super) fn is_here(&self, scores: &Scores, has_risen: bool) -> bool {
        let has_risen = has_risen && self.is_past_least;
        self.n_flat >= N_FLAT || scores.explains_much() && (has_risen || self.n_useless >= PATIENCE)
    }
}
