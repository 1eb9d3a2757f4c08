//! Cross-validation of best subsets: their size and ridge penalty.
//!
//! All folds go on to twice the size until the best size is at most half of the largest: beyond it the held-out loss
//! seldom falls again, and the largest subsets take most of the time.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cross_validation::Comparison;
use super::folds::{Scores, mean_loss};
use super::held_out::HeldOutRows;
use super::{Options, Relaxation, Split};
use crate::control::Control;
use crate::error::Result;
use crate::shares::Shares;
use crate::solve::{Problem, SubsetWalk};
use crate::threads;

/// The first size up to which subsets are compared.
const FIRST_SIZE: usize = 10;

/// Scores best subsets of 0 to `most` columns for each ridge penalty, as far as it may help, and as the time allows in
/// every fold.
pub(super) fn compare<F: Split>(
    splits: &[F],
    output: usize,
    most: usize,
    options: &Options,
    control: &Control,
) -> Result<Comparison> {
    let weight: Vec<f64> = splits.iter().map(Split::weight).collect();
    let problems: Vec<_> = splits.iter().map(|s| s.view().problem(s.y(output), options)).collect();
    let ridges = options.ridges();
    let fold = |k: usize| Fold::new(&problems[k], &splits[k], most, &control.within(k));
    let mut folds: Vec<Fold<'_, F>> = (0..splits.len()).filter_map(fold).collect();
    let mut size = FIRST_SIZE.min(most);
    loop {
        let shares = Shares::new(splits.len(), threads::count(), control);
        let is_hopeless = AtomicBool::new(false);
        let scored = threads::map_chunks(&mut folds, 1, |k, fold| {
            if is_hopeless.load(Ordering::Relaxed) {
                return Ok(true);
            }
            let is_cut_short = fold[0].score(&ridges, size, output, options, shares.next().within(k))?;
            // Where a fold has no time for a column the others have none either: the model of all rows needs it.
            is_hopeless.fetch_or(is_cut_short && !fold[0].has_columns(), Ordering::Relaxed);
            Ok(is_cut_short)
        });
        let is_cut_short = scored.into_iter().collect::<Result<Vec<bool>>>()?.contains(&true);
        if is_hopeless.into_inner() {
            return Ok(Comparison::without_time(options, splits.len()));
        }
        let score =
            |choice: usize| Scores::new(folds.iter().map(|f| f.losses[choice].clone()).collect(), &weight);
        let scores: Vec<Scores> = (0..ridges.len()).map(score).collect();
        let comparison = Comparison {
            choices: choices(&ridges),
            places: scores.iter().map(|of_ridge| (0..of_ridge.mean.len()).collect()).collect(),
            scores,
            is_cut_short,
        };
        let best = comparison.best(false).at;
        control.report("cross-validation", size, most, || format!("best so far: {best} terms"));
        if is_cut_short || size == most || 2 * best <= size {
            return Ok(comparison);
        }
        size = (2 * size).min(most);
    }
}

/// The ways to relax coefficients that ridge penalties are.
pub(super) fn choices(ridges: &[f64]) -> Vec<Option<Relaxation>> {
    ridges.iter().map(|&ridge| Some(Relaxation { blend: 1.0, ridge })).collect()
}

/// The paths of one fold and their held-out losses.
struct Fold<'a, F: Split> {
    split: &'a F,
    walk: SubsetWalk<'a, F::Space>,
    rows: HeldOutRows<'a, F>,
    /// For each ridge penalty those of the sizes.
    losses: Vec<Vec<f64>>,
}

impl<'a, F: Split> Fold<'a, F> {
    fn new(problem: &'a Problem<'a, F::Space>, split: &'a F, most: usize, control: &Control) -> Option<Self> {
        let walk = SubsetWalk::new(problem, problem.best_subset?, most, control);
        Some(Self { split, walk, rows: HeldOutRows::new(split), losses: Vec::new() })
    }

    /// Whether a size beside 0 was scored.
    fn has_columns(&self) -> bool {
        self.losses.iter().any(|of_ridge| of_ridge.len() > 1)
    }

    /// Scores the sizes up to `size`; whether the time ran out before.
    fn score(
        &mut self,
        ridges: &[f64],
        size: usize,
        output: usize,
        options: &Options,
        control: Control,
    ) -> Result<bool> {
        let paths = self.walk.paths(ridges, size, control)?;
        let is_cut_short = self.walk.is_out_of_time();
        let (y, weights) = self.split.held_out(output);
        let Self { rows, losses, .. } = self;
        losses.clear();
        for path in paths {
            let loss = |point| {
                let f = rows.predictions(point, &point.coefficients(), y.len());
                mean_loss(y, weights, &f, |y, f| options.loss.value(y, f))
            };
            let mut own: Vec<f64> = path.iter().map(loss).collect();
            if !is_cut_short {
                // Further columns do not lower the objective.
                own.resize(size + 1, own.last().copied().unwrap_or(f64::INFINITY));
            }
            losses.push(own);
        }
        Ok(is_cut_short)
    }
}
