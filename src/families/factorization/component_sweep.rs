//! One proximal step along each of some entries of one component (\[SparseFM\] Algorithm 1): by the rows of
//! each entry's column, or by [`ColumnBlock`]s where these serve many columns at once.

use super::block_sweep::BlockSweep;
use super::column_blocks::{ColumnBlock, cut};
use super::coordinate_descent::{Changes, Steps};
use super::coupling::Coupling;
use super::design::Design;
use super::kernel::Kernel;
use super::lane_sums::{CHUNK, LANES, add_products, total};
use super::problem::Response;

/// A component, with a state and a slope for each row.
pub(super) struct ComponentSweep<'a, 'b, K: Kernel, R> {
    pub(super) steps: &'a Steps<'b>,
    pub(super) design: &'a Design,
    pub(super) blocks: &'a [ColumnBlock],
    pub(super) states: &'a mut [K::State],
    pub(super) slopes: &'a mut [f64],
    pub(super) response: &'a mut R,
    pub(super) sign: f64,
    pub(super) coupling: Coupling,
}

impl<K: Kernel, R: Response> ComponentSweep<'_, '_, K, R> {
    /// Adds entries to empty states.
    pub(super) fn add_to_states(&mut self, columns: &[usize], entries: &[f64]) {
        for (&j, &p) in columns.iter().zip(entries).filter(|(_, p)| **p != 0.0) {
            let (rows, x) = self.design.column(j);
            for (&r, x) in rows.iter().zip(x) {
                K::add(&mut self.states[r as usize], x * p);
            }
        }
    }

    /// One step along each of the entries of some columns.
    pub(super) fn run(&mut self, columns: &[usize], entries: &mut [f64], changes: &mut Changes) {
        let mut sweep = BlockSweep::new();
        for (block, part) in cut(self.blocks, self.design, columns) {
            let (columns, entries) = (&columns[part.clone()], &mut entries[part]);
            let rows = (&mut *self.states, &mut *self.slopes, &mut *self.response);
            match block {
                Some(block) => sweep.enter::<K, R>(block, rows),
                None if !columns.is_empty() => sweep.finish::<K, R>(rows),
                None => {}
            }
            for (&j, entry) in columns.iter().zip(entries) {
                let old = *entry;
                let sums = block.map_or_else(|| self.sums(j, old), |block| sweep.sums(block, j, old));
                let new = self.minimiser(sums, old);
                if new == old {
                    continue;
                }
                self.coupling.replace(old.abs(), new.abs());
                match block {
                    Some(block) => sweep.step(block, j, [old, new], self.sign),
                    None => self.write(j, old, new),
                }
                changes.add(old, new);
                *entry = new;
            }
        }
        sweep.finish::<K, R>((self.states, self.slopes, self.response));
    }

    /// The minimiser of the quadratic bound along an entry `p`, by the sums over its column's rows.
    fn minimiser(&self, [slope, squares]: [f64; 2], p: f64) -> f64 {
        let Steps { penalties, total, curvature, .. } = *self.steps;
        let ridge = 2.0 * penalties.factors;
        let gradient = slope * self.sign / total + ridge * p;
        let bound = curvature * squares / total + ridge;
        if bound < Steps::MIN_CURVATURE {
            return p;
        }
        let target = p - gradient / bound;
        let size = self.coupling.shrink(p.abs(), target.abs(), penalties.alpha / bound);
        if size.is_finite() { size.copysign(target) } else { p }
    }

    /// Sum of slope times derivative over the rows of column j, and of weight times its square.
    fn sums(&self, j: usize, p: f64) -> [f64; 2] {
        if let Some(x) = self.design.full(j).filter(|_| R::ERRORS) {
            return sums_over_all::<K>(self.states, self.slopes, x, p);
        }
        let (rows, x) = self.design.column(j);
        let (mut along, mut squares) = ([0.0; LANES], [0.0; LANES]);
        let (mut d, mut slopes, mut weighted) = ([0.0; CHUNK], [0.0; CHUNK], [0.0; CHUNK]);
        for (rows, x) in rows.chunks(CHUNK).zip(x.chunks(CHUNK)) {
            for (((&r, &x), d), slope) in rows.iter().zip(x).zip(&mut d).zip(&mut slopes) {
                *d = K::derivative(&self.states[r as usize], x, p);
                *slope = self.slopes[r as usize];
            }
            let d = &d[..rows.len()];
            add_products(&mut along, d, &slopes);
            if R::ERRORS {
                add_products(&mut squares, d, d);
                continue;
            }
            for ((&r, d), weighted) in rows.iter().zip(d).zip(&mut weighted) {
                *weighted = self.response.weight(r as usize) * d;
            }
            add_products(&mut squares, d, &weighted);
        }
        [total(along), total(squares)]
    }

    /// Moves the states and slopes of the rows of column j.
    fn write(&mut self, j: usize, old: f64, new: f64) {
        let by = self.sign * (new - old);
        if let Some(x) = self.design.full(j).filter(|_| R::ERRORS) {
            for ((state, slope), &x) in self.states.iter_mut().zip(&mut *self.slopes).zip(x) {
                *slope += by * K::change(state, x, old, new);
            }
            return;
        }
        let (rows, x) = self.design.column(j);
        for (&r, &x) in rows.iter().zip(x) {
            let r = r as usize;
            let d = K::change(&mut self.states[r], x, old, new);
            self.slopes[r] = self.response.moved(r, self.slopes[r], by * d);
        }
    }
}

/// The sums of [`ComponentSweep::sums`] for a column with an entry in each row and weights of 1: nothing is
/// looked up.
fn sums_over_all<K: Kernel>(states: &[K::State], slopes: &[f64], x: &[f64], p: f64) -> [f64; 2] {
    let (mut along, mut squares) = ([0.0; LANES], [0.0; LANES]);
    let mut d = [0.0; CHUNK];
    for ((states, slopes), x) in states.chunks(CHUNK).zip(slopes.chunks(CHUNK)).zip(x.chunks(CHUNK)) {
        for ((state, &x), d) in states.iter().zip(x).zip(&mut d) {
            *d = K::derivative(state, x, p);
        }
        let d = &d[..x.len()];
        add_products(&mut along, d, slopes);
        add_products(&mut squares, d, d);
    }
    [total(along), total(squares)]
}
