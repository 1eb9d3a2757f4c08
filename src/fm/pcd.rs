//! Proximal coordinate descent: one entry of P after the other (\[SparseFM\] Algorithm 1).
//!
//! The prediction is linear in each entry and the loss no more curved than mu, so that the step
//! to the minimiser of the bound never raises the objective; for squared loss it is exact.

use super::coupling::Coupling;
use super::kernel::Kernel;
use super::machine::Factor;
use super::problem::Response;
use super::sweep::{Sweep, Which};

/// A row's state of the component at work beside the slope of its loss: one look-up fetches both.
#[derive(Clone, Copy, Default)]
struct Cell<S> {
    state: S,
    slope: f64,
}

/// One sweep over a factor, component by component; returns the sum of the changes.
pub(super) fn sweep<K: Kernel, R: Response>(
    sweep: &Sweep<'_>,
    factor: &mut Factor,
    signs: &[f64],
    slopes: &mut [f64],
    response: &mut R,
    which: Which,
) -> f64 {
    let mut cells: Vec<Cell<K::State>> =
        slopes.iter().map(|&slope| Cell { state: K::empty(), slope }).collect();
    let mut column = vec![0.0; sweep.design.n_columns()];
    let mut moved = 0.0;
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
            response: &mut *response,
            order: factor.order,
            sign,
        };
        moved += component.sweep(&mut column, which);
        factor.p[s..].iter_mut().step_by(rank).zip(&column).for_each(|(p, &q)| *p = q);
    }
    slopes.iter_mut().zip(&cells).for_each(|(slope, cell)| *slope = cell.slope);
    moved
}

/// The component at work.
struct Component<'a, 'b, K: Kernel, R> {
    sweep: &'a Sweep<'b>,
    cells: &'a mut [Cell<K::State>],
    response: &'a mut R,
    order: Option<usize>,
    sign: f64,
}

impl<K: Kernel, R: Response> Component<'_, '_, K, R> {
    fn sweep(&mut self, column: &mut [f64], which: Which) -> f64 {
        self.fill(column);
        let shape = self.sweep.penalties.kind.shape(self.order);
        let mut coupling = Coupling::of(shape, column.iter().map(|p| p.abs()));
        let mut moved = 0.0;
        for (j, entry) in column.iter_mut().enumerate() {
            let old = *entry;
            if old == 0.0 && which == Which::NonZero {
                continue;
            }
            let new = self.step(j, old, &coupling);
            if new != old {
                coupling.replace(old.abs(), new.abs());
                self.write(j, old, new);
                moved += (new - old).abs();
                *entry = new;
            }
        }
        moved
    }

    /// States from nothing: rounding does not add up over sweeps.
    fn fill(&mut self, column: &[f64]) {
        self.cells.iter_mut().for_each(|cell| cell.state = K::empty());
        for (j, &p) in column.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            let (rows, x) = self.sweep.design.column(j);
            for (&r, x) in rows.iter().zip(x) {
                K::add(&mut self.cells[r as usize].state, x * p);
            }
        }
    }

    /// The minimiser of the bound along entry j.
    fn step(&self, j: usize, p: f64, coupling: &Coupling) -> f64 {
        let Sweep { penalties, total, curvature, .. } = *self.sweep;
        let pull = 2.0 * penalties.ridge;
        let gradient = self.gradient(j, p) * self.sign / total + pull * p;
        // An entry at 0 stays unless the gradient exceeds the penalty: no need of the curvature.
        if p == 0.0 && gradient.abs() <= penalties.reg * coupling.strength(0.0) {
            return 0.0;
        }
        let bound = curvature * self.squares(j, p) / total + pull;
        if bound < Sweep::FLAT {
            return p;
        }
        let target = p - gradient / bound;
        let size = coupling.shrink(p.abs(), target.abs(), penalties.reg / bound);
        if size.is_finite() { size.copysign(target) } else { p }
    }

    /// sum of slope times derivative over the rows of column j.
    fn gradient(&self, j: usize, p: f64) -> f64 {
        let (rows, x) = self.sweep.design.column(j);
        let term = |r: u32, x: f64| {
            let cell = &self.cells[r as usize];
            cell.slope * K::derivative(&cell.state, x, p)
        };
        lanes(rows, x, term)
    }

    /// sum of weight times squared derivative.
    fn squares(&self, j: usize, p: f64) -> f64 {
        let (rows, x) = self.sweep.design.column(j);
        let term = |r: u32, x: f64| {
            let d = K::derivative(&self.cells[r as usize].state, x, p);
            self.response.weight(r as usize) * d * d
        };
        lanes(rows, x, term)
    }

    fn write(&mut self, j: usize, old: f64, new: f64) {
        let (rows, x) = self.sweep.design.column(j);
        let by = self.sign * (new - old);
        for (&r, &x) in rows.iter().zip(x) {
            let cell = &mut self.cells[r as usize];
            let d = K::change(&mut cell.state, x, old, new);
            cell.slope = self.response.moved(r as usize, cell.slope, by * d);
        }
    }
}

/// A sum over the entries of a column in four lanes, so that one addition need not wait for another.
fn lanes(rows: &[u32], x: &[f64], term: impl Fn(u32, f64) -> f64) -> f64 {
    let mut sums = [0.0; 4];
    let (chunks, xs) = (rows.chunks_exact(4), x.chunks_exact(4));
    let rest: f64 = chunks.remainder().iter().zip(xs.remainder()).map(|(&r, &x)| term(r, x)).sum();
    for (r, x) in chunks.zip(xs) {
        for l in 0..4 {
            sums[l] += term(r[l], x[l]);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
