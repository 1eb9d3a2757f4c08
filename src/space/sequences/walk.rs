//! The walk over one subtree.

use super::project::Ends;
use super::{Extension, NO_EVENT, Sequence, SequenceRoot, SequenceSpace};
use crate::space::bit_rows::BLOCK;
use crate::space::{self, Bound, Node, NodeStats, Occurrence, ReportMode, RowWeights, Sign, Visitor};

/// A walk with its buffers.
pub(super) struct Walk<'a, V> {
    pub(super) space: &'a SequenceSpace,
    pub(super) weights: &'a RowWeights,
    pub(super) visitor: &'a mut V,
    /// Sums of the children of the current node by item: in a new event, and in the last event; 0 between
    /// nodes, and none before the first node that has children.
    sums: [Vec<NodeStats>; 2],
    /// Last row that added to each sum, plus 1.
    seen: [Vec<u32>; 2],
    /// The children with nonzero sums.
    touched: Vec<Extension>,
    /// Approximate sums of the longest sequences, by item.
    pub(super) coarse: Vec<f32>,
}

/// A child that is not pruned.
pub(super) type Child = (Extension, NodeStats);

/// The data from which the pattern and the rows of a child are computed.
struct Here<'a> {
    space: &'a SequenceSpace,
    prefix: &'a Sequence,
    step: Extension,
    ends: Option<&'a Ends>,
}

impl Occurrence<Sequence> for Here<'_> {
    fn pattern(&self) -> Sequence {
        self.prefix.extended(self.step)
    }

    fn rows(&self, list: &mut Vec<u32>) -> bool {
        match self.ends {
            Some(ends) => list.extend(self.space.project(ends, self.step).rows),
            None => list.extend(&self.space.occurrences[self.step.item as usize].rows),
        }
        true
    }
}

impl<'a, V: Visitor<Sequence>> Walk<'a, V> {
    pub fn new(space: &'a SequenceSpace, weights: &'a RowWeights, visitor: &'a mut V) -> Self {
        let (sums, seen) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        Self { space, weights, visitor, sums, seen, touched: Vec::new(), coarse: Vec::new() }
    }

    pub(super) fn total(&self, rows: &[u32]) -> NodeStats {
        let mut total = NodeStats::default();
        rows.iter().for_each(|&r| total += self.weights.stats[r as usize]);
        total
    }

    /// All sequences of a subtree. False if the visitor ended the walk.
    pub fn root(&mut self, root: SequenceRoot) -> bool {
        let (SequenceRoot::All(item) | SequenceRoot::Single(item) | SequenceRoot::Pair(item, _)) = root;
        let space = self.space;
        let first = &space.start(item);
        let (step, nothing) = (Extension { item, is_joined: false }, Sequence::default());
        let child = (step, self.total(&first.rows));
        if !matches!(root, SequenceRoot::Pair(..)) {
            self.visitor.count(1);
            if !self.matters(&child, 1) {
                return true;
            }
            if !self.enter(&child, &nothing, f64::INFINITY, None) {
                return false;
            }
        }
        let goes_on = space.limits.max_length > 1 && self.could_matter(&child.1, 2);
        if goes_on {
            // Of many items few have children: the others take no memory for them.
            self.sums.iter_mut().for_each(|sums| sums.resize(space.n_items, NodeStats::default()));
            self.seen.iter_mut().for_each(|seen| seen.resize(space.n_items, 0));
            self.coarse.resize(space.n_items.next_multiple_of(BLOCK), 0.0);
        }
        let prefix = nothing.extended(step);
        match root {
            SequenceRoot::Single(_) => true,
            SequenceRoot::All(_) => !goes_on || self.below(&prefix, first, child.1.count, None),
            SequenceRoot::Pair(_, next) => !goes_on || self.pair(&prefix, first, child.1.count, next),
        }
    }

    /// All sequences that begin with a prefix and an extension of it.
    fn pair(&mut self, prefix: &Sequence, ends: &Ends, count: f64, step: Extension) -> bool {
        let longer = self.space.project(ends, step);
        let child = (step, self.total(&longer.rows));
        self.visitor.count(1);
        if !self.matters(&child, 2) {
            return true;
        }
        self.enter(&child, prefix, count, Some(ends))
            && (self.space.limits.max_length < 3
                || !self.could_matter(&child.1, 3)
                || self.below(&prefix.extended(step), &longer, child.1.count, None))
    }

    /// All sequences longer than a prefix that begin with it. `alive` are the items of new events that are
    /// not pruned, if they are known.
    fn below(&mut self, prefix: &Sequence, ends: &Ends, count: f64, alive: Option<&[u32]>) -> bool {
        if self.visitor.should_stop() {
            return false;
        }
        let length = prefix.len() + 1;
        if length == self.space.limits.max_length
            && let Some(is_finished) = self.leaves(prefix, ends, count, alive)
        {
            return is_finished;
        }
        let children = self.children(prefix, ends, alive);
        for child in &children {
            if !self.enter(child, prefix, count, Some(ends)) {
                return false;
            }
        }
        if length >= self.space.limits.max_length {
            return true;
        }
        // Without a limit on gaps, an extension of a longer prefix is also one of this prefix.
        let alive: Vec<u32> = children.iter().map(|(step, _)| step.item).collect();
        let alive = (!self.space.next.is_empty()).then_some(alive);
        for (step, sums) in children {
            if self.could_matter(&sums, length + 1) {
                let longer = self.space.project(ends, step);
                if !self.below(&prefix.extended(step), &longer, sums.count, alive.as_deref()) {
                    return false;
                }
            }
        }
        true
    }

    /// The children of a node that are not pruned, in order.
    fn children(&mut self, prefix: &Sequence, ends: &Ends, alive: Option<&[u32]>) -> Vec<Child> {
        if self.space.next.is_empty() {
            self.gather(prefix, ends);
        } else {
            self.look_up(ends, alive);
        }
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable_by_key(|step| (step.is_joined, step.item));
        self.visitor.count(touched.len() as u64);
        let mut children = Vec::new();
        for &step in &touched {
            let (kind, item) = (usize::from(step.is_joined), step.item as usize);
            let child = (step, std::mem::take(&mut self.sums[kind][item]));
            self.seen[kind][item] = 0;
            if self.matters(&child, prefix.len() + 1) {
                children.push(child);
            }
        }
        touched.clear();
        self.touched = touched;
        children
    }

    /// Sums of the new events by the table of next occurrences.
    fn look_up(&mut self, ends: &Ends, alive: Option<&[u32]>) {
        let (space, m) = (self.space, self.space.n_items);
        let all: Vec<u32> = if alive.is_some() { Vec::new() } else { (0..m as u32).collect() };
        let items = alive.unwrap_or(&all);
        for (k, &row) in ends.rows.iter().enumerate() {
            let next = &space.next[ends.at[k] as usize * m..][..m];
            let row_stats = &self.weights.stats[row as usize];
            for &item in items {
                if next[item as usize] != NO_EVENT {
                    self.sums[0][item as usize] += *row_stats;
                }
            }
        }
        let met = items.iter().filter(|&&item| self.sums[0][item as usize].count > 0.0);
        self.touched.extend(met.map(|&item| Extension { item, is_joined: false }));
    }

    /// Sums of the children by a scan of the events after every end.
    fn gather(&mut self, prefix: &Sequence, ends: &Ends) {
        let space = self.space;
        let last = prefix.0.last().and_then(|event| event.last()).copied();
        for (k, &row) in ends.rows.iter().enumerate() {
            let row_stats = &self.weights.stats[row as usize];
            space.onward(row, ends.of(k), |event| {
                for &item in space.data.event(event) {
                    self.count(Extension { item, is_joined: false }, row, row_stats);
                }
            });
            if space.limits.sets {
                for &end in ends.of(k) {
                    let event = space.data.event(end as usize);
                    for &item in event.iter().filter(|&&item| Some(item) > last) {
                        self.count(Extension { item, is_joined: true }, row, row_stats);
                    }
                }
            }
        }
    }

    /// Adds a row to the sums of a child, once.
    fn count(&mut self, step: Extension, row: u32, row_stats: &NodeStats) {
        let (kind, item) = (usize::from(step.is_joined), step.item as usize);
        let seen = &mut self.seen[kind][item];
        if *seen == 0 {
            self.touched.push(step);
        }
        if *seen != row + 1 {
            *seen = row + 1;
            self.sums[kind][item] += *row_stats;
        }
    }

    /// Whether a child, or a descendant of it, may be active.
    pub(super) fn matters(&self, (_, sums): &Child, length: usize) -> bool {
        sums.count >= self.space.limits.min_support as f64 && self.could_matter(sums, length)
    }

    fn could_matter(&self, sums: &NodeStats, length: usize) -> bool {
        self.visitor.bound().subtree(sums.positive, sums.negative, sums.weight, Sign::Either, length)
    }

    /// Reports a child to the visitor if it exceeds the threshold itself. A child with all `count` rows of its
    /// prefix is not reported to a visitor of the best patterns, because its prefix has the same rows.
    pub(super) fn enter(
        &mut self,
        &(step, sums): &Child,
        prefix: &Sequence,
        count: f64,
        ends: Option<&Ends>,
    ) -> bool {
        let (correlation, length) = (sums.correlation(), prefix.len() + 1);
        let news = sums.count < count || self.visitor.report_mode() == ReportMode::All;
        if !(news && self.visitor.bound().pattern(correlation, sums.weight, Sign::Either, length)) {
            return true;
        }
        let source = Here { space: self.space, prefix, step, ends };
        self.visitor.enter(Node::new(&sums, length, Sign::Either, &source)) != space::Step::Stop
    }
}
