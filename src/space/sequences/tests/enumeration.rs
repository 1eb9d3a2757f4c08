//! Every sequence of a language, one by one. The fuzz targets compile this file as well.

use std::collections::BTreeSet;

use crate::space::sequences::{Limits, Sequence};

/// The events of a record.
pub type Record = Vec<BTreeSet<u32>>;

/// Whether the events of a pattern can be placed in a record after `last`, the place of the event before them.
fn fits(pattern: &[Vec<u32>], record: &Record, last: Option<usize>, gap: Option<usize>) -> bool {
    let Some((event, rest)) = pattern.split_first() else { return true };
    (last.map_or(0, |l| l + 1)..record.len()).any(|at| {
        let near = last.is_none() || gap.is_none_or(|g| at - last.unwrap_or(0) <= g + 1);
        near && event.iter().all(|i| record[at].contains(i)) && fits(rest, record, Some(at), gap)
    })
}

/// Every sequence of the first `n_items` items with its rows, whatever their number.
pub fn enumerate(n_items: u32, records: &[Record], limits: Limits) -> Vec<(Sequence, Vec<u32>)> {
    let mut all: Vec<Sequence> = Vec::new();
    let mut last = vec![Sequence::default()];
    for _ in 0..limits.max_length {
        let mut longer = Vec::new();
        for sequence in &last {
            for item in 0..n_items {
                longer.push(Sequence([sequence.0.clone(), vec![vec![item]]].concat()));
                let top = sequence.0.last().and_then(|e| e.last()).copied();
                if limits.sets && top.is_some_and(|top| item > top) {
                    let mut joined = sequence.clone();
                    joined.0.last_mut().unwrap().push(item);
                    longer.push(joined);
                }
            }
        }
        all.extend(longer.iter().cloned());
        last = longer;
    }
    let rows = |s: &Sequence| {
        let holds = |&r: &usize| fits(&s.0, &records[r], None, limits.max_gap);
        (0..records.len()).filter(holds).map(|r| r as u32).collect()
    };
    all.into_iter()
        .map(|s| {
            let rows = rows(&s);
            (s, rows)
        })
        .collect()
}
