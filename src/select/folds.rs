//! Parts common to all cross-validations: preparation of the folds in parallel, held-out losses along
//! paths, their means with standard errors, and the selection of a point.

use serde::{Deserialize, Serialize};

use super::criteria;
use super::cross_validation::PART_OF_TIME;
use crate::control::Control;
use crate::data::rows::Fold;
use crate::document::CvDoc;
use crate::error::{Error, Result};
use crate::threads;

/// Relative difference below which two scores count as equal; the stronger penalty is then selected.
pub(crate) const SCORE_TIE_TOLERANCE: f64 = 1e-9;

/// Models explain much if their score is below the first one, of the empty model, by this fraction of it.
const MUCH: f64 = 0.1;

/// Prepares each fold; `None` if that takes the time that a path of all rows needs. Fails if there are no folds.
pub(crate) fn prepared<S: Send>(
    folds: &[Fold],
    control: &Control,
    split: impl Fn(&Fold, &Control) -> Result<S> + Sync,
) -> Result<Option<Vec<S>>> {
    if folds.is_empty() {
        return Err(Error::parameter("folds", "got no folds; give at least one"));
    }
    let part = control.until(PART_OF_TIME);
    let one = |fold: &Fold| if part.is_out_of_time() { Ok(None) } else { split(fold, &part).map(Some) };
    match threads::try_map(folds, one) {
        Err(Error::Time(_)) => Ok(None),
        prepared => Ok(prepared?.into_iter().collect()),
    }
}

/// Weighted mean loss of held-out rows at predictions f.
pub(crate) fn mean_loss(y: &[f64], weights: &[f64], f: &[f64], loss: impl Fn(f64, f64) -> f64) -> f64 {
    let total: f64 = weights.iter().sum();
    (0..f.len()).map(|i| weights[i] * loss(y[i], f[i])).sum::<f64>() / total
}

/// Held-out losses along a path.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Scores {
    /// `losses[fold][strength]`; fewer for a fold whose path ended early.
    losses: Vec<Vec<f64>>,
    /// Total weight of the test rows of each fold.
    weight: Vec<f64>,
    /// Mean loss at each strength that all folds reached.
    pub mean: Vec<f64>,
    /// Standard error of the mean over folds.
    pub se: Vec<f64>,
}

impl Scores {
    /// Scores from the losses of each fold along its path.
    pub fn new(losses: Vec<Vec<f64>>, weight: &[f64]) -> Self {
        let slices: Vec<&[f64]> = losses.iter().map(Vec::as_slice).collect();
        let (mean, se) = criteria::summary(&slices, weight);
        Self { losses, weight: weight.to_vec(), mean, se }
    }

    /// Index of the smallest mean.
    pub fn best(&self) -> usize {
        criteria::argmin(&self.mean)
    }

    /// The smallest mean and its standard error; infinity and 0 without scores.
    pub fn minimum(&self) -> (f64, f64) {
        let best = self.best();
        self.mean.get(best).map_or((f64::INFINITY, 0.0), |&mean| (mean, self.se[best]))
    }

    /// By how much each mean exceeds that of strength `best`, with the standard errors of these differences: the losses
    /// of a fold rise and fall together.
    pub fn rises_above(&self, best: usize) -> (Vec<f64>, Vec<f64>) {
        let rises: Vec<Vec<f64>> = self
            .losses
            .iter()
            .map(|losses| losses.iter().map(|loss| loss - losses.get(best).unwrap_or(loss)).collect())
            .collect();
        criteria::summary(&rises.iter().map(Vec::as_slice).collect::<Vec<_>>(), &self.weight)
    }

    /// Whether the last strength is below `ratio` times that of the smallest mean.
    pub fn is_past_best(&self, strengths: &[f64], ratio: f64) -> bool {
        let Some(last) = self.mean.len().checked_sub(1) else { return false };
        strengths[last] < ratio * strengths[self.best()]
    }

    /// Whether the last mean exceeds a smallest mean by more than `rise` of its standard errors.
    pub fn has_risen_above(&self, (mean, se): (f64, f64), rise: f64) -> bool {
        self.mean.last().is_some_and(|last| *last > mean + rise * se)
    }

    /// Whether a model explains much of what the first strength, at which it is empty, leaves.
    pub fn explains_much(&self) -> bool {
        self.mean.first().is_some_and(|first| self.minimum().0 < (1.0 - MUCH) * first)
    }

    /// Whether the last mean is the largest since the smallest one.
    pub fn is_last_largest_since_best(&self) -> bool {
        let since = self.mean.get(self.best()..).unwrap_or_default();
        since.last().is_some_and(|last| since.iter().all(|mean| mean <= last))
    }

    /// The scores of a path of at most `length` models, the last of which is that of all smaller strengths too: it has the
    /// best of their scores.
    pub fn with_last(&self, length: usize) -> Self {
        let Some(last) = length.checked_sub(1).filter(|last| *last < self.mean.len()) else {
            return self.clone();
        };
        let best = last + criteria::argmin(&self.mean[last..]);
        let kept = |losses: &Vec<f64>| losses[..last].iter().chain(&losses[best..=best]).copied().collect();
        Self::new(self.losses.iter().map(kept).collect(), &self.weight)
    }

    /// The scores from one strength on.
    pub fn since(&self, first: usize) -> Self {
        let rest = |losses: &Vec<f64>| losses.get(first..).unwrap_or_default().to_vec();
        Self::new(self.losses.iter().map(rest).collect(), &self.weight)
    }

    /// Several paths as one, each with at most as many strengths as `lengths` says, and the index at which
    /// each begins.
    pub fn concatenated(paths: &[&Self], lengths: &[usize]) -> (Self, Vec<usize>) {
        let (mut starts, mut count) = (Vec::new(), 0);
        let mut losses = vec![Vec::new(); paths[0].losses.len()];
        for (path, &length) in paths.iter().zip(lengths) {
            starts.push(count);
            let length = length.min(path.mean.len());
            losses.iter_mut().zip(&path.losses).for_each(|(all, own)| all.extend(&own[..length]));
            count += length;
        }
        (Self::new(losses, &paths[0].weight), starts)
    }

    /// Index of the smallest mean, or of the first on the same path within one standard error of it;
    /// without that rule, of the first within the relative difference `equal`. Each path begins at one of
    /// `starts` and has falling strengths.
    pub fn choose(&self, starts: &[usize], one_standard_error: bool, equal: f64) -> usize {
        let best = self.best();
        let Some(minimum) = self.mean.get(best) else { return 0 };
        let begin = starts.iter().copied().filter(|&s| s <= best).max().unwrap_or(0);
        let slack = if one_standard_error { self.se[best] } else { equal * minimum.abs() };
        (begin..best).find(|&k| self.mean[k] <= minimum + slack).unwrap_or(best)
    }

    /// The scores as a model saves them, with the strengths of the path; `None` without scores.
    pub fn document(&self, strengths: impl Iterator<Item = f64>) -> Option<CvDoc> {
        let (mean, se) = (self.mean.clone(), self.se.clone());
        let strengths = strengths.take(mean.len()).collect();
        let (_, difference_se) = self.rises_above(self.best());
        let n_folds = self.losses.len();
        (!mean.is_empty()).then_some(CvDoc { strengths, mean, se, difference_se, n_folds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_mean_wins_and_ties_go_to_the_sparser() {
        let scores = Scores::new(vec![vec![3.0, 1.0, 1.0, 2.0, 1.5, 0.5]; 2], &[1.0, 1.0]);
        assert_eq!(scores.choose(&[0, 3], false, 1e-9), 5);
        assert_eq!(scores.choose(&[0, 6], false, 1e-9), 5);
        let tied = Scores::new(vec![vec![3.0, 1.0, 1.0]; 3], &[1.0; 3]);
        assert_eq!(tied.choose(&[0], false, 1e-9), 1);
        assert_eq!(Scores::new(vec![Vec::new()], &[1.0]).choose(&[0], true, 0.0), 0);
    }

    #[test]
    fn one_standard_error_stays_on_the_best_path() {
        let losses = vec![vec![1.0, 1.0, 2.0, 1.0, 0.6], vec![1.1, 1.1, 2.0, 1.4, 1.2]];
        let scores = Scores::new(losses.clone(), &[1.0, 1.0]);
        assert_eq!(scores.choose(&[0, 2], false, 1e-9), 4);
        assert!((scores.se[4] - 0.3).abs() < 1e-12);
        assert_eq!(scores.choose(&[0, 2], true, 1e-9), 3);
    }

    #[test]
    fn a_rise_that_all_folds_share_has_no_error() {
        let scores = Scores::new(vec![vec![1.0, 2.0, 2.5], vec![5.0, 6.0, 6.0]], &[1.0, 1.0]);
        assert_eq!(scores.best(), 0);
        let (rises, errors) = scores.rises_above(0);
        assert_eq!((rises, errors[1]), (vec![0.0, 1.0, 1.25], 0.0));
        assert!(errors[2] > 0.0 && scores.se[1] > 1.0);
        assert_eq!(Scores::new(vec![Vec::new()], &[1.0]).rises_above(0), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_last_model_has_the_best_score_of_the_strengths_that_it_stands_for() {
        let scores =
            Scores::new(vec![vec![4.0, 3.0, 2.0, 1.0, 1.5], vec![4.0, 3.0, 2.0, 1.0, 1.5]], &[1.0, 1.0]);
        assert_eq!(scores.with_last(3).mean, vec![4.0, 3.0, 1.0]);
        assert_eq!(scores.with_last(9).mean, scores.mean);
        assert_eq!(scores.with_last(0).mean, scores.mean);
    }

    #[test]
    fn paths_are_joined_up_to_where_every_fold_came() {
        let first = Scores::new(vec![vec![1.0, 2.0, 3.0], vec![1.0, 2.0]], &[1.0, 1.0]);
        let second = Scores::new(vec![vec![4.0], vec![4.0, 5.0]], &[1.0, 1.0]);
        let (both, starts) = Scores::concatenated(&[&first, &second], &[9, 9]);
        assert_eq!((both.mean.clone(), starts), (vec![1.0, 2.0, 4.0], vec![0, 2]));
        assert_eq!(both.document([9.0, 8.0, 9.0].into_iter()).unwrap().strengths, vec![9.0, 8.0, 9.0]);
    }
}
