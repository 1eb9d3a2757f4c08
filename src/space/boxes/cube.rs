//! Cubes of sums for two and three features: one pass over the rows fills a cube, and its prefix sums give
//! the sums of all combinations of intervals.
//!
//! A walk reads each row once for every pair of intervals that contains it (17 % of all pairs at eight bins);
//! a cube reads each row once for every triple of features.

use std::ops::{AddAssign, Sub};

use super::leaf::{Leaf, Tally};
use super::siblings::{Alive, Siblings, accumulate};
use super::walk::Walker;
use super::{BoxPattern, Proposition};
use crate::space::{Bound, NodeStats, Visitor};

impl<V: Visitor<BoxPattern>> Walker<'_, V> {
    /// All rules whose first two features are `f` and `g`; at most three features.
    pub fn walk_pair_by_cubes(&mut self, f: usize, g: usize) {
        let space = self.space;
        let (bf, bg) = (space.features[f].cells(), space.features[g].cells());
        let (cf, cg) = (&space.codes[f], &space.codes[g]);
        let base: Vec<u32> =
            cf.iter().zip(cg).map(|(&a, &b)| (usize::from(a) * bg + usize::from(b)) as u32).collect();
        // table[b][c]: sums over bins before b of f and bins before c of g.
        let mut table = vec![NodeStats::default(); (bf + 1) * (bg + 1)];
        for (&cell, sums) in base.iter().zip(&self.weights.stats) {
            let (a, b) = (cell as usize / bg, cell as usize % bg);
            table[(a + 1) * (bg + 1) + b + 1] += *sums;
        }
        let column: Vec<NodeStats> =
            (0..=bf).map(|a| row_total(&table[a * (bg + 1)..(a + 1) * (bg + 1)])).collect();
        let mut prefix = column;
        accumulate(&mut prefix);
        let mut outer = Vec::new();
        self.alive(
            &Siblings { f, prefix: &prefix, sign: space.sign, enter: false, extend: true },
            &mut outer,
        );
        if outer.is_empty() {
            return;
        }
        accumulate_rows(&mut table, bg + 1);
        let pairs = self.second(f, g, &table, &outer);
        if space.max_features < 3 || pairs.iter().all(|(_, inner)| inner.is_empty()) {
            return;
        }
        let uses_weights = self.visitor.bound().uses_weights();
        let (mut cube, mut tallies) = (Vec::new(), Vec::new());
        for h in g + 1..space.features.len() {
            if self.should_stop() {
                return;
            }
            let bh = space.features[h].cells();
            if space.is_cube_faster(bf * bg * bh) {
                let (codes, weights, size) = (&space.codes[h], self.weights, [bf, bg, bh]);
                fill(&mut cube, &base, codes, size, weights.residual.iter().copied());
                if uses_weights {
                    fill(&mut tallies, &base, codes, size, weights.stats.iter().map(Tally::from));
                }
                self.third(f, g, h, &cube, &tallies, &pairs);
            } else {
                self.third_by_rows(f, g, h, &pairs);
            }
        }
    }

    /// The rules of `f` and `g`; returns the combinations that are not pruned for a third feature.
    fn second(
        &mut self,
        f: usize,
        g: usize,
        table: &[NodeStats],
        outer: &[Alive],
    ) -> Vec<(Alive, Vec<Alive>)> {
        let width = self.space.features[g].cells() + 1;
        let total: Vec<NodeStats> = table[table.len() - width..].to_vec();
        let extend = self.space.max_features > 2;
        let mut pairs = Vec::with_capacity(outer.len());
        for &alive in outer {
            let p = alive.proposition;
            let (to, from) = (&table[(p.hi as usize + 1) * width..], &table[p.lo as usize * width..]);
            let mut prefix: Vec<NodeStats> = (0..width).map(|c| to[c] - from[c]).collect();
            if p.negated {
                prefix = total.iter().zip(&prefix).map(|(w, inside)| *w - *inside).collect();
            }
            accumulate(&mut prefix);
            self.path.push((f, p));
            let mut inner = Vec::new();
            self.alive(
                &Siblings { f: g, prefix: &prefix, sign: alive.sign, enter: true, extend },
                &mut inner,
            );
            self.path.pop();
            pairs.push((alive, inner));
        }
        pairs
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

    /// The same if the cube would have more cells than there are rows.
    fn third_by_rows(&mut self, f: usize, g: usize, h: usize, pairs: &[(Alive, Vec<Alive>)]) {
        let (cf, cg) = (&self.space.codes[f], &self.space.codes[g]);
        for (outer, inner) in pairs.iter().filter(|(_, inner)| !inner.is_empty()) {
            let p = outer.proposition;
            let rows: Vec<u32> = (0..self.space.n_rows as u32).filter(|&r| p.holds(cf[r as usize])).collect();
            self.path.push((f, p));
            for alive in inner {
                let q: Proposition = alive.proposition;
                let within: Vec<u32> = rows.iter().copied().filter(|&r| q.holds(cg[r as usize])).collect();
                self.path.push((g, q));
                self.leaf(&within, h, alive.sign);
                self.path.pop();
            }
            self.path.pop();
        }
    }
}

/// Sum of a row of the table.
fn row_total(row: &[NodeStats]) -> NodeStats {
    let mut total = NodeStats::default();
    row.iter().for_each(|cell| total += *cell);
    total
}

/// Accumulates a table along its first axis.
fn accumulate_rows(table: &mut [NodeStats], width: usize) {
    for at in width..table.len() {
        let before = table[at - width];
        table[at] += before;
    }
}

/// The cells of a proposition on the first axis of prefix sums, whose layers have `width` cells.
#[inline]
fn slice<T: Copy + Sub<Output = T>>(out: &mut [T], sums: &[T], p: Proposition, width: usize) {
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
