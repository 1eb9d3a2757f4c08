//! One fit: epochs until nothing moves, the rows held out get worse, or the time is over.

use serde::{Deserialize, Serialize};

use super::choices::{Penalty, Solver};
use super::coordinate_descent::{CoordinateDescent, EntrySet};
use super::fista::Fista;
use super::machine::Machine;
use super::params::Params;
use super::problem::{Penalties, Problem};
use super::rows::RowSlopes;
use super::scored::Scored;
use super::stochastic::{Progress, Stochastic};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::loss::with_smooth_loss;

/// The message of a fit that overflowed.
pub(super) const OUT_OF_RANGE: &str =
    "the fit left the range of numbers; scale the columns and the target to moderate sizes";

/// Where a fit begins: a machine, and what a stochastic method knows from earlier rows.
pub(crate) type Start = (Machine, Option<Progress>);

/// What a fit found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) machine: Machine,
    /// What a stochastic method has learned beside it.
    pub(crate) progress: Option<Progress>,
    /// Passes over the data.
    pub(crate) n_iter: usize,
    /// Whether it ended because nothing moved any more, or early by the rows held out.
    pub(crate) converged: bool,
    /// Whether no limit of time cut it short.
    pub(crate) complete: bool,
    /// The least held-out loss.
    pub(crate) held_out: Option<f64>,
    /// The mean loss of the training rows, where it is known.
    pub(crate) loss: Option<f64>,
}

/// A method under way.
pub(super) trait Method {
    fn machine(&self) -> Machine;

    /// The mean loss of the training rows, where it is kept.
    fn kept_loss(&self) -> Option<f64> {
        None
    }

    /// What a stochastic method has learned beside the machine.
    fn progress(&self) -> Option<Progress> {
        None
    }

    /// One epoch; returns the sum of the magnitudes of all changes, less than `tol` where it was the last.
    fn epoch(&mut self, epoch: usize, tol: f64, control: &Control) -> f64;
}

/// When a fit ends beside the epoch in which nothing moves.
pub(crate) enum Ending<'a> {
    /// Only then.
    Converged,
    /// Early stopping: where these rows have not got better for a while; the machine is the best before.
    HeldOut(Problem<'a>),
    /// Where the score that the fit is for is known.
    Scored(Scored<'a>),
}

/// Runs the solver from a machine, whose factors are drawn if it `is_fresh`; `None` if the time is over before it begins.
pub(crate) fn solve(
    problem: Problem<'_>,
    (machine, progress): Start,
    is_fresh: bool,
    params: &Params,
    ending: Ending<'_>,
    control: &Control,
) -> Result<Option<Outcome>> {
    control.check()?;
    if control.is_out_of_time() && !params.is_by_batches() {
        return Ok(None);
    }
    let held_out = if let Ending::HeldOut(rows) = &ending { Some(*rows) } else { None };
    let mut n_iter = 0;
    let method: Box<dyn Method> = match params.solver {
        Solver::Pcd | Solver::Pbcd => {
            match CoordinateDescent::new(problem, machine, params.solver, EntrySet::All, control) {
                Some(mut method) => {
                    if is_fresh {
                        n_iter = method.warm_up(params.max_iter, control);
                    }
                    Box::new(method)
                }
                None => return Ok(None),
            }
        }
        Solver::Fista => Box::new(Fista::new(problem, machine)),
        Solver::Psgd | Solver::Adagrad => {
            Box::new(Stochastic::new(problem, machine, progress, params, control)?)
        }
    };
    let mut outcome = run((method, n_iter), problem, params, ending, control)?;
    if outcome.complete && !params.is_part() {
        settle_intercept(&mut outcome.machine, problem);
        if let Some(held_out) = held_out.filter(|_| outcome.held_out.is_some()) {
            outcome.held_out = Some(held_out.mean_loss(&outcome.machine.predict(held_out.design)));
        }
    }
    Ok(Some(outcome))
}

/// Fits what is not 0 again, with a ridge in place of the penalty.
pub(crate) fn refit(
    problem: Problem<'_>,
    start: Machine,
    ridge: f64,
    params: &Params,
    control: &Control,
) -> Result<Machine> {
    let penalties = Penalties { kind: Penalty::None, factors: ridge, alpha: 0.0, ..problem.penalties };
    let problem = Problem { penalties, ..problem };
    let solver = if params.solver == Solver::Pbcd { Solver::Pbcd } else { Solver::Pcd };
    let before = start.clone();
    match CoordinateDescent::new(problem, start, solver, EntrySet::NonZero, control) {
        Some(method) => {
            let mut outcome = run((Box::new(method), 0), problem, params, Ending::Converged, control)?;
            if outcome.complete {
                settle_intercept(&mut outcome.machine, problem);
            }
            Ok(outcome.machine)
        }
        None => Ok(before),
    }
}

/// Relative change of the objective in the last of all epochs below which the fit counts as converged: along flat
/// directions the parameters can move for thousands of epochs after the objective has settled.
const SETTLED: f64 = 1e-6;

/// Epochs until nothing moves, the rows held out get worse, or the time is over; the method has made `n_iter` before.
fn run(
    (mut method, mut n_iter): (Box<dyn Method + '_>, usize),
    problem: Problem<'_>,
    params: &Params,
    mut ending: Ending<'_>,
    control: &Control,
) -> Result<Outcome> {
    // The least loss of the rows held out, with the machine and the epoch.
    let mut best: Option<(f64, Machine, usize)> = None;
    let (mut converged, mut complete) = (false, true);
    let mut before_last = None;
    while n_iter < params.max_iter && !converged && complete {
        n_iter += 1;
        if n_iter == params.max_iter && n_iter > 1 {
            before_last = Some(problem.objective(&method.machine()));
        }
        let changed = method.epoch(n_iter, params.tol, control);
        control.check()?;
        if !changed.is_finite() {
            return Err(Error::data(OUT_OF_RANGE));
        }
        complete = !control.is_out_of_time();
        control.report("epochs", n_iter, params.max_iter, || {
            let machine = method.machine();
            format!(
                "objective {:.6}, {} entries",
                problem.unit * problem.objective(&machine),
                machine.n_nonzero()
            )
        });
        converged = complete && changed < params.tol;
        match &mut ending {
            Ending::HeldOut(held_out) if complete => {
                let machine = method.machine();
                let loss = held_out.mean_loss(&machine.predict(held_out.design));
                if best.as_ref().is_none_or(|(least, ..)| loss < *least) {
                    best = Some((loss, machine, n_iter));
                }
                let patience = params.patience.unwrap_or(usize::MAX);
                converged |= best.as_ref().is_some_and(|(.., epoch)| n_iter - epoch >= patience);
            }
            Ending::Scored(scored) if complete => converged |= scored.is_known(&method.machine(), changed),
            _ => {}
        }
    }
    if let Some(before) = before_last.filter(|_| complete && !converged) {
        let after = problem.objective(&method.machine());
        converged = (before - after).abs() <= SETTLED * after.abs();
    }
    let progress = method.progress();
    // Predictions of all rows take as long as an epoch may.
    let loss = method.kept_loss().filter(|_| !complete && best.is_none());
    let (held_out, machine) =
        best.map_or_else(|| (None, method.machine()), |(loss, machine, _)| (Some(loss), machine));
    if !machine.is_finite() {
        return Err(Error::data(OUT_OF_RANGE));
    }
    Ok(Outcome { machine, progress, n_iter, converged, complete, held_out, loss })
}

/// Moves the intercept to its optimum: the mean of the probabilities is then the rate of the class.
fn settle_intercept(machine: &mut Machine, problem: Problem<'_>) {
    if problem.intercept {
        machine.bias += optimal_shift(problem, machine.predict(problem.design));
    }
}

/// The constant that fits best.
pub(crate) fn constant(problem: Problem<'_>) -> f64 {
    optimal_shift(problem, vec![0.0; problem.y.len()])
}

/// What has to be added to all predictions.
fn optimal_shift(problem: Problem<'_>, predictions: Vec<f64>) -> f64 {
    let mut rows = RowSlopes::new(problem, predictions);
    with_smooth_loss!(problem.loss, loss => rows.move_intercept(loss))
}
