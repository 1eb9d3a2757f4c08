//! The walk over one subtree of rules: features in search order, intervals from the widest to the narrowest.
//! Where [`super::pairs`] does not serve them, the rows of each are filtered from those of the one before.

use std::ops::Range;

use super::last_two::{Largest, Parent, prefix_range};
use super::leaf::{Leaf, Tally};
use super::pairs::Frame;
use super::siblings::{Alive, Siblings, accumulate};
use super::{BoxPattern, BoxRoot, BoxSpace, Proposition};
use crate::data::row_codes::with_codes;
use crate::space::row_loops::{scatter, select};
use crate::space::{Bound, Node, NodeStats, Occurrence, RowWeights, Sign, Step, Visitor};

/// The path of a walk: pairs of search position and proposition.
pub(super) type Path = Vec<(usize, Proposition)>;

/// A node of the walk as the visitor sees it.
struct Spot<'a> {
    space: &'a BoxSpace,
    path: &'a [(usize, Proposition)],
    last: (usize, Proposition),
    within: Option<&'a [u32]>,
}

impl Occurrence<BoxPattern> for Spot<'_> {
    fn pattern(&self) -> BoxPattern {
        let all = self.path.iter().chain(std::iter::once(&self.last));
        BoxPattern::new(all.map(|&(position, p)| (self.space.order[position] as u32, p)).collect())
    }

    fn rows(&self, list: &mut Vec<u32>) -> bool {
        let (codes, p) = (&self.space.codes[self.last.0], self.last.1);
        let Some(within) = self.within else { return false };
        with_codes!(codes, codes => {
            list.extend(within.iter().copied().filter(|&r| p.holds(codes[r as usize].into())));
        });
        true
    }
}

pub(super) struct Walker<'a, V> {
    pub space: &'a BoxSpace,
    pub weights: &'a RowWeights,
    pub visitor: &'a mut V,
    pub path: Path,
    pub nodes: u64,
    pub stopped: bool,
    pub correlation: Vec<f64>,
    pub frames: Vec<Frame>,
    /// See [`super::last_two`].
    pub largest: Largest,
    ticks: u32,
}

impl<'a, V: Visitor<BoxPattern>> Walker<'a, V> {
    pub fn new(space: &'a BoxSpace, weights: &'a RowWeights, visitor: &'a mut V) -> Self {
        let frames = Vec::new();
        Self {
            space,
            weights,
            visitor,
            path: Path::new(),
            nodes: 0,
            stopped: false,
            correlation: Vec::new(),
            frames,
            largest: Largest::default(),
            ticks: 0,
        }
    }

    /// Walks the subtree; false if it was ended early.
    pub fn run(mut self, root: BoxRoot) -> bool {
        let space = self.space;
        match root {
            BoxRoot::Single(f) => self.leaf(&space.all_rows, f, space.sign),
            BoxRoot::Pairs(f, (from, to)) => {
                let second = (from..to).rev().filter(|&g| space.is_cubic(f, g));
                self.walk_pairs(f, 0..usize::MAX, second);
            }
            BoxRoot::Slice(f, (from, to)) => {
                let second = (f + 1..space.features.len()).rev().filter(|&g| !space.is_cubic(f, g));
                self.walk_pairs(f, from..to, second);
            }
        }
        self.visitor.count(self.nodes);
        !self.stopped
    }

    /// Rules whose first proposition is on `f` and starts at a bin in `starts`, and whose second is on one of `second`, which
    /// descend.
    fn walk_pairs(&mut self, f: usize, starts: Range<usize>, second: impl Iterator<Item = usize>) {
        if self.should_stop() {
            return;
        }
        let space = self.space;
        let weights = self.weights;
        let prefix = weights.memo(f, space.features.len(), || {
            let mut prefix = Vec::new();
            self.prefix(&space.all_rows, f, &mut prefix);
            prefix
        });
        let mut alive = Vec::new();
        let siblings = Siblings { f, prefix, sign: space.sign, enter: false, extend: true };
        self.alive(&siblings, starts, &mut alive);
        self.descend(&space.all_rows, f, &alive, None, second);
    }

    /// All rules that extend the path by a proposition on `f`, and their descendants.
    fn extend_by(&mut self, rows: &[u32], f: usize, sign: Sign, parent: Parent) {
        if self.should_stop() {
            return;
        }
        if self.is_last(self.path.len(), f) {
            self.leaf(rows, f, sign);
            let bounds = || prefix_range(&self.correlation, &self.space.features[f]);
            self.largest.set(self.path.len(), parent, f, bounds);
            return;
        }
        let mut frame = self.frames.pop().unwrap_or_default();
        self.prefix(rows, f, &mut frame.prefix);
        self.note_largest(parent, f, &frame.prefix);
        let siblings = Siblings { f, prefix: &frame.prefix, sign, enter: true, extend: true };
        self.alive(&siblings, 0..usize::MAX, &mut frame.alive);
        self.descend(rows, f, &frame.alive, Some(parent), (f + 1..self.space.features.len()).rev());
        self.frames.push(frame);
    }

    /// Whether a proposition on `f` that extends a path of this length is the last.
    pub fn is_last(&self, length: usize, f: usize) -> bool {
        length + 1 >= self.space.max_features || f + 1 >= self.space.features.len()
    }

    /// Descends into each of the propositions of `f`, with the next feature among `next`.
    pub fn children(
        &mut self,
        within: &[u32],
        f: usize,
        alive: &[Alive],
        parent: Option<Parent>,
        next: &[usize],
    ) {
        let codes = &self.space.codes[f];
        let bound = self.visitor.bound();
        let mut rows: Vec<u32> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut last: Option<Proposition> = None;
        for (at, child) in alive.iter().enumerate() {
            let &Alive { proposition: p, sign, sums } = child;
            if !self.is_open(&sums, sign) {
                continue;
            }
            open.clear();
            open.extend(next.iter().filter(|&&g| self.may_end_on(parent, child, g, &bound)));
            if open.is_empty() {
                continue;
            }
            if last.is_some_and(|last| !p.negated && !last.negated && last.lo == p.lo && p.hi <= last.hi) {
                with_codes!(codes, codes => rows.retain(|&r| u16::from(codes[r as usize]) <= p.hi));
            } else {
                with_codes!(codes, codes => {
                    select(within, &mut rows, |_, row| p.holds(codes[row as usize].into()));
                });
            }
            last = Some(p);
            self.path.push((f, p));
            for &g in &open {
                if self.stopped {
                    break;
                }
                self.extend_by(&rows, g, sign, Parent { at, sums });
            }
            self.path.pop();
        }
    }

    /// Whether some rule that extends the path by two propositions, the first with these sums, may still pass: the threshold
    /// may have risen.
    pub fn is_open(&self, sums: &NodeStats, sign: Sign) -> bool {
        let length = self.path.len() + 2;
        self.visitor.bound().subtree(sums.positive, sums.negative, sums.weight, sign, length)
    }

    /// Finds the rules that extend the path by a last proposition on `f`.
    pub fn leaf(&mut self, rows: &[u32], f: usize, sign: Sign) {
        let cells = self.space.features[f].cells();
        let codes = &self.space.codes[f];
        let stats = &self.weights.stats;
        let weight = if self.visitor.bound().uses_weights() {
            rows.iter().map(|&r| stats[r as usize].weight).sum()
        } else {
            0.0
        };
        let mut correlation = std::mem::take(&mut self.correlation);
        correlation.clear();
        correlation.resize(cells + 1, 0.0);
        let residual = &self.weights.residual;
        with_codes!(codes, codes => scatter(&mut correlation, rows.len(), |place| {
            let row = rows[place] as usize;
            (codes[row] as usize + 1, residual[row])
        }));
        for b in 0..cells {
            correlation[b + 1] += correlation[b];
        }
        let (space, weights) = (self.space, self.weights);
        Leaf { walker: self, f, sign, within: Some(rows) }
            .scan(&correlation, weight, || tallies(space, weights, rows, f));
        self.correlation = correlation;
    }

    /// Prefix sums of the rows by bin of `f`.
    pub fn prefix(&self, rows: &[u32], f: usize, prefix: &mut Vec<NodeStats>) {
        let cells = self.space.features[f].cells();
        let codes = &self.space.codes[f];
        prefix.clear();
        prefix.resize(cells + 1, NodeStats::default());
        with_codes!(codes, codes => for &r in rows {
            prefix[codes[r as usize] as usize + 1] += self.weights.stats[r as usize];
        });
        accumulate(prefix);
    }

    /// Reports a pattern with this correlation and weight to the visitor; `within` are the rows of its parent, if the
    /// walk has them.
    pub fn enter(
        &mut self,
        f: usize,
        p: Proposition,
        (correlation, weight): (f64, f64),
        sign: Sign,
        within: Option<&[u32]>,
    ) {
        let source = Spot { space: self.space, path: &self.path, last: (f, p), within };
        let node = Node { correlation, weight, length: self.path.len() + 1, sign, source: &source };
        self.stopped |= self.visitor.enter(node) == Step::Stop;
    }

    /// Whether to end the walk; called at every node, evaluated at intervals.
    pub fn should_stop(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(256) {
            self.visitor.count(std::mem::take(&mut self.nodes));
            self.stopped |= self.visitor.should_stop();
        }
        self.stopped
    }
}

/// Prefix sums of the weights and counts of some rows by bin of `f`.
pub(super) fn tallies(space: &BoxSpace, weights: &RowWeights, rows: &[u32], f: usize) -> Vec<Tally> {
    let codes = &space.codes[f];
    let mut prefix = vec![Tally::default(); space.features[f].cells() + 1];
    with_codes!(codes, codes => for &r in rows {
        prefix[codes[r as usize] as usize + 1] += Tally::from(&weights.stats[r as usize]);
    });
    accumulate(&mut prefix);
    prefix
}
