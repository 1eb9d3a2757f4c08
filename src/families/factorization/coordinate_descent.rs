//! An epoch of coordinate descent: the intercept, the linear term, then each factor in turn.

use super::choices::Solver;
use super::column_blocks::{ColumnBlock, column_blocks};
use super::design::Design;
use super::kernel::with_kernel;
use super::linear_sweep::LinearSweep;
use super::loss::FmLoss;
use super::machine::{Factor, Machine};
use super::pbcd::Pbcd;
use super::pcd::Pcd;
use super::problem::{Errors, Penalties, Problem, Slopes};
use crate::control::Control;

/// The entries that a sweep visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntrySet {
    All,
    NonZero,
}

/// How much a sweep changed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Changes {
    /// Sum of the magnitudes of all changes.
    pub(crate) sum: f64,
    /// That of the entries of the factors that became 0 or ceased to be.
    pub(crate) of_support: f64,
}

impl Changes {
    pub(super) fn add(&mut self, old: f64, new: f64) {
        let by = (new - old).abs();
        self.sum += by;
        if (old == 0.0) != (new == 0.0) {
            self.of_support += by;
        }
    }
}

/// What the steps of a sweep have in common.
#[derive(Clone, Copy)]
pub(super) struct Steps<'a> {
    pub(super) penalties: Penalties,
    /// Sum of the weights.
    pub(super) total: f64,
    /// Upper bound of the loss's second derivative.
    pub(super) curvature: f64,
    pub(super) control: &'a Control,
}

impl Steps<'_> {
    /// A quadratic bound with less curvature is flat up to rounding: it has no minimiser.
    pub(super) const MIN_CURVATURE: f64 = 1e-12;
}

/// One sweep over one factor.
pub(super) struct FactorSweep<'a, 'b> {
    pub(super) steps: &'a Steps<'b>,
    pub(super) problem: &'a Problem<'b>,
    /// The design by rows.
    pub(super) by_row: &'a Design,
    pub(super) blocks: &'a [ColumnBlock],
    pub(super) factor: &'a mut Factor,
    pub(super) signs: &'a [f64],
    pub(super) slopes: &'a mut [f64],
    pub(super) entries: EntrySet,
    pub(super) changes: &'a mut Changes,
}

/// A method that sweeps over a factor.
pub(super) trait FactorSolver {
    fn sweep(&mut self, sweep: &mut FactorSweep<'_, '_>, response: &mut Slopes<'_>);

    /// Drops what is kept from sweep to sweep, and rounding with it.
    fn invalidate_caches(&mut self) {}
}

/// A machine under coordinate descent, with slopes that follow its every change.
pub(crate) struct CoordinateDescent<'a> {
    problem: Problem<'a>,
    machine: Machine,
    slopes: Vec<f64>,
    response: Slopes<'a>,
    /// Sum of weight times square of each column.
    column_squares: Vec<f64>,
    by_row: Design,
    blocks: Vec<ColumnBlock>,
    /// One a factor.
    solvers: Vec<Box<dyn FactorSolver + 'a>>,
}

impl<'a> CoordinateDescent<'a> {
    /// Starts from a machine.
    pub(crate) fn new(problem: Problem<'a>, machine: Machine, solver: Solver) -> Self {
        let square = |j: usize| {
            let (rows, x) = problem.design.column(j);
            rows.iter().zip(x).map(|(&r, x)| problem.weight(r as usize) * x * x).sum()
        };
        let solver = |factor: &Factor| -> Box<dyn FactorSolver> {
            with_kernel!(factor.order, K => match solver {
                Solver::Pbcd => Box::new(Pbcd::<K>::default()),
                _ => Box::new(Pcd::<K>::new(machine.rank())),
            })
        };
        let by_blocks = problem.loss == FmLoss::Squared && machine.factors.iter().all(|f| f.order == Some(2));
        let blocks =
            if by_blocks { column_blocks(problem.design, |row| problem.weight(row)) } else { Vec::new() };
        let mut descent = Self {
            column_squares: (0..machine.linear.len()).map(square).collect(),
            by_row: problem.design.transposed(),
            blocks,
            solvers: machine.factors.iter().map(solver).collect(),
            slopes: Vec::new(),
            response: Slopes::of(problem),
            problem,
            machine,
        };
        descent.recompute();
        descent
    }

    /// Makes predictions and slopes anew, so that rounding does not add up.
    pub(crate) fn recompute(&mut self) {
        let f = self.machine.predict_rows(&self.by_row);
        let slope = |i: usize| self.problem.weight(i) * self.problem.loss.gradient(self.problem.y[i], f[i]);
        self.slopes = (0..f.len()).map(slope).collect();
        if let Slopes::Tracked(tracked) = &mut self.response {
            tracked.f = f;
        }
        self.solvers.iter_mut().for_each(|solver| solver.invalidate_caches());
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn into_machine(self) -> Machine {
        self.machine
    }

    /// The predictions by the slopes kept.
    pub(crate) fn predictions(&self) -> Vec<f64> {
        match &self.response {
            Slopes::Errors(Errors(y)) => y.iter().zip(&self.slopes).map(|(y, e)| y + e).collect(),
            Slopes::Tracked(tracked) => tracked.f.clone(),
        }
    }

    /// The objective by the predictions kept.
    pub(crate) fn objective(&self) -> f64 {
        self.problem.mean_loss(&self.predictions()) + self.problem.penalty(&self.machine)
    }

    /// One sweep.
    pub(crate) fn sweep(&mut self, entries: EntrySet, control: &Control) -> Changes {
        let Self { problem, machine, slopes, response, column_squares, by_row, blocks, solvers } = self;
        let steps = &Steps {
            penalties: problem.penalties,
            total: problem.total(),
            curvature: problem.loss.curvature_bound(),
            control,
        };
        let mut linear = LinearSweep { steps, problem, blocks, machine, slopes, column_squares };
        let sum = match response {
            Slopes::Errors(errors) => linear.run(errors),
            Slopes::Tracked(tracked) => linear.run(tracked),
        };
        let mut changes = Changes { sum, of_support: 0.0 };
        let Machine { signs, factors, .. } = machine;
        for (factor, solver) in factors.iter_mut().zip(solvers) {
            let changes = &mut changes;
            let mut sweep =
                FactorSweep { steps, problem, by_row, blocks, factor, signs, slopes, entries, changes };
            solver.sweep(&mut sweep, response);
            factor.drop_vanished_components(signs.len());
        }
        changes
    }
}
