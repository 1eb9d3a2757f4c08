//! Everything that passes a bound, laid out flat: patterns as words and rows in few long lists.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{self, AtomicBool, AtomicI64};

use super::driver::Search;
use super::visitors::{Found, furthest};
use crate::control::Control;
use crate::space::{Bound, Harvest, Node, PatternSpace, Sign, Step, Visitor, Words};

/// Where some numbers are: a list holds those of many patterns one after another.
#[derive(Debug, Clone, Copy)]
struct Span {
    list: usize,
    from: usize,
    to: usize,
}

impl Span {
    fn of(self, lists: &[Vec<u32>]) -> &[u32] {
        &lists[self.list][self.from..self.to]
    }

    fn after(self, lists: &[Vec<u32>]) -> Self {
        Self { list: self.list + lists.len(), ..self }
    }
}

/// A pattern that passed a bound.
#[derive(Debug, Clone)]
pub struct Item {
    /// Sum of the signal over its rows.
    pub net: f64,
    /// How hard the signal pulls, per unit of penalty.
    pub ratio: f64,
    /// Number of propositions.
    pub length: usize,
    /// Signs that its weight may have.
    pub sign: Sign,
    words: Span,
    /// Its rows if the search had them at hand, and their key.
    rows: Option<(Span, u64)>,
}

/// What a search collected.
#[derive(Debug)]
pub struct Listing<P> {
    /// The patterns, in the order met.
    pub items: Vec<Item>,
    /// Nodes whose bound was evaluated.
    pub nodes: u64,
    /// False when the time was over before the whole space was searched.
    pub complete: bool,
    /// False when there was more than it could hold.
    pub whole: bool,
    words: Vec<Vec<u32>>,
    rows: Vec<Vec<u32>>,
    pattern: PhantomData<fn() -> P>,
}

impl<P> Default for Listing<P> {
    /// Nothing found, nothing left out.
    fn default() -> Self {
        let (words, rows) = (Vec::new(), Vec::new());
        Self { items: Vec::new(), nodes: 0, complete: true, whole: true, words, rows, pattern: PhantomData }
    }
}

impl<P> Listing<P> {
    /// All that several walks collected.
    pub fn join(walks: Vec<Self>) -> Self {
        let items = Vec::with_capacity(walks.iter().map(|walk| walk.items.len()).sum());
        let mut all = Self { items, ..Self::default() };
        for walk in walks {
            let (words, rows) = (&all.words, &all.rows);
            let moved = |item: Item| Item {
                words: item.words.after(words),
                rows: item.rows.map(|(span, key)| (span.after(rows), key)),
                ..item
            };
            all.items.extend(walk.items.into_iter().map(moved));
            all.words.extend(walk.words);
            all.rows.extend(walk.rows);
            all.nodes += walk.nodes;
            all.complete &= walk.complete;
            all.whole &= walk.whole;
        }
        all
    }

    /// The rows of a pattern, ascending, if the search had them at hand.
    pub fn at_hand(&self, item: &Item) -> Option<&[u32]> {
        item.rows.map(|(span, _)| span.of(&self.rows))
    }

    /// A pattern's numbers.
    pub fn words(&self, item: &Item) -> &[u32] {
        item.words.of(&self.words)
    }
}

impl<P: Words> Listing<P> {
    /// A pattern as such.
    pub fn pattern(&self, item: &Item) -> P {
        P::read(self.words(item))
    }

    /// The patterns as such.
    pub fn read(self) -> Search<P> {
        let found = |i: &Item| {
            let Item { net, ratio, length, sign, .. } = *i;
            Found { pattern: self.pattern(i), net, ratio, length, sign }
        };
        let found = self.items.iter().map(found).collect();
        Search { found, nodes: self.nodes, complete: self.complete, whole: self.whole }
    }

    /// The rows of a pattern, ascending, and a number that is equal for equal rows and few others.
    pub fn rows<S: PatternSpace<Pattern = P>>(&self, space: &S, item: &Item) -> (Cow<'_, [u32]>, u64) {
        if let Some((span, key)) = item.rows {
            return (span.of(&self.rows).into(), key);
        }
        let rows = space.rows(&self.pattern(item));
        let key = key(&rows);
        (rows.into(), key)
    }
}

impl<P: Words + Ord> Listing<P> {
    /// As [`Found::order`].
    pub fn order(&self, a: &Item, b: &Item) -> Ordering {
        furthest((a.ratio, a.length), (b.ratio, b.length)).then_with(|| self.pattern(a).cmp(&self.pattern(b)))
    }
}

/// A number for a set of rows. In four lanes, since one alone waits for each product.
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

/// Collects everything that passes, up to a limit; of patterns with the same rows at hand the first by
/// [`Found::order`] if the harvest is of distinct ones.
pub struct Collect<'a, P> {
    listing: Listing<P>,
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
        let listing = Listing { words: vec![Vec::new()], rows: vec![Vec::new()], ..Listing::default() };
        Self { listing, bound, limit, control, room, places: HashMap::new() }
    }

    /// What was collected.
    pub fn take(self) -> Listing<P> {
        self.listing
    }

    /// The pattern collected before that has these rows and this sign.
    fn same(&mut self, sign: Sign, (span, key): (Span, u64)) -> Option<usize> {
        let Listing { items, rows, .. } = &self.listing;
        let at = *self.places.entry((key, sign)).or_insert(items.len());
        // Where keys clash a copy may stay, which does no harm.
        let same = |item: &Item| item.rows.is_some_and(|(own, _)| own.of(rows) == span.of(rows));
        items.get(at).is_some_and(same).then_some(at)
    }
}

impl<P: Words + Ord> Visitor<P> for Collect<'_, P> {
    fn bound(&self) -> Bound {
        self.bound
    }

    fn harvest(&self) -> Harvest {
        self.room.harvest
    }

    fn enter(&mut self, node: Node<'_, P>) -> Step {
        if self.listing.items.len() >= self.limit {
            self.room.enough.store(false, atomic::Ordering::Relaxed);
        }
        if !self.room.enough.load(atomic::Ordering::Relaxed) {
            self.listing.whole = false;
            return Step::Stop;
        }
        let rows = &mut self.listing.rows[0];
        let from = rows.len();
        let at_hand = self.room.rows && node.source.rows(rows);
        let rows = at_hand.then(|| (Span { list: 0, from, to: rows.len() }, key(&rows[from..])));
        let same = rows.filter(|_| self.room.harvest == Harvest::Distinct);
        let same = same.and_then(|rows| self.same(node.sign, rows));
        if let Some(at) = same {
            self.listing.rows[0].truncate(from);
            if node.length > self.listing.items[at].length {
                return Step::Descend;
            }
        }
        let words = &mut self.listing.words[0];
        let from = words.len();
        node.source.pattern().write(words);
        let new = Item {
            net: node.net,
            ratio: node.ratio(&self.bound),
            length: node.length,
            sign: node.sign,
            words: Span { list: 0, from, to: words.len() },
            rows: same.map_or(rows, |at| self.listing.items[at].rows),
        };
        match same {
            None => self.listing.items.push(new),
            Some(at) if self.listing.order(&new, &self.listing.items[at]).is_lt() => {
                self.listing.items[at] = new;
            }
            Some(_) => self.listing.words[0].truncate(from),
        }
        Step::Descend
    }

    fn count(&mut self, nodes: u64) {
        self.listing.nodes += nodes;
        let nodes = nodes.cast_signed();
        if self.room.nodes.fetch_sub(nodes, atomic::Ordering::Relaxed) < nodes {
            self.listing.whole = false;
            self.room.enough.store(false, atomic::Ordering::Relaxed);
        }
    }

    fn is_over(&self) -> bool {
        !self.room.enough.load(atomic::Ordering::Relaxed) || self.control.is_over()
    }
}
