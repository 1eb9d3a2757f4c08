//! An epoch of coordinate descent: the intercept, the linear term, then each factor in turn.

use std::cell::OnceCell;

use super::choices::{Penalty, Solver};
use super::column_blocks::{ColumnBlock, column_blocks};
use super::component_sweep::ComponentSweep;
use super::coupling::{Coupling, Shape};
use super::factor_sweep::{FactorSolver, FactorSweep, Groups};
use super::fit::Method;
use super::kernel::{Anova, Kernel, with_kernel};
use super::machine::{Factor, Machine};
use super::problem::{Penalties, Problem};
use super::rows::RowSlopes;
use crate::control::Control;
use crate::data::sparse::SparseColumns;
use crate::loss::{Smooth, SmoothLoss, with_smooth_loss};

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
/// Epochs of the warm-up, and the fraction of the strength in them: of 1 to 10 epochs at .03 to .3 those after which fits of
/// other seeds reach the same objective (`benches/record/2026-11-29-warm-up.md`).
const WARM_UP: (usize, f64) = (3, 0.1);

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

/// A machine under coordinate descent, with slopes that follow its every change.
pub(crate) struct CoordinateDescent<'a> {
    problem: Problem<'a>,
    machine: Machine,
    rows: RowSlopes<'a>,
    by_row: OnceCell<SparseColumns>,
    blocks: Vec<ColumnBlock>,
    /// Those that an epoch visits.
    entries: EntrySet,
    /// One a factor.
    solvers: Vec<Box<dyn FactorSolver + 'a>>,
}

impl<'a> CoordinateDescent<'a> {
    /// Starts from a machine; `None` if the time ends before.
    pub(crate) fn new(
        problem: Problem<'a>,
        machine: Machine,
        solver: Solver,
        entries: EntrySet,
        control: &Control,
    ) -> Option<Self> {
        let predictions = machine.predict_until(problem.design, || control.should_stop())?;
        let factor_solver = |factor: &Factor| -> Box<dyn FactorSolver> {
            with_kernel!(factor.order, K => Box::new(Groups::<K>::new(solver, machine.rank())))
        };
        let has_blocks =
            problem.loss == SmoothLoss::Squared && machine.factors.iter().all(|f| f.order == Some(2));
        Some(Self {
            by_row: OnceCell::new(),
            blocks: if has_blocks { column_blocks(&problem) } else { Vec::new() },
            solvers: machine.factors.iter().map(factor_solver).collect(),
            rows: RowSlopes::new(problem, predictions),
            problem,
            machine,
            entries,
        })
    }

    /// Epochs at a fraction of the strength, at most a quarter of `max_iter`; returns their number. The full penalty sets
    /// most small random entries to 0 in the first epoch, and an interaction that would lower the objective is lost where
    /// no component keeps both of its entries. At a fraction of the strength they grow first.
    pub(crate) fn warm_up(&mut self, max_iter: usize, control: &Control) -> usize {
        let alpha = self.problem.penalties.alpha;
        if alpha == 0.0 || self.problem.penalties.kind == Penalty::None {
            return 0;
        }
        let (n_epochs, fraction) = (WARM_UP.0.min(max_iter / 4), WARM_UP.1);
        self.problem.penalties.alpha = fraction * alpha;
        (1..=n_epochs).for_each(|epoch| _ = self.epoch(epoch, 0.0, control));
        self.problem.penalties.alpha = alpha;
        n_epochs
    }

    /// For each row the slope of its loss times its weight.
    #[cfg(test)]
    pub(crate) fn slopes(&self) -> &[f64] {
        self.rows.slopes()
    }

    /// One sweep.
    pub(crate) fn sweep(&mut self, entries: EntrySet, control: &Control) -> Changes {
        let mut changes = Changes::default();
        with_smooth_loss!(self.problem.loss, loss => self.linear_sweep(loss, &mut changes, control));
        changes.of_support = 0.0;
        let Self { problem, machine: Machine { signs, factors, .. }, rows, by_row, blocks, solvers, .. } =
            self;
        for (factor, solver) in factors.iter_mut().zip(solvers) {
            let changes = &mut changes;
            solver.sweep(&mut FactorSweep {
                problem,
                by_row,
                blocks,
                factor,
                signs,
                rows,
                entries,
                changes,
                control,
            });
            if factor.drop_vanished_components(signs.len()) {
                solver.invalidate_caches();
            }
        }
        changes
    }

    /// The intercept, and the linear term as a component of products of one feature.
    fn linear_sweep<L: Smooth>(&mut self, loss: L, changes: &mut Changes, control: &Control) {
        let Self { problem, machine, rows, blocks, .. } = self;
        if problem.intercept {
            let by = rows.move_intercept(loss);
            machine.bias += by;
            changes.sum += by.abs();
        }
        let columns: Vec<usize> = (0..machine.linear.len()).collect();
        let penalties =
            Penalties { kind: Penalty::None, factors: problem.penalties.linear, alpha: 0.0, linear: 0.0 };
        let mut linear = ComponentSweep::<Anova<0>, L> {
            problem: Problem { penalties, ..*problem },
            loss,
            blocks,
            states: &mut vec![Anova::<0>::empty(); problem.y.len()],
            rows,
            signs: &[1.0],
            coupling: Coupling::new(Shape::Zero),
        };
        linear.run(&columns, &mut machine.linear, changes, control);
    }
}

impl Method for CoordinateDescent<'_> {
    fn machine(&self) -> Machine {
        self.machine.clone()
    }

    fn kept_loss(&self) -> Option<f64> {
        Some(self.rows.mean_loss())
    }

    /// A sweep over everything, then some over what is not 0.
    fn epoch(&mut self, epoch: usize, tol: f64, control: &Control) -> f64 {
        if epoch.is_multiple_of(EPOCHS_PER_RECOMPUTATION) {
            self.rows = RowSlopes::new(self.problem, self.machine.predict(self.problem.design));
            self.solvers.iter_mut().for_each(|solver| solver.invalidate_caches());
        }
        let changes = self.sweep(self.entries, control);
        let entries = || self.machine.factors.iter().flat_map(|f| &f.p);
        let mass: f64 = entries().map(|p| p.abs()).sum();
        // While the support still forms, sweeps over a part of it would starve the rest. What changes it
        // may be rounding of a factor that has vanished: it does not count beside all changes.
        let is_settled = changes.of_support <= MAX_SUPPORT_CHANGE * mass.max(changes.sum)
            && (self.machine.n_nonzero() as f64) < MAX_SUPPORT * entries().count() as f64;
        if self.entries == EntrySet::All && changes.sum >= tol && is_settled {
            for _ in 0..SUPPORT_SWEEPS {
                let is_over = control.should_stop();
                if is_over || self.sweep(EntrySet::NonZero, control).sum < MIN_CHANGE * changes.sum {
                    break;
                }
            }
        }
        changes.sum
    }
}
