//! The comparison of strengths: a few folds look for the best one, all folds compare those around it.
//!
//! The first folds, the *scouts*, walk down a part of the alphas until their held-out loss has not fallen for long, or for
//! much work. All folds then solve the best alpha and the two beside it; while another one becomes the best, they go on to
//! the ones beside that. So the alpha that is chosen has been solved in each fold, as have both of its neighbours, and the
//! mean loss over the folds at these is not smaller (with the rule of one standard error: the alpha of the least loss and
//! the chosen one). What is left out is a lower minimum that the scouts did not see.
//!
//! At other alphas the mean loss is estimated: the loss of a fold that has not solved an alpha is that at a *reference*,
//! which all folds have, plus the rise of the scouts from there. Losses of a fold rise and fall together, so that the
//! difference varies less than the loss does.
//!
//! As long as the models explain little of what the empty one leaves, a rise says nothing: an interaction without main
//! effects is worth nothing before most of it is in the model, and rules that fit noise enter first. Its own correlation
//! with the response exceeds half of the largest one that noise makes, or noise hides it; at a fraction of
//! [`MIN_ALPHA_RATIO_IF_EMPTY`] of the largest alpha the penalty leaves it a good part of its effect.
//!
//! Linear terms enter first where columns are of few values, and explain much. A rise before the first pattern enters says
//! nothing of patterns: the scouts go on until one has, and then count from the last strength without.
//!
//! Measurements: benches/record/2026-11-27-fold-race.md.

use super::Options;
use super::cross_validation::{Comparison, Split};
use super::folds::Scores;
use super::held_out::{Choices, HeldOut};
use crate::control::Control;
use crate::error::Result;
use crate::threads;

/// The scouts are this many folds at least, and hold out this many rows at least.
const MIN_SCOUTS: usize = 2;
const MIN_SCOUTED_ROWS: usize = 200;
/// Scouts leave alphas out as long as each is at least this fraction of the one before.
const SCOUTED_RATIO: f64 = 0.85;
/// The fraction of the time of the comparison that the scouts may take.
const PART_OF_SCOUTS: f64 = 0.6;
/// The scouts' paths end once alpha has fallen to this fraction of the best so far.
const MIN_ALPHA_RATIO: f64 = 0.5;
/// They end at this fraction already if the score exceeds the best by [`RISE_IN_STANDARD_ERRORS`]: the
/// smallest alphas take most of the time, and after such a rise the score rarely falls again.
const MIN_ALPHA_RATIO_IF_RISING: f64 = 0.7;
/// As long as no model explains much, they do not end before alpha has fallen to this fraction of the largest, nor while
/// the score falls: interactions of 17 drawn problems have shown at 0.43 at the latest.
const MIN_ALPHA_RATIO_IF_EMPTY: f64 = 0.3;
/// They also end once their searches have taken this many times the nodes of those down to the best alpha, at this many
/// alphas past it: towards small alphas the work of an alpha may double with each.
const MAX_WORK_RATIO: f64 = 1.5;
const MIN_PLACES_PAST_BEST: usize = 2;
/// Rise of the score in units of its standard error, see [`MIN_ALPHA_RATIO_IF_RISING`].
const RISE_IN_STANDARD_ERRORS: f64 = 0.25;

/// Compares the alphas of an output. If the time runs out, what was solved is compared; an output that has none of the
/// time has no scores.
pub(super) fn compare<F: Split>(
    splits: &[F],
    output: usize,
    alphas: &[f64],
    options: &Options,
    control: &Control,
) -> Result<Comparison> {
    if output > 0 && control.is_out_of_time() {
        control.check()?;
        return Ok(Comparison::without_time(options, splits.len()));
    }
    let problems: Vec<_> = splits.iter().map(|s| s.view().problem(s.y(output), options)).collect();
    // One alpha of a fold may take longer than all before.
    let controls: Vec<Control> = (0..splits.len()).map(|fold| control.within(fold)).collect();
    let fold = |k: usize| HeldOut::new(&problems[k], &splits[k], (alphas, output), options, &controls[k]);
    let mut folds: Vec<HeldOut<'_, F>> = (0..splits.len()).map(fold).collect();
    let n_rows: Vec<usize> = splits.iter().map(|split| split.held_out(output).0.len()).collect();
    let weight: Vec<f64> = splits.iter().map(Split::weight).collect();
    let n_scouts = n_scouts(&n_rows);
    let is_scouted = scout(&mut folds[..n_scouts], &weight, alphas, options, control)?;
    let choices = Choices::new(options.relax.choices());
    let mut reference = None;
    loop {
        let race = Race { folds: &folds, n_scouts, weight: &weight, reference };
        let mut comparison = race.comparison(options);
        let needed = around_best(&comparison, alphas.len(), options);
        let is_solved = folds.iter().all(|fold| needed.iter().all(|&place| fold.has(place)));
        let is_late = folds.iter().any(|fold| fold.ended) || control.is_out_of_time();
        if is_solved || is_late {
            comparison.is_cut_short = !(is_scouted && is_solved);
            return Ok(comparison);
        }
        reference = reference.or(race.best());
        each(&mut folds, |fold| fold.complete(&needed, &choices))?;
    }
}

/// Lets each fold make a step, at the same time.
fn each<'a, F: Split>(
    folds: &mut [HeldOut<'a, F>],
    step: impl Fn(&mut HeldOut<'a, F>) -> Result<()> + Sync,
) -> Result<()> {
    threads::map_chunks(folds, 1, |_, fold| step(&mut fold[0])).into_iter().collect()
}

/// Number of scouts among folds with these numbers of test rows.
fn n_scouts(n_rows: &[usize]) -> usize {
    let mut held_out = 0;
    let enough = n_rows.iter().take_while(|rows| {
        let is_short = held_out < MIN_SCOUTED_ROWS;
        held_out += **rows;
        is_short
    });
    enough.count().max(MIN_SCOUTS).min(n_rows.len())
}

/// Walks down the scouts' part of the alphas; whether the time sufficed.
fn scout<F: Split>(
    scouts: &mut [HeldOut<'_, F>],
    weight: &[f64],
    alphas: &[f64],
    options: &Options,
    control: &Control,
) -> Result<bool> {
    let step = alphas.partition_point(|alpha| *alpha >= SCOUTED_RATIO * alphas[0]).saturating_sub(1).max(1);
    let places = || (0..alphas.len()).step_by(step);
    let mut choices = Choices::new(options.relax.choices());
    each(scouts, |fold| fold.plan(places()))?;
    let scouted: Vec<f64> = places().map(|place| alphas[place]).collect();
    let mut nodes = Vec::with_capacity(scouted.len());
    let mut n_without_patterns = 0;
    for place in places() {
        each(scouts, |fold| fold.advance(&choices))?;
        nodes.push(scouts.iter().map(|fold| fold.nodes).sum());
        n_without_patterns += usize::from(scouts.iter().all(|fold| !fold.has_patterns));
        let scores = |choice: usize| {
            let losses = |fold: &HeldOut<'_, F>| fold.losses[choice].values().copied().collect();
            Scores::new(scouts.iter().map(losses).collect(), &weight[..scouts.len()])
        };
        let scores: Vec<Scores> = (0..choices.all.len()).map(scores).collect();
        control.report("cross-validation", place + 1, alphas.len(), || {
            let means = scores.iter().flat_map(|s| &s.mean);
            format!("held-out loss {:.6}", means.copied().fold(f64::INFINITY, f64::min))
        });
        if n_without_patterns < nodes.len() {
            close(&mut choices, &scores, &scouted, &nodes, n_without_patterns.saturating_sub(1));
        }
        if choices.open.iter().all(|open| !open) {
            return Ok(true);
        }
        if scouts.iter().any(|fold| fold.ended) || control.elapsed_fraction() > PART_OF_SCOUTS {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Closes the choices that have not improved for a long time, and the relaxed ones that are worse than the
/// L1 solution of the same alpha: with more terms the refit overfits even more. `first` is the last strength without patterns.
fn close(choices: &mut Choices, scores: &[Scores], alphas: &[f64], nodes: &[u64], first: usize) {
    for (choice, own) in scores.iter().enumerate() {
        let last = own.mean.len().checked_sub(1);
        let overfits = choices.all[0].is_none()
            && last.is_some_and(|last| scores[0].mean.get(last).is_some_and(|l1| own.mean[last] > *l1));
        choices.open[choice] &= !(is_stale(own, alphas, nodes, first) || overfits);
    }
}

/// Whether the scores from alpha `first` on have not improved for a long time, or for more work than they took until then.
/// `nodes` are those of all searches up to each alpha.
fn is_stale(scores: &Scores, alphas: &[f64], nodes: &[u64], first: usize) -> bool {
    let is_small = |last: usize| alphas[last] < MIN_ALPHA_RATIO_IF_EMPTY * alphas[0];
    let may_end = scores.explains_much()
        || scores.mean.len().checked_sub(1).is_some_and(is_small) && scores.is_last_largest_since_best();
    let (scores, alphas, nodes) = (scores.since(first), &alphas[first..], &nodes[first..]);
    let (best, last) = (scores.best(), scores.mean.len().saturating_sub(1));
    may_end
        && (scores.is_past_best(alphas, MIN_ALPHA_RATIO)
            || (last >= best + MIN_PLACES_PAST_BEST
                && nodes[last] as f64 > MAX_WORK_RATIO * nodes[best] as f64)
            || (scores.is_past_best(alphas, MIN_ALPHA_RATIO_IF_RISING)
                && scores.has_risen_above(scores.minimum(), RISE_IN_STANDARD_ERRORS)))
}

/// The indices of the best alpha, of the one that is chosen, and of those beside them, ascending.
fn around_best(comparison: &Comparison, n_alphas: usize, options: &Options) -> Vec<usize> {
    let mut places: Vec<usize> = [false, options.alpha.is_one_standard_error()]
        .iter()
        .map(|&one_standard_error| comparison.best(one_standard_error).at)
        .flat_map(|at| at.saturating_sub(1)..(at + 2).min(n_alphas))
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The losses of all folds so far.
struct Race<'a, 'f, F: Split> {
    folds: &'a [HeldOut<'f, F>],
    n_scouts: usize,
    weight: &'a [f64],
    /// The choice and the index of alpha from which rises are counted.
    reference: Option<(usize, usize)>,
}

impl<F: Split> Race<'_, '_, F> {
    /// Indices of the alphas that all scouts have relaxed by a choice.
    fn places(&self, choice: usize) -> Vec<usize> {
        let (first, others) = self.folds[..self.n_scouts].split_first().expect("at least one fold");
        let is_common = |place: &usize| others.iter().all(|fold| fold.losses[choice].contains_key(place));
        first.losses[choice].keys().copied().filter(is_common).collect()
    }

    /// The choice and the index of alpha of the scouts' least loss.
    fn best(&self) -> Option<(usize, usize)> {
        let all = (0..self.folds[0].losses.len()).flat_map(|choice| {
            self.places(choice).into_iter().map(move |place| (self.scouted(choice, place), (choice, place)))
        });
        all.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
    }

    /// The scouts' mean loss.
    fn scouted(&self, choice: usize, place: usize) -> f64 {
        let scouts = self.folds[..self.n_scouts].iter().zip(self.weight);
        let (sum, total) = scouts.fold((0.0, 0.0), |(sum, total), (fold, weight)| {
            (sum + weight * fold.losses[choice][&place], total + weight)
        });
        sum / total
    }

    /// The scores over all folds, of the scouts alone until each fold has the reference.
    fn comparison(&self, options: &Options) -> Comparison {
        let choices = options.relax.choices();
        let places: Vec<Vec<usize>> = (0..choices.len()).map(|choice| self.places(choice)).collect();
        let reference = self
            .reference
            .filter(|(choice, place)| self.folds.iter().all(|fold| fold.losses[*choice].contains_key(place)));
        let of_fold = |fold: &HeldOut<'_, F>, choice: usize| -> Vec<f64> {
            let loss = |&place: &usize| match (fold.losses[choice].get(&place), reference) {
                (Some(&loss), _) => loss,
                (None, Some((c, p))) => fold.losses[c][&p] + self.scouted(choice, place) - self.scouted(c, p),
                (None, None) => f64::INFINITY,
            };
            places[choice].iter().map(loss).collect()
        };
        let folds = if reference.is_some() { self.folds } else { &self.folds[..self.n_scouts] };
        let score = |choice: usize| {
            let losses = folds.iter().map(|fold| of_fold(fold, choice)).collect();
            Scores::new(losses, &self.weight[..folds.len()])
        };
        let scores = (0..choices.len()).map(score).collect();
        Comparison { choices, scores, places, is_cut_short: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scouts_hold_out_enough_rows() {
        assert_eq!(n_scouts(&[1000; 5]), 2);
        assert_eq!(n_scouts(&[80; 5]), 3);
        assert_eq!(n_scouts(&[10; 5]), 5);
        assert_eq!(n_scouts(&[500]), 1);
    }

    #[test]
    fn work_beyond_the_best_is_limited_by_that_down_to_it() {
        let alphas: Vec<f64> = (0..6).map(|k| 0.87f64.powi(k)).collect();
        let scores = Scores::new(vec![vec![0.69, 0.5, 0.4, 0.41, 0.41]; 3], &[1.0; 3]);
        assert!(!is_stale(&scores, &alphas, &[1, 2, 4, 5, 6], 0));
        assert!(is_stale(&scores, &alphas, &[1, 2, 4, 5, 7], 0));
        // One alpha past the best says little.
        let scores = Scores::new(vec![vec![0.69, 0.5, 0.4, 0.41]; 3], &[1.0; 3]);
        assert!(!is_stale(&scores, &alphas, &[1, 2, 4, 100], 0));
    }

    #[test]
    fn a_rise_above_the_empty_model_ends_nothing_before_small_alphas() {
        let alphas: Vec<f64> = (0..12).map(|k| 0.87f64.powi(k)).collect();
        let is_stale = |mean: &[f64]| {
            super::is_stale(&Scores::new(vec![mean.to_vec(); 3], &[1.0; 3]), &alphas, &[1; 12], 0)
        };
        let rising: Vec<f64> = (0..12).map(|k| 0.69 + 0.01 * f64::from(k)).collect();
        assert!(!is_stale(&rising[..8]));
        assert!(is_stale(&rising[..10]));
        // It falls again, but is not yet below that of the empty model.
        let hidden = [&rising[..9], &[0.76, 0.74, 0.71]].concat();
        assert!(!is_stale(&hidden));
        // Models that explain much end as soon as the score has risen.
        let clear = [0.69, 0.5, 0.51, 0.52, 0.53];
        assert!(is_stale(&clear));
    }
}
