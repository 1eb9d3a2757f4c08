//! Cubes of sums for three features: one pass over the rows fills a cube, and its prefix sums give the sums of all
//! combinations of intervals.
//!
//! Tables of two features read each row once for every interval of the first feature that contains it; a cube
//! reads each row once for every triple of features.

use std::ops::{AddAssign, Sub};

use super::leaf::{Leaf, Tally};
use super::siblings::{Alive, accumulate};
use super::walk::Walker;
use super::{BoxPattern, Proposition};
use crate::space::{Bound, Visitor};

impl<V: Visitor<BoxPattern>> Walker<'_, V> {
    /// The rules of `f`, `g` and each of some third features, from their cubes.
    pub fn third_by_cubes(&mut self, f: usize, g: usize, third: &[usize], pairs: &[(Alive, Vec<Alive>)]) {
        if third.is_empty() {
            return;
        }
        let space = self.space;
        let (bf, bg) = (space.features[f].cells(), space.features[g].cells());
        let (cf, cg) = (&space.codes[f], &space.codes[g]);
        let base: Vec<u32> =
            cf.iter().zip(cg).map(|(&a, &b)| (usize::from(a) * bg + usize::from(b)) as u32).collect();
        let uses_weights = self.visitor.bound().uses_weights();
        let (mut cube, mut tallies) = (Vec::new(), Vec::new());
        for &h in third {
            if self.should_stop() {
                return;
            }
            let (codes, weights, size) = (&space.codes[h], self.weights, [bf, bg, space.features[h].cells()]);
            fill(&mut cube, &base, codes, size, weights.residual.iter().copied());
            if uses_weights {
                fill(&mut tallies, &base, codes, size, weights.stats.iter().map(Tally::from));
            }
            self.third(f, g, h, &cube, &tallies, pairs);
        }
    }

    /// The rules of `f`, `g` and `h`, from their cubes; that of the tallies is empty if the bound uses no
    /// weights.
    fn third(
        &mut self,
        f: usize,
        g: usize,
        h: usize,
        cube: &[f64],
        tallies: &[Tally],
        pairs: &[(Alive, Vec<Alive>)],
    ) {
        let [bg, bh] = [g, h].map(|k| self.space.features[k].cells());
        let width = bh + 1;
        let slab = (bg + 1) * width;
        let mut layer = vec![0.0; slab];
        let mut tally = vec![Tally::default(); width];
        let mut tally_layer = vec![Tally::default(); if tallies.is_empty() { 0 } else { slab }];
        let mut correlation = vec![0.0; width];
        for (outer, inner) in pairs {
            let p = outer.proposition;
            slice(&mut layer, cube, p, slab);
            if !tallies.is_empty() {
                slice(&mut tally_layer, tallies, p, slab);
            }
            self.path.push((f, p));
            for alive in inner {
                let q = alive.proposition;
                slice(&mut correlation, &layer, q, width);
                self.path.push((g, q));
                if !tallies.is_empty() {
                    slice(&mut tally, &tally_layer, q, width);
                }
                let weight = tally[width - 1].weight;
                let (space, weights, tally) = (self.space, self.weights, &tally);
                Leaf { walker: self, f: h, sign: alive.sign, within: None }.scan(
                    &correlation,
                    weight,
                    || {
                        if !tallies.is_empty() {
                            return tally.clone();
                        }
                        let (cf, cg, ch) = (&space.codes[f], &space.codes[g], &space.codes[h]);
                        let mut tally = vec![Tally::default(); width];
                        for r in (0..space.n_rows).filter(|&r| p.holds(cf[r]) && q.holds(cg[r])) {
                            tally[ch[r] as usize + 1] += Tally::from(&weights.stats[r]);
                        }
                        accumulate(&mut tally);
                        tally
                    },
                );
                self.path.pop();
            }
            self.path.pop();
        }
    }
}

/// The cells of a proposition on the first axis of prefix sums, whose layers have `width` cells.
#[inline]
pub(super) fn slice<T: Copy + Sub<Output = T>>(out: &mut [T], sums: &[T], p: Proposition, width: usize) {
    let (to, from) = (&sums[(p.hi as usize + 1) * width..][..width], &sums[p.lo as usize * width..][..width]);
    for ((o, t), f) in out.iter_mut().zip(to).zip(from) {
        *o = *t - *f;
    }
    if p.negated {
        for (o, w) in out.iter_mut().zip(&sums[sums.len() - width..]) {
            *o = *w - *o;
        }
    }
}

/// Fills a cube of prefix sums of one value a row, one plane larger than its bins on each axis.
fn fill<T: Copy + Default + AddAssign + Sub<Output = T>>(
    cube: &mut Vec<T>,
    base: &[u32],
    codes: &[u16],
    [bf, bg, bh]: [usize; 3],
    values: impl Iterator<Item = T>,
) {
    let mut cells = vec![T::default(); bf * bg * bh];
    for ((&cell, &code), value) in base.iter().zip(codes).zip(values) {
        cells[cell as usize * bh + code as usize] += value;
    }
    let width = bh + 1;
    let slab = (bg + 1) * width;
    cube.clear();
    cube.resize((bf + 1) * slab, T::default());
    for a in 0..bf {
        for b in 0..bg {
            let mut sum = T::default();
            let (done, row) = cube.split_at_mut((a + 1) * slab + (b + 1) * width);
            let above = &done[a * slab + (b + 1) * width..][..width];
            let left = &done[(a + 1) * slab + b * width..][..width];
            let corner = &done[a * slab + b * width..][..width];
            for (c, cell) in cells[(a * bg + b) * bh..][..bh].iter().enumerate() {
                sum += *cell;
                let mut whole = sum;
                whole += above[c + 1];
                whole += left[c + 1];
                row[c + 1] = whole - corner[c + 1];
            }
        }
    }
}
