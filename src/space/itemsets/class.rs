//! Item-sets with the same rows.

use super::{ItemSpace, Itemset};

/// Maximum number of sets visited by the search for the smallest ones.
const MAX_VISITED_SETS: usize = 20_000;

struct Class<'a> {
    space: &'a ItemSpace,
    rows: &'a [u32],
    literals: Vec<(u32, bool)>,
    size: usize,
    effort: usize,
    found: Vec<Itemset>,
}

impl Class<'_> {
    /// Sets of the given size with the chosen items and later ones, whose rows are those of the class, and which contain
    /// none that was found before: that would be enough. Each item must reduce the rows of those before it.
    fn extend(&mut self, chosen: &mut Vec<(u32, bool)>, rows: &[u32], from: usize) {
        for at in from..self.literals.len() {
            if self.effort == 0 {
                return;
            }
            self.effort -= 1;
            let (item, there) = self.literals[at];
            let Some(k) = self.space.place[item as usize] else { continue };
            let narrowed = self.space.narrowed(rows, k as usize, there);
            if narrowed.len() == rows.len() {
                continue;
            }
            chosen.push((item, there));
            if chosen.len() == self.size {
                let is_contained = |smaller: &Itemset| smaller.literals().all(|l| chosen.contains(&l));
                if narrowed.len() == self.rows.len() && !self.found.iter().any(is_contained) {
                    self.found.push(Itemset::of(chosen.iter().copied()));
                }
            } else if narrowed.len() > self.rows.len() {
                self.extend(chosen, &narrowed, at + 1);
            }
            chosen.pop();
        }
    }
}

impl ItemSpace {
    /// The smallest sets with the rows of `pattern` (no item can be left out of one), up to
    /// its own size, and itself; shortest first.
    pub fn generators(&self, pattern: &Itemset, rows: &[u32]) -> Vec<Itemset> {
        let all: Vec<u32> = (0..self.n_rows as u32).collect();
        let mut literals: Vec<(u32, bool)> = self.closure(rows).literals().collect();
        // Rare items first, because they reduce the rows most.
        literals.sort_by_key(|&(item, there)| self.support(item, there));
        let mut class =
            Class { space: self, rows, literals, size: 0, effort: MAX_VISITED_SETS, found: Vec::new() };
        for size in 1..=pattern.len() {
            class.size = size;
            class.extend(&mut Vec::new(), &all, 0);
        }
        let mut found = class.found;
        if !found.contains(pattern) {
            found.push(pattern.clone());
        }
        found.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        found
    }

    /// Rows that contain an item, or do not.
    fn support(&self, item: u32, there: bool) -> usize {
        let held = self.place[item as usize].map_or(0, |k| self.lists[k as usize].len());
        if there { held } else { self.n_rows - held }
    }

    /// The largest set with these rows: every item that all of them hold or, with negations,
    /// none.
    pub fn closure(&self, rows: &[u32]) -> Itemset {
        let mut counts = vec![0usize; self.n_items];
        for &r in rows {
            self.held(r).iter().for_each(|&k| counts[self.order[k as usize] as usize] += 1);
        }
        Itemset::of(counts.iter().enumerate().filter_map(|(item, &count)| {
            let (present, absent) = (count == rows.len(), self.negations && count == 0);
            ((present || absent) && !rows.is_empty()).then_some((item as u32, present))
        }))
    }
}
