//! Internal labels, numbered by frequency, rarest first.
//!
//! Codes start with the smallest labels. If these are the rarest, the patterns near the root of the tree have
//! few records, and the bound prunes there.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::code::{DfsEdge, GraphPattern};
use super::graph::{Edge, Graph};
use super::wildcard::ANY;

/// Original labels by internal label, for vertices and for edges, and the inverse map.
#[derive(Debug)]
pub(super) struct Relabel {
    old: [Vec<u32>; 2],
    new: [BTreeMap<u32, u32>; 2],
}

impl Relabel {
    /// Numbers the labels of some graphs, rarest first, then by label.
    pub fn rarest_first(graphs: &[Arc<Graph>]) -> Self {
        let vertices = graphs.iter().flat_map(|g| g.vertices().iter().copied());
        let edges = graphs.iter().flat_map(|g| g.edges().iter().map(|e| e.label));
        Self::of([by_number(vertices), by_number(edges)])
    }

    /// Numbers the labels of vertices and of edges in these orders.
    pub fn of(old: [Vec<u32>; 2]) -> Self {
        let back = |old: &Vec<u32>| old.iter().copied().zip(0..).collect();
        Self { new: [back(&old[0]), back(&old[1])], old }
    }

    /// The labels of vertices and of edges in their orders.
    pub fn originals(&self) -> &[Vec<u32>; 2] {
        &self.old
    }

    /// A graph with internal labels; unknown labels get the number after the last.
    pub fn inwards(&self, graph: &Graph) -> Graph {
        let vertices = graph.vertices().iter().map(|&l| self.number(0, l)).collect();
        let relabel = |e: &Edge| Edge { label: self.number(1, e.label), ..*e };
        Graph::of_checked(vertices, graph.edges().iter().map(relabel).collect())
    }

    /// A pattern with internal labels; its code is the minimum one if the pattern is of this space.
    pub fn to_internal(&self, pattern: &GraphPattern) -> GraphPattern {
        let relabel = |e: &DfsEdge| DfsEdge {
            from_label: self.number(0, e.from_label),
            label: self.number(1, e.label),
            to_label: self.number(0, e.to_label),
            ..*e
        };
        GraphPattern::of_code(pattern.code().iter().map(relabel).collect())
    }

    /// A code with original labels; wildcards are unchanged.
    pub fn outwards(&self, code: &[DfsEdge]) -> GraphPattern {
        let old = |kind: usize, l: u32| self.old[kind].get(l as usize).copied().unwrap_or(ANY);
        let relabel = |e: &DfsEdge| DfsEdge {
            from_label: old(0, e.from_label),
            label: old(1, e.label),
            to_label: old(0, e.to_label),
            ..*e
        };
        GraphPattern::of_code(code.iter().map(relabel).collect())
    }

    fn number(&self, kind: usize, label: u32) -> u32 {
        if label == ANY {
            return ANY;
        }
        self.new[kind].get(&label).copied().unwrap_or(self.old[kind].len() as u32)
    }
}

/// Distinct labels, rarest first.
fn by_number(labels: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut counts = BTreeMap::new();
    labels.for_each(|l| *counts.entry(l).or_insert(0u64) += 1);
    let mut sorted: Vec<(u64, u32)> = counts.into_iter().map(|(label, count)| (count, label)).collect();
    sorted.sort_unstable();
    sorted.into_iter().map(|(_, label)| label).collect()
}
