//! Tables of sums over two features of the rows of a node.
//!
//! ```text
//! T[b][c] = sum over the rows of the node whose bin of f is before b and whose bin of g is before c
//! ```
//!
//! The difference of two rows of T are the prefix sums by bin of g of an interval of f, so that the rows of the node are
//! read once for all intervals of f in place of once for each. Where the interval of g is the last proposition, the
//! smallest and the largest of them bound all its intervals, see [`super::leaf`].

use std::ops::{AddAssign, Sub};

use super::cube::{Pairs, slice};
use super::last_two::{Parent, prefix_range};
use super::leaf::{Leaf, passes};
use super::rare_rows::RareRows;
use super::siblings::{Alive, Siblings};
use super::walk::{Walker, tallies};
use super::{BoxPattern, BoxSpace, Proposition};
use crate::data::row_codes::{Code, RowCodes, with_codes};
use crate::space::row_loops::{scatter, select};
use crate::space::{NodeStats, RowWeights, Visitor};

/// Buffers of one depth.
#[derive(Default)]
pub(super) struct Frame {
    pub prefix: Vec<NodeStats>,
    pub alive: Vec<Alive>,
    pub region: Region,
    pub rows: Vec<u32>,
    pub correlations: Vec<f64>,
    correlation: Vec<f64>,
    stats: Vec<NodeStats>,
}

/// The rows of a node that may satisfy one of some propositions on a feature: those in a range of bins.
#[derive(Default)]
pub(super) struct Region {
    /// First bin, and the number of bins.
    first: usize,
    width: usize,
    rows: Vec<u32>,
    /// Bin of each row, from the first bin of the region on.
    bins: Vec<u16>,
    /// The same for every row of the data, [`OUTSIDE`] for the others; empty until a feature has few rows to read.
    bin_of: Vec<u16>,
    /// Sums by bin, likewise.
    residual: Vec<f64>,
    stats: Vec<NodeStats>,
}

/// The bin of rows outside of a region.
const OUTSIDE: u16 = u16::MAX;

impl Region {
    /// The bins of the propositions, without rows.
    fn bounds(alive: &[Alive], cells: usize) -> (usize, usize) {
        if alive.iter().any(|a| a.proposition.negated) {
            return (0, cells);
        }
        let first = alive.iter().map(|a| usize::from(a.proposition.lo)).min().unwrap_or(0);
        let last = alive.iter().map(|a| usize::from(a.proposition.hi)).max().unwrap_or(0);
        (first, last + 1 - first)
    }

    fn collect(&mut self, rows: &[u32], codes: &RowCodes, (first, width): (usize, usize)) {
        (self.first, self.width) = (first, width);
        self.rows.resize(rows.len(), 0);
        self.bins.resize(rows.len(), 0);
        self.bin_of.clear();
        self.residual.clear();
        self.stats.clear();
        let mut count = 0;
        // Without branches, which would be unpredictable.
        with_codes!(codes, codes => for &r in rows {
            let bin = u16::from(codes[r as usize]).wrapping_sub(first as u16);
            (self.rows[count], self.bins[count]) = (r, bin);
            count += usize::from(usize::from(bin) < width);
        });
        self.rows.truncate(count);
        self.bins.truncate(count);
    }

    /// The table of the residual of the rows, with feature `g`.
    pub fn residual(&mut self, table: &mut Vec<f64>, space: &BoxSpace, g: usize, weights: &RowWeights) {
        let mut sums = std::mem::take(&mut self.residual);
        self.tabulate(table, space, g, &weights.residual, &mut sums);
        self.residual = sums;
    }

    /// The table of all sums of the rows, with feature `g`.
    fn stats(&mut self, table: &mut Vec<NodeStats>, space: &BoxSpace, g: usize, weights: &RowWeights) {
        let mut sums = std::mem::take(&mut self.stats);
        self.tabulate(table, space, g, &weights.stats, &mut sums);
        self.stats = sums;
    }

    fn tabulate<T: Copy + Default + AddAssign + Sub<Output = T>>(
        &mut self,
        table: &mut Vec<T>,
        space: &BoxSpace,
        g: usize,
        values: &[T],
        sums: &mut Vec<T>,
    ) {
        let (codes, length) = (&space.codes[g], space.features[g].cells() + 1);
        table.clear();
        table.resize((self.width + 1) * length, T::default());
        if let Some(rare) = self.rare_rows(space, g) {
            self.index(values, sums);
            with_codes!(codes, codes => self.add_rare(rare, table, length, codes, values));
            for (row, &sum) in table.chunks_exact_mut(length).skip(1).zip(&*sums) {
                rare.complete(&mut row[1..], sum);
            }
        } else {
            with_codes!(codes, codes => self.add_all(table, length, codes, values));
        }
        for b in 1..=self.width {
            let (above, row) = table.split_at_mut(b * length);
            let mut sum = T::default();
            for (cell, above) in row[..length].iter_mut().zip(&above[(b - 1) * length..]) {
                sum += *cell;
                *cell = *above;
                *cell += sum;
            }
        }
    }

    /// Adds the rows to the cells of a table.
    fn add_all<T: Copy + Default + AddAssign, C: Code>(
        &self,
        table: &mut [T],
        length: usize,
        codes: &[C],
        values: &[T],
    ) {
        let (rows, bins) = (&self.rows[..], &self.bins[..self.rows.len()]);
        scatter(table, rows.len(), |place| {
            let row = rows[place] as usize;
            let code: u16 = codes[row].into();
            ((usize::from(bins[place]) + 1) * length + usize::from(code) + 1, values[row])
        });
    }

    /// Adds those of the rows that are rare.
    fn add_rare<T: Copy + AddAssign, C: Code>(
        &self,
        rare: &RareRows,
        table: &mut [T],
        length: usize,
        codes: &[C],
        values: &[T],
    ) {
        for &r in &rare.rows {
            let (bin, code): (u16, u16) = (self.bin_of[r as usize], codes[r as usize].into());
            if bin != OUTSIDE {
                table[(usize::from(bin) + 1) * length + usize::from(code) + 1] += values[r as usize];
            }
        }
    }

    /// Those of `g`, if they are fewer than the rows of the region by far.
    fn rare_rows<'s>(&self, space: &'s BoxSpace, g: usize) -> Option<&'s RareRows> {
        let is_indexable = self.width < usize::from(OUTSIDE);
        space.rare_rows[g].as_ref().filter(|rare| is_indexable && 2 * rare.rows.len() < self.rows.len())
    }

    /// Finds the bin of every row of the data, and the sums by bin, where they are not known.
    fn index<T: Copy + Default + AddAssign>(&mut self, values: &[T], sums: &mut Vec<T>) {
        let rows = || self.rows.iter().zip(&self.bins);
        if self.bin_of.is_empty() {
            self.bin_of.resize(values.len(), OUTSIDE);
            rows().for_each(|(&r, &bin)| self.bin_of[r as usize] = bin);
        }
        if sums.is_empty() {
            sums.resize(self.width, T::default());
            rows().for_each(|(&r, &bin)| sums[usize::from(bin)] += values[r as usize]);
        }
    }

    /// A proposition as one on the bins of the region.
    pub fn shifted(&self, p: Proposition) -> Proposition {
        Proposition { lo: p.lo - self.first as u16, hi: p.hi - self.first as u16, negated: p.negated }
    }

    /// The rows of a proposition.
    pub fn rows_of(&self, p: Proposition, out: &mut Vec<u32>) {
        let (p, bins) = (self.shifted(p), &self.bins[..self.rows.len()]);
        select(&self.rows, out, |place, _| p.holds(bins[place]));
    }
}

impl<V: Visitor<BoxPattern>> Walker<'_, V> {
    /// All rules that extend the path by one of the propositions on `f` and one on a feature in `next`, and their
    /// descendants.
    pub fn descend(
        &mut self,
        rows: &[u32],
        f: usize,
        alive: &[Alive],
        parent: Option<Parent>,
        next: impl Iterator<Item = usize>,
    ) {
        if alive.is_empty() {
            return;
        }
        let space = self.space;
        let mut frame = self.frames.pop().unwrap_or_default();
        let (first, width) = Region::bounds(alive, space.features[f].cells());
        frame.region.width = 0;
        self.forget_largest(alive.len());
        let (mut by_rows, mut open) = (Vec::new(), Vec::new());
        for g in next {
            if self.should_stop() {
                break;
            }
            let cells = space.features[g].cells();
            open.clear();
            let bound = self.visitor.bound();
            open.extend(alive.iter().enumerate().filter(|(_, a)| self.may_end_on(parent, a, g, &bound)));
            if open.is_empty() {
                continue;
            }
            let n_rows: f64 = open.iter().map(|(_, a)| a.sums.count.min(rows.len() as f64)).sum();
            let n_read =
                space.rare_rows[g].as_ref().map_or(rows.len(), |rare| rare.rows.len().min(rows.len()));
            let by_table = n_read + width * cells;
            if by_table > n_rows as usize + open.len() * cells && !self.lists_pairs(f, g) {
                by_rows.push(g);
                continue;
            }
            if frame.region.width == 0 {
                frame.region.collect(rows, &space.codes[f], (first, width));
            }
            if self.is_last(self.path.len() + 1, g) && !self.lists_pairs(f, g) {
                self.leaves(f, g, &open, &mut frame);
            } else {
                self.branches(f, g, &open, &mut frame);
            }
        }
        if !by_rows.is_empty() {
            self.children(rows, f, alive, parent, &by_rows);
        }
        self.frames.push(frame);
    }

    /// Rules whose last propositions are one of `f` and one of `g`.
    fn leaves(&mut self, f: usize, g: usize, alive: &[(usize, &Alive)], frame: &mut Frame) {
        let (space, weights) = (self.space, self.weights);
        let feature = &space.features[g];
        let Frame { region, rows, correlations: table, correlation, .. } = frame;
        region.residual(table, space, g, weights);
        let width = feature.cells() + 1;
        correlation.resize(width, 0.0);
        self.nodes += alive.len() as u64;
        for &(at, &Alive { proposition: p, sign, sums }) in alive {
            if self.stopped {
                return;
            }
            slice(correlation, table, region.shifted(p), width);
            let (low, high) = extremes(correlation);
            let bounds = || prefix_range(correlation, feature);
            self.largest.set(self.path.len() + 1, Parent { at, sums }, g, bounds);
            let bound = self.visitor.bound();
            if !passes(low, high, sums.weight, &bound, self.path.len() + 2, feature) {
                continue;
            }
            region.rows_of(p, rows);
            self.path.push((f, p));
            let tally = || tallies(space, weights, rows, g);
            Leaf { walker: self, f: g, sign, within: Some(rows) }.propositions(correlation, bound, tally);
            self.path.pop();
        }
    }

    /// Rules with one of the propositions of `f` and one of `g`, and their descendants.
    fn branches(&mut self, f: usize, g: usize, alive: &[(usize, &Alive)], frame: &mut Frame) {
        let space = self.space;
        let width = space.features[g].cells() + 1;
        let (extend, lists_pairs) = (!self.is_last(self.path.len() + 1, g), self.lists_pairs(f, g));
        frame.region.stats(&mut frame.stats, space, g, self.weights);
        let mut prefix = std::mem::take(&mut frame.prefix);
        prefix.clear();
        prefix.resize(width, NodeStats::default());
        let mut pairs: Vec<Pairs> = Vec::new();
        for &(at, outer) in alive {
            if self.should_stop() {
                break;
            }
            if !self.is_open(&outer.sums, outer.sign) {
                continue;
            }
            let p = outer.proposition;
            slice(&mut prefix, &frame.stats, frame.region.shifted(p), width);
            let own = Parent { at, sums: outer.sums };
            self.path.push((f, p));
            self.note_largest(own, g, &prefix);
            if extend || self.is_last_open(&prefix, outer.sums.weight, g) {
                let siblings = Siblings { f: g, prefix: &prefix, sign: outer.sign, enter: true, extend };
                let mut inner = std::mem::take(&mut frame.alive);
                self.alive(&siblings, 0..usize::MAX, &mut inner);
                if lists_pairs && !inner.is_empty() {
                    let (bound, length) = (self.visitor.bound(), self.path.len() + 2);
                    pairs.push(Pairs::new(at, *outer, inner.clone(), &bound, length));
                } else if !inner.is_empty() {
                    frame.region.rows_of(p, &mut frame.rows);
                    let next = (g + 1..space.features.len()).rev();
                    self.descend(&frame.rows, g, &inner, Some(own), next);
                }
                frame.alive = inner;
            }
            self.path.pop();
        }
        frame.prefix = prefix;
        if !pairs.is_empty() {
            self.third_features(f, g, &pairs, frame);
        }
    }

    /// Whether some rule that extends the path by a last proposition on `g` may pass, with these sums by its bin.
    fn is_last_open(&mut self, prefix: &[NodeStats], weight: f64, g: usize) -> bool {
        self.correlation.clear();
        self.correlation.extend(prefix.iter().map(NodeStats::correlation));
        let (low, high) = extremes(&self.correlation);
        passes(low, high, weight, &self.visitor.bound(), self.path.len() + 1, &self.space.features[g])
    }

    /// Whether the pairs of propositions on the first two features are listed, so that cubes may serve a third.
    fn lists_pairs(&self, f: usize, g: usize) -> bool {
        self.path.is_empty() && self.space.is_cubic(f, g)
    }
}

/// The smallest and the largest number, each of four running ones: one alone waits for each comparison.
pub(super) fn extremes(numbers: &[f64]) -> (f64, f64) {
    const LANES: usize = 4;
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (parts, rest) = numbers.as_chunks::<LANES>();
    for part in parts {
        for k in 0..LANES {
            low[k] = if part[k] < low[k] { part[k] } else { low[k] };
            high[k] = if part[k] > high[k] { part[k] } else { high[k] };
        }
    }
    let least = low.iter().chain(rest).fold(f64::INFINITY, |low, &x| if x < low { x } else { low });
    let most = high.iter().chain(rest).fold(f64::NEG_INFINITY, |high, &x| if x > high { x } else { high });
    (least, most)
}
