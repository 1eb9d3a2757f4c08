//! The working set: a set of conjunctions that contains all subsets of its members.

use std::collections::HashMap;
use std::sync::Arc;

use super::lattice::Lattice;
use crate::data::bins::Codes;

/// One conjunction of the working set.
#[derive(Debug, Clone)]
pub struct HullNode {
    /// Its propositions, ascending.
    pub conjunction: Vec<u32>,
    /// The rows that satisfy it, ascending.
    pub rows: Vec<u32>,
    /// Indices of its subsets in the working set, ending with itself.
    pub ancestors: Vec<u32>,
}

/// A set of conjunctions that contains every subset of each; the empty one comes first.
#[derive(Debug, Clone)]
pub struct Hull<'a> {
    lattice: &'a Lattice,
    /// Which rows satisfy each proposition; a copy that a proof extends shares them.
    satisfied: Arc<[Vec<bool>]>,
    nodes: Vec<HullNode>,
    index_of: HashMap<Vec<u32>, u32>,
}

/// A source of the complement: a minimal conjunction outside the working set.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its propositions, ascending.
    pub conjunction: Vec<u32>,
    /// The rows that satisfy it, ascending; at least one.
    pub rows: Vec<u32>,
}

impl<'a> Hull<'a> {
    /// The working set with the empty conjunction alone.
    pub fn new(lattice: &'a Lattice, codes: &Codes) -> Self {
        let satisfied =
            (0..lattice.propositions().len() as u32).map(|k| lattice.satisfied_rows(k, codes)).collect();
        let root = HullNode {
            conjunction: Vec::new(),
            rows: (0..codes.n_rows as u32).collect(),
            ancestors: vec![0],
        };
        Self { lattice, satisfied, nodes: vec![root], index_of: HashMap::from([(Vec::new(), 0)]) }
    }

    /// The conjunctions; subsets come before their supersets.
    pub fn nodes(&self) -> &[HullNode] {
        &self.nodes
    }

    /// Whether a conjunction is in the working set.
    pub fn contains(&self, conjunction: &[u32]) -> bool {
        self.index_of.contains_key(conjunction)
    }

    /// The rows that satisfy a conjunction, ascending.
    pub fn rows_of(&self, conjunction: &[u32]) -> Vec<u32> {
        let satisfies = |&row: &u32| conjunction.iter().all(|&k| self.satisfied[k as usize][row as usize]);
        self.nodes[0].rows.iter().copied().filter(satisfies).collect()
    }

    /// Number of conjunctions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The sources of the complement that some row satisfies, in lexicographic order.
    pub fn sources(&self) -> Vec<Source> {
        let all: Vec<u32> = (0..self.satisfied.len() as u32).collect();
        // All subsets of a source are in the working set, each of its propositions too if it has several.
        let mut single: Vec<u32> = self
            .nodes
            .iter()
            .filter_map(|node| match node.conjunction[..] {
                [k] => Some(k),
                _ => None,
            })
            .collect();
        single.sort_unstable();
        let mut sources = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            for &k in if node.conjunction.is_empty() { &all } else { &single } {
                if !node.conjunction.iter().all(|&l| l != k && self.lattice.are_compatible(k, l)) {
                    continue;
                }
                let mut conjunction = node.conjunction.clone();
                conjunction.insert(conjunction.partition_point(|&l| l < k), k);
                // A source has several subsets with one proposition less, of which one is the last.
                if self.index_of.contains_key(&conjunction) || self.last_parent(&conjunction) != Some(index) {
                    continue;
                }
                let satisfied = &self.satisfied[k as usize];
                let rows: Vec<u32> = node.rows.iter().copied().filter(|&r| satisfied[r as usize]).collect();
                if !rows.is_empty() {
                    sources.push(Source { conjunction, rows });
                }
            }
        }
        sources.sort_by(|a, b| a.conjunction.cmp(&b.conjunction));
        sources
    }

    /// The largest index of the subsets with one proposition less, if all are in the working set.
    fn last_parent(&self, conjunction: &[u32]) -> Option<usize> {
        let mut last = 0;
        for position in 0..conjunction.len() {
            last = last.max(*self.index_of.get(&without_proposition(conjunction, position))? as usize);
        }
        Some(last)
    }

    /// The working set of these conjunctions, of which subsets come first, beside the empty one.
    pub fn set(&mut self, conjunctions: &[Vec<u32>]) {
        let is_here = self.nodes[1..].iter().map(|node| &node.conjunction).eq(conjunctions);
        if is_here {
            return;
        }
        self.nodes.truncate(1);
        self.index_of = HashMap::from([(Vec::new(), 0)]);
        for conjunction in conjunctions {
            let rows = self.rows_of(conjunction);
            self.add(Source { conjunction: conjunction.clone(), rows });
        }
    }

    /// Adds a source to the working set.
    pub fn add(&mut self, source: Source) {
        let Source { conjunction, rows } = source;
        let index = self.nodes.len() as u32;
        let mut ancestors: Vec<u32> = Vec::new();
        for position in 0..conjunction.len() {
            let parent = without_proposition(&conjunction, position);
            ancestors.extend(&self.nodes[self.index_of[&parent] as usize].ancestors);
        }
        ancestors.sort_unstable();
        ancestors.dedup();
        ancestors.push(index);
        self.index_of.insert(conjunction.clone(), index);
        self.nodes.push(HullNode { conjunction, rows, ancestors });
    }

    /// Removes conjunctions that are not used, except subsets of those that stay.
    pub fn prune(&mut self, is_used: impl Fn(usize) -> bool) {
        let mut is_kept = vec![false; self.nodes.len()];
        is_kept[0] = true;
        for (_, node) in self.nodes.iter().enumerate().filter(|(v, _)| is_used(*v)) {
            node.ancestors.iter().for_each(|&v| is_kept[v as usize] = true);
        }
        let mut new = vec![0; self.nodes.len()];
        let kept = (0..self.nodes.len()).filter(|&v| is_kept[v]);
        kept.enumerate().for_each(|(to, from)| new[from] = to as u32);
        let mut index = 0..;
        self.nodes.retain(|_| index.next().is_some_and(|v: usize| is_kept[v]));
        for node in &mut self.nodes {
            node.ancestors.iter_mut().for_each(|v| *v = new[*v as usize]);
        }
        self.index_of = self.nodes.iter().map(|n| n.conjunction.clone()).zip(0..).collect();
    }

    /// q: the sum of the multipliers u over the rows of each conjunction.
    pub fn correlations(&self, u: &[f64]) -> Vec<f64> {
        self.nodes.iter().map(|node| node.rows.iter().map(|&r| u[r as usize]).sum()).collect()
    }

    /// Predictions: the sum of the coefficients of the conjunctions that each row satisfies.
    pub fn predictions(&self, coefficients: &[f64], n_rows: usize) -> Vec<f64> {
        let mut f = vec![0.0; n_rows];
        for (node, &w) in self.nodes.iter().zip(coefficients).filter(|(_, w)| **w != 0.0) {
            node.rows.iter().for_each(|&r| f[r as usize] += w);
        }
        f
    }
}

/// A conjunction without the proposition at one position.
fn without_proposition(conjunction: &[u32], position: usize) -> Vec<u32> {
    let others = conjunction.iter().enumerate().filter(|(index, _)| *index != position);
    others.map(|(_, k)| *k).collect()
}
