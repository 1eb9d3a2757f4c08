//! The part of the conjunctions outside a set of members in the dual norm.
//!
//! Each conjunction w outside may have its |`q_w`| in its own group, which is then |`q_w`| / `d_w`. What is above a limit by
//! itself is found by a walk that leaves out w of which this is impossible: below v all |`q_w`| are at most the
//! larger of the sums of the positive and of the negative multipliers over the cells of v, and at most |`q_v`| and what n
//! further propositions lose, while `d_w` grows by a^n. It is divided among its subsets outside as far as their groups have
//! room. Whatever the division, the largest norm of a group is a bound.

use std::collections::{BTreeMap, BTreeSet};

use super::lattice::{Conjunction, Lattice};
use super::{Penalty, subsets};
use crate::control::Control;
use crate::error::Result;
use crate::verify::check_time;

/// Largest number of conjunctions above the limit; where there are more, the walk begins again with a higher one.
const MAX_FOUND: usize = 10_000;

/// Largest number of conjunctions that are gone on from, likewise.
const MAX_VISITED: u64 = 2_000_000;

/// Factor of the next limit.
const LIMIT_FACTOR: f64 = 1.5;

/// Smallest limit as a part of the sum of all multipliers.
const MIN_LIMIT: f64 = 1e-9;

/// Number of halvings of the range between a limit that some group exceeds and one that none does.
const HALVINGS: usize = 12;

/// Number of propositions up to which a conjunction is divided among its subsets.
const MAX_DIVIDED: usize = 8;

/// Number of groups among which conjunctions are divided.
const MAX_GROUPS: usize = 100_000;

/// The conjunctions outside some members, with the sums of multipliers by cell.
pub(super) struct Outside<'a> {
    pub lattice: &'a Lattice<'a>,
    pub penalty: Penalty,
    pub members: &'a BTreeSet<Conjunction>,
    pub cells: &'a [f64],
    pub control: &'a Control,
}

/// What is above a limit by itself, with |q|, and the number of conjunctions that were gone on from.
#[derive(Default)]
struct Found {
    above: BTreeMap<Conjunction, f64>,
    visited: u64,
}

impl Found {
    fn is_too_much(&self) -> bool {
        self.above.len() > MAX_FOUND || self.visited > MAX_VISITED
    }
}

impl Outside<'_> {
    /// An upper bound of the largest norm of a group, the limit if it is at most that, and the number of conjunctions
    /// visited.
    pub fn norm(&self, limit: f64) -> Result<(f64, u64)> {
        let total: f64 = self.cells.iter().map(|phi| phi.abs()).sum();
        let mut limit = limit.max(MIN_LIMIT * total);
        if limit == 0.0 {
            return Ok((0.0, 0));
        }
        let (all, mut visited) = ((0..self.cells.len() as u32).collect::<Vec<u32>>(), 0);
        let propositions: Vec<u32> = (0..self.lattice.len()).collect();
        loop {
            let mut found = Found::default();
            self.walk(&Conjunction::new(), &all, &propositions, limit, &mut found)?;
            visited += found.visited;
            if !found.is_too_much() {
                return Ok((self.least_norm(&found.above, limit)?, visited));
            }
            limit *= LIMIT_FACTOR;
        }
    }

    /// The smallest limit found at which there is room for all that is above it; at least the given one.
    fn least_norm(&self, above: &BTreeMap<Conjunction, f64>, limit: f64) -> Result<f64> {
        let (mut low, mut high) = (limit, self.divide(above, limit)?);
        for _ in 0..HALVINGS {
            if high <= low {
                break;
            }
            let middle = 0.5 * (low + high);
            let norm = self.divide(above, middle)?;
            if norm <= middle {
                high = middle;
            } else {
                (low, high) = (middle, high.min(norm));
            }
        }
        Ok(high)
    }

    /// Finds what is above the limit with further propositions out of `allowed`.
    fn walk(
        &self,
        v: &Conjunction,
        inside: &[u32],
        allowed: &[u32],
        limit: f64,
        found: &mut Found,
    ) -> Result<()> {
        check_time(self.control)?;
        found.visited += 1;
        if found.is_too_much() {
            return Ok(());
        }
        let own = inside.iter().map(|&cell| self.cells[cell as usize]).sum::<f64>().abs();
        let mut further = Vec::new();
        for (&k, [kept, lost]) in allowed.iter().zip(self.lattice.parts(allowed, inside, self.cells)) {
            let (q, most) = ((kept[0] - kept[1]).abs(), kept[0].max(kept[1]));
            // Sums of as many numbers differ by so much from those in another order.
            let q = q + f64::EPSILON * inside.len() as f64 * most;
            if q > limit * self.penalty.weight_of_length(v.len() + 1) {
                let w = with(v, k);
                if !self.members.contains(&w) {
                    found.above.insert(w, q);
                }
            }
            if most > limit * self.penalty.weight_of_length(v.len() + 2) {
                further.push((k, most, lost[0].max(lost[1])));
            }
        }
        // The first proposition of a set of further ones is that which loses most.
        further.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        for (place, &(k, most, lost)) in further.iter().enumerate() {
            let n_left = further.len() - place;
            let mut counts = (2..=n_left).map(|n| (n, limit * self.penalty.weight_of_length(v.len() + n)));
            let mut reachable = counts.by_ref().take_while(|(_, needed)| most > *needed);
            if !reachable.any(|(n, needed)| own + n as f64 * lost > needed) {
                continue;
            }
            let later = further[place + 1..].iter().map(|(l, ..)| *l);
            let mut allowed: Vec<u32> = later.filter(|l| self.lattice.joins(&[k], *l)).collect();
            allowed.sort_unstable();
            if !allowed.is_empty() {
                let inside: Vec<u32> =
                    inside.iter().copied().filter(|&cell| self.lattice.holds(k, cell)).collect();
                self.walk(&with(v, k), &inside, &allowed, limit, found)?;
            }
        }
        Ok(())
    }

    /// The largest norm of a group once what is above the limit is divided among the groups of its subsets outside, the
    /// shortest first; a part of each other conjunction is in its own group alone.
    fn divide(&self, known: &BTreeMap<Conjunction, f64>, limit: f64) -> Result<f64> {
        let order = self.penalty.dual_order();
        let norm = |parts: &Vec<f64>| {
            let largest = parts.iter().copied().fold(0.0, f64::max);
            let sum: f64 = parts.iter().map(|part| (part / largest).powf(order)).sum();
            if largest > 0.0 { largest * sum.powf(1.0 / order) } else { 0.0 }
        };
        let mut parts: BTreeMap<Conjunction, Vec<f64>> = BTreeMap::new();
        let size = |(w, q): &(&Conjunction, &f64)| **q / self.penalty.weight(w);
        let mut by_length: Vec<_> = known.iter().filter(|term| size(term) > limit).collect();
        by_length.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| size(b).total_cmp(&size(a))));
        let above: BTreeSet<&Conjunction> = by_length.iter().map(|(w, _)| *w).collect();
        for (w, &q) in by_length {
            check_time(self.control)?;
            let is_short = w.len() <= MAX_DIVIDED && parts.len() < MAX_GROUPS;
            let groups = if is_short { subsets(w) } else { BTreeSet::from([w.clone()]) };
            let mut rooms = Vec::new();
            for v in groups.into_iter().filter(|v| !self.members.contains(v)) {
                let own = || self.sum_over(&v).abs() / self.penalty.weight(&v);
                let parts = parts
                    .entry(v.clone())
                    .or_insert_with(|| if above.contains(&v) { Vec::new() } else { vec![own()] });
                let filled = (norm(parts) / limit).powf(order);
                rooms.push((v, limit * (1.0 - filled).max(0.0).powf(1.0 / order)));
            }
            let total: f64 = rooms.iter().map(|(v, room)| room * self.penalty.weight(v)).sum();
            for (v, room) in rooms {
                let part = if q <= total {
                    room * (q / total)
                } else if v == *w {
                    q / self.penalty.weight(w)
                } else {
                    0.0
                };
                parts.entry(v).or_default().push(part);
            }
        }
        Ok(parts.values().map(norm).fold(limit, f64::max))
    }

    /// `q_v`.
    fn sum_over(&self, v: &[u32]) -> f64 {
        let cells = (0..).zip(self.cells).filter(|(cell, _)| self.lattice.satisfies(v, *cell));
        cells.map(|(_, phi)| phi).sum()
    }
}

/// A conjunction with one more proposition.
fn with(v: &[u32], k: u32) -> Conjunction {
    let mut longer = v.to_vec();
    longer.insert(longer.partition_point(|&l| l < k), k);
    longer
}
