//! Where patterns end, and where they end with one more item.

use super::{NONE, SequenceSpace, Step};

/// The rows that a pattern occurs in, and the events at which it can end there.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends {
    /// Rows, ascending.
    pub rows: Vec<u32>,
    /// Where each row's events begin among `at`, and the end.
    pub starts: Vec<u32>,
    /// Events, ascending within a row.
    pub at: Vec<u32>,
}

impl Ends {
    fn none() -> Self {
        Self { rows: Vec::new(), starts: vec![0], at: Vec::new() }
    }

    /// The ends in the row at a place.
    pub fn of(&self, k: usize) -> &[u32] {
        &self.at[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    /// Takes the events pushed since the last call as those of a row, if there are any.
    fn close(&mut self, row: u32) {
        let end = self.at.len() as u32;
        if self.starts.last() != Some(&end) {
            self.rows.push(row);
            self.starts.push(end);
        }
    }
}

impl SequenceSpace {
    /// Where each item occurs by itself.
    pub(super) fn occurrences(&self) -> Vec<Ends> {
        let mut first = vec![Ends::none(); self.n_items];
        for row in 0..self.data.len() {
            for event in self.data.of(row) {
                for &item in self.data.event(event) {
                    let ends = &mut first[item as usize];
                    if !self.is_earliest() || ends.starts.last() == Some(&(ends.at.len() as u32)) {
                        ends.at.push(event as u32);
                    }
                }
            }
            first.iter_mut().for_each(|ends| ends.close(row as u32));
        }
        first
    }

    /// Calls `f` with each event of a row at which a pattern that ends at `ends` may go on.
    pub(super) fn onward(&self, row: u32, ends: &[u32], mut f: impl FnMut(usize)) {
        let last = self.data.of(row as usize).end;
        let Some(gap) = self.limits.max_gap else {
            return (ends[0] as usize + 1..last).for_each(f);
        };
        let mut from = 0;
        for &end in ends {
            let end = end as usize;
            let reach = end.saturating_add(gap).saturating_add(2).min(last);
            (from.max(end + 1)..reach).for_each(&mut f);
            from = from.max(reach);
        }
    }

    /// Where a pattern ends with one more item.
    pub(super) fn project(&self, ends: &Ends, step: Step) -> Ends {
        let mut longer = Ends::none();
        let holds = |event: usize| self.data.event(event).binary_search(&step.item).is_ok();
        for (k, &row) in ends.rows.iter().enumerate() {
            if step.joined {
                longer.at.extend(ends.of(k).iter().filter(|&&event| holds(event as usize)));
            } else if !self.next.is_empty() {
                let next = self.next[ends.at[k] as usize * self.n_items + step.item as usize];
                longer.at.extend((next != NONE).then_some(next));
            } else if self.is_earliest() {
                let mut later = ends.at[k] as usize + 1..self.data.of(row as usize).end;
                longer.at.extend(later.find(|&event| holds(event)).map(|event| event as u32));
            } else {
                self.onward(row, ends.of(k), |event| {
                    if holds(event) {
                        longer.at.push(event as u32);
                    }
                });
            }
            longer.close(row);
        }
        longer
    }
}
