//! The walk over one subtree.

use super::{ItemSpace, Itemset, bitset};
use crate::space::bit_rows::BLOCK;
use crate::space::{Bound, Node, NodeStats, Occurrence, RowWeights, Sign, Step, Visitor};

/// A walk with its buffers.
pub(super) struct Walk<'a, V> {
    pub(super) space: &'a ItemSpace,
    pub(super) weights: &'a RowWeights,
    pub(super) visitor: &'a mut V,
    /// Items of the current node: search position, and whether the item is contained or negated.
    pub(super) chosen: Vec<(u32, bool)>,
    /// Sums of the children of the current node, by search position; 0 between nodes, and none before the first node that
    /// has children.
    sums: Vec<NodeStats>,
    /// Approximate sums of the largest sets, by search position from that of the first frequent item on.
    pub(super) coarse: Vec<f32>,
}

/// A child that is not pruned: search position, whether the item is contained, sums.
pub(super) type Child = (u32, bool, NodeStats);

/// The data from which the pattern and the rows of a child are computed.
struct Here<'a> {
    space: &'a ItemSpace,
    chosen: &'a [(u32, bool)],
    literal: (u32, bool),
    /// Rows of the parent; `None`: all.
    rows: Option<&'a [u32]>,
}

impl Occurrence<Itemset> for Here<'_> {
    fn pattern(&self) -> Itemset {
        let literals = self.chosen.iter().chain([&self.literal]);
        Itemset::of(literals.map(|&(k, there)| (self.space.order[k as usize], there)))
    }

    fn rows(&self, list: &mut Vec<u32>) -> bool {
        let (k, there) = self.literal;
        match self.rows {
            Some(rows) => list.extend(self.space.narrowed(rows, k as usize, there)),
            None => list.extend(self.space.all_with(k as usize, there)),
        }
        true
    }
}

impl ItemSpace {
    /// All rows that contain the item at a search position, or do not.
    fn all_with(&self, k: usize, there: bool) -> Vec<u32> {
        if there {
            return self.lists[k].clone();
        }
        (0..self.n_rows as u32).filter(|&r| !self.holds(r, k)).collect()
    }
}

/// The rows of a bitset, ascending, at most `len`.
fn members(words: impl Iterator<Item = u64>, len: usize) -> Vec<u32> {
    let mut rows = Vec::with_capacity(len);
    for (at, mut word) in words.enumerate() {
        while word != 0 {
            rows.push(at as u32 * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    rows
}

impl<'a, V: Visitor<Itemset>> Walk<'a, V> {
    pub fn new(space: &'a ItemSpace, weights: &'a RowWeights, visitor: &'a mut V) -> Self {
        Self { space, weights, visitor, chosen: Vec::new(), sums: Vec::new(), coarse: Vec::new() }
    }

    /// All sets with the first item at this search position. False if the visitor ended the walk.
    pub fn root(&mut self, first: usize) -> bool {
        let space = self.space;
        let total = |rows: &[u32]| {
            rows.iter().fold(NodeStats::default(), |mut sum, &r| {
                sum += self.weights.stats[r as usize];
                sum
            })
        };
        let mut children: Vec<Child> = vec![(first as u32, true, total(&space.lists[first]))];
        if space.negations {
            children.push((first as u32, false, total(&space.all_with(first, false))));
        }
        self.visitor.count(children.len() as u64);
        for child in children {
            if !self.matters(&child, self.weights.n_training_rows) {
                continue;
            }
            if !self.enter(&child, None) {
                return false;
            }
            let (k, there, sums) = child;
            if space.max_items > 1 && self.could_matter(&sums, 2) {
                let rows = space.all_with(first, there);
                // Of many items few have children: the others take no memory for them.
                self.sums.resize(space.order.len(), NodeStats::default());
                self.coarse.resize((space.order.len() - space.frequent).next_multiple_of(BLOCK), 0.0);
                let later: Vec<u32> = (first as u32 + 1..space.order.len() as u32).collect();
                self.chosen.push((k, there));
                let is_finished = self.below(&rows, &sums, &later);
                self.chosen.pop();
                if !is_finished {
                    return false;
                }
            }
        }
        true
    }

    /// All sets with the chosen items and some of the candidates (search positions, ascending).
    fn below(&mut self, rows: &[u32], sums: &NodeStats, candidates: &[u32]) -> bool {
        if self.visitor.should_stop() {
            return false;
        }
        let length = self.chosen.len() + 1;
        if length == self.space.max_items
            && let Some(is_finished) = self.leaves(rows, sums, candidates)
        {
            return is_finished;
        }
        let children = self.children(rows, sums, candidates);
        for child in &children {
            if !self.enter(child, Some(rows)) {
                return false;
            }
        }
        if length >= self.space.max_items {
            return true;
        }
        let mut next: Vec<u32> = children.iter().map(|c| c.0).collect();
        next.dedup();
        let words = self.space.n_rows.div_ceil(64);
        let bits = if 2 * words <= rows.len() { bitset(rows, words) } else { Vec::new() };
        let mut after = 0;
        for (k, there, sums) in children {
            while after < next.len() && next[after] <= k {
                after += 1;
            }
            if after == next.len() || !self.could_matter(&sums, length + 1) {
                continue;
            }
            let item = &self.space.bits[k as usize];
            let rows = if bits.is_empty() || item.is_empty() {
                self.space.narrowed(rows, k as usize, there)
            } else {
                members(bits.iter().zip(item).map(|(a, b)| a & if there { *b } else { !b }), rows.len())
            };
            self.chosen.push((k, there));
            let is_finished = self.below(&rows, &sums, &next[after..]);
            self.chosen.pop();
            if !is_finished {
                return false;
            }
        }
        true
    }

    /// The children of a node that are not pruned, in order.
    fn children(&mut self, rows: &[u32], sums: &NodeStats, candidates: &[u32]) -> Vec<Child> {
        let by_rows = self.gather(rows, candidates);
        let negations = self.space.negations;
        let mut children = Vec::new();
        for &k in candidates {
            let child = (k, true, self.sums[k as usize]);
            if self.matters(&child, sums.count) {
                children.push(child);
            }
            if negations {
                let child = (k, false, *sums - self.sums[k as usize]);
                if self.matters(&child, sums.count) {
                    children.push(child);
                }
            }
        }
        self.visitor.count(candidates.len() as u64 * if negations { 2 } else { 1 });
        if by_rows {
            self.clear(rows);
        } else {
            candidates.iter().for_each(|&k| self.sums[k as usize] = NodeStats::default());
        }
        children
    }

    /// Whether a child of a node with `count` rows, or a descendant of it, may be active.
    pub(super) fn matters(&self, (_, _, sums): &Child, count: f64) -> bool {
        sums.count >= self.space.min_support as f64
            && sums.count < count
            && self.could_matter(sums, self.chosen.len() + 1)
    }

    fn could_matter(&self, sums: &NodeStats, length: usize) -> bool {
        self.visitor.bound().subtree(sums.positive, sums.negative, sums.weight, Sign::Either, length)
    }

    /// Reports a child to the visitor if it exceeds the threshold itself.
    pub(super) fn enter(&mut self, &(k, there, sums): &Child, rows: Option<&[u32]>) -> bool {
        let (correlation, length) = (sums.correlation(), self.chosen.len() + 1);
        if !self.visitor.bound().pattern(correlation, sums.weight, Sign::Either, length) {
            return true;
        }
        let source = Here { space: self.space, chosen: &self.chosen, literal: (k, there), rows };
        self.visitor.enter(Node::new(&sums, length, Sign::Either, &source)) != Step::Stop
    }

    /// The costs of [`Self::gather`] by rows and by items, in additions of [`NodeStats`].
    pub(super) fn costs(&self, rows: &[u32], candidates: &[u32]) -> (f64, f64) {
        let space = self.space;
        let words = space.n_rows.div_ceil(64) as f64;
        let last = self.chosen.last().map_or(0, |c| c.0);
        let by_rows = rows.len() as f64 * (space.tail[last as usize] + 4.0);
        let fraction = rows.len() as f64 / space.n_rows as f64;
        let one = |&k: &u32| {
            let list = space.lists[k as usize].len() as f64;
            if space.bits[k as usize].is_empty() { list } else { words + 2.0 * fraction * list }
        };
        (by_rows, 2.0 * words + candidates.iter().map(one).sum::<f64>())
    }

    /// Sums of all candidates over the rows; whether other places were written as well.
    fn gather(&mut self, rows: &[u32], candidates: &[u32]) -> bool {
        let Some(&first) = candidates.first() else { return false };
        let space = self.space;
        let (by_rows, by_items) = self.costs(rows, candidates);
        if by_rows <= by_items {
            for &r in rows {
                let sums = &self.weights.stats[r as usize];
                for &k in space.held(r).iter().rev().take_while(|k| **k >= first) {
                    self.sums[k as usize] += *sums;
                }
            }
            return true;
        }
        let bits = bitset(rows, space.n_rows.div_ceil(64));
        for &k in candidates {
            self.sums[k as usize] = self.meet(k as usize, &bits);
        }
        false
    }

    /// Sums over the rows of a bitset that contain the item at a search position.
    pub(super) fn meet(&self, k: usize, bits: &[u64]) -> NodeStats {
        let (item, mut total) = (&self.space.bits[k], NodeStats::default());
        if item.is_empty() {
            for &r in &self.space.lists[k] {
                if bits[r as usize / 64] >> (r % 64) & 1 == 1 {
                    total += self.weights.stats[r as usize];
                }
            }
            return total;
        }
        for (at, (a, b)) in bits.iter().zip(item).enumerate() {
            let mut word = a & b;
            while word != 0 {
                total += self.weights.stats[at * 64 + word.trailing_zeros() as usize];
                word &= word - 1;
            }
        }
        total
    }

    /// Resets the sums to 0.
    fn clear(&mut self, rows: &[u32]) {
        if rows.len() > self.sums.len() / 8 {
            return self.sums.fill(NodeStats::default());
        }
        for &r in rows {
            self.space.held(r).iter().for_each(|&k| self.sums[k as usize] = NodeStats::default());
        }
    }
}
