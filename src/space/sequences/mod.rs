//! All subsequences over records of events. Each pattern is enumerated once, by adding one item at a time,
//! either in a new event or to the last one.
//!
//! The walk stores, for each row in which a pattern occurs, the events at which an occurrence ends
//! (*projected databases*, Pei et al. 2001). If events are single items and gaps are not limited, the
//! earliest end suffices: a table of the next occurrence of each item then gives the sums of all children
//! with one addition for each row and item, and bits that tell whether there is one give those of the longest
//! sequences, below which there are none, several items at a time (`leaves`). With a limit on gaps, or with events that are sets, all ends
//! are stored, since an extension may exist after a later end only. Every prefix of a pattern occurs
//! wherever the pattern does, with or without a limit on gaps; pruning relies on this property alone.
//!
//! References: Pei, Han, Mortazavi-Asl, Pinto, Chen, Dayal, Hsu, "`PrefixSpan`: Mining
//! Sequential Patterns Efficiently by Prefix-Projected Pattern Growth" (ICDE 2001).

mod encoding;
mod events;
mod leaves;
mod project;
#[cfg(test)]
mod tests;
mod walk;

pub use events::Events;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use self::project::Ends;
use super::bit_rows::BitRows;
use super::{Encode, PatternSpace, RowWeights, Sign, Visitor};
use crate::error::Result;

/// Events in order, each a set of items, ascending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sequence(pub Vec<Vec<u32>>);

impl Encode for Sequence {
    fn encode(&self, words: &mut Vec<u32>) {
        for event in &self.0 {
            words.push(event.len() as u32);
            words.extend(event);
        }
    }

    fn decode(mut words: &[u32]) -> Self {
        let mut events = Vec::new();
        while let Some((&length, rest)) = words.split_first() {
            let (event, after) = rest.split_at(length as usize);
            events.push(event.to_vec());
            words = after;
        }
        Self(events)
    }
}

impl Sequence {
    /// Number of items in all events.
    pub fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sequence with one more item, in the last event or in a new one.
    #[must_use]
    pub fn extended(&self, extension: Extension) -> Self {
        let mut longer = self.clone();
        match longer.0.last_mut() {
            Some(last) if extension.is_joined => last.push(extension.item),
            _ => longer.0.push(vec![extension.item]),
        }
        longer
    }
}

/// The addition of one item to a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extension {
    /// The item.
    pub item: u32,
    /// Whether it joins the last event rather than starting a new one.
    pub is_joined: bool,
}

/// Limits on the patterns of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of items of all events.
    pub max_length: usize,
    /// Maximum number of events between two consecutive events of a pattern; `None`: no limit.
    pub max_gap: Option<usize>,
    /// Minimum number of rows in which a pattern occurs.
    pub min_support: usize,
    /// Whether an event of a pattern may have several items.
    pub sets: bool,
}

/// Maximum memory of the table of next occurrences, in bytes (64 MiB).
const MAX_TABLE_BYTES: usize = 1 << 26;
/// Number of items up to which a subtree has a root of two items, so that there are enough units of
/// parallel work.
const MAX_ITEMS_FOR_PAIR_ROOTS: usize = 16;
/// Marks the absence of a next occurrence.
const NO_EVENT: u32 = u32::MAX;

/// Every sequence over some records.
#[derive(Debug)]
pub struct SequenceSpace {
    data: Events,
    n_items: usize,
    limits: Limits,
    /// Ends of the patterns of one item.
    occurrences: Vec<Ends>,
    /// By event and item, the next event of the same row with the item; empty if all ends are stored, or if
    /// the table would be too large.
    next: Vec<u32>,
    /// Whether there is one, as bits of the items for each event.
    later: BitRows,
}

impl SequenceSpace {
    /// A space over records of items. Fails for invalid offsets, and for items that are not below `n_items`.
    pub fn new(data: Events, n_items: usize, limits: Limits) -> Result<Self> {
        data.check(n_items)?;
        let mut space = Self {
            data,
            n_items,
            limits,
            occurrences: Vec::new(),
            next: Vec::new(),
            later: BitRows::default(),
        };
        space.occurrences = space.occurrences();
        let events = space.data.events.len() - 1;
        if space.is_earliest() && Self::table_bytes(events, n_items) > 0 {
            space.next = vec![NO_EVENT; events * n_items];
            space.later = BitRows::new(events, n_items);
            for row in 0..space.data.len() {
                for event in space.data.events_of(row).rev().skip(1) {
                    let (here, later) = space.next.split_at_mut((event + 1) * n_items);
                    let here = &mut here[event * n_items..];
                    here.copy_from_slice(&later[..n_items]);
                    space.later.copy_row(event + 1, event);
                    for &item in space.data.event(event + 1) {
                        here[item as usize] = event as u32 + 1;
                        space.later.set(event, item as usize);
                    }
                }
            }
        }
        Ok(space)
    }

    /// The space of the sequences that occur in all of the given rows.
    #[must_use]
    pub fn common(&self, rows: &[u32]) -> Self {
        let limits = Limits { min_support: rows.len(), ..self.limits };
        let data = self.data.take(rows);
        let mut space = Self {
            data,
            n_items: self.n_items,
            limits,
            occurrences: Vec::new(),
            next: Vec::new(),
            later: BitRows::default(),
        };
        space.occurrences = space.occurrences();
        space
    }

    /// Memory of a table of next occurrences and of its bits in bytes; 0 if it would be too large.
    pub fn table_bytes(events: usize, n_items: usize) -> usize {
        let bytes = events.saturating_mul(n_items).saturating_mul(4);
        if bytes <= MAX_TABLE_BYTES { bytes + BitRows::bytes(events, n_items) } else { 0 }
    }

    /// Whether the earliest end of a pattern in a row suffices.
    fn is_earliest(&self) -> bool {
        self.limits.max_gap.is_none() && !self.limits.sets
    }
}

/// The root of a subtree: one or two items.
#[derive(Debug, Clone, Copy)]
pub enum SequenceRoot {
    /// All sequences that begin with the item.
    All(u32),
    /// The item alone.
    Single(u32),
    /// All sequences that begin with the item and this extension.
    Pair(u32, Extension),
}

impl PatternSpace for SequenceSpace {
    type Pattern = Sequence;
    type Root = SequenceRoot;

    fn encoded(&self) -> Option<Vec<u8>> {
        Some(self.encode())
    }

    fn n_rows(&self) -> usize {
        self.data.len()
    }

    /// With m items, the number of sequences of total length L is f(L) = sum over sizes s of the first
    /// event of C(m, s) f(L - s), f(0) = 1; m^L if events are single items.
    fn size(&self) -> BigUint {
        let max_length = self.limits.max_length;
        let widest = if self.limits.sets { max_length.min(self.n_items) } else { max_length.min(1) };
        let mut choose = vec![BigUint::from(1u32)];
        for s in 0..widest {
            let next = &choose[s] * (self.n_items - s.min(self.n_items)) / (s + 1);
            choose.push(next);
        }
        let mut counts = vec![BigUint::from(1u32)];
        for length in 1..=max_length {
            counts.push((1..=widest.min(length)).map(|s| &choose[s] * &counts[length - s]).sum());
        }
        counts[1..].iter().sum()
    }

    fn roots(&self) -> Vec<SequenceRoot> {
        let items = 0..if self.limits.max_length > 0 { self.n_items as u32 } else { 0 };
        if self.n_items > MAX_ITEMS_FOR_PAIR_ROOTS || self.limits.max_length < 2 {
            return items.map(SequenceRoot::All).collect();
        }
        let mut roots = Vec::new();
        for first in items.clone() {
            roots.push(SequenceRoot::Single(first));
            for item in items.clone() {
                roots.push(SequenceRoot::Pair(first, Extension { item, is_joined: false }));
                if self.limits.sets && item > first {
                    roots.push(SequenceRoot::Pair(first, Extension { item, is_joined: true }));
                }
            }
        }
        roots
    }

    fn search_is_cheap(&self) -> bool {
        false
    }

    fn walk<V: Visitor<Sequence>>(&self, root: &SequenceRoot, weights: &RowWeights, visitor: &mut V) -> bool {
        walk::Walk::new(self, weights, visitor).root(*root)
    }

    fn rows(&self, pattern: &Sequence) -> Vec<u32> {
        let mut ends: Option<Ends> = None;
        for event in &pattern.0 {
            for (k, &item) in event.iter().enumerate() {
                ends = Some(match ends {
                    None => self.start(item),
                    Some(ends) => self.project(&ends, Extension { item, is_joined: k > 0 }),
                });
            }
        }
        ends.map(|ends| ends.rows).unwrap_or_default()
    }

    fn length(&self, pattern: &Sequence) -> usize {
        pattern.len()
    }

    fn sign(&self, pattern: &Sequence) -> Option<Sign> {
        let fits = (1..=self.limits.max_length).contains(&pattern.len())
            && pattern.0.iter().all(|event| !event.is_empty() && (self.limits.sets || event.len() == 1))
            && pattern.0.iter().flatten().all(|&item| (item as usize) < self.n_items);
        fits.then_some(Sign::Either)
    }
}
