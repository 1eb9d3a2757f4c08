//! The walk over one subtree of rules: features in search order, intervals from the widest to the narrowest,
//! with the rows of each filtered from those of the one before.

use std::ops::Range;

use super::leaf::{Leaf, Tally};
use super::siblings::{Alive, Siblings, accumulate};
use super::{BoxPattern, BoxRoot, BoxSpace, Proposition};
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
        list.extend(within.iter().copied().filter(|&r| p.holds(codes[r as usize])));
        true
    }
}

/// Buffers of one depth.
#[derive(Default)]
struct Frame {
    prefix: Vec<NodeStats>,
    alive: Vec<Alive>,
    rows: Vec<u32>,
}

pub(super) struct Walker<'a, V> {
    pub space: &'a BoxSpace,
    pub weights: &'a RowWeights,
    pub visitor: &'a mut V,
    pub path: Path,
    pub nodes: u64,
    pub stopped: bool,
    pub correlation: Vec<f64>,
    frames: Vec<Frame>,
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
            ticks: 0,
        }
    }

    /// Walks the subtree; false if it was ended early.
    pub fn run(mut self, root: BoxRoot) -> bool {
        let sign = self.space.sign;
        let space = self.space;
        match root {
            BoxRoot::Single(f) => self.leaf(&space.all_rows, f, sign),
            BoxRoot::Pairs(f, (from, to)) => self.walk_pairs(f, from..to),
            BoxRoot::Slice(f, g, (from, to)) => {
                self.branch(&space.all_rows, f, sign, false, from..to, g..g + 1);
            }
        }
        self.visitor.count(self.nodes);
        !self.stopped
    }

    /// Rules whose first proposition is on `f` and second on a feature in `second`.
    fn walk_pairs(&mut self, f: usize, second: Range<usize>) {
        let space = self.space;
        for g in second {
            if self.should_stop() {
                return;
            }
            if space.is_cubic(f, g) {
                self.walk_pair_by_cubes(f, g);
            } else {
                self.branch(&space.all_rows, f, space.sign, false, 0..usize::MAX, g..g + 1);
            }
        }
    }

    /// All rules that extend the path by a proposition on `f`, and their descendants.
    fn extend_by(&mut self, rows: &[u32], f: usize, sign: Sign) {
        if self.should_stop() {
            return;
        }
        let features = self.space.features.len();
        if self.path.len() + 1 >= self.space.max_features || f + 1 >= features {
            self.leaf(rows, f, sign);
        } else {
            self.branch(rows, f, sign, true, 0..usize::MAX, f + 1..features);
        }
    }

    /// Visits each proposition of `f` that starts at a bin in `part` (reports it, if `enter`), and descends
    /// with the next feature in `next`.
    fn branch(
        &mut self,
        rows: &[u32],
        f: usize,
        sign: Sign,
        enter: bool,
        part: Range<usize>,
        next: Range<usize>,
    ) {
        let mut frame = self.frames.pop().unwrap_or_default();
        let mut prefix = std::mem::take(&mut frame.prefix);
        self.prefix(rows, f, &mut prefix);
        let siblings = Siblings { f, prefix: &prefix, sign, enter, extend: true };
        let (bins, cells) = (self.space.features[f].bins, self.space.features[f].cells());
        let mut lo = part.start;
        while lo < part.end.min(cells) && !self.should_stop() {
            frame.alive.clear();
            let more = self.intervals_from(&siblings, lo, &mut frame.alive);
            self.children(rows, f, &mut frame, next.clone());
            lo = if more || lo >= bins { lo + 1 } else { bins };
        }
        frame.prefix = prefix;
        self.frames.push(frame);
    }

    /// Descends into each proposition of `f` that is not pruned, with the next feature in `next`.
    fn children(&mut self, parent: &[u32], f: usize, frame: &mut Frame, next: Range<usize>) {
        let codes = &self.space.codes[f];
        let mut rows = std::mem::take(&mut frame.rows);
        let mut last: Option<Proposition> = None;
        for &Alive { proposition: p, sign } in &frame.alive {
            if last.is_some_and(|last| !p.negated && !last.negated && last.lo == p.lo && p.hi <= last.hi) {
                rows.retain(|&r| codes[r as usize] <= p.hi);
            } else {
                rows.clear();
                rows.extend(parent.iter().filter(|&&r| p.holds(codes[r as usize])));
            }
            last = Some(p);
            self.path.push((f, p));
            for g in next.clone() {
                if self.stopped {
                    break;
                }
                self.extend_by(&rows, g, sign);
            }
            self.path.pop();
        }
        frame.rows = rows;
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
        for &r in rows {
            correlation[codes[r as usize] as usize + 1] += self.weights.residual[r as usize];
        }
        for b in 0..cells {
            correlation[b + 1] += correlation[b];
        }
        Leaf { walker: self, f, sign, within: Some(rows) }.scan(&correlation, weight, || {
            let mut prefix = vec![Tally::default(); cells + 1];
            for &r in rows {
                prefix[codes[r as usize] as usize + 1] += Tally::from(&stats[r as usize]);
            }
            accumulate(&mut prefix);
            prefix
        });
        self.correlation = correlation;
    }

    /// Prefix sums of the rows by bin of `f`.
    fn prefix(&self, rows: &[u32], f: usize, prefix: &mut Vec<NodeStats>) {
        let cells = self.space.features[f].cells();
        let codes = &self.space.codes[f];
        prefix.clear();
        prefix.resize(cells + 1, NodeStats::default());
        for &r in rows {
            prefix[codes[r as usize] as usize + 1] += self.weights.stats[r as usize];
        }
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
