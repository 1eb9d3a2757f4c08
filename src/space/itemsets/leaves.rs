//! The largest sets, below which there are none: nearly all of a space.

use super::walk::{Child, Walk};
use super::{Itemset, bitset};
use crate::space::bit_rows::BLOCK;
use crate::space::{Bound, NodeStats, Visitor};

/// Time of a block of columns for a row ([`BitRows::sums`](crate::space::bit_rows::BitRows::sums)), in additions of
/// [`NodeStats`]: 2.5 ns and 1.2 ns.
const COST_OF_BLOCK: f64 = 2.0;

impl<V: Visitor<Itemset>> Walk<'_, V> {
    /// Reports the children of a node that exceed the threshold, where nothing is below them: approximate sums
    /// tell which may, and those are evaluated again. Whether the visitor ended the walk; `None`, and nothing is done, if
    /// the sums of all children are not more expensive, or if the threshold is below their rounding.
    pub(super) fn leaves(&mut self, rows: &[u32], sums: &NodeStats, candidates: &[u32]) -> Option<bool> {
        let (space, coarse, length) = (self.space, self.weights.coarse(), self.chosen.len() + 1);
        let (rare, frequent) =
            candidates.split_at(candidates.partition_point(|&k| (k as usize) < space.frequent));
        let column = |k: u32| k as usize - space.frequent;
        let (first, last) = (column(*frequent.first()?), column(*frequent.last()?));
        let blocks = (last / BLOCK - first / BLOCK + 1) as f64;
        let (by_rows, by_items) = self.costs(rows, candidates);
        let (_, of_rare) = self.costs(rows, rare);
        let least = self.visitor.bound().least(sums.weight, length) - coarse.rounding(sums, rows.len());
        if least <= 0.0
            || of_rare + rows.len() as f64 * (COST_OF_BLOCK * blocks + 1.0) > by_rows.min(by_items)
        {
            return None;
        }
        let values: Vec<f32> = rows.iter().map(|&r| coarse.values[r as usize]).collect();
        space.rows.sums(rows, &values, first, last, &mut self.coarse);
        self.visitor.count(candidates.len() as u64 * if space.negations { 2 } else { 1 });
        let (total, mut bits) = (sums.correlation(), Vec::new());
        for &k in candidates {
            if let Some(column) = (k as usize).checked_sub(space.frequent) {
                let sum = f64::from(self.coarse[column]) * coarse.scale;
                if sum.abs() <= least && !(space.negations && (total - sum).abs() > least) {
                    continue;
                }
            }
            if bits.is_empty() {
                bits = bitset(rows, space.n_rows.div_ceil(64));
            }
            let held = self.meet(k as usize, &bits);
            let pair: [Child; 2] = [(k, true, held), (k, false, *sums - held)];
            for child in &pair[..if space.negations { 2 } else { 1 }] {
                if self.matters(child, sums.count) && !self.enter(child, Some(rows)) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }
}
