//! Cross-validation: each fold learns its own space and path from its training rows alone.

use std::collections::BTreeMap;

use super::folds::{Scores, mean_loss};
use super::{Options, PenaltyKind, Relaxation, TrainingView, subset_sizes};
use crate::control::Control;
use crate::error::Result;
use crate::solve::Problem;
use crate::solve::path::{Coefficients, Grid, Point, Walk};
use crate::space::{PatternSpace, Sign};
use crate::threads;

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

type PatternOf<F> = <<F as Split>::Space as PatternSpace>::Pattern;

/// Whether the scores have not improved for a long time.
fn is_stale(scores: &Scores, alphas: &[f64]) -> bool {
    scores.is_past_best(alphas, MIN_ALPHA_RATIO)
        || (scores.is_past_best(alphas, MIN_ALPHA_RATIO_IF_RISING)
            && scores.has_risen_above(scores.minimum(), RISE_IN_STANDARD_ERRORS))
}

/// The folds' paths end once alpha has fallen to this fraction of the best so far.
const MIN_ALPHA_RATIO: f64 = 0.5;
/// They end at this fraction already if the score exceeds the best by [`RISE_IN_STANDARD_ERRORS`]: the
/// smallest alphas take most of the time, and after such a rise the score rarely falls again.
const MIN_ALPHA_RATIO_IF_RISING: f64 = 0.7;
/// Rise of the score in units of its standard error, see [`MIN_ALPHA_RATIO_IF_RISING`].
const RISE_IN_STANDARD_ERRORS: f64 = 0.25;
/// Number of strengths that each fold solves between two comparisons.
pub(crate) const STRENGTHS_PER_COMPARISON: usize = 2;

/// Scores of the alphas of one output: for each way to relax the coefficients those of the alphas, as far as
/// they were compared.
pub(crate) struct Comparison {
    pub choices: Vec<Option<Relaxation>>,
    pub scores: Vec<Scores>,
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
        Self { scores: vec![none; choices.len()], choices, is_cut_short: true }
    }

    /// The choice by the scores.
    pub fn best(&self, one_standard_error: bool) -> Choice<'_> {
        let lengths: Vec<usize> = self.scores.iter().map(|s| s.mean.len()).collect();
        let (all, starts) = Scores::concatenated(&self.scores.iter().collect::<Vec<_>>(), &lengths);
        let best = all.choose(&starts, one_standard_error, 0.0);
        let choice = starts.partition_point(|&start| start <= best).saturating_sub(1);
        Choice { at: best - starts[choice], relaxation: self.choices[choice], scores: &self.scores[choice] }
    }
}

/// What a comparison chose.
pub(crate) struct Choice<'a> {
    /// Index of the alpha, or the size of the best subset.
    pub at: usize,
    /// How its coefficients are relaxed; of a best subset the ridge penalty.
    pub relaxation: Option<Relaxation>,
    /// The scores of all alphas relaxed so.
    pub scores: &'a Scores,
}

/// Scores the alphas of each output (`alphas[output]`) on the folds.
pub(crate) fn scores<F: Split>(
    splits: &[F],
    alphas: &[Vec<f64>],
    options: &Options,
    control: &Control,
) -> Result<Vec<Comparison>> {
    let score = |o: usize| match options.penalty {
        PenaltyKind::L1 => lockstep(splits, o, &alphas[o], options, control),
        PenaltyKind::L0 => subset_sizes::compare(splits, o, alphas[o].len() - 1, options, control),
    };
    threads::try_map_range(alphas.len(), score)
}

/// Advances the paths of all folds together, a few alphas at a time, until the alphas end, no mean score
/// has improved for a long time, or most of the time is used up; the rest is left for the final fit, all of it if an
/// output before this one has used that time up.
fn lockstep<F: Split>(
    splits: &[F],
    output: usize,
    alphas: &[f64],
    options: &Options,
    control: &Control,
) -> Result<Comparison> {
    if output > 0 && control.elapsed_fraction() > PART_OF_TIME {
        control.check()?;
        return Ok(Comparison::without_time(options, splits.len()));
    }
    let problems: Vec<_> = splits.iter().map(|s| s.view().problem(s.y(output), options)).collect();
    let weight: Vec<f64> = splits.iter().map(Split::weight).collect();
    let mut choices = Choices::new(options.relax.choices());
    let controls: Vec<Control> = (0..splits.len()).map(|fold| control.within(fold)).collect();
    let mut folds: Vec<HeldOut<'_, F>> = threads::try_map_range(splits.len(), |fold| {
        HeldOut::new(&problems[fold], &splits[fold], alphas, &choices, options, &controls[fold])
    })?;
    loop {
        let advanced = threads::map_chunks(&mut folds, 1, |_, fold| {
            fold[0].advance(STRENGTHS_PER_COMPARISON, output, &choices, options)
        });
        advanced.into_iter().collect::<Result<()>>()?;
        let score = |choice: usize| {
            Scores::new(folds.iter().map(|fold| fold.losses[choice].clone()).collect(), &weight)
        };
        let scores: Vec<Scores> = (0..choices.all.len()).map(score).collect();
        let done = scores.iter().map(|s| s.mean.len()).max().unwrap_or(0);
        control.report("cross-validation", done, alphas.len(), || {
            let means = scores.iter().flat_map(|s| &s.mean);
            format!("held-out loss {:.6}", means.copied().fold(f64::INFINITY, f64::min))
        });
        choices.close(&scores, alphas);
        let ended = folds.iter().any(|f| f.ended) || control.elapsed_fraction() > PART_OF_TIME;
        let is_complete = choices.open.iter().all(|open| !open) || done >= alphas.len();
        if ended || is_complete {
            return Ok(Comparison { choices: choices.all, scores, is_cut_short: !is_complete });
        }
    }
}

/// The ways to relax coefficients that are compared, and whether each is still in the comparison.
struct Choices {
    all: Vec<Option<Relaxation>>,
    open: Vec<bool>,
}

impl Choices {
    fn new(all: Vec<Option<Relaxation>>) -> Self {
        Self { open: vec![true; all.len()], all }
    }

    /// Closes the choices that have not improved for a long time, and the relaxed ones that are worse than the
    /// L1 solution of the same alpha: with more terms the refit overfits even more.
    fn close(&mut self, scores: &[Scores], alphas: &[f64]) {
        for (choice, own) in scores.iter().enumerate() {
            let last = own.mean.len().checked_sub(1);
            let overfits = self.all[0].is_none()
                && last.is_some_and(|last| scores[0].mean.get(last).is_some_and(|l1| own.mean[last] > *l1));
            self.open[choice] &= !(is_stale(own, alphas) || overfits);
        }
    }

    /// The ridge penalties of those that are open, falling.
    fn ridges(&self) -> Vec<f64> {
        let open = self.all.iter().zip(&self.open).filter(|(_, open)| **open);
        let mut ridges: Vec<f64> = open.filter_map(|(choice, _)| Some(choice.as_ref()?.ridge)).collect();
        ridges.sort_by(|a, b| b.total_cmp(a));
        ridges.dedup();
        ridges
    }
}

/// The path of one fold and its held-out scores.
struct HeldOut<'a, F: Split> {
    rows: HeldOutRows<'a, F>,
    walk: Walk<'a, F::Space>,
    /// For each way to relax the coefficients those of the alphas.
    losses: Vec<Vec<f64>>,
    ended: bool,
}

impl<'a, F: Split> HeldOut<'a, F> {
    fn new(
        problem: &'a Problem<'a, F::Space>,
        split: &'a F,
        alphas: &[f64],
        choices: &Choices,
        options: &Options,
        control: &'a Control,
    ) -> Result<Self> {
        let n = problem.y.len() as f64;
        let grid = Grid::Given(alphas.iter().map(|a| a * n).collect());
        let walk = Walk::new(problem, &grid, options.strategy, control)?;
        Ok(Self {
            rows: HeldOutRows::new(split),
            walk,
            losses: vec![Vec::new(); choices.all.len()],
            ended: false,
        })
    }

    /// Scores the next `count` alphas.
    fn advance(&mut self, count: usize, output: usize, choices: &Choices, options: &Options) -> Result<()> {
        let ridges = choices.ridges();
        self.walk.refit(ridges.clone());
        for _ in 0..count {
            match self.walk.next_point()? {
                Some(point) if point.outcome.complete || !self.walk.is_out_of_time() => {
                    self.score(output, &point, &ridges, choices, options);
                }
                _ => self.ended = true,
            }
            if self.ended {
                break;
            }
        }
        Ok(())
    }

    /// Adds the loss of a point for each choice that is open.
    fn score(
        &mut self,
        output: usize,
        point: &Point<PatternOf<F>>,
        ridges: &[f64],
        choices: &Choices,
        options: &Options,
    ) {
        let (y, weights) = self.rows.split.held_out(output);
        let loss = |f: &[f64]| mean_loss(y, weights, f, |y, f| options.loss.value(y, f));
        let solution = self.rows.predictions(point, &point.coefficients(), y.len());
        let refits: Vec<Vec<f64>> =
            point.refits.iter().map(|refit| self.rows.predictions(point, refit, y.len())).collect();
        for (choice, losses) in self.losses.iter_mut().enumerate().filter(|(choice, _)| choices.open[*choice])
        {
            losses.push(match choices.all[choice] {
                None => loss(&solution),
                Some(relaxation) => {
                    let refit = &refits[ridges.partition_point(|&r| r > relaxation.ridge)];
                    let mix = |(&l1, &refit): (&f64, &f64)| relaxation.mix(l1, refit);
                    loss(&solution.iter().zip(refit).map(mix).collect::<Vec<_>>())
                }
            });
        }
    }
}

/// The test rows of a fold.
pub(super) struct HeldOutRows<'a, F: Split> {
    split: &'a F,
    /// Rows of the patterns seen so far.
    rows: BTreeMap<(PatternOf<F>, Sign), Vec<u32>>,
}

impl<'a, F: Split> HeldOutRows<'a, F> {
    pub fn new(split: &'a F) -> Self {
        Self { split, rows: BTreeMap::new() }
    }

    /// Predictions of the test rows by some coefficients of a point's columns.
    pub fn predictions(&mut self, point: &Point<PatternOf<F>>, of: &Coefficients, n_rows: usize) -> Vec<f64> {
        let split = self.split;
        let mut f = vec![of.intercept; n_rows];
        for (values, &w) in split.dense().iter().zip(&of.dense).filter(|(_, w)| **w != 0.0) {
            f.iter_mut().zip(values).for_each(|(f, x)| *f += w * x);
        }
        for (term, w) in point.terms.iter().zip(&of.terms) {
            let key = (term.pattern.clone(), term.sign());
            let rows = self.rows.entry(key).or_insert_with_key(|(pattern, sign)| split.rows(pattern, *sign));
            rows.iter().for_each(|&r| f[r as usize] += w);
        }
        f
    }
}
