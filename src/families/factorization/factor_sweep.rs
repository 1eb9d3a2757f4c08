//! A sweep over one factor, entry by entry or row by row.
//!
//! Entries that are 0 are tested all at once before a sweep entry by entry, and only those that may leave 0 are
//! visited: where no entry moves, all have been tested as they are.

use std::cell::OnceCell;
use std::ops::Range;

use super::choices::Solver;
use super::column_blocks::ColumnBlock;
use super::component_sweep::ComponentSweep;
use super::coordinate_descent::{Changes, EntrySet};
use super::coupling::Coupling;
use super::kernel::Kernel;
use super::machine::Factor;
use super::problem::Problem;
use super::prox::norm;
use super::row_kernel::{slopes_at_zero, width};
use super::rows::RowSlopes;
use crate::control::Control;
use crate::data::sparse::SparseColumns;
use crate::loss::{Smooth, with_smooth_loss};

/// One sweep over one factor.
pub(super) struct FactorSweep<'a, 'b> {
    pub(super) problem: &'a Problem<'b>,
    /// The design by rows, once a sweep needs it.
    pub(super) by_row: &'a OnceCell<SparseColumns>,
    pub(super) blocks: &'a [ColumnBlock],
    pub(super) factor: &'a mut Factor,
    pub(super) signs: &'a [f64],
    pub(super) rows: &'a mut RowSlopes<'b>,
    pub(super) entries: EntrySet,
    pub(super) changes: &'a mut Changes,
    pub(super) control: &'a Control,
}

/// The sweeps over a factor of any order.
pub(super) trait FactorSolver {
    fn sweep(&mut self, sweep: &mut FactorSweep<'_, '_>);

    /// Drops what is kept from sweep to sweep, and rounding with it.
    fn invalidate_caches(&mut self);
}

/// Components whose entries of a column move together, with the states of all rows, kept from sweep to sweep
/// where they are known.
struct Group<K: Kernel> {
    components: Range<usize>,
    states: Option<Vec<K::State>>,
}

/// The groups of a factor: each component for [`Solver::Pcd`], all of them for [`Solver::Pbcd`].
pub(super) struct Groups<K: Kernel>(Vec<Group<K>>);

impl<K: Kernel> Groups<K> {
    pub(super) fn new(solver: Solver, rank: usize) -> Self {
        let width = if solver == Solver::Pbcd { rank } else { 1 };
        let group = |first| Group { components: first..first + width, states: None };
        Self((0..rank).step_by(width).map(group).collect())
    }

    fn run<L: Smooth>(&mut self, loss: L, sweep: &mut FactorSweep<'_, '_>) {
        let FactorSweep { problem, blocks, signs, control, .. } = *sweep;
        let (rank, shape) = (signs.len(), problem.penalties.kind.shape(sweep.factor.order));
        let visited = self.visited_columns(sweep);
        for (Group { components, states }, columns) in self.0.iter_mut().zip(visited) {
            if control.should_stop() {
                break;
            }
            if columns.is_empty() {
                *states = None;
                continue;
            }
            let (width, n) = (components.len(), problem.y.len());
            let row = |j: usize| j * rank + components.start..j * rank + components.end;
            let mut entries: Vec<f64> =
                columns.iter().flat_map(|&j| &sweep.factor.p[row(j)]).copied().collect();
            let are_known = states.is_some();
            let mut component = ComponentSweep::<K, L> {
                problem: *problem,
                loss,
                blocks: if width == 1 { blocks } else { &[] },
                states: states.get_or_insert_with(|| vec![K::empty(); n * width]),
                rows: sweep.rows,
                signs: &signs[components.clone()],
                coupling: Coupling::of(shape, entries.chunks_exact(width).map(norm)),
            };
            if !are_known && !component.add_to_states(&columns, &entries, control) {
                *states = None;
                break;
            }
            component.run(&columns, &mut entries, sweep.changes, control);
            for (&j, entries) in columns.iter().zip(entries.chunks_exact(width)) {
                sweep.factor.p[row(j)].copy_from_slice(entries);
            }
        }
    }

    /// For each group the columns that a sweep visits, ascending: those with an entry other than 0, and of a
    /// sweep over all the others too, of one component those whose slope at 0 exceeds the penalty's.
    fn visited_columns(&self, sweep: &FactorSweep<'_, '_>) -> Vec<Vec<usize>> {
        let FactorSweep { problem, by_row, factor, rows, control, .. } = sweep;
        let rank = sweep.signs.len();
        let (is_all, is_by_entry) = (sweep.entries == EntrySet::All, self.0.len() == rank);
        let tested = if is_all && is_by_entry { open_components::<K>(&factor.p, rank) } else { Vec::new() };
        let stride = width(tested.len());
        let slopes = if tested.is_empty() {
            Vec::new()
        } else {
            let by_row = by_row.get_or_init(|| problem.design.transposed());
            let p: Vec<f64> =
                factor.p.chunks_exact(rank).flat_map(|row| tested.iter().map(|&s| row[s])).collect();
            slopes_at_zero::<K>(by_row, &p, tested.len(), rows.slopes(), control)
        };
        let shape = problem.penalties.kind.shape(factor.order);
        let visited = |Group { components, .. }: &Group<K>| -> Vec<usize> {
            let entries = || factor.p.chunks_exact(rank).map(|row| &row[components.clone()]);
            let coupling = Coupling::of(shape, entries().map(norm));
            let threshold = problem.total * problem.penalties.alpha * coupling.strength(0.0);
            let at = tested.iter().position(|&s| s == components.start);
            let is_open = |j: usize| match at {
                Some(at) => slopes[j * stride + at].abs() > threshold,
                None => is_all && !is_by_entry,
            };
            let columns = entries().enumerate();
            columns.filter(|(j, p)| p.iter().any(|p| *p != 0.0) || is_open(*j)).map(|(j, _)| j).collect()
        };
        self.0.iter().map(visited).collect()
    }
}

/// The components with an entry of 0 that may leave it: of one that is 0 throughout no entry does, where the kernel is
/// a sum of products.
fn open_components<K: Kernel>(p: &[f64], rank: usize) -> Vec<usize> {
    let is_absorbing = K::at_zero(&K::empty()) == 0.0;
    let entries = |s: usize| p[s..].iter().step_by(rank);
    let is_open =
        |s: &usize| entries(*s).any(|p| *p == 0.0) && !(is_absorbing && entries(*s).all(|p| *p == 0.0));
    (0..rank).filter(is_open).collect()
}

impl<K: Kernel> FactorSolver for Groups<K> {
    fn sweep(&mut self, sweep: &mut FactorSweep<'_, '_>) {
        with_smooth_loss!(sweep.problem.loss, loss => self.run(loss, sweep));
    }

    fn invalidate_caches(&mut self) {
        self.0.iter_mut().for_each(|group| group.states = None);
    }
}
