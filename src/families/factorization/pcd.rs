//! Proximal coordinate descent: one entry of P after the other (\[SparseFM\] Algorithm 1).
//!
//! The prediction is linear in each entry and the loss no more curved than mu, so that the step to the
//! minimiser of the quadratic bound never raises the objective; for squared loss it is exact.
//!
//! Entries that are 0 are tested all at once before a sweep ([`super::screen`]), and only those that may
//! leave 0 are visited: where no entry moves, all have been tested as they are.

use super::component_sweep::ComponentSweep;
use super::coordinate_descent::{EntrySet, FactorSolver, FactorSweep};
use super::coupling::Coupling;
use super::kernel::Kernel;
use super::machine::Factor;
use super::problem::{Response, Slopes};
use super::screen::open_columns;

/// For each component the states of all rows, kept from sweep to sweep where they are known.
pub(super) struct Pcd<K: Kernel>(Vec<Option<Vec<K::State>>>);

impl<K: Kernel> Pcd<K> {
    pub(super) fn new(rank: usize) -> Self {
        Self(vec![None; rank])
    }

    fn run<R: Response>(&mut self, sweep: &mut FactorSweep<'_, '_>, response: &mut R) {
        let rank = sweep.signs.len();
        let open = match sweep.entries {
            EntrySet::All => open_columns::<K>(sweep),
            EntrySet::NonZero => (0..rank).map(|s| support(sweep.factor, rank, s)).collect(),
        };
        for (s, (columns, states)) in open.iter().zip(&mut self.0).enumerate() {
            if sweep.steps.control.should_stop() {
                break;
            }
            if columns.is_empty() {
                *states = None;
                continue;
            }
            let mut entries: Vec<f64> = columns.iter().map(|&j| sweep.factor.p[j * rank + s]).collect();
            let shape = sweep.steps.penalties.kind.shape(sweep.factor.order);
            let are_known = states.is_some();
            let mut component = ComponentSweep::<K, R> {
                steps: sweep.steps,
                design: sweep.problem.design,
                blocks: sweep.blocks,
                states: states.get_or_insert_with(|| vec![K::empty(); sweep.slopes.len()]),
                slopes: sweep.slopes,
                response,
                sign: sweep.signs[s],
                coupling: Coupling::of(shape, entries.iter().map(|p| p.abs())),
            };
            if !are_known {
                component.add_to_states(columns, &entries);
            }
            component.run(columns, &mut entries, sweep.changes);
            columns.iter().zip(entries).for_each(|(&j, p)| sweep.factor.p[j * rank + s] = p);
        }
    }
}

impl<K: Kernel> FactorSolver for Pcd<K> {
    fn sweep(&mut self, sweep: &mut FactorSweep<'_, '_>, response: &mut Slopes<'_>) {
        match response {
            Slopes::Errors(errors) => self.run(sweep, errors),
            Slopes::Tracked(tracked) => self.run(sweep, tracked),
        }
    }

    fn invalidate_caches(&mut self) {
        self.0.fill(None);
    }
}

/// The columns of a component's entries that are not 0.
fn support(factor: &Factor, rank: usize, s: usize) -> Vec<usize> {
    let column = factor.p[s..].iter().step_by(rank);
    column.enumerate().filter(|(_, p)| **p != 0.0).map(|(j, _)| j).collect()
}
