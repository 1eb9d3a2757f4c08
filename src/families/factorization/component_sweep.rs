//! One proximal step along the entries of each of some columns, for one component (\[SparseFM\] Algorithm 1) or
//! several at once (Algorithm 6), by the rows of the column, or by [`ColumnBlock`]s where these serve many
//! columns at once.
//!
//! The prediction is linear in each entry and the loss no more curved than mu, so that the step to the
//! minimiser of the quadratic bound never raises the objective; for one component and squared loss it is exact.
//! The bound on the curvature along several entries is the trace of their Gram matrix.

use super::block_sweep::BlockSweep;
use super::choices::Penalty;
use super::column_blocks::{ColumnBlock, cut};
use super::coordinate_descent::Changes;
use super::coupling::Coupling;
use super::kernel::Kernel;
use super::problem::{Penalties, Problem};
use super::prox::norm;
use super::rows::RowSlopes;
use crate::control::Control;
use crate::loss::Smooth;

/// Rows whose sums are kept side by side: one alone waits for each addition.
const LANES: usize = 8;

/// Rows whose derivatives are kept in between: few enough for the nearest cache. In one loop with the sums the
/// compiler makes no vectors of the states of orders above 2.
const CHUNK: usize = 64;

/// Components that move together, with a state of each for each row.
pub(super) struct ComponentSweep<'a, 'b, K: Kernel, L> {
    pub(super) problem: Problem<'b>,
    pub(super) loss: L,
    /// For one component.
    pub(super) blocks: &'a [ColumnBlock],
    /// Those of a row side by side.
    pub(super) states: &'a mut [K::State],
    pub(super) rows: &'a mut RowSlopes<'b>,
    pub(super) signs: &'a [f64],
    pub(super) coupling: Coupling,
}

impl<K: Kernel, L: Smooth> ComponentSweep<'_, '_, K, L> {
    /// Adds entries to empty states; whether there was time for it.
    pub(super) fn add_to_states(&mut self, columns: &[usize], entries: &[f64], control: &Control) -> bool {
        let (design, states, width) = (self.problem.design, &mut *self.states, self.signs.len());
        for (&j, entries) in columns.iter().zip(entries.chunks_exact(width)) {
            if width > 1 && control.should_stop() {
                return false;
            }
            let (rows, x) = design.column(j);
            for (s, &p) in entries.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                rows.iter().zip(x).for_each(|(&r, x)| {
                    K::add(&mut states[r as usize * width + s], x * p);
                });
            }
        }
        true
    }

    /// One step along the entries of each of some columns, as many a column as there are components.
    pub(super) fn run(
        &mut self,
        columns: &[usize],
        entries: &mut [f64],
        changes: &mut Changes,
        control: &Control,
    ) {
        let width = self.signs.len();
        let mut new = vec![0.0; width];
        let mut sweep = BlockSweep::new();
        for (block, part) in cut(self.blocks, self.problem.design, columns) {
            match block {
                Some(block) => sweep.enter::<K>(block, self.states, self.rows),
                None => sweep.finish::<K>(self.states, self.rows),
            }
            let entries = entries[part.start * width..part.end * width].chunks_exact_mut(width);
            for (&j, old) in columns[part].iter().zip(entries) {
                if width > 1 && control.should_stop() {
                    break;
                }
                let squares = match block {
                    Some(block) => sweep.sums::<K>(block, j, old[0], &mut new[0]),
                    None if width == 1 => self.sums(j, old[0], &mut new[0]),
                    None => self.gradient(j, old, &mut new),
                };
                if !self.minimise(squares, old, &mut new) {
                    continue;
                }
                self.coupling.replace(norm(old), norm(&new));
                match block {
                    Some(block) => sweep.step::<K>(block, j, [old[0], new[0]], self.signs[0]),
                    None if width == 1 => self.write(j, old[0], new[0]),
                    None => self.write_all(j, old, &new),
                }
                for (old, &new) in old.iter_mut().zip(&new) {
                    changes.add(*old, new);
                    *old = new;
                }
            }
        }
        sweep.finish::<K>(self.states, self.rows);
    }

    /// Puts the minimiser of the quadratic bound along the entries `old` in the place of the sums of slope times
    /// derivative, by the sum of squares of the derivatives; whether it is another point.
    fn minimise(&self, squares: f64, old: &[f64], new: &mut [f64]) -> bool {
        let Problem { total, penalties: Penalties { kind, factors, alpha, .. }, .. } = self.problem;
        let ridge = 2.0 * factors;
        let bound = L::BOUND * squares / total + ridge;
        if bound < K::MIN_CURVATURE {
            return false;
        }
        for ((new, p), sign) in new.iter_mut().zip(old).zip(self.signs) {
            *new = p - (*new * sign / total + ridge * p) / bound;
        }
        let by = alpha / bound;
        // Each entry has a size of its own, or all have one.
        let width = if kind == Penalty::L1 { 1 } else { old.len() };
        for (new, old) in new.chunks_exact_mut(width).zip(old.chunks_exact(width)) {
            let (size, length) = (norm(old), norm(new));
            if let [p] = new {
                *p = self.coupling.shrink(size, length, by).copysign(*p);
                continue;
            }
            let keep = if length > 0.0 { self.coupling.shrink(size, length, by) / length } else { 0.0 };
            new.iter_mut().for_each(|p| *p *= keep);
        }
        new != old && new.iter().all(|p| p.is_finite())
    }

    /// Whether each row has an entry in a column and a weight of 1: nothing is looked up.
    fn is_plain(&self, x: &[f64]) -> bool {
        x.len() == self.states.len() && self.rows.weights().is_none()
    }

    /// Sum of slope times derivative over the rows of column j, and, returned, of weight times its square.
    fn sums(&self, j: usize, p: f64, along: &mut f64) -> f64 {
        let (rows, x) = self.problem.design.column(j);
        let squares;
        [*along, squares] = match self.rows.weights() {
            None if self.is_plain(x) => sums_over_all::<K>(self.states, self.rows.slopes(), x, p),
            None => self.sums_over(rows, x, p, |_| 1.0),
            Some(weights) => self.sums_over(rows, x, p, |row| weights[row]),
        };
        squares
    }

    fn sums_over(&self, rows: &[u32], x: &[f64], p: f64, weight: impl Fn(usize) -> f64) -> [f64; 2] {
        let (states, slopes) = (&*self.states, self.rows.slopes());
        let (mut along, mut squares) = ([0.0; LANES], [0.0; LANES]);
        let mut add = |row: u32, x: f64, lane: usize| {
            let row = row as usize;
            let d = K::derivative(&states[row], x, p);
            along[lane] += slopes[row] * d;
            squares[lane] += weight(row) * d * d;
        };
        let ((rows, last_rows), (x, last_x)) = (rows.as_chunks::<LANES>(), x.as_chunks::<LANES>());
        for (rows, x) in rows.iter().zip(x) {
            (0..LANES).for_each(|lane| add(rows[lane], x[lane], lane));
        }
        last_rows.iter().zip(last_x).enumerate().for_each(|(lane, (&row, &x))| add(row, x, lane));
        [along.iter().sum(), squares.iter().sum()]
    }

    /// The same for several components.
    fn gradient(&self, j: usize, p: &[f64], along: &mut [f64]) -> f64 {
        let ((rows, x), slopes, width) = (self.problem.design.column(j), self.rows.slopes(), p.len());
        along.fill(0.0);
        let mut squares = 0.0;
        for (&r, &x) in rows.iter().zip(x) {
            let r = r as usize;
            let mut square = 0.0;
            for ((along, state), &p) in along.iter_mut().zip(&self.states[r * width..][..width]).zip(p) {
                let d = K::derivative(state, x, p);
                *along += slopes[r] * d;
                square += d * d;
            }
            squares += self.rows.weights().map_or(square, |w| w[r] * square);
        }
        squares
    }

    /// Moves the states and slopes of the rows of column j.
    fn write(&mut self, j: usize, old: f64, new: f64) {
        let by = self.signs[0] * (new - old);
        let (rows, x) = self.problem.design.column(j);
        if L::QUADRATIC && self.is_plain(x) {
            for ((state, slope), &x) in self.states.iter_mut().zip(self.rows.slopes_mut()).zip(x) {
                *slope += L::BOUND * by * K::change(state, x, old, new);
            }
            return;
        }
        let (states, mut row_slopes) = (&mut *self.states, self.rows.view());
        for (&r, &x) in rows.iter().zip(x) {
            let d = K::change(&mut states[r as usize], x, old, new);
            row_slopes.advance(self.loss, r as usize, by * d);
        }
    }

    /// The same for several components.
    fn write_all(&mut self, j: usize, old: &[f64], new: &[f64]) {
        let (rows, x) = self.problem.design.column(j);
        let (states, mut row_slopes) = (&mut *self.states, self.rows.view());
        for (&r, &x) in rows.iter().zip(x) {
            let states = states[r as usize * old.len()..][..old.len()].iter_mut();
            let parts = states.zip(self.signs).zip(old.iter().zip(new));
            let by =
                parts.map(|((state, sign), (&old, &new))| sign * (new - old) * K::change(state, x, old, new));
            row_slopes.advance(self.loss, r as usize, by.sum());
        }
    }
}

/// The same over all rows, which have weight 1.
fn sums_over_all<K: Kernel>(states: &[K::State], slopes: &[f64], x: &[f64], p: f64) -> [f64; 2] {
    let (mut along, mut squares) = ([0.0; LANES], [0.0; LANES]);
    let mut d = [0.0; CHUNK];
    for ((states, slopes), x) in states.chunks(CHUNK).zip(slopes.chunks(CHUNK)).zip(x.chunks(CHUNK)) {
        let d = &mut d[..x.len()];
        for ((state, &x), d) in states.iter().zip(x).zip(&mut *d) {
            *d = K::derivative(state, x, p);
        }
        let mut add = |lane: usize, d: f64, slope: f64| {
            along[lane] += slope * d;
            squares[lane] += d * d;
        };
        let ((d, last_d), (slopes, last_slopes)) = (d.as_chunks::<LANES>(), slopes.as_chunks::<LANES>());
        for (d, slopes) in d.iter().zip(slopes) {
            (0..LANES).for_each(|lane| add(lane, d[lane], slopes[lane]));
        }
        last_d.iter().zip(last_slopes).enumerate().for_each(|(lane, (&d, &slope))| add(lane, d, slope));
    }
    [along.iter().sum(), squares.iter().sum()]
}
