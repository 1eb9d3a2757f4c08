//! Projected databases: the events at which occurrences of a pattern end, and their extension by an item.

use super::{Extension, NO_EVENT, Sequence, SequenceSpace};

/// The rows in which a pattern occurs, and the events at which its occurrences end.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends {
    /// Rows, ascending.
    pub rows: Vec<u32>,
    /// Offset of the events of each row in `at`, and the total.
    pub starts: Vec<usize>,
    /// Events, ascending within a row.
    pub at: Vec<u32>,
}

impl Ends {
    fn empty() -> Self {
        Self { rows: Vec::new(), starts: vec![0], at: Vec::new() }
    }

    /// The ends in the row at an index.
    pub fn of(&self, k: usize) -> &[u32] {
        &self.at[self.starts[k]..self.starts[k + 1]]
    }

    /// Assigns the events pushed since the last call to a row, if there are any.
    fn close(&mut self, row: u32) {
        let end = self.at.len();
        if self.starts.last() != Some(&end) {
            self.rows.push(row);
            self.starts.push(end);
        }
    }
}

impl SequenceSpace {
    /// The ends of the patterns of one item.
    pub(super) fn occurrences(&self) -> Vec<Ends> {
        let mut all = vec![Ends::empty(); self.n_items];
        for row in 0..self.data.len() {
            for event in self.data.events_of(row) {
                self.data.event(event).iter().for_each(|&item| all[item as usize].at.push(event as u32));
            }
            for item in self.data.events_of(row).flat_map(|event| self.data.event(event)) {
                all[*item as usize].close(row as u32);
            }
        }
        all
    }

    /// The ends of the pattern of one item.
    pub(super) fn start(&self, item: u32) -> Ends {
        let all = &self.occurrences[item as usize];
        if !self.is_earliest() {
            return all.clone();
        }
        let at = (0..all.rows.len()).map(|k| all.of(k)[0]).collect();
        Ends { rows: all.rows.clone(), starts: (0..=all.rows.len()).collect(), at }
    }

    /// Whether a pattern occurs in another row than these (ascending).
    pub fn occurs_beyond(&self, pattern: &Sequence, rows: &[u32]) -> bool {
        let mut rows = rows.iter().peekable();
        (0..self.data.len() as u32).any(|row| rows.next_if_eq(&&row).is_none() && self.occurs(pattern, row))
    }

    /// Whether a pattern occurs in a row.
    fn occurs(&self, pattern: &Sequence, row: u32) -> bool {
        let mut ends: Option<Ends> = None;
        for event in &pattern.0 {
            for (k, &item) in event.iter().enumerate() {
                let longer = match ends {
                    None => self.start_in(item, row),
                    Some(ends) => self.project(&ends, Extension { item, is_joined: k > 0 }),
                };
                if longer.rows.is_empty() {
                    return false;
                }
                ends = Some(longer);
            }
        }
        ends.is_some()
    }

    /// The ends of the pattern of one item in a row.
    fn start_in(&self, item: u32, row: u32) -> Ends {
        let (all, mut ends) = (&self.occurrences[item as usize], Ends::empty());
        if let Ok(k) = all.rows.binary_search(&row) {
            let events = all.of(k);
            ends.at.extend(&events[..if self.is_earliest() { 1 } else { events.len() }]);
        }
        ends.close(row);
        ends
    }

    /// Calls `f` with each event of a row that may extend a pattern with these ends.
    pub(super) fn onward(&self, row: u32, ends: &[u32], mut f: impl FnMut(usize)) {
        let last = self.data.events_of(row as usize).end;
        let Some(gap) = self.limits.max_gap else {
            return (ends[0] as usize + 1..last).for_each(f);
        };
        let mut from = 0;
        for &end in ends {
            let end = end as usize;
            let last_allowed = end.saturating_add(gap).saturating_add(2).min(last);
            (from.max(end + 1)..last_allowed).for_each(&mut f);
            from = from.max(last_allowed);
        }
    }

    /// The ends of a pattern after an extension.
    pub(super) fn project(&self, ends: &Ends, step: Extension) -> Ends {
        let mut longer = Ends::empty();
        let near = |ends: usize, events: usize| {
            self.limits.max_gap.is_some_and(|gap| ends * (gap.min(events) + 1) <= events)
        };
        if !self.next.is_empty() {
            for (&row, &end) in ends.rows.iter().zip(&ends.at) {
                let next = self.next[end as usize * self.n_items + step.item as usize];
                longer.at.extend((next != NO_EVENT).then_some(next));
                longer.close(row);
            }
            return longer;
        }
        let item = &self.occurrences[step.item as usize];
        let mut there = 0;
        for (k, &row) in ends.rows.iter().enumerate() {
            there += item.rows[there..].partition_point(|&r| r < row);
            if item.rows.get(there) != Some(&row) {
                continue;
            }
            let (ends, events) = (ends.of(k), item.of(there));
            if step.is_joined {
                longer.at.extend(events.iter().filter(|event| ends.binary_search(event).is_ok()));
            } else if near(ends.len(), events.len()) {
                // Few events follow an end within the gap; they are tested one by one.
                self.onward(row, ends, |event| {
                    if self.data.event(event).binary_search(&step.item).is_ok() {
                        longer.at.push(event as u32);
                    }
                });
            } else {
                self.follow(ends, events, &mut longer.at);
            }
            longer.close(row);
        }
        longer
    }

    /// The events within the gap after one of the ends; only the first of them if the earliest end
    /// suffices.
    fn follow(&self, ends: &[u32], events: &[u32], found: &mut Vec<u32>) {
        let Some(gap) = self.limits.max_gap else {
            let later = &events[events.partition_point(|&event| event <= ends[0])..];
            let selected = if self.is_earliest() { &later[..later.len().min(1)] } else { later };
            return found.extend(selected);
        };
        let furthest = u32::try_from(gap).unwrap_or(u32::MAX).saturating_add(1);
        let mut next = 0;
        for &event in events {
            // The last end before the event is the nearest.
            while next < ends.len() && ends[next] < event {
                next += 1;
            }
            if next > 0 && event - ends[next - 1] <= furthest {
                found.push(event);
            }
        }
    }
}
