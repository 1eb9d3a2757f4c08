//! An epoch of coordinate descent: intercept, linear term, then each factor in turn.

use super::choices::Solver;
use super::design::Design;
use super::kernel::with_kernel;
use super::machine::Machine;
use super::problem::{Errors, Penalties, Problem, Response, Tracked};
use super::{pbcd, pcd};
use crate::control::Control;
use crate::fm::loss::FmLoss;

/// Which entries a sweep visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// All.
    All,
    /// Those that are not 0.
    NonZero,
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moved {
    /// Sum of the magnitudes of all changes.
    pub(crate) sum: f64,
    /// That of the entries of the factors that came to 0 or left it.
    pub(crate) switched: f64,
}

impl Moved {
    /// Counts a change.
    pub(super) fn add(&mut self, old: f64, new: f64) {
        let by = (new - old).abs();
        self.sum += by;
        if (old == 0.0) != (new == 0.0) {
            self.switched += by;
        }
    }
}

/// What all steps of a sweep need.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub(super) design: &'a Design,
    pub(super) penalties: Penalties,
    /// Sum of the weights.
    pub(super) total: f64,
    /// Upper bound of the loss's second derivative.
    pub(super) curvature: f64,
    pub(super) control: &'a Control,
}

impl Sweep<'_> {
    /// A direction with less curvature has no minimiser worth the name.
    pub(super) const FLAT: f64 = 1e-12;
}

/// Slopes of the losses at the current predictions, with what moves them.
enum Slopes<'a> {
    Errors(Errors<'a>),
    Tracked(Tracked<'a>),
}

/// A machine on its way down, with predictions that follow its every change.
pub(crate) struct Descent<'a> {
    problem: Problem<'a>,
    machine: Machine,
    slopes: Vec<f64>,
    response: Slopes<'a>,
    /// Weighted squares of each column, summed.
    squares: Vec<f64>,
    by_rows: bool,
}

impl<'a> Descent<'a> {
    /// Starts from a machine.
    pub(crate) fn new(problem: Problem<'a>, machine: Machine, solver: Solver) -> Self {
        let square = |j: usize| {
            let (rows, x) = problem.design.column(j);
            rows.iter().zip(x).map(|(&r, x)| problem.weight(r as usize) * x * x).sum()
        };
        let squares = (0..machine.linear.len()).map(square).collect();
        let errors = problem.loss == FmLoss::Squared && problem.weights.is_none();
        let response = if errors {
            Slopes::Errors(Errors(problem.y))
        } else {
            Slopes::Tracked(Tracked { problem, f: Vec::new() })
        };
        let mut descent =
            Self { problem, machine, slopes: Vec::new(), response, squares, by_rows: solver == Solver::Pbcd };
        descent.refresh();
        descent
    }

    /// Predictions and slopes from nothing, so that rounding does not add up.
    pub(crate) fn refresh(&mut self) {
        let f = self.machine.predict(self.problem.design);
        let slope = |i: usize| self.problem.weight(i) * self.problem.loss.slope(self.problem.y[i], f[i]);
        self.slopes = (0..f.len()).map(slope).collect();
        if let Slopes::Tracked(tracked) = &mut self.response {
            tracked.f = f;
        }
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn into_machine(self) -> Machine {
        self.machine
    }

    /// The predictions kept.
    pub(crate) fn predictions(&self) -> Vec<f64> {
        match &self.response {
            Slopes::Errors(errors) => errors.predictions(&self.slopes),
            Slopes::Tracked(tracked) => tracked.predictions(&self.slopes),
        }
    }

    /// The objective by the predictions kept.
    pub(crate) fn objective(&self) -> f64 {
        self.problem.mean_loss(&self.predictions()) + self.problem.penalty(&self.machine)
    }

    /// One sweep.
    pub(crate) fn sweep(&mut self, which: Which, control: &Control) -> Moved {
        let Self { problem, machine, slopes, response, squares, by_rows } = self;
        let sweep = Sweep {
            design: problem.design,
            penalties: problem.penalties,
            total: problem.total(),
            curvature: problem.loss.curvature_bound(),
            control,
        };
        let mut run =
            Run { sweep, machine, slopes, squares, intercept: problem.intercept, by_rows: *by_rows };
        match response {
            Slopes::Errors(errors) => run.sweep(errors, which),
            Slopes::Tracked(tracked) => run.sweep(tracked, which),
        }
    }
}

/// One sweep under way.
struct Run<'a, 'b> {
    sweep: Sweep<'b>,
    machine: &'a mut Machine,
    slopes: &'a mut [f64],
    squares: &'a [f64],
    intercept: bool,
    by_rows: bool,
}

impl Run<'_, '_> {
    fn sweep<R: Response>(&mut self, response: &mut R, which: Which) -> Moved {
        let mut moved = Moved::default();
        if self.intercept {
            moved.sum += self.bias(response);
        }
        for j in 0..self.machine.linear.len() {
            moved.sum += self.linear(response, j);
        }
        let Self { sweep, machine, slopes, by_rows, .. } = self;
        let Machine { signs, factors, .. } = &mut **machine;
        for factor in factors {
            with_kernel!(factor.order, K => if *by_rows {
                pbcd::sweep::<K, R>(sweep, factor, signs, slopes, response, which, &mut moved);
            } else {
                pcd::sweep::<K, R>(sweep, factor, signs, slopes, response, which, &mut moved);
            });
            factor.dust(signs.len());
        }
        moved
    }

    fn bias<R: Response>(&mut self, response: &mut R) -> f64 {
        let by = -self.slopes.iter().sum::<f64>() / (self.sweep.curvature * self.sweep.total);
        for (row, slope) in self.slopes.iter_mut().enumerate() {
            *slope = response.moved(row, *slope, by);
        }
        self.machine.bias += by;
        by.abs()
    }

    fn linear<R: Response>(&mut self, response: &mut R, j: usize) -> f64 {
        let Sweep { design, penalties, total, curvature, .. } = self.sweep;
        let w = self.machine.linear[j];
        let (rows, x) = design.column(j);
        let pull = 2.0 * penalties.linear;
        let bound = curvature * self.squares[j] / total + pull;
        if bound < f64::MIN_POSITIVE {
            return 0.0;
        }
        let along: f64 = rows.iter().zip(x).map(|(&r, x)| self.slopes[r as usize] * x).sum();
        let by = -(along / total + pull * w) / bound;
        if by == 0.0 || !by.is_finite() {
            return 0.0;
        }
        for (&r, x) in rows.iter().zip(x) {
            let slope = &mut self.slopes[r as usize];
            *slope = response.moved(r as usize, *slope, by * x);
        }
        self.machine.linear[j] += by;
        by.abs()
    }
}
