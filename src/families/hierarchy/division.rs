//! How the parts of conjunctions that are above the limit are divided among groups.
//!
//! A conjunction w above the limit c by itself may have parts in the groups of its subsets v outside the working set, as far as
//! these have room: the group of v holds parts whose norm of order rho* = rho / (rho - 1) is at most c `d_v`, one of them
//! |`q_v`| if v is not above the limit. In turn, the shortest first, each takes the same fraction of the room that is
//! left in all of its groups. For rho near 1 a group that is nearly full has room for much more: with rho* = 11, one
//! that is at .9 c has .97 c.

use std::collections::HashMap;

use super::hull::Hull;
use super::norm::NormParams;
use super::own_terms::OwnTerm;

/// Length from which on a conjunction is not divided: it has 2^length subsets.
const MAX_LENGTH: usize = 12;

/// The groups of conjunctions outside a working set.
pub struct Division<'a> {
    hull: &'a Hull<'a>,
    norm: NormParams,
    u: &'a [f64],
    /// c.
    limit: f64,
    /// The rho*-th powers of the norms of the groups by c `d_v`.
    loads: HashMap<Vec<u32>, f64>,
}

impl<'a> Division<'a> {
    /// With each conjunction that is not above the limit in its own group.
    pub fn new(hull: &'a Hull<'a>, norm: NormParams, u: &'a [f64], limit: f64) -> Self {
        Self { hull, norm, u, limit, loads: HashMap::new() }
    }

    /// Divides the parts of conjunctions above the limit; those that are not divided, because there is no room, have
    /// their own groups to themselves. Returns them and an upper bound of the norm.
    pub fn divide(mut self, mut above: Vec<OwnTerm>) -> (Vec<OwnTerm>, f64) {
        above.sort_by(|a, b| {
            let by_size = b.size.total_cmp(&a.size);
            a.conjunction
                .len()
                .cmp(&b.conjunction.len())
                .then(by_size)
                .then(a.conjunction.cmp(&b.conjunction))
        });
        above.retain(|term| !self.has_room(term));
        let order = self.norm.dual_order();
        let largest = self.loads.values().copied().fold(1.0, f64::max);
        (above, self.limit * largest.powf(1.0 / order))
    }

    /// Divides the part of a conjunction if there is room for it.
    fn has_room(&mut self, term: &OwnTerm) -> bool {
        let order = self.norm.dual_order();
        let groups = self.groups(&term.conjunction);
        let room: Vec<f64> = groups
            .iter()
            .map(|v| self.norm.depth_weight(v.len()) * (1.0 - self.load(v)).max(0.0).powf(1.0 / order))
            .collect();
        let part = term.size / self.limit * self.norm.depth_weight(term.conjunction.len());
        let fraction = part / room.iter().sum::<f64>();
        if fraction > 1.0 {
            *self.loads.entry(term.conjunction.clone()).or_default() += (term.size / self.limit).powf(order);
            return false;
        }
        for v in groups {
            let load = self.load(&v);
            self.loads.insert(v, load + fraction.powf(order) * (1.0 - load).max(0.0));
        }
        true
    }

    /// The subsets of a conjunction outside the working set; of a very long one itself.
    fn groups(&self, conjunction: &[u32]) -> Vec<Vec<u32>> {
        if conjunction.len() >= MAX_LENGTH {
            return vec![conjunction.to_vec()];
        }
        subsets(conjunction).filter(|v| !self.hull.contains(v)).collect()
    }

    /// The load of a group, at first that of its own conjunction unless this is above the limit and has its turn.
    fn load(&mut self, v: &[u32]) -> f64 {
        if let Some(&load) = self.loads.get(v) {
            return load;
        }
        let q: f64 = self.hull.rows_of(v).iter().map(|&r| self.u[r as usize]).sum();
        let size = q.abs() / self.norm.depth_weight(v.len()) / self.limit;
        let load = if size > 1.0 { 0.0 } else { size.powf(self.norm.dual_order()) };
        self.loads.insert(v.to_vec(), load);
        load
    }
}

/// All subsets of a conjunction with itself, the empty one first.
pub fn subsets(conjunction: &[u32]) -> impl Iterator<Item = Vec<u32>> {
    let of_bits = |bits: usize| {
        let chosen = conjunction.iter().enumerate().filter(move |(place, _)| bits >> place & 1 == 1);
        chosen.map(|(_, k)| *k).collect()
    };
    (0..1_usize << conjunction.len()).map(of_bits)
}
