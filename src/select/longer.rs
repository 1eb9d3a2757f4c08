//! The held-out loss of longer patterns at one strength, after one search: each fold adds the worst violators among them
//! to its solution over the shorter ones.

use super::cross_validation::Split;
use super::folds::Scores;
use super::held_out::{Choices, HeldOut};
use super::{Options, Relaxation};
use crate::control::Control;
use crate::error::Result;
use crate::solve::path::{Grid, Walk};
use crate::threads;

/// The mean loss over the folds at an alpha and a relaxation of an output; infinite where the time was over. The folds are
/// given with the shorter patterns and with the longer ones.
pub(crate) fn loss_from<F: Split>(
    short: &[F],
    long: &[F],
    output: usize,
    (alpha, relaxation): (f64, Option<Relaxation>),
    options: &Options,
    control: &Control,
) -> Result<f64> {
    let choices = Choices::new(options.relax.choices());
    let choice = choices.all.iter().position(|one| *one == relaxation).unwrap_or(0);
    let one = |&k: &usize| -> Result<Vec<f64>> {
        let (own, other) = (control.within(2 * k), control.within(2 * k + 1));
        let problem = short[k].view().problem(short[k].y(output), options);
        let grid = Grid::Given(vec![alpha * problem.y.len() as f64]);
        let Some(start) = Walk::new(&problem, &grid, options.strategy, &own)?.next_point()? else {
            return Ok(Vec::new());
        };
        let problem = long[k].view().problem(long[k].y(output), options);
        let alphas = [alpha];
        let mut fold = HeldOut::new(&problem, &long[k], (&alphas, output), options, &other);
        fold.extend(&start, &choices)?;
        Ok(fold.losses[choice].values().copied().collect())
    };
    let losses = threads::try_map(&(0..short.len()).collect::<Vec<_>>(), one)?;
    let weights: Vec<f64> = short.iter().map(Split::weight).collect();
    Ok(Scores::new(losses, &weights).minimum().0)
}
