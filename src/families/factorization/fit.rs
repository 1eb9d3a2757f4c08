//! One fit: epochs until nothing moves, the rows held out get worse, or the time is over.

use super::batch::Batch;
use super::choices::{Penalty, Solver};
use super::coordinate_descent::{CoordinateDescent, EntrySet};
use super::design::Design;
use super::machine::Machine;
use super::params::Params;
use super::problem::{Penalties, Problem, mean_loss};
use super::stochastic::{Progress, Stochastic};
use crate::control::Control;
use crate::error::{Error, Result};

/// Sweeps over the entries other than 0 after a sweep over all: of 2 to 8 the number with which fits took the
/// least time (`benches/record/2026-11-22-fm.md`).
const SUPPORT_SWEEPS: usize = 4;
/// Fraction of the entries that may be other than 0 for these: four such sweeps then cost about as much as
/// one over all.
const MAX_SUPPORT: f64 = 0.3;
/// Fraction of the sum of all magnitudes, or of all changes, by which the support may change in a sweep for
/// these: a tenth is a support that has all but formed.
const MAX_SUPPORT_CHANGE: f64 = 0.1;
/// They end when they change less than this fraction of what the sweep over all changed: there is more to be
/// had from the next.
const MIN_CHANGE: f64 = 0.1;
/// Epochs after which predictions are made anew: as many roundings of 2^-53 as there are steps in these stay
/// far below any `tol`.
const EPOCHS_PER_RECOMPUTATION: usize = 50;

/// The message of a fit that overflowed.
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

/// A solver with its state.
enum SolverState<'a> {
    Coordinate(CoordinateDescent<'a>),
    Batch(Batch<'a>),
    Stochastic(Stochastic<'a>),
}

impl SolverState<'_> {
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

    /// One epoch; returns the sum of the magnitudes of all changes.
    fn epoch(&mut self, epoch: usize, tol: f64, control: &Control) -> f64 {
        match self {
            Self::Coordinate(descent) => coordinate_epoch(descent, epoch, tol, control),
            Self::Batch(batch) => batch.epoch(control),
            Self::Stochastic(stochastic) => stochastic.epoch(control),
        }
    }
}

/// A sweep over everything, then some over what is not 0.
fn coordinate_epoch(descent: &mut CoordinateDescent<'_>, epoch: usize, tol: f64, control: &Control) -> f64 {
    if epoch.is_multiple_of(EPOCHS_PER_RECOMPUTATION) {
        descent.recompute();
    }
    let changes = descent.sweep(EntrySet::All, control);
    let machine = descent.machine();
    let size: usize = machine.factors.iter().map(|f| f.p.len()).sum();
    let mass: f64 = machine.factors.iter().flat_map(|f| &f.p).map(|p| p.abs()).sum();
    // While the support still forms, sweeps over a part of it would starve the rest. What changes it
    // may be rounding of a factor that has vanished: it does not count beside all changes.
    let is_settled = changes.of_support <= MAX_SUPPORT_CHANGE * mass.max(changes.sum)
        && (machine.n_nonzero() as f64) < MAX_SUPPORT * size as f64;
    if changes.sum >= tol && is_settled {
        for _ in 0..SUPPORT_SWEEPS {
            if control.should_stop()
                || descent.sweep(EntrySet::NonZero, control).sum < MIN_CHANGE * changes.sum
            {
                break;
            }
        }
    }
    changes.sum
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
        Solver::Pcd | Solver::Pbcd => {
            SolverState::Coordinate(CoordinateDescent::new(problem, machine, params.solver))
        }
        Solver::Pgd | Solver::Fista | Solver::Nmapgd => {
            SolverState::Batch(Batch::new(problem, machine, params.solver))
        }
        _ => SolverState::Stochastic(Stochastic::new(problem, machine, progress, params, control)?),
    };
    let mut stopping = params.stopping.zip(held).map(|(s, held)| EarlyStopping::new(held, s.patience));
    let mut outcome = Outcome {
        machine: engine.machine(),
        progress: None,
        epochs: 0,
        converged: false,
        complete: true,
        held_out: None,
    };
    for epoch in 1..=params.max_epochs {
        let changed = engine.epoch(epoch, params.tol, control);
        control.check()?;
        outcome.epochs = epoch;
        if !changed.is_finite() {
            return Err(Error::data(OUT_OF_RANGE));
        }
        if control.is_out_of_time() {
            outcome.complete = false;
            break;
        }
        control.report("epochs", epoch, params.max_epochs, || {
            format!("objective {:.6}, {} entries", engine.objective(), engine.machine().n_nonzero())
        });
        let is_over = stopping.as_mut().is_some_and(|s| s.has_run_out(problem, &engine));
        if changed < params.tol || is_over {
            outcome.converged = true;
            break;
        }
    }
    (outcome.machine, outcome.progress) = (engine.machine(), engine.progress());
    if let Some((loss, best)) = stopping.and_then(|s| s.best) {
        (outcome.held_out, outcome.machine) = (Some(loss), best);
    }
    if !outcome.machine.is_finite() {
        return Err(Error::data(OUT_OF_RANGE));
    }
    Ok(outcome)
}

/// The machine that does best on the rows held out.
struct EarlyStopping<'a> {
    held: &'a Held,
    patience: usize,
    epochs_since_best: usize,
    best: Option<(f64, Machine)>,
}

impl<'a> EarlyStopping<'a> {
    fn new(held: &'a Held, patience: usize) -> Self {
        Self { held, patience, epochs_since_best: 0, best: None }
    }

    /// Looks at the machine of this epoch; whether none has been better for as many epochs as patience lasts.
    fn has_run_out(&mut self, problem: Problem<'_>, engine: &SolverState<'_>) -> bool {
        let machine = engine.machine();
        let f = machine.predict(&self.held.design);
        let loss = mean_loss(problem.loss, &self.held.y, self.held.weights.as_deref(), &f);
        if self.best.as_ref().is_none_or(|(best, _)| loss < *best) {
            self.best = Some((loss, machine));
            self.epochs_since_best = 0;
        } else {
            self.epochs_since_best += 1;
        }
        self.epochs_since_best >= self.patience
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
    let penalties = Penalties { kind: Penalty::None, factors: ridge, alpha: 0.0, ..problem.penalties };
    let solver = if params.solver == Solver::Pbcd { Solver::Pbcd } else { Solver::Pcd };
    let mut descent = CoordinateDescent::new(Problem { penalties, ..problem }, start, solver);
    for epoch in 1..=params.max_epochs {
        let changed = descent.sweep(EntrySet::NonZero, control).sum;
        control.check()?;
        control.report("refit", epoch, params.max_epochs, || format!("{changed:.6} changed"));
        if changed < params.tol || control.is_out_of_time() {
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

/// Steps on the best constant at most, and the relative change that ends them: it is where a fit begins.
const MAX_CONSTANT_STEPS: usize = 100;
const CONSTANT_TOLERANCE: f64 = 1e-6;

/// The constant that fits best, by steps on the bound of the curvature.
pub(crate) fn constant(problem: Problem<'_>) -> f64 {
    let (mut bias, total) = (0.0, problem.total());
    for _ in 0..MAX_CONSTANT_STEPS {
        let slope = |i: usize| problem.weight(i) * problem.loss.gradient(problem.y[i], bias);
        let by = (0..problem.y.len()).map(slope).sum::<f64>() / (total * problem.loss.curvature_bound());
        bias -= by;
        if by.abs() <= CONSTANT_TOLERANCE * bias.abs() {
            break;
        }
    }
    bias
}
