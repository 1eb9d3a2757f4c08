//! Cubes of sums for three features: one pass over the rows fills a cube, and its prefix sums give the sums of all
//! combinations of intervals.
//!
//! A pair of propositions whose rules with a third feature are bounded below the threshold ([`super::last_two`]) is not
//! combined with it, and a cube without such pairs is not filled: cross-validation over 1,101 rows and 38 columns took a third
//! of the time.
//!
//! Tables of two features read each row once for every interval of the first feature that contains it; a cube
//! reads each row once for every triple of features.

use std::cell::OnceCell;
use std::ops::{AddAssign, Sub};

use super::last_two::{Parent, largest};
use super::leaf::{Leaf, Tally};
use super::pairs::{Frame, extremes};
use super::rare_rows::RareRows;
use super::siblings::{Alive, accumulate};
use super::walk::Walker;
use super::{BoxPattern, BoxSpace, Proposition};
use crate::data::row_codes::{RowCodes, with_codes};
use crate::space::{Bound, NodeStats, RowWeights, Sign, Visitor};

/// A proposition on the first feature, its place among those of the search, and the propositions on the second with it.
pub(super) struct Pairs {
    at: usize,
    outer: Alive,
    inner: Vec<Alive>,
    /// What a third proposition needs beside each of these.
    needs: Vec<Need>,
    /// The least of [`Need::up`], and of [`Need::down`].
    least: [f64; 2],
}

/// What a third proposition needs beside two others, if the rule is to pass.
#[derive(Clone, Copy)]
struct Need {
    /// Its sum beside the first proposition alone must exceed this, see [`super::last_two`], ...
    up: f64,
    /// ... or minus its sum this.
    down: f64,
    /// The range of the prefix sums beside both must exceed this.
    range: f64,
}

impl Pairs {
    pub fn new(at: usize, outer: Alive, inner: Vec<Alive>, bound: &impl Bound, length: usize) -> Self {
        let needs: Vec<Need> =
            inner.iter().map(|alive| Need::new(&outer.sums, alive, bound, length)).collect();
        let least = needs.iter().fold([f64::INFINITY; 2], |[up, down], n| [up.min(n.up), down.min(n.down)]);
        Self { at, outer, inner, needs, least }
    }

    /// Whether a proposition with these largest sums beside the first may follow some pair: exactly, as each sum is
    /// compared by itself.
    fn may_have_third(&self, [up, down]: [f64; 2]) -> bool {
        up > self.least[0] || down > self.least[1]
    }
}

impl Need {
    /// Of rules of `length` propositions, below a proposition with the sums `whole` and a second one.
    fn new(whole: &NodeStats, second: &Alive, bound: &impl Bound, length: usize) -> Self {
        let &Alive { sign, sums, .. } = second;
        let [up, down] = bound.needed(sums.weight, length);
        // Rows of the first proposition outside the second one take no more than their residuals of the other sign.
        let beside = |own: f64, needed: f64, outside: f64, excluded: Sign| {
            let is_out_of_reach = sign == excluded || own <= needed;
            if is_out_of_reach {
                f64::INFINITY
            } else {
                needed - outside - ROUNDING * (needed.abs() + outside)
            }
        };
        Self {
            up: beside(sums.positive, up, whole.negative - sums.negative, Sign::Minus),
            down: beside(sums.negative, down, whole.positive - sums.positive, Sign::Plus),
            range: up.min(down),
        }
    }

    /// Whether some proposition with these largest sums may do.
    #[inline]
    fn is_met(&self, [up, down]: [f64; 2]) -> bool {
        up > self.up || down > self.down
    }
}

/// Fraction of two sums by which their difference may be smaller than it is computed.
const ROUNDING: f64 = 1e-10;

/// Three features, the codes of their rows, and what is known of their cube.
struct Triple<'a> {
    features: [usize; 3],
    sizes: [usize; 3],
    plane: &'a Plane,
    cube: &'a [f64],
}

/// The plane of two features.
struct Plane {
    /// Cell of each row.
    cells: Vec<u32>,
    size: usize,
    /// Sums of the cells, for third features of which few rows are read.
    residual: OnceCell<Vec<f64>>,
    tallies: OnceCell<Vec<Tally>>,
}

impl Plane {
    fn new(space: &BoxSpace, f: usize, g: usize) -> Self {
        let (bf, bg) = (space.features[f].cells(), space.features[g].cells());
        let mut cells = vec![0; space.n_rows];
        for (codes, factor) in [(&space.codes[f], bg as u32), (&space.codes[g], 1)] {
            with_codes!(codes, codes => {
                cells.iter_mut().zip(codes).for_each(|(cell, &code)| *cell += u32::from(code) * factor);
            });
        }
        Self { cells, size: bf * bg, residual: OnceCell::new(), tallies: OnceCell::new() }
    }

    fn sums<T: Copy + Default + AddAssign>(&self, values: impl Iterator<Item = T>) -> Vec<T> {
        let mut sums = vec![T::default(); self.size];
        self.cells.iter().zip(values).for_each(|(&cell, value)| sums[cell as usize] += value);
        sums
    }
}

impl<V: Visitor<BoxPattern>> Walker<'_, V> {
    /// Rules of `f`, `g` and a third feature: by cubes where these are not too large.
    pub fn third_features(&mut self, f: usize, g: usize, pairs: &[Pairs], frame: &mut Frame) {
        let space = self.space;
        let (bf, bg) = (space.features[f].cells(), space.features[g].cells());
        self.bound_thirds(g, pairs, frame);
        let is_cubic = |&h: &usize| space.is_cube_faster(bf * bg * space.features[h].cells());
        let (cubic, others): (Vec<usize>, Vec<usize>) = (g + 1..space.features.len()).partition(is_cubic);
        self.third_by_cubes(f, g, &cubic, pairs);
        if others.is_empty() {
            return;
        }
        for Pairs { at, outer, inner, .. } in pairs {
            frame.region.rows_of(outer.proposition, &mut frame.rows);
            self.path.push((f, outer.proposition));
            let own = Parent { at: *at, sums: outer.sums };
            self.descend(&frame.rows, g, inner, Some(own), others.iter().copied());
            self.path.pop();
        }
    }

    /// Bounds the rules of each proposition on the first feature and one on a feature after `g`, see [`super::last_two`].
    fn bound_thirds(&mut self, g: usize, pairs: &[Pairs], frame: &mut Frame) {
        let (space, weights) = (self.space, self.weights);
        let Frame { region, correlations: table, .. } = frame;
        for h in g + 1..space.features.len() {
            if pairs.iter().all(|pair| self.largest.is_known(pair.at, h)) {
                continue;
            }
            let feature = &space.features[h];
            region.residual(table, space, h, weights);
            let width = feature.cells() + 1;
            let mut correlation = vec![0.0; width];
            for &Pairs { at, outer: Alive { proposition, sums, .. }, .. } in pairs {
                slice(&mut correlation, table, region.shifted(proposition), width);
                let bounds = || largest(correlation.iter().copied(), feature.nominal);
                self.largest.set(self.path.len() + 1, Parent { at, sums }, h, bounds);
            }
        }
    }

    /// The rules of `f`, `g` and each of some third features, from their cubes.
    fn third_by_cubes(&mut self, f: usize, g: usize, third: &[usize], pairs: &[Pairs]) {
        if third.is_empty() {
            return;
        }
        let (space, weights) = (self.space, self.weights);
        let (bf, bg) = (space.features[f].cells(), space.features[g].cells());
        let plane = Plane::new(space, f, g);
        let mut cube = Vec::new();
        for &h in third {
            if self.should_stop() {
                return;
            }
            if !pairs.iter().any(|pair| pair.may_have_third(self.largest.of(pair.at, h))) {
                continue;
            }
            let sizes = [bf, bg, space.features[h].cells()];
            let all = || plane.residual.get_or_init(|| plane.sums(weights.residual.iter().copied()));
            let rare = space.rare_rows[h].as_ref().map(|rare| (rare, &all()[..]));
            fill(&mut cube, &plane.cells, &space.codes[h], sizes, rare, |row| weights.residual[row]);
            let triple = Triple { features: [f, g, h], sizes, plane: &plane, cube: &cube };
            self.third(&triple, pairs);
        }
    }

    /// The rules of three features from the cube of their sums; that of their tallies is filled where it takes less time
    /// than to count the rows of single pairs.
    fn third(&mut self, triple: &Triple<'_>, pairs: &[Pairs]) {
        let (space, weights) = (self.space, self.weights);
        let Triple { features: [f, g, h], sizes, plane, cube } = *triple;
        let width = sizes[2] + 1;
        let slab = (sizes[1] + 1) * width;
        let ranges = space.features[h].ranges();
        let (mut layer, mut correlation) = (vec![0.0; slab], vec![0.0; width]);
        let mut tallies: Vec<Tally> = Vec::new();
        let mut counted = 0;
        for pair in pairs {
            let Pairs { at, outer, inner, needs, .. } = pair;
            let largest = self.largest.of(*at, h);
            if !pair.may_have_third(largest) {
                continue;
            }
            let p = outer.proposition;
            slice(&mut layer, cube, p, slab);
            for (need, &Alive { proposition: q, sign, .. }) in needs.iter().zip(inner) {
                if !need.is_met(largest) {
                    continue;
                }
                self.nodes += 1;
                slice(&mut correlation, &layer, q, width);
                let (low, high) = extremes(&correlation);
                if ranges * (high - low) <= need.range {
                    continue;
                }
                let tally = || {
                    if tallies.is_empty() && counted < cube.len() {
                        counted += space.n_rows;
                        return count(space, weights, [(f, p), (g, q)], h);
                    }
                    if tallies.is_empty() {
                        let all = || {
                            plane.tallies.get_or_init(|| plane.sums(weights.stats.iter().map(Tally::from)))
                        };
                        let rare = space.rare_rows[h].as_ref().map(|rare| (rare, &all()[..]));
                        let tally = |row: usize| Tally::from(&weights.stats[row]);
                        fill(&mut tallies, &plane.cells, &space.codes[h], sizes, rare, tally);
                    }
                    slice_twice(&tallies, [p, q], slab, width)
                };
                self.path.extend([(f, p), (g, q)]);
                let bound = self.visitor.bound();
                Leaf { walker: self, f: h, sign, within: None }.propositions(&correlation, bound, tally);
                self.path.clear();
            }
        }
    }
}

/// Prefix sums of the rows of two propositions by bin of `h`.
fn count(
    space: &BoxSpace,
    weights: &RowWeights,
    [(f, p), (g, q)]: [(usize, Proposition); 2],
    h: usize,
) -> Vec<Tally> {
    let [cf, cg, ch] = [f, g, h].map(|k| &space.codes[k]);
    let mut tally = vec![Tally::default(); space.features[h].cells() + 1];
    for r in (0..space.n_rows).filter(|&r| p.holds(cf.get(r)) && q.holds(cg.get(r))) {
        tally[usize::from(ch.get(r)) + 1] += Tally::from(&weights.stats[r]);
    }
    accumulate(&mut tally);
    tally
}

/// The cells of two propositions on the first two axes of a cube of prefix sums.
fn slice_twice(cube: &[Tally], [p, q]: [Proposition; 2], slab: usize, width: usize) -> Vec<Tally> {
    let row = |layer: usize, b: usize, c: usize| cube[layer * slab + b * width + c];
    // Inclusion and exclusion over the ends of both intervals; of a negated one the rest.
    let of_q = |layer: usize, c: usize| {
        let inside = row(layer, usize::from(q.hi) + 1, c) - row(layer, usize::from(q.lo), c);
        if q.negated { row(layer, slab / width - 1, c) - inside } else { inside }
    };
    let of_p = |c: usize| {
        let inside = of_q(usize::from(p.hi) + 1, c) - of_q(usize::from(p.lo), c);
        if p.negated { of_q(cube.len() / slab - 1, c) - inside } else { inside }
    };
    (0..width).map(of_p).collect()
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

/// Fills a cube of prefix sums of one value a row, one plane larger than its bins on each axis. `base` has the cell of each
/// row in the plane of the first two axes; with few rows outside the most frequent bin of the third, these and the sums of
/// the plane suffice.
fn fill<T: Copy + Default + AddAssign + Sub<Output = T>>(
    cube: &mut Vec<T>,
    base: &[u32],
    codes: &RowCodes,
    [bf, bg, bh]: [usize; 3],
    rare: Option<(&RareRows, &[T])>,
    value: impl Fn(usize) -> T,
) {
    let mut cells = vec![T::default(); bf * bg * bh];
    with_codes!(codes, codes => match rare {
        None => for (row, (&cell, &code)) in base.iter().zip(codes).enumerate() {
            cells[cell as usize * bh + code as usize] += value(row);
        },
        Some((rare, all)) => {
            for row in rare.rows.iter().map(|&row| row as usize) {
                cells[base[row] as usize * bh + codes[row] as usize] += value(row);
            }
            cells.chunks_exact_mut(bh).zip(all).for_each(|(cells, &all)| rare.complete(cells, all));
        }
    });
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
