//! The working set: conjunctions together with all their subsets.

use std::collections::HashMap;

use super::lattice::Lattice;
use crate::data::bins::Codes;

/// One conjunction of the working set.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its propositions, ascending.
    pub conjunction: Vec<u32>,
    /// The rows that satisfy it, ascending.
    pub rows: Vec<u32>,
    /// Places of its subsets in the working set, itself last.
    pub ancestors: Vec<u32>,
}

/// A set of conjunctions that holds every subset of each; the empty one comes first.
#[derive(Debug, Clone)]
pub struct Hull<'a> {
    lattice: &'a Lattice,
    /// Which rows satisfy each proposition.
    holds: Vec<Vec<bool>>,
    nodes: Vec<Node>,
    places: HashMap<Vec<u32>, u32>,
}

/// A minimal conjunction outside, with its rows.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its propositions, ascending.
    pub conjunction: Vec<u32>,
    /// The rows that satisfy it, ascending; at least one.
    pub rows: Vec<u32>,
}

impl<'a> Hull<'a> {
    /// The empty conjunction alone.
    pub fn new(lattice: &'a Lattice, codes: &Codes) -> Self {
        let holds = (0..lattice.propositions().len() as u32).map(|k| lattice.rows(k, codes)).collect();
        let root =
            Node { conjunction: Vec::new(), rows: (0..codes.n_rows as u32).collect(), ancestors: vec![0] };
        Self { lattice, holds, nodes: vec![root], places: HashMap::from([(Vec::new(), 0)]) }
    }

    /// The conjunctions, subsets before those that hold them.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of conjunctions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The minimal conjunctions outside that hold for some row, in lexical order.
    pub fn sources(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        for node in &self.nodes {
            let first = node.conjunction.last().map_or(0, |k| k + 1);
            for k in first..self.holds.len() as u32 {
                if !node.conjunction.iter().all(|&l| self.lattice.compatible(k, l)) {
                    continue;
                }
                let mut conjunction = node.conjunction.clone();
                conjunction.push(k);
                if self.places.contains_key(&conjunction) || !self.holds_parents(&conjunction) {
                    continue;
                }
                let holds = &self.holds[k as usize];
                let rows: Vec<u32> = node.rows.iter().copied().filter(|&r| holds[r as usize]).collect();
                if !rows.is_empty() {
                    sources.push(Source { conjunction, rows });
                }
            }
        }
        sources.sort_by(|a, b| a.conjunction.cmp(&b.conjunction));
        sources
    }

    /// Whether every subset with one proposition less is inside.
    fn holds_parents(&self, conjunction: &[u32]) -> bool {
        (0..conjunction.len() - 1).all(|gone| self.places.contains_key(&without(conjunction, gone)))
    }

    /// Takes a source in.
    pub fn add(&mut self, source: Source) {
        let Source { conjunction, rows } = source;
        let place = self.nodes.len() as u32;
        let mut ancestors: Vec<u32> = Vec::new();
        for gone in 0..conjunction.len() {
            let parent = without(&conjunction, gone);
            ancestors.extend(&self.nodes[self.places[&parent] as usize].ancestors);
        }
        ancestors.sort_unstable();
        ancestors.dedup();
        ancestors.push(place);
        self.places.insert(conjunction.clone(), place);
        self.nodes.push(Node { conjunction, rows, ancestors });
    }

    /// Leaves out conjunctions whose share is small, unless one that stays holds them.
    pub fn keep(&mut self, shares: &[f64], small: f64) {
        let mut stays = vec![false; self.nodes.len()];
        stays[0] = true;
        for (node, share) in self.nodes.iter().zip(shares) {
            if *share > small {
                node.ancestors.iter().for_each(|&v| stays[v as usize] = true);
            }
        }
        let mut new = vec![0; self.nodes.len()];
        let kept = (0..self.nodes.len()).filter(|&v| stays[v]);
        kept.enumerate().for_each(|(to, from)| new[from] = to as u32);
        let mut place = 0..;
        self.nodes.retain(|_| place.next().is_some_and(|v: usize| stays[v]));
        for node in &mut self.nodes {
            node.ancestors.iter_mut().for_each(|v| *v = new[*v as usize]);
        }
        self.places = self.nodes.iter().map(|n| n.conjunction.clone()).zip(0..).collect();
    }

    /// q: the sum of u over the rows of each conjunction.
    pub fn correlations(&self, u: &[f64]) -> Vec<f64> {
        self.nodes.iter().map(|node| node.rows.iter().map(|&r| u[r as usize]).sum()).collect()
    }

    /// The sum of the coefficients that hold for each row.
    pub fn predictions(&self, coefficients: &[f64], n_rows: usize) -> Vec<f64> {
        let mut f = vec![0.0; n_rows];
        for (node, &w) in self.nodes.iter().zip(coefficients).filter(|(_, w)| **w != 0.0) {
            node.rows.iter().for_each(|&r| f[r as usize] += w);
        }
        f
    }
}

/// A conjunction less the proposition at one place.
fn without(conjunction: &[u32], place: usize) -> Vec<u32> {
    let others = conjunction.iter().enumerate().filter(|(at, _)| *at != place);
    others.map(|(_, k)| *k).collect()
}
