//! One fit: epochs until nothing moves, the rows held out get worse, or the time is over.

use super::batch::Batch;
use super::choices::{Penalty, Solver};
use super::design::Design;
use super::machine::Machine;
use super::params::Params;
use super::problem::{Penalties, Problem, mean_loss};
use super::stochastic::{Progress, Stochastic};
use super::sweep::{Descent, Which};
use crate::control::Control;
use crate::error::{Error, Result};

/// Sweeps over the entries other than 0 that follow a sweep over all.
const ACTIVE_SWEEPS: usize = 4;
/// Share of the entries up to which such sweeps are worth it.
const ACTIVE_SHARE: f64 = 0.3;
/// Share of the sum of all magnitudes, or of all that moved, that a sweep may bring to 0 or away from it
/// for such sweeps.
const SETTLED: f64 = 0.1;
/// They end when they move less than this share of the sweep over all.
const ACTIVE_REST: f64 = 0.1;
/// Epochs after which predictions are made from nothing.
const REFRESH: usize = 50;

/// What is said of a fit that overflowed.
pub(super) const OUT_OF_RANGE: &str =
    "the fit left the range of numbers; scale the columns and the target to moderate sizes";

/// Rows held out for early stopping.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) design: Design,
    pub(crate) y: Vec<f64>,
    pub(crate) weights: Option<Vec<f64>>,
}

/// Where a fit begins.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) machine: Machine,
    /// What a stochastic method knows from earlier rows.
    pub(crate) progress: Option<Progress>,
}

impl From<Machine> for Start {
    fn from(machine: Machine) -> Self {
        Self { machine, progress: None }
    }
}

/// What a fit found.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) machine: Machine,
    /// What a stochastic method has learned beside it.
    pub(crate) progress: Option<Progress>,
    pub(crate) epochs: usize,
    /// Whether it ended because nothing moved any more, or early by the rows held out.
    pub(crate) converged: bool,
    /// Whether no limit of time cut it short.
    pub(crate) complete: bool,
    /// The least held-out loss.
    pub(crate) held_out: Option<f64>,
}

/// A method on its way.
enum Engine<'a> {
    Coordinate(Descent<'a>),
    Batch(Batch<'a>),
    Stochastic(Stochastic<'a>),
}

impl Engine<'_> {
    fn machine(&self) -> Machine {
        match self {
            Self::Coordinate(descent) => descent.machine().clone(),
            Self::Batch(batch) => batch.machine(),
            Self::Stochastic(stochastic) => stochastic.machine(),
        }
    }

    fn progress(&self) -> Option<Progress> {
        match self {
            Self::Stochastic(stochastic) => Some(stochastic.progress()),
            _ => None,
        }
    }

    fn objective(&self) -> f64 {
        match self {
            Self::Coordinate(descent) => descent.objective(),
            Self::Batch(batch) => batch.objective(),
            Self::Stochastic(stochastic) => stochastic.objective(),
        }
    }

    /// One epoch; returns how much moved.
    fn epoch(&mut self, epoch: usize, tol: f64, control: &Control) -> f64 {
        match self {
            Self::Coordinate(descent) => coordinate_epoch(descent, epoch, tol, control),
            Self::Batch(batch) => batch.epoch(control),
            Self::Stochastic(stochastic) => stochastic.epoch(control),
        }
    }
}

/// A sweep over everything, then some over what is not 0.
fn coordinate_epoch(descent: &mut Descent<'_>, epoch: usize, tol: f64, control: &Control) -> f64 {
    if epoch.is_multiple_of(REFRESH) {
        descent.refresh();
    }
    let moved = descent.sweep(Which::All, control);
    let machine = descent.machine();
    let size: usize = machine.factors.iter().map(|f| f.p.len()).sum();
    let mass: f64 = machine.factors.iter().flat_map(|f| &f.p).map(|p| p.abs()).sum();
    // While the support still forms, sweeps over a part of it would starve the rest. What switches may
    // be rounding of a factor that has died away: it does not count beside all that moved.
    let settled = moved.switched <= SETTLED * mass.max(moved.sum)
        && (machine.n_nonzero() as f64) < ACTIVE_SHARE * size as f64;
    if moved.sum >= tol && settled {
        for _ in 0..ACTIVE_SWEEPS {
            if control.should_stop() || descent.sweep(Which::NonZero, control).sum < ACTIVE_REST * moved.sum {
                break;
            }
        }
    }
    moved.sum
}

/// Runs the solver from a machine.
pub(crate) fn solve(
    problem: Problem<'_>,
    Start { machine, progress }: Start,
    params: &Params,
    held: Option<&Held>,
    control: &Control,
) -> Result<Outcome> {
    let mut engine = match params.solver {
        Solver::Pcd | Solver::Pbcd => Engine::Coordinate(Descent::new(problem, machine, params.solver)),
        Solver::Pgd | Solver::Fista | Solver::Nmapgd => {
            Engine::Batch(Batch::new(problem, machine, params.solver))
        }
        _ => Engine::Stochastic(Stochastic::new(problem, machine, progress, params, control)?),
    };
    let mut watch = params.stopping.zip(held).map(|(stopping, held)| Watch::new(held, stopping.patience));
    let mut outcome = Outcome {
        machine: engine.machine(),
        progress: None,
        epochs: 0,
        converged: false,
        complete: true,
        held_out: None,
    };
    for epoch in 1..=params.max_epochs {
        let moved = engine.epoch(epoch, params.tol, control);
        control.check()?;
        outcome.epochs = epoch;
        if !moved.is_finite() {
            return Err(Error::data(OUT_OF_RANGE));
        }
        if control.is_out_of_time() {
            outcome.complete = false;
            break;
        }
        control.report("epochs", epoch, params.max_epochs, || {
            format!("objective {:.6}, {} entries", engine.objective(), engine.machine().n_nonzero())
        });
        let worse = watch.as_mut().is_some_and(|w| w.see(problem, &engine));
        if moved < params.tol || worse {
            outcome.converged = true;
            break;
        }
    }
    (outcome.machine, outcome.progress) = (engine.machine(), engine.progress());
    if let Some((loss, best)) = watch.and_then(|w| w.best) {
        (outcome.held_out, outcome.machine) = (Some(loss), best);
    }
    if !outcome.machine.is_finite() {
        return Err(Error::data(OUT_OF_RANGE));
    }
    Ok(outcome)
}

/// The machine that does best on the rows held out.
struct Watch<'a> {
    held: &'a Held,
    patience: usize,
    since: usize,
    best: Option<(f64, Machine)>,
}

impl<'a> Watch<'a> {
    fn new(held: &'a Held, patience: usize) -> Self {
        Self { held, patience, since: 0, best: None }
    }

    /// Whether the loss has not improved for too long.
    fn see(&mut self, problem: Problem<'_>, engine: &Engine<'_>) -> bool {
        let machine = engine.machine();
        let f = machine.predict(&self.held.design);
        let loss = mean_loss(problem.loss, &self.held.y, self.held.weights.as_deref(), &f);
        if self.best.as_ref().is_none_or(|(best, _)| loss < *best) {
            self.best = Some((loss, machine));
            self.since = 0;
        } else {
            self.since += 1;
        }
        self.since >= self.patience
    }
}

/// Fits what is not 0 again, with a ridge in place of the penalty.
pub(crate) fn refit(
    problem: Problem<'_>,
    start: Machine,
    ridge: f64,
    params: &Params,
    control: &Control,
) -> Result<Machine> {
    let penalties = Penalties { kind: Penalty::None, ridge, reg: 0.0, ..problem.penalties };
    let solver = if params.solver == Solver::Pbcd { Solver::Pbcd } else { Solver::Pcd };
    let mut descent = Descent::new(Problem { penalties, ..problem }, start, solver);
    for epoch in 1..=params.max_epochs {
        let moved = descent.sweep(Which::NonZero, control).sum;
        control.check()?;
        control.report("refit", epoch, params.max_epochs, || format!("{moved:.6} moved"));
        if moved < params.tol || control.is_out_of_time() {
            break;
        }
    }
    let machine = descent.into_machine();
    if machine.is_finite() {
        Ok(machine)
    } else {
        Err(Error::data(
            "the refit left the range of numbers; give refit a larger ridge, or scale the columns",
        ))
    }
}

/// The constant that fits best, by steps on the bound of the curvature.
pub(crate) fn constant(problem: Problem<'_>) -> f64 {
    let (mut bias, total) = (0.0, problem.total());
    for _ in 0..100 {
        let slope = |i: usize| problem.weight(i) * problem.loss.gradient(problem.y[i], bias);
        let by = (0..problem.y.len()).map(slope).sum::<f64>() / (total * problem.loss.curvature_bound());
        bias -= by;
        if by.abs() <= 1e-6 * bias.abs() {
            break;
        }
    }
    bias
}
