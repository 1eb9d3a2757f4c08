//! The longest sequences, below which there are none: nearly all of a space.

use super::project::Ends;
use super::walk::{Child, Walk};
use super::{Extension, Sequence};
use crate::space::bit_rows::BLOCK;
use crate::space::{Bound, NodeStats, Visitor};

/// Time of a block of items for a row ([`BitRows::sums`](crate::space::bit_rows::BitRows::sums)), in those of a
/// look-up in the table of next occurrences: 2.5 ns and 1.2 ns.
const COST_OF_BLOCK: usize = 2;

impl<V: Visitor<Sequence>> Walk<'_, V> {
    /// Reports the extensions of a prefix of `count` rows by one event that exceed the threshold, where nothing is below
    /// them: approximate sums tell which may, and those are evaluated again. Whether the visitor ended the walk; `None`, and
    /// nothing is done, without a table of next occurrences, if there are few items, or if the threshold is below rounding.
    pub(super) fn leaves(
        &mut self,
        prefix: &Sequence,
        ends: &Ends,
        count: f64,
        alive: Option<&[u32]>,
    ) -> Option<bool> {
        let (space, coarse, length) = (self.space, self.weights.coarse(), prefix.len() + 1);
        let all: Vec<u32> = if alive.is_some() { Vec::new() } else { (0..space.n_items as u32).collect() };
        let items = alive.unwrap_or(&all);
        let (first, last) = (*items.first()? as usize, *items.last()? as usize);
        let blocks = last / BLOCK - first / BLOCK + 1;
        if space.later.is_empty() || items.len() <= COST_OF_BLOCK * blocks {
            return None;
        }
        let sums = self.total(&ends.rows);
        let least = self.visitor.bound().least(sums.weight, length) - coarse.rounding(&sums, ends.rows.len());
        if least <= 0.0 {
            return None;
        }
        // Only the earliest end in each row is stored.
        let values: Vec<f32> = ends.rows.iter().map(|&r| coarse.values[r as usize]).collect();
        space.later.sums(&ends.at, &values, first, last, &mut self.coarse);
        self.visitor.count(items.len() as u64);
        for &item in items {
            if (f64::from(self.coarse[item as usize]) * coarse.scale).abs() <= least {
                continue;
            }
            let mut held = NodeStats::default();
            for (&row, &end) in ends.rows.iter().zip(&ends.at) {
                if space.later.holds(end, item as usize) {
                    held += self.weights.stats[row as usize];
                }
            }
            let child: Child = (Extension { item, is_joined: false }, held);
            if self.matters(&child, length) && !self.enter(&child, prefix, count, Some(ends)) {
                return Some(false);
            }
        }
        Some(true)
    }
}
