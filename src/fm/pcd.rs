//! Proximal coordinate descent: one entry of P after the other (\[SparseFM\] Algorithm 1).
//!
//! The prediction is linear in each entry and the loss no more curved than mu, so that the step
//! to the minimiser of the bound never raises the objective; for squared loss it is exact.

use super::coupling::Coupling;
use super::kernel::Kernel;
use super::machine::Factor;
use super::problem::Response;
use super::sweep::{Moved, Sweep, Which};

/// A row's state of the component at work beside the slope of its loss: one look-up fetches both.
#[derive(Clone, Copy, Default)]
struct Cell<S> {
    state: S,
    slope: f64,
}

/// One sweep over a factor, component by component.
pub(super) fn sweep<K: Kernel, R: Response>(
    sweep: &Sweep<'_>,
    factor: &mut Factor,
    signs: &[f64],
    slopes: &mut [f64],
    response: &mut R,
    which: Which,
    moved: &mut Moved,
) {
    let mut cells: Vec<Cell<K::State>> =
        slopes.iter().map(|&slope| Cell { state: K::empty(), slope }).collect();
    let mut pulls = vec![0.0; cells.len()];
    let mut column = vec![0.0; sweep.design.n_columns()];
    for (s, &sign) in signs.iter().enumerate() {
        if sweep.control.is_over() {
            break;
        }
        let rank = signs.len();
        column.iter_mut().zip(factor.p[s..].iter().step_by(rank)).for_each(|(to, &p)| *to = p);
        if column.iter().all(|p| *p == 0.0) && (K::DEAD_AT_ZERO || which == Which::NonZero) {
            continue;
        }
        let mut component = Component::<K, R> {
            sweep,
            cells: &mut cells,
            pulls: &mut pulls,
            response: &mut *response,
            order: factor.order,
            sign,
        };
        component.sweep(&mut column, which, moved);
        factor.p[s..].iter_mut().step_by(rank).zip(&column).for_each(|(p, &q)| *p = q);
    }
    slopes.iter_mut().zip(&cells).for_each(|(slope, cell)| *slope = cell.slope);
}

/// The component at work.
struct Component<'a, 'b, K: Kernel, R> {
    sweep: &'a Sweep<'b>,
    cells: &'a mut [Cell<K::State>],
    /// Slope times derivative of an entry that is 0, over x: most entries are, and need no more.
    pulls: &'a mut [f64],
    response: &'a mut R,
    order: Option<usize>,
    sign: f64,
}

impl<K: Kernel, R: Response> Component<'_, '_, K, R> {
    fn sweep(&mut self, column: &mut [f64], which: Which, moved: &mut Moved) {
        self.fill(column, which);
        let shape = self.sweep.penalties.kind.shape(self.order);
        let mut coupling = Coupling::of(shape, column.iter().map(|p| p.abs()));
        for (j, entry) in column.iter_mut().enumerate() {
            let old = *entry;
            if old == 0.0 && which == Which::NonZero {
                continue;
            }
            let new = self.step(j, old, &coupling);
            if new != old {
                coupling.replace(old.abs(), new.abs());
                self.write(j, old, new, which);
                moved.add(old, new);
                *entry = new;
            }
        }
    }

    /// States from nothing: rounding does not add up over sweeps.
    fn fill(&mut self, column: &[f64], which: Which) {
        self.cells.iter_mut().for_each(|cell| cell.state = K::empty());
        for (j, &p) in column.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            let (rows, x) = self.sweep.design.column(j);
            for (&r, x) in rows.iter().zip(x) {
                K::add(&mut self.cells[r as usize].state, x * p);
            }
        }
        if which == Which::All {
            let pull = |cell: &Cell<K::State>| cell.slope * K::at_zero(&cell.state);
            self.pulls.iter_mut().zip(&*self.cells).for_each(|(to, cell)| *to = pull(cell));
        }
    }

    /// The minimiser of the bound along entry j.
    fn step(&self, j: usize, p: f64, coupling: &Coupling) -> f64 {
        let Sweep { penalties, total, curvature, .. } = *self.sweep;
        let pull = 2.0 * penalties.ridge;
        let (along, squares) = if p == 0.0 {
            let along = self.gradient_at_zero(j);
            // An entry at 0 stays unless the gradient exceeds the penalty: no need of the curvature.
            if along.abs() / total <= penalties.reg * coupling.strength(0.0) {
                return 0.0;
            }
            (along, self.expand(j, 0.0)[1])
        } else {
            let [along, squares] = self.expand(j, p);
            (along, squares)
        };
        let gradient = along * self.sign / total + pull * p;
        let bound = curvature * squares / total + pull;
        if bound < Sweep::FLAT {
            return p;
        }
        let target = p - gradient / bound;
        let size = coupling.shrink(p.abs(), target.abs(), penalties.reg / bound);
        if size.is_finite() { size.copysign(target) } else { p }
    }

    /// sum of slope times derivative over the rows of column j for an entry that is 0.
    fn gradient_at_zero(&self, j: usize) -> f64 {
        let [along] = self.sweep.design.sum(j, |r, x| [x * self.pulls[r]]);
        along
    }

    /// The same for any entry, and the sum of weight times squared derivative.
    fn expand(&self, j: usize, p: f64) -> [f64; 2] {
        self.sweep.design.sum(j, |r, x| {
            let cell = &self.cells[r];
            let d = K::derivative(&cell.state, x, p);
            [cell.slope * d, self.response.weight(r) * d * d]
        })
    }

    fn write(&mut self, j: usize, old: f64, new: f64, which: Which) {
        let (rows, x) = self.sweep.design.column(j);
        let by = self.sign * (new - old);
        for (&r, &x) in rows.iter().zip(x) {
            let cell = &mut self.cells[r as usize];
            let d = K::change(&mut cell.state, x, old, new);
            cell.slope = self.response.moved(r as usize, cell.slope, by * d);
            if which == Which::All {
                self.pulls[r as usize] = cell.slope * K::at_zero(&cell.state);
            }
        }
    }
}
