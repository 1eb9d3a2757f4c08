//! How the parts of conjunctions that are above the limit are divided among groups.
//!
//! A conjunction w above the limit c by itself may have parts in the groups of its subsets v outside the working set, as far as
//! these have room: the group of v holds parts whose norm of order rho* = rho / (rho - 1) is at most c `d_v`, one of them
//! |`q_v`| if v is not above the limit. In turn, the shortest first, each takes the same fraction of the room that is
//! left in all of its groups. For rho near 1 a group that is nearly full has room for much more: with rho* = 11, one
//! that is at .9 c has .97 c.

use std::collections::{HashMap, HashSet};

use super::hull::Hull;
use super::norm::NormParams;
use super::own_terms::OwnTerm;
use crate::control::Control;

/// Length up to which a conjunction is divided: it has 2^length subsets.
pub const MAX_LENGTH: usize = 8;

/// Number of groups among which conjunctions are divided.
const MAX_GROUPS: usize = 100_000;

/// The groups of conjunctions outside a working set.
pub struct Division<'a> {
    hull: &'a Hull<'a>,
    norm: NormParams,
    u: &'a [f64],
    control: &'a Control,
    /// |q| / d of the conjunctions whose groups were looked at.
    sizes: HashMap<Vec<u32>, f64>,
    /// c.
    limit: f64,
    /// The conjunctions above the limit, which have no part in their own groups until it is their turn.
    above: HashSet<Vec<u32>>,
    /// The rho*-th powers of the norms of the groups by c `d_v`.
    loads: HashMap<Vec<u32>, f64>,
}

impl<'a> Division<'a> {
    /// Nothing is divided yet.
    pub fn new(hull: &'a Hull<'a>, norm: NormParams, u: &'a [f64], control: &'a Control) -> Self {
        Self {
            hull,
            norm,
            u,
            control,
            sizes: HashMap::new(),
            limit: 0.0,
            above: HashSet::new(),
            loads: HashMap::new(),
        }
    }

    /// Divides the parts of those of some conjunctions that are above a limit; all others are in their own groups. Where
    /// there is no room, a conjunction is in its own group alone. Returns these and an upper bound of the norm.
    pub fn divide(&mut self, known: &[OwnTerm], limit: f64) -> (Vec<OwnTerm>, f64) {
        (self.limit, self.loads) = (limit, HashMap::new());
        let mut above: Vec<OwnTerm> = known.iter().filter(|term| term.size > limit).cloned().collect();
        self.above = above.iter().map(|term| term.conjunction.clone()).collect();
        let length = |term: &OwnTerm| term.conjunction.len();
        above.sort_by(|a, b| length(a).cmp(&length(b)).then_with(|| a.by_size(b)));
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

    /// The subsets of a conjunction outside the working set; of a long one, or once there are very many, itself.
    fn groups(&self, conjunction: &[u32]) -> Vec<Vec<u32>> {
        let is_late = self.loads.len() >= MAX_GROUPS || self.control.should_stop();
        if conjunction.len() > MAX_LENGTH || is_late {
            return vec![conjunction.to_vec()];
        }
        subsets(conjunction).filter(|v| !self.hull.contains(v)).collect()
    }

    /// The load of a group, at first that of its own conjunction unless this has its turn. Which ones have is decided by the
    /// sizes that the search found: these are rounded otherwise, and one near the limit may be above it here alone.
    fn load(&mut self, v: &[u32]) -> f64 {
        if let Some(&load) = self.loads.get(v) {
            return load;
        }
        let load = if self.above.contains(v) {
            0.0
        } else {
            (self.size(v) / self.limit).min(1.0).powf(self.norm.dual_order())
        };
        self.loads.insert(v.to_vec(), load);
        load
    }

    /// |q| / d.
    fn size(&mut self, v: &[u32]) -> f64 {
        if let Some(&size) = self.sizes.get(v) {
            return size;
        }
        let q: f64 = self.hull.rows_of(v).iter().map(|&r| self.u[r as usize]).sum();
        let size = q.abs() / self.norm.depth_weight(v.len());
        self.sizes.insert(v.to_vec(), size);
        size
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
