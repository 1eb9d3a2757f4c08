//! The weight of the subsets of a conjunction outside a working set.
//!
//! A conjunction w outside has its part of the dual norm in the groups of its subsets v outside, in proportion to their `d_v`
//! = a^|v| (kappa of \[HKL-REL\] (12)): |`q_w`| / `S_w` times `d_v`, with the sum `S_w` of `d_v` over these subsets. All subsets of
//! members are members, so that
//!
//! ```text
//! S_(w and k)  =  (1 + a) S_w  +  a sum of d_v over the members v in w that k joins to no member.
//! ```

use super::hull::Hull;

/// The members of a working set, and what joins one to another.
pub struct Outside {
    a: f64,
    /// d of each member.
    weights: Vec<f64>,
    /// For each member the propositions that make another member of it, with its index.
    joined: Vec<Vec<(u32, u32)>>,
}

/// The members that a conjunction contains.
pub struct Contained {
    members: Vec<u32>,
    /// The sum of their d.
    inner: f64,
    /// S, the sum of d of the other subsets.
    pub outer: f64,
}

impl Outside {
    /// Of a working set; `a` is the base of d.
    pub fn new(hull: &Hull<'_>, a: f64) -> Self {
        let nodes = hull.nodes();
        let mut joined = vec![Vec::new(); nodes.len()];
        for (node, index) in nodes.iter().zip(0..) {
            for (place, &k) in node.conjunction.iter().enumerate() {
                if let Some(parent) = hull.parent(&node.conjunction, place) {
                    joined[parent as usize].push((k, index));
                }
            }
        }
        let weights = nodes.iter().map(|node| a.powf(node.conjunction.len() as f64)).collect();
        Self { a, weights, joined }
    }

    /// Of a source, whose proper subsets are all members.
    pub fn of_source(&self, conjunction: &[u32]) -> Contained {
        // The empty conjunction is the first member.
        let empty = Contained { members: vec![0], inner: 1.0, outer: 0.0 };
        let contained = conjunction.iter().fold(empty, |contained, &k| self.with(&contained, k, 0.0));
        Contained { outer: self.a.powf(conjunction.len() as f64), ..contained }
    }

    /// For each proposition, the sum of d over the members in a conjunction that it joins to another member.
    pub fn joined(&self, contained: &Contained, n_propositions: usize, sums: &mut Vec<f64>) {
        sums.clear();
        sums.resize(n_propositions, 0.0);
        for &v in &contained.members {
            self.joined[v as usize].iter().for_each(|(k, _)| sums[*k as usize] += self.weights[v as usize]);
        }
    }

    /// S with one more proposition, by its sum of [`Self::joined`].
    pub fn outer_with(&self, contained: &Contained, joined: f64) -> f64 {
        self.least_outer(contained) + self.a * (contained.inner - joined).max(0.0)
    }

    /// The least S with one more proposition.
    pub fn least_outer(&self, contained: &Contained) -> f64 {
        (1.0 + self.a) * contained.outer
    }

    /// With one more proposition, whose S is `outer`.
    pub fn with(&self, contained: &Contained, k: u32, outer: f64) -> Contained {
        let joined = |v: &u32| self.joined[*v as usize].iter().find(|(l, _)| *l == k).map(|(_, w)| *w);
        let mut members = contained.members.clone();
        members.extend(contained.members.iter().filter_map(joined));
        let inner = members.iter().map(|v| self.weights[*v as usize]).sum();
        Contained { members, inner, outer }
    }
}
