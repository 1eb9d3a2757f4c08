//! What a search keeps: the best few, or everything.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{self, AtomicBool, AtomicI64};

use crate::control::Control;
use crate::space::{Bound, Harvest, Node, Sign, Step, Visitor};

/// A pattern that passed a bound.
#[derive(Debug, Clone)]
pub struct Found<P> {
    /// The pattern.
    pub pattern: P,
    /// Sum of the signal over its rows.
    pub net: f64,
    /// How hard the signal pulls, per unit of penalty.
    pub ratio: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that its weight may have.
    pub sign: Sign,
    /// Its rows, ascending, if the search had them at hand and was asked for everything.
    pub rows: Option<Vec<u32>>,
}

impl<P: Ord> Found<P> {
    /// Largest ratio first; ties: shortest first, then pattern order.
    pub fn order(&self, other: &Self) -> Ordering {
        other
            .ratio
            .total_cmp(&self.ratio)
            .then(self.length.cmp(&other.length))
            .then_with(|| self.pattern.cmp(&other.pattern))
    }

    fn new(node: &Node<'_, P>, bound: &Bound) -> Self {
        let ratio = node.sign.pull(node.net) / bound.cost(node.length);
        Self {
            pattern: node.source.pattern(),
            net: node.net,
            ratio,
            length: node.length,
            sign: node.sign,
            rows: None,
        }
    }
}

/// The `limit` best; its bar rises to the worst of them once it has as many.
pub struct Top<'a, P> {
    /// Best first.
    pub found: Vec<Found<P>>,
    /// Nodes evaluated.
    pub nodes: u64,
    bound: Bound,
    limit: usize,
    control: &'a Control,
}

impl<'a, P> Top<'a, P> {
    /// An empty list.
    pub fn new(bound: Bound, limit: usize, control: &'a Control) -> Self {
        Self { found: Vec::new(), nodes: 0, bound, limit, control }
    }
}

impl<P: Ord> Visitor<P> for Top<'_, P> {
    fn bound(&self) -> Bound {
        self.bound
    }

    fn harvest(&self) -> Harvest {
        Harvest::Best
    }

    fn enter(&mut self, node: Node<'_, P>) -> Step {
        let new = Found::new(&node, &self.bound);
        let at = self.found.partition_point(|old| old.order(&new) == Ordering::Less);
        if at < self.limit {
            self.found.insert(at, new);
            self.found.truncate(self.limit);
        }
        if self.found.len() == self.limit
            && let Some(last) = self.found.last()
        {
            // Just below, so that ties still come in and are ordered by pattern.
            self.bound.threshold = self.bound.threshold.max(last.ratio * (1.0 - 1e-12));
        }
        Step::Descend
    }

    fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    fn is_over(&self) -> bool {
        self.control.is_over()
    }
}

/// A number for a set of rows, with what else tells patterns apart.
pub(crate) fn hash(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Everything that passes, up to a limit; of patterns with the same rows at hand the first by
/// [`Found::order`] if the harvest is of distinct ones.
pub struct Collect<'a, P> {
    /// In the order met.
    pub found: Vec<Found<P>>,
    /// Nodes evaluated.
    pub nodes: u64,
    /// False when the limit was met.
    pub whole: bool,
    bound: Bound,
    limit: usize,
    control: &'a Control,
    room: &'a Room,
    /// Where patterns are found, by their rows and sign.
    places: HashMap<u64, usize>,
}

/// What all walks of one search share.
pub struct Room {
    /// Nodes they may still visit.
    pub nodes: AtomicI64,
    /// False once one of them had too little room.
    pub enough: AtomicBool,
    /// Whether rows that are at hand are kept.
    rows: bool,
    /// Which patterns are wanted.
    harvest: Harvest,
}

impl Room {
    /// Room for so many nodes.
    pub fn new(nodes: u64, rows: bool, harvest: Harvest) -> Self {
        Self { nodes: AtomicI64::new(nodes.cast_signed()), enough: AtomicBool::new(true), rows, harvest }
    }
}

impl<'a, P> Collect<'a, P> {
    /// An empty list; `room` is shared by all visitors of a search: one overflow ends all.
    pub fn new(bound: Bound, limit: usize, control: &'a Control, room: &'a Room) -> Self {
        let places = HashMap::new();
        Self { found: Vec::new(), nodes: 0, whole: true, bound, limit, control, room, places }
    }

    /// Where a pattern with these rows and this sign is found; else where it will be.
    fn place(&mut self, sign: Sign, rows: &Vec<u32>) -> Option<usize> {
        let next = self.found.len();
        let at = *self.places.entry(hash((sign, rows))).or_insert(next);
        // Where hashes clash a copy may stay, which does no harm.
        let same = |f: &Found<P>| f.sign == sign && f.rows.as_ref() == Some(rows);
        (at < next && same(&self.found[at])).then_some(at)
    }
}

impl<P> Visitor<P> for Collect<'_, P>
where
    P: Ord,
{
    fn bound(&self) -> Bound {
        self.bound
    }

    fn harvest(&self) -> Harvest {
        self.room.harvest
    }

    fn enter(&mut self, node: Node<'_, P>) -> Step {
        if self.found.len() >= self.limit {
            self.room.enough.store(false, atomic::Ordering::Relaxed);
        }
        if !self.room.enough.load(atomic::Ordering::Relaxed) {
            self.whole = false;
            return Step::Stop;
        }
        let rows = if self.room.rows { node.source.rows() } else { None };
        if let (Harvest::Distinct, Some(list)) = (self.room.harvest, &rows)
            && let Some(at) = self.place(node.sign, list)
        {
            if node.length <= self.found[at].length {
                let new = Found { rows, ..Found::new(&node, &self.bound) };
                if new.order(&self.found[at]) == Ordering::Less {
                    self.found[at] = new;
                }
            }
            return Step::Descend;
        }
        self.found.push(Found { rows, ..Found::new(&node, &self.bound) });
        Step::Descend
    }

    fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
        let nodes = nodes.cast_signed();
        if self.room.nodes.fetch_sub(nodes, atomic::Ordering::Relaxed) < nodes {
            self.whole = false;
            self.room.enough.store(false, atomic::Ordering::Relaxed);
        }
    }

    fn is_over(&self) -> bool {
        !self.room.enough.load(atomic::Ordering::Relaxed) || self.control.is_over()
    }
}
