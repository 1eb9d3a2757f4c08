//! Steps along the entries of one component, on rows or on groups of rows.

use super::bundles::Bundles;
use super::coupling::Coupling;
use super::design::Design;
use super::kernel::Kernel;
use super::lanes::{CHUNK, LANES, add_products, total};
use super::passes::{Cell, Level, Moments, Passes, Step};
use super::problem::Response;
use super::sweep::{Moved, Sweep};

/// A component at work: a state, a slope and a row of the design for each row, or group of rows.
pub(super) struct Component<'a, 'b, K: Kernel, R> {
    pub(super) sweep: &'a Sweep<'b>,
    pub(super) design: &'a Design,
    pub(super) states: &'a mut [K::State],
    pub(super) slopes: &'a mut [f64],
    pub(super) response: &'a mut R,
    pub(super) sign: f64,
}

impl<K: Kernel, R: Response> Component<'_, '_, K, R> {
    /// Adds entries to states of nothing.
    pub(super) fn fill(&mut self, columns: &[usize], entries: &[f64]) {
        for (&j, &p) in columns.iter().zip(entries).filter(|(_, p)| **p != 0.0) {
            let states = &mut *self.states;
            if let Some(x) = self.design.full(j) {
                for (state, x) in states.iter_mut().zip(x) {
                    K::add(state, x * p);
                }
                continue;
            }
            let (rows, x) = self.design.column(j);
            for (&r, x) in rows.iter().zip(x) {
                K::add(&mut states[r as usize], x * p);
            }
        }
    }

    /// One step along each of the entries of some columns.
    pub(super) fn sweep(
        &mut self,
        columns: &[usize],
        entries: &mut [f64],
        bundles: &Bundles,
        kept: (&mut Coupling, &mut Moved),
    ) {
        if bundles.joint {
            self.sweep_by::<Moments>(columns, entries, bundles, kept);
        } else {
            self.sweep_by::<Level>(columns, entries, bundles, kept);
        }
    }

    fn sweep_by<C: Cell<K>>(
        &mut self,
        columns: &[usize],
        entries: &mut [f64],
        bundles: &Bundles,
        (coupling, moved): (&mut Coupling, &mut Moved),
    ) {
        let mut passes = Passes::<K, C>::new();
        for (bundle, part) in bundles.cut(self.design, columns) {
            let (columns, entries) = (&columns[part.clone()], &mut entries[part]);
            let rows = (&mut *self.states, &mut *self.slopes, &mut *self.response);
            if let Some(bundle) = bundle {
                passes.next((bundle, columns, entries), rows);
            } else if !columns.is_empty() {
                passes.finish(rows);
            }
            for (&j, entry) in columns.iter().zip(entries) {
                let old = *entry;
                let sums = bundle.map_or_else(|| self.expand(j, old), |bundle| passes.sums(bundle, j, old));
                let new = self.step(sums, old, coupling);
                if new != old {
                    coupling.replace(old.abs(), new.abs());
                    match bundle {
                        Some(bundle) => passes.step(bundle, j, Step { old, new, sign: self.sign }),
                        None => self.write(j, old, new),
                    }
                    moved.add(old, new);
                    *entry = new;
                }
            }
        }
        passes.finish((self.states, self.slopes, self.response));
    }

    /// The minimiser of the bound along an entry, by the sums over its column's rows.
    fn step(&self, [along, squares]: [f64; 2], p: f64, coupling: &Coupling) -> f64 {
        let Sweep { penalties, total, curvature, .. } = *self.sweep;
        let pull = 2.0 * penalties.ridge;
        let gradient = along * self.sign / total + pull * p;
        let bound = curvature * squares / total + pull;
        if bound < Sweep::FLAT {
            return p;
        }
        let target = p - gradient / bound;
        let size = coupling.shrink(p.abs(), target.abs(), penalties.reg / bound);
        if size.is_finite() { size.copysign(target) } else { p }
    }

    /// sum of slope times derivative over the rows of column j, and of weight times its square.
    fn expand(&self, j: usize, p: f64) -> [f64; 2] {
        match self.design.full(j).filter(|_| R::ERRORS) {
            Some(x) => expand_all::<K>(self.states, self.slopes, x, p),
            None => self.expand_some(j, p),
        }
    }

    fn expand_some(&self, j: usize, p: f64) -> [f64; 2] {
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

    fn write(&mut self, j: usize, old: f64, new: f64) {
        let by = self.sign * (new - old);
        let (states, slopes) = (&mut *self.states, &mut *self.slopes);
        if let Some(x) = self.design.full(j).filter(|_| R::ERRORS) {
            for ((state, slope), &x) in states.iter_mut().zip(slopes).zip(x) {
                *slope += by * K::change(state, x, old, new);
            }
            return;
        }
        let (rows, x) = self.design.column(j);
        for (&r, &x) in rows.iter().zip(x) {
            let r = r as usize;
            let d = K::change(&mut states[r], x, old, new);
            slopes[r] = self.response.moved(r, slopes[r], by * d);
        }
    }
}

/// The sums of [`Component::expand`] over all rows, with weights of 1.
fn expand_all<K: Kernel>(states: &[K::State], slopes: &[f64], x: &[f64], p: f64) -> [f64; 2] {
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
