//! Proximal coordinate descent: one entry of P after the other (\[SparseFM\] Algorithm 1).
//!
//! The prediction is linear in each entry and the loss no more curved than mu, so that the step
//! to the minimiser of the bound never raises the objective; for squared loss it is exact.
//!
//! Entries that are 0 are tested all at once before a sweep, and only those that may leave 0 are
//! visited: where no entry moves, all have been tested as they are. With squared loss a component whose
//! rows fall into few groups is swept on these.

use super::bundles::Bundles;
use super::component::Component;
use super::coupling::Coupling;
use super::design::Design;
use super::groups::{Grouping, Groups, Sums};
use super::kernel::Kernel;
use super::lanes::LANES;
use super::layer::Lanes;
use super::machine::Factor;
use super::problem::{Response, Slopes};
use super::screen::screen;
use super::sweep::{Moved, Sweep, Sweeper, Turn, Which};

/// What sweeps over the entries of a factor keep from one to the next.
pub(super) struct Pcd<K: Kernel>(Vec<Part<K>>);

/// What is kept of one component.
struct Part<K: Kernel> {
    /// The rows as it sees them.
    grouping: Grouping,
    /// The states of all rows, where they are known.
    states: Option<Vec<K::State>>,
}

impl<K: Kernel> Pcd<K> {
    pub(super) fn new(design: &Design, rank: usize) -> Self {
        Self((0..rank).map(|_| Part { grouping: Grouping::new(design), states: None }).collect())
    }

    fn run<R: Response>(&mut self, turn: &mut Turn<'_, '_>, response: &mut R) {
        let Turn { sweep, problem, by_row, filled, bundles, .. } = *turn;
        let rank = turn.signs.len();
        let open = match turn.which {
            Which::All => screen::<K>(turn),
            Which::NonZero => (0..rank).map(|s| support(turn.factor, rank, s)).collect(),
        };
        self.fill(turn, &open);
        for (s, (columns, part)) in open.iter().zip(&mut self.0).enumerate() {
            if sweep.control.should_stop() {
                break;
            }
            if columns.is_empty() {
                part.states = None;
                continue;
            }
            let at = |j: u32| j as usize * rank + s;
            let entries = columns.iter().map(|&j| turn.factor.p[at(j)]).collect();
            let mut work = Work::new(turn, response, s, entries);
            if let Some(groups) = part.grouping.of(columns, problem, (by_row, bundles)) {
                part.states = None;
                work.on_groups::<K>(columns, groups);
            } else {
                work.on_rows::<K>(columns, (filled, bundles), &mut part.states);
            }
            let entries = work.entries;
            columns.iter().zip(entries).for_each(|(&j, p)| turn.factor.p[at(j)] = p);
        }
    }
}

impl<K: Kernel> Pcd<K> {
    /// Makes the states of components that most columns are open for, if they are not known.
    fn fill(&mut self, turn: &Turn<'_, '_>, open: &[Vec<u32>]) {
        let n_rows = turn.problem.design.n_rows();
        let mut parts = Vec::new();
        for (s, (part, columns)) in self.0.iter_mut().zip(open).enumerate() {
            if part.states.is_none() && 2 * columns.len() > turn.problem.design.n_columns() {
                parts.push((s, part.states.insert(vec![K::empty(); n_rows])));
            }
        }
        if parts.is_empty() {
            return;
        }
        let (rows, p) = turn.looked_up();
        let mut lanes = Lanes::<K>::new(turn.signs);
        for row in 0..n_rows {
            lanes.see(rows.column(row), &p);
            parts.iter_mut().for_each(|(s, states)| states[row] = lanes.states[*s / LANES][*s % LANES]);
        }
    }
}

impl<K: Kernel> Sweeper for Pcd<K> {
    fn sweep(&mut self, turn: &mut Turn<'_, '_>, response: &mut Slopes<'_>) {
        match response {
            Slopes::Errors(errors) => self.run(turn, errors),
            Slopes::Tracked(tracked) => self.run(turn, tracked),
        }
    }

    fn forget(&mut self) {
        self.0.iter_mut().for_each(|part| part.states = None);
    }
}

/// The columns of a component's entries that are not 0.
fn support(factor: &Factor, rank: usize, s: usize) -> Vec<u32> {
    let column = factor.p[s..].iter().step_by(rank);
    column.enumerate().filter(|(_, p)| **p != 0.0).map(|(j, _)| j as u32).collect()
}

/// One component of a sweep.
struct Work<'a, 'b, R> {
    sweep: &'a Sweep<'b>,
    slopes: &'a mut [f64],
    response: &'a mut R,
    sign: f64,
    coupling: Coupling,
    entries: Vec<f64>,
    moved: &'a mut Moved,
}

impl<'a, 'b, R: Response> Work<'a, 'b, R> {
    fn new(turn: &'a mut Turn<'_, 'b>, response: &'a mut R, s: usize, entries: Vec<f64>) -> Self
    where
        'b: 'a,
    {
        let shape = turn.sweep.penalties.kind.shape(turn.factor.order);
        Self {
            sweep: turn.sweep,
            slopes: turn.slopes,
            response,
            sign: turn.signs[s],
            coupling: Coupling::of(shape, entries.iter().map(|p| p.abs())),
            entries,
            moved: turn.moved,
        }
    }

    fn on_rows<K: Kernel>(
        &mut self,
        columns: &[u32],
        (design, bundles): (&Design, &Bundles),
        states: &mut Option<Vec<K::State>>,
    ) {
        let columns: Vec<usize> = columns.iter().map(|&j| j as usize).collect();
        let known = states.is_some();
        let mut component = Component::<K, R> {
            sweep: self.sweep,
            design,
            states: states.get_or_insert_with(|| vec![K::empty(); self.slopes.len()]),
            slopes: self.slopes,
            response: self.response,
            sign: self.sign,
        };
        if !known {
            component.fill(&columns, &self.entries);
        }
        component.sweep(&columns, &mut self.entries, bundles, (&mut self.coupling, self.moved));
    }

    fn on_groups<K: Kernel>(&mut self, columns: &[u32], groups: &Groups) {
        let columns: Vec<usize> = columns.iter().map(|&j| groups.position(j)).collect();
        let mut sums = Sums::new(&groups.weights);
        let mut component = Component::<K, _> {
            sweep: self.sweep,
            design: &groups.design,
            states: &mut vec![K::empty(); groups.weights.len()],
            slopes: &mut groups.gather(self.slopes),
            response: &mut sums,
            sign: self.sign,
        };
        component.fill(&columns, &self.entries);
        let kept = (&mut self.coupling, &mut *self.moved);
        component.sweep(&columns, &mut self.entries, &groups.bundles, kept);
        groups.scatter(&sums.by, self.slopes, self.response);
    }
}
