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
    /// Its rows, if the search had them at hand and was asked for everything.
    pub rows: Option<Place>,
}

/// Where rows are: the lists of a search hold those of many patterns one after another.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Which list.
    pub list: usize,
    /// Where in it they begin and end.
    pub range: (usize, usize),
    /// Equal for equal rows, and for few others.
    pub key: u64,
}

impl Place {
    /// Where the rows from `from` on of a list are that is the only one so far.
    pub fn last(rows: &[u32], from: usize) -> Self {
        Self { list: 0, range: (from, rows.len()), key: key(&rows[from..]) }
    }

    /// The rows, ascending.
    pub fn of(self, lists: &[Vec<u32>]) -> &[u32] {
        &lists[self.list][self.range.0..self.range.1]
    }
}

/// A number for a set of rows that stands for it.
pub(crate) fn hash(rows: &[u32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    rows.hash(&mut hasher);
    hasher.finish()
}

/// A number for a set of rows where equal numbers are looked into. In four lanes, since one alone waits
/// for each product.
fn key(rows: &[u32]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, x: u64| (sum ^ x).wrapping_mul(FACTOR).rotate_left(29);
    let mut lanes = [1, 2, 3, rows.len() as u64];
    let four = rows.chunks_exact(4);
    four.remainder().iter().for_each(|&r| lanes[0] = mix(lanes[0], u64::from(r) + 1));
    for part in four {
        (0..4).for_each(|k| lanes[k] = mix(lanes[k], u64::from(part[k])));
    }
    lanes.into_iter().fold(0, mix)
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

/// Everything that passes, up to a limit; of patterns with the same rows at hand the first by
/// [`Found::order`] if the harvest is of distinct ones.
pub struct Collect<'a, P> {
    /// In the order met.
    pub found: Vec<Found<P>>,
    /// Their rows, one after another.
    pub rows: Vec<u32>,
    /// Nodes evaluated.
    pub nodes: u64,
    /// False when the limit was met.
    pub whole: bool,
    bound: Bound,
    limit: usize,
    control: &'a Control,
    room: &'a Room,
    /// Where patterns are found, by their rows and sign.
    places: HashMap<(u64, Sign), usize>,
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
        let (found, rows, places) = (Vec::new(), Vec::new(), HashMap::new());
        Self { found, rows, nodes: 0, whole: true, bound, limit, control, room, places }
    }

    /// The pattern found before that has these rows, which were added last, and this sign.
    fn same(&mut self, sign: Sign, place: Place) -> Option<usize> {
        let next = self.found.len();
        let at = *self.places.entry((place.key, sign)).or_insert(next);
        let list = |place: Place| &self.rows[place.range.0..place.range.1];
        // Where keys clash a copy may stay, which does no harm.
        let same = |f: &Found<P>| f.rows.is_some_and(|rows| list(rows) == list(place));
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
        let from = self.rows.len();
        let at_hand = self.room.rows && node.source.rows(&mut self.rows);
        let rows = at_hand.then(|| Place::last(&self.rows, from));
        if let (Harvest::Distinct, Some(place)) = (self.room.harvest, rows)
            && let Some(at) = self.same(node.sign, place)
        {
            self.rows.truncate(from);
            if node.length <= self.found[at].length {
                let new = Found { rows: self.found[at].rows, ..Found::new(&node, &self.bound) };
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
