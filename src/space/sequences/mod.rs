//! All subsequences over records of events: each pattern is enumerated once, by adding one item at a
//! time, either as a new event or to the last one.
//!
//! The walk keeps, for each row that a pattern occurs in, the events at which it can end
//! (*projected databases*, Pei et al. 2001). Where events are single items and gaps are
//! free, the earliest end says it all: a table of where each item comes next then gives the
//! sums of all children with one addition a row and item. With a limit on gaps, or with
//! events that are sets, every end is kept: a later one may go on where an earlier one
//! cannot. A prefix of a pattern occurs wherever the pattern does, gaps or not; that is all
//! that pruning needs.
//!
//! References: Pei, Han, Mortazavi-Asl, Pinto, Chen, Dayal, Hsu, "`PrefixSpan`: Mining
//! Sequential Patterns Efficiently by Prefix-Projected Pattern Growth" (ICDE 2001).

mod project;
#[cfg(test)]
mod tests;
mod walk;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use self::project::Ends;
use super::{Encode, PatternSpace, RowWeights, Sign, Visitor, check_numbered};
use crate::error::{Error, Result};

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
    pub fn with(&self, step: Step) -> Self {
        let mut longer = self.clone();
        match longer.0.last_mut() {
            Some(last) if step.joined => last.push(step.item),
            _ => longer.0.push(vec![step.item]),
        }
        longer
    }
}

/// One more item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The item.
    pub item: u32,
    /// Whether it joins the last event rather than starting a new one.
    pub joined: bool,
}

/// Records as the space reads them: all items, event after event, record after record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// Items; ascending within an event.
    pub items: Vec<u32>,
    /// Where each event's items begin, and the end.
    pub events: Vec<usize>,
    /// Where each record's events begin, and the end.
    pub records: Vec<usize>,
}

impl Events {
    /// No records.
    pub fn none() -> Self {
        Self { items: Vec::new(), events: vec![0], records: vec![0] }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.records.len() - 1
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some of the records, in the order given.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Self {
        let mut taken = Self::none();
        for &row in rows {
            for event in self.of(row as usize) {
                taken.items.extend(self.event(event));
                taken.events.push(taken.items.len());
            }
            taken.records.push(taken.events.len() - 1);
        }
        taken
    }

    fn check(&self, n_items: usize) -> Result<()> {
        let spans = |starts: &[usize], end: usize| {
            starts.first() == Some(&0) && starts.last() == Some(&end) && starts.is_sorted()
        };
        if !spans(&self.events, self.items.len()) || !spans(&self.records, self.events.len() - 1) {
            return Err(Error::data(
                "the places where events and records begin must ascend from 0 to the end",
            ));
        }
        if let Some(item) = self.items.iter().find(|&&item| item as usize >= n_items) {
            return Err(Error::data(format!("got item {item} of {n_items}")));
        }
        check_numbered("records", self.len())?;
        check_numbered("events", self.events.len())
    }

    /// The items of an event.
    #[inline]
    pub fn event(&self, event: usize) -> &[u32] {
        &self.items[self.events[event]..self.events[event + 1]]
    }

    /// The events of a record.
    #[inline]
    pub fn of(&self, record: usize) -> std::ops::Range<usize> {
        self.records[record]..self.records[record + 1]
    }
}

/// Which sequences there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Items in all events together.
    pub max_length: usize,
    /// Events that may lie between two events of a pattern; `None`: any number.
    pub max_gap: Option<usize>,
    /// Rows that a pattern must occur in.
    pub min_support: usize,
    /// Whether an event of a pattern may have several items.
    pub sets: bool,
}

/// Bytes that the table of next occurrences may take.
const TABLE: usize = 1 << 26;
/// Items up to which subtrees begin with two items rather than one, so that there are enough.
const FEW: usize = 16;
/// No event.
const NONE: u32 = u32::MAX;

/// Every sequence over some records.
#[derive(Debug)]
pub struct SequenceSpace {
    data: Events,
    n_items: usize,
    limits: Limits,
    /// Where each item occurs.
    occurrences: Vec<Ends>,
    /// By event and item, the next event of the same row that has it; empty where every end
    /// is kept, or the table would be too large.
    next: Vec<u32>,
}

impl SequenceSpace {
    /// A space over records of items. Fails where an item is not below `n_items`, or the places where
    /// events and records begin do not ascend to the end.
    pub fn new(data: Events, n_items: usize, limits: Limits) -> Result<Self> {
        data.check(n_items)?;
        let mut space = Self { data, n_items, limits, occurrences: Vec::new(), next: Vec::new() };
        space.occurrences = space.occurrences();
        let events = space.data.events.len() - 1;
        if space.is_earliest() && Self::table_bytes(events, n_items) > 0 {
            space.next = vec![NONE; events * n_items];
            for row in 0..space.data.len() {
                for event in space.data.of(row).rev().skip(1) {
                    let (here, later) = space.next.split_at_mut((event + 1) * n_items);
                    let here = &mut here[event * n_items..];
                    here.copy_from_slice(&later[..n_items]);
                    space.data.event(event + 1).iter().for_each(|&i| here[i as usize] = event as u32 + 1);
                }
            }
        }
        Ok(space)
    }

    /// The sequences that all of some rows have, as a space over these rows.
    #[must_use]
    pub fn common(&self, rows: &[u32]) -> Self {
        let limits = Limits { min_support: rows.len(), ..self.limits };
        let data = self.data.take(rows);
        let mut space =
            Self { data, n_items: self.n_items, limits, occurrences: Vec::new(), next: Vec::new() };
        space.occurrences = space.occurrences();
        space
    }

    /// Bytes of a table of next occurrences; 0 where it would be too large.
    pub fn table_bytes(events: usize, n_items: usize) -> usize {
        let bytes = events.saturating_mul(n_items).saturating_mul(4);
        if bytes <= TABLE { bytes } else { 0 }
    }

    /// Whether the earliest end of a pattern in a row stands for all of them.
    fn is_earliest(&self) -> bool {
        self.limits.max_gap.is_none() && !self.limits.sets
    }
}

/// A subtree: its first item, and the next one where subtrees begin with two.
#[derive(Debug, Clone, Copy)]
pub enum SequenceRoot {
    /// Everything that begins with the item.
    All(u32),
    /// The item alone.
    Single(u32),
    /// Everything that begins with the item and goes on so.
    Pair(u32, Step),
}

impl PatternSpace for SequenceSpace {
    type Pattern = Sequence;
    type Root = SequenceRoot;

    fn n_rows(&self) -> usize {
        self.data.len()
    }

    /// With m items, sequences of total length L are f(L) = sum over sizes s of the first event
    /// of C(m, s) f(L - s), f(0) = 1; m^L where events are single items.
    fn size(&self) -> BigUint {
        let most = self.limits.max_length;
        let widest = if self.limits.sets { most.min(self.n_items) } else { most.min(1) };
        let mut choose = vec![BigUint::from(1u32)];
        for s in 0..widest {
            let next = &choose[s] * (self.n_items - s.min(self.n_items)) / (s + 1);
            choose.push(next);
        }
        let mut ways = vec![BigUint::from(1u32)];
        for length in 1..=most {
            ways.push((1..=widest.min(length)).map(|s| &choose[s] * &ways[length - s]).sum());
        }
        ways[1..].iter().sum()
    }

    fn roots(&self) -> Vec<SequenceRoot> {
        let items = 0..if self.limits.max_length > 0 { self.n_items as u32 } else { 0 };
        if self.n_items > FEW || self.limits.max_length < 2 {
            return items.map(SequenceRoot::All).collect();
        }
        let mut roots = Vec::new();
        for first in items.clone() {
            roots.push(SequenceRoot::Single(first));
            for item in items.clone() {
                roots.push(SequenceRoot::Pair(first, Step { item, joined: false }));
                if self.limits.sets && item > first {
                    roots.push(SequenceRoot::Pair(first, Step { item, joined: true }));
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
                    Some(ends) => self.project(&ends, Step { item, joined: k > 0 }),
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
