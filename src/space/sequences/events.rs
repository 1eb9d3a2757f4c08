//! Records of events.

use crate::error::{Error, Result};
use crate::space::check_numbered;

/// Records of events: the items of all events of all records, concatenated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Events {
    /// Items; ascending within an event.
    pub items: Vec<u32>,
    /// Offset of the first item of each event, and the total.
    pub events: Vec<usize>,
    /// Offset of the first event of each record, and the total.
    pub records: Vec<usize>,
}

impl Events {
    /// An empty list of records.
    pub fn empty() -> Self {
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

    /// The records with the given indices, in that order.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Self {
        let events = || rows.iter().flat_map(|&row| self.events_of(row as usize));
        let mut selected = Self::empty();
        selected.records.reserve_exact(rows.len());
        selected.events.reserve_exact(events().count());
        selected.items.reserve_exact(events().map(|event| self.event(event).len()).sum());
        for &row in rows {
            for event in self.events_of(row as usize) {
                selected.items.extend(self.event(event));
                selected.events.push(selected.items.len());
            }
            selected.records.push(selected.events.len() - 1);
        }
        selected
    }

    /// Fails for invalid offsets, and for items that are not below `n_items`.
    pub(super) fn check(&self, n_items: usize) -> Result<()> {
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
    pub fn events_of(&self, record: usize) -> std::ops::Range<usize> {
        self.records[record]..self.records[record + 1]
    }
}
