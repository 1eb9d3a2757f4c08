//! Cubes of sums for two and three features: one pass over the rows fills a cube, and its prefix sums give
//! the sums of all combinations of intervals.
//!
//! A walk reads each row once for every pair of intervals that contains it (17 % of all pairs at eight bins);
//! a cube reads each row once for every triple of features.

use super::leaf::{Leaf, Tally};
use super::siblings::{Alive, Siblings, accumulate};
use super::walk::Walker;
use super::{BoxPattern, Proposition};
use crate::space::{NodeStats, RowWeights, Visitor};

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
        let mut cube = Vec::new();
        for h in g + 1..space.features.len() {
            if self.should_stop() {
                return;
            }
            let bh = space.features[h].cells();
            if space.is_cube_faster(bf * bg * bh) {
                fill(&mut cube, &base, self.weights, &space.codes[h], [bf, bg, bh]);
                self.third(f, g, h, &cube, &pairs);
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

    /// The rules of `f`, `g` and `h`, from their cube.
    fn third(&mut self, f: usize, g: usize, h: usize, cube: &[f64], pairs: &[(Alive, Vec<Alive>)]) {
        let [bg, bh] = [g, h].map(|k| self.space.features[k].cells());
        let width = bh + 1;
        let slab = (bg + 1) * width;
        let end = cube.len() - slab;
        let mut layer = vec![0.0; slab];
        let mut correlation = vec![0.0; width];
        for (outer, inner) in pairs {
            let p = outer.proposition;
            let (to, from) =
                (&cube[(p.hi as usize + 1) * slab..][..slab], &cube[p.lo as usize * slab..][..slab]);
            difference(&mut layer, to, from, p.negated.then_some(&cube[end..]));
            self.path.push((f, p));
            for alive in inner {
                let q = alive.proposition;
                let (to, from) = (
                    &layer[(q.hi as usize + 1) * width..][..width],
                    &layer[q.lo as usize * width..][..width],
                );
                difference(&mut correlation, to, from, q.negated.then_some(&layer[slab - width..]));
                self.path.push((g, q));
                let (space, weights) = (self.space, self.weights);
                Leaf { walker: self, f: h, sign: alive.sign, within: None }.scan(&correlation, 0.0, || {
                    let (cf, cg, ch) = (&space.codes[f], &space.codes[g], &space.codes[h]);
                    let mut tally = vec![Tally::default(); bh + 1];
                    for r in (0..space.n_rows).filter(|&r| p.holds(cf[r]) && q.holds(cg[r])) {
                        tally[ch[r] as usize + 1] += Tally::from(&weights.stats[r]);
                    }
                    accumulate(&mut tally);
                    tally
                });
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

/// `out = to - from`, or `total - (to - from)` if a total is given.
#[inline]
fn difference(out: &mut [f64], to: &[f64], from: &[f64], total: Option<&[f64]>) {
    for ((o, t), f) in out.iter_mut().zip(to).zip(from) {
        *o = t - f;
    }
    if let Some(total) = total {
        for (o, w) in out.iter_mut().zip(total) {
            *o = w - *o;
        }
    }
}

/// Fills a cube of prefix sums of the residual, one plane larger than its bins on each axis.
fn fill(cube: &mut Vec<f64>, base: &[u32], weights: &RowWeights, codes: &[u16], [bf, bg, bh]: [usize; 3]) {
    let mut cells = vec![0.0; bf * bg * bh];
    for ((&cell, &code), &residual) in base.iter().zip(codes).zip(&weights.residual) {
        cells[cell as usize * bh + code as usize] += residual;
    }
    let width = bh + 1;
    let slab = (bg + 1) * width;
    cube.clear();
    cube.resize((bf + 1) * slab, 0.0);
    for a in 0..bf {
        for b in 0..bg {
            let mut sum = 0.0;
            let (done, row) = cube.split_at_mut((a + 1) * slab + (b + 1) * width);
            let above = &done[a * slab + (b + 1) * width..][..width];
            let left = &done[(a + 1) * slab + b * width..][..width];
            let corner = &done[a * slab + b * width..][..width];
            for (c, cell) in cells[(a * bg + b) * bh..][..bh].iter().enumerate() {
                sum += cell;
                row[c + 1] = sum + above[c + 1] + left[c + 1] - corner[c + 1];
            }
        }
    }
}
