//! Cross-validation: each fold learns its own space and path from its training rows alone.

use std::collections::BTreeMap;

use super::folds::{Scores, mean_loss};
use super::{Options, TrainingView, criteria};
use crate::control::Control;
use crate::error::Result;
use crate::solve::Problem;
use crate::solve::path::{Grid, Point, Walk};
use crate::space::{PatternSpace, Sign};
use crate::threads;

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

type PatternOf<F> = <<F as Split>::Space as PatternSpace>::Pattern;

/// Whether the scores have not improved for a long time.
fn is_stale(scores: &Scores, alphas: &[f64]) -> bool {
    let Some(last) = scores.mean.len().checked_sub(1) else { return false };
    let best = criteria::argmin(&scores.mean);
    let fraction = alphas[last] / alphas[best];
    fraction < MIN_ALPHA_RATIO
        || (fraction < MIN_ALPHA_RATIO_IF_RISING
            && scores.mean[last] > scores.mean[best] + RISE_IN_STANDARD_ERRORS * scores.se[best])
}

/// The folds' paths end once alpha has fallen to this fraction of the best so far.
const MIN_ALPHA_RATIO: f64 = 0.5;
/// They end at this fraction already if the score exceeds the best by [`RISE_IN_STANDARD_ERRORS`]: the
/// smallest alphas take most of the time, and after such a rise the score rarely falls again.
const MIN_ALPHA_RATIO_IF_RISING: f64 = 0.7;
/// Rise of the score in units of its standard error, see [`MIN_ALPHA_RATIO_IF_RISING`].
const RISE_IN_STANDARD_ERRORS: f64 = 0.25;
/// Number of alphas that each fold solves between two comparisons.
const ALPHAS_PER_COMPARISON: usize = 2;

/// Scores the alphas of each output (`alphas[output]`) on the folds; and whether the time ran out first.
pub(crate) fn scores<F: Split>(
    splits: &[F],
    alphas: &[Vec<f64>],
    options: &Options,
    control: &Control,
) -> Result<Vec<(Scores, bool)>> {
    let score = |o: usize| lockstep(splits, o, &alphas[o], options, control);
    threads::try_map_range(alphas.len(), score)
}

/// Advances the paths of all folds together, a few alphas at a time, until the alphas end, the mean score
/// has not improved for a long time, or most of the time is used up; the rest is left for the final fit.
fn lockstep<F: Split>(
    splits: &[F],
    output: usize,
    alphas: &[f64],
    options: &Options,
    control: &Control,
) -> Result<(Scores, bool)> {
    let problems: Vec<_> = splits.iter().map(|s| s.view().problem(s.y(output), options)).collect();
    let weight: Vec<f64> = splits.iter().map(Split::weight).collect();
    let mut folds: Vec<HeldOut<'_, F>> = threads::try_map_range(splits.len(), |fold| {
        HeldOut::new(&problems[fold], &splits[fold], alphas, options, control)
    })?;
    loop {
        let advanced = threads::map_chunks(&mut folds, 1, |_, fold| {
            fold[0].advance(ALPHAS_PER_COMPARISON, output, options)
        });
        advanced.into_iter().collect::<Result<()>>()?;
        let scores = Scores::new(folds.iter().map(|fold| fold.losses.clone()).collect(), &weight);
        let done = scores.mean.len();
        control.report("cross-validation", done, alphas.len(), || {
            format!("held-out loss {:.6}", scores.mean.iter().copied().fold(f64::INFINITY, f64::min))
        });
        if is_stale(&scores, alphas) || done >= alphas.len() {
            return Ok((scores, false));
        }
        if folds.iter().any(|f| f.ended) || control.elapsed_fraction() > 0.7 {
            return Ok((scores, true));
        }
    }
}

/// The path of one fold and its held-out scores.
struct HeldOut<'a, F: Split> {
    split: &'a F,
    walk: Walk<'a, F::Space>,
    /// Test rows of the patterns seen so far.
    rows: BTreeMap<(PatternOf<F>, Sign), Vec<u32>>,
    losses: Vec<f64>,
    ended: bool,
}

impl<'a, F: Split> HeldOut<'a, F> {
    fn new(
        problem: &'a Problem<'a, F::Space>,
        split: &'a F,
        alphas: &[f64],
        options: &Options,
        control: &'a Control,
    ) -> Result<Self> {
        let n = problem.y.len() as f64;
        let grid = Grid::Given(alphas.iter().map(|a| a * n).collect());
        let walk = Walk::new(problem, &grid, options.strategy, control)?;
        Ok(Self { split, walk, rows: BTreeMap::new(), losses: Vec::new(), ended: false })
    }

    /// Scores the next `count` alphas.
    fn advance(&mut self, count: usize, output: usize, options: &Options) -> Result<()> {
        for _ in 0..count {
            match self.walk.next_point()? {
                Some(point) if point.outcome.complete || !self.walk.is_out_of_time() => {
                    let loss = self.loss(output, &point, options);
                    self.losses.push(loss);
                }
                _ => self.ended = true,
            }
            if self.ended {
                break;
            }
        }
        Ok(())
    }

    fn loss(&mut self, output: usize, point: &Point<PatternOf<F>>, options: &Options) -> f64 {
        let split = self.split;
        let (y, weights) = split.held_out(output);
        let mut f = vec![point.intercept; y.len()];
        for (values, &w) in split.dense().iter().zip(&point.dense).filter(|(_, w)| **w != 0.0) {
            f.iter_mut().zip(values).for_each(|(f, x)| *f += w * x);
        }
        for term in &point.terms {
            let key = (term.pattern.clone(), term.sign());
            let rows = self.rows.entry(key).or_insert_with_key(|(pattern, sign)| split.rows(pattern, *sign));
            rows.iter().for_each(|&r| f[r as usize] += term.coefficient);
        }
        mean_loss(y, weights, &f, |y, f| options.loss.value(y, f))
    }
}
