//! An epoch of coordinate descent: intercept, linear term, then each factor in turn.

use std::ops::Range;

use super::bundles::{Bundle, Bundles};
use super::choices::Solver;
use super::design::Design;
use super::folded::Folded;
use super::kernel::with_kernel;
use super::lanes::{CHUNK, LANES, add_products, total};
use super::layer::{padded, width};
use super::machine::{Factor, Machine};
use super::pbcd::Pbcd;
use super::pcd::Pcd;
use super::problem::{Errors, Penalties, Problem, Response, Slopes};
use crate::control::Control;
use crate::families::factorization::loss::FmLoss;

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

/// One sweep over one factor.
pub(super) struct Turn<'a, 'b> {
    pub(super) sweep: &'a Sweep<'b>,
    pub(super) problem: &'a Problem<'b>,
    /// The design by rows.
    pub(super) by_row: &'a Design,
    /// The same by cells of bundles, where the states of rows are sums over these.
    pub(super) folded: Option<&'a Folded>,
    /// The design with its fuller columns written out.
    pub(super) filled: &'a Design,
    pub(super) bundles: &'a Bundles,
    pub(super) factor: &'a mut Factor,
    pub(super) signs: &'a [f64],
    pub(super) slopes: &'a mut [f64],
    pub(super) which: Which,
    pub(super) moved: &'a mut Moved,
}

impl Turn<'_, '_> {
    /// The rows as they are looked up, and what they add up: the entries of the factor, [`padded`], or the
    /// sums of these by cell.
    pub(super) fn looked_up(&self) -> (&Design, Vec<f64>) {
        let (p, rank) = (padded(&self.factor.p, self.signs.len()), self.signs.len());
        match self.folded {
            Some(folded) => (&folded.rows, folded.entries.fold(&p, width(rank))),
            None => (self.by_row, p),
        }
    }
}

/// A way to sweep over a factor.
pub(super) trait Sweeper {
    /// One sweep.
    fn sweep(&mut self, turn: &mut Turn<'_, '_>, response: &mut Slopes<'_>);

    /// Drops what rounding has gone into.
    fn forget(&mut self) {}
}

/// A machine on its way down, with predictions that follow its every change.
pub(crate) struct Descent<'a> {
    problem: Problem<'a>,
    machine: Machine,
    slopes: Vec<f64>,
    response: Slopes<'a>,
    /// Weighted squares of each column, summed.
    squares: Vec<f64>,
    by_row: Design,
    folded: Option<Folded>,
    filled: Design,
    bundles: Bundles,
    /// One a factor.
    sweepers: Vec<Box<dyn Sweeper + 'a>>,
}

impl<'a> Descent<'a> {
    /// Starts from a machine.
    pub(crate) fn new(problem: Problem<'a>, machine: Machine, solver: Solver) -> Self {
        let square = |j: usize| {
            let (rows, x) = problem.design.column(j);
            rows.iter().zip(x).map(|(&r, x)| problem.weight(r as usize) * x * x).sum()
        };
        let squares = (0..machine.linear.len()).map(square).collect();
        let response = Slopes::of(problem);
        let sweeper = |factor: &Factor| -> Box<dyn Sweeper> {
            with_kernel!(factor.order, K => match solver {
                Solver::Pbcd => Box::new(Pbcd::<K>::default()),
                _ => Box::new(Pcd::<K>::new(problem.design, machine.rank())),
            })
        };
        let sweepers = machine.factors.iter().map(sweeper).collect();
        let by_row = problem.design.transposed();
        let joint = problem.loss == FmLoss::Squared && machine.factors.iter().all(|f| f.order == Some(2));
        let bundles = Bundles::of(problem.design, |row| problem.weight(row), joint);
        let filled = problem.design.filled(|j| bundles.have(j));
        let folded = bundles.joint.then(|| Folded::new(problem.design, &bundles));
        let slopes = Vec::new();
        let mut descent =
            Self { problem, machine, slopes, response, squares, by_row, folded, filled, bundles, sweepers };
        descent.refresh();
        descent
    }

    /// Predictions and slopes from nothing, so that rounding does not add up.
    pub(crate) fn refresh(&mut self) {
        let f = self.machine.predict_rows(&self.by_row);
        let slope = |i: usize| self.problem.weight(i) * self.problem.loss.gradient(self.problem.y[i], f[i]);
        self.slopes = (0..f.len()).map(slope).collect();
        if let Slopes::Tracked(tracked) = &mut self.response {
            tracked.f = f;
        }
        self.sweepers.iter_mut().for_each(|sweeper| sweeper.forget());
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
            Slopes::Errors(Errors(y)) => y.iter().zip(&self.slopes).map(|(y, e)| y + e).collect(),
            Slopes::Tracked(tracked) => tracked.f.clone(),
        }
    }

    /// The objective by the predictions kept.
    pub(crate) fn objective(&self) -> f64 {
        self.problem.mean_loss(&self.predictions()) + self.problem.penalty(&self.machine)
    }

    /// One sweep.
    pub(crate) fn sweep(&mut self, which: Which, control: &Control) -> Moved {
        let Self { problem, machine, slopes, response, squares, by_row, folded, filled, bundles, sweepers } =
            self;
        let sweep = Sweep {
            penalties: problem.penalties,
            total: problem.total(),
            curvature: problem.loss.curvature_bound(),
            control,
        };
        let mut moved = Moved::default();
        let mut plain =
            Plain { sweep: &sweep, filled, bundles, intercept: problem.intercept, machine, slopes, squares };
        moved.sum += match response {
            Slopes::Errors(errors) => plain.sweep(errors),
            Slopes::Tracked(tracked) => plain.sweep(tracked),
        };
        let Machine { signs, factors, .. } = machine;
        for (factor, sweeper) in factors.iter_mut().zip(sweepers) {
            let (sweep, moved) = (&sweep, &mut moved);
            let folded = folded.as_ref();
            let mut turn =
                Turn { sweep, problem, by_row, folded, filled, bundles, factor, signs, slopes, which, moved };
            sweeper.sweep(&mut turn, response);
            factor.dust(signs.len());
        }
        moved
    }
}

/// The intercept and the linear term.
struct Plain<'a, 'b> {
    sweep: &'a Sweep<'b>,
    filled: &'a Design,
    bundles: &'a Bundles,
    intercept: bool,
    machine: &'a mut Machine,
    slopes: &'a mut [f64],
    squares: &'a [f64],
}

impl Plain<'_, '_> {
    fn sweep<R: Response>(&mut self, response: &mut R) -> f64 {
        let bias = if self.intercept { self.bias(response) } else { 0.0 };
        let columns: Vec<usize> = (0..self.machine.linear.len()).collect();
        let bundles = self.bundles;
        let mut moved = bias;
        for (bundle, part) in bundles.cut(self.filled, &columns) {
            moved += match bundle {
                Some(bundle) => self.levels(response, bundle, part),
                None => part.map(|j| self.linear(response, j)).sum(),
            };
        }
        moved
    }

    /// The weights of columns of a bundle.
    fn levels<R: Response>(&mut self, response: &mut R, bundle: &Bundle, columns: Range<usize>) -> f64 {
        let (mut slopes, mut moves) = (bundle.add_up(self.slopes), vec![0.0; bundle.n_cells()]);
        let mut moved = 0.0;
        for j in columns {
            let along = bundle.cells(j).map(|(cell, x)| x * slopes[cell]).sum();
            let by = self.step(j, along);
            for (cell, x) in bundle.cells(j) {
                moves[cell] += by * x;
                // Where cells have entries of several columns the slopes follow the predictions.
                slopes[cell] += by * x * bundle.weights[cell];
            }
            moved += by.abs();
        }
        for (row, (slope, &place)) in self.slopes.iter_mut().zip(&bundle.places).enumerate() {
            *slope = response.moved(row, *slope, moves[place as usize]);
        }
        moved
    }

    /// Moves the weight of column j, along which the slopes add up to `along`; returns by how much.
    fn step(&mut self, j: usize, along: f64) -> f64 {
        let Sweep { penalties, total, curvature, .. } = *self.sweep;
        let pull = 2.0 * penalties.linear;
        let bound = curvature * self.squares[j] / total + pull;
        let by = -(along / total + pull * self.machine.linear[j]) / bound;
        if bound < f64::MIN_POSITIVE || !by.is_finite() {
            return 0.0;
        }
        self.machine.linear[j] += by;
        by
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
        let (rows, x) = self.filled.column(j);
        let full = rows.len() == self.slopes.len();
        let by = self.step(j, self.along(rows, x, full));
        if by == 0.0 {
            return 0.0;
        }
        if full && R::ERRORS {
            self.slopes.iter_mut().zip(x).for_each(|(slope, x)| *slope += by * x);
        } else {
            for (&r, x) in rows.iter().zip(x) {
                let slope = &mut self.slopes[r as usize];
                *slope = response.moved(r as usize, *slope, by * x);
            }
        }
        by.abs()
    }

    /// sum of slope times x.
    fn along(&self, rows: &[u32], x: &[f64], full: bool) -> f64 {
        let (mut sums, mut slopes) = ([0.0; LANES], [0.0; CHUNK]);
        if full {
            add_products(&mut sums, x, self.slopes);
            return total(sums);
        }
        for (rows, x) in rows.chunks(CHUNK).zip(x.chunks(CHUNK)) {
            for (&r, slope) in rows.iter().zip(&mut slopes) {
                *slope = self.slopes[r as usize];
            }
            add_products(&mut sums, x, &slopes);
        }
        total(sums)
    }
}
