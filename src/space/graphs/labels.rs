//! Labels renumbered by how rare they are.
//!
//! Codes begin at the least labels; where those are the rarest, the patterns near the root
//! of the tree have few records, and a bound cuts there.

use std::collections::BTreeMap;

use super::graph::{Edge, Graph};

/// New numbers of labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Relabel {
    /// Old vertex labels, in the order of the new numbers.
    pub vertices: Vec<u32>,
    /// Old edge labels, in the order of the new numbers.
    pub edges: Vec<u32>,
}

/// Numbers the labels of some graphs, the rarest first (ties: the least first).
pub fn rarest_first(graphs: &[Graph]) -> Relabel {
    let vertices = graphs.iter().flat_map(|g| g.vertices().iter().copied());
    let edges = graphs.iter().flat_map(|g| g.edges().iter().map(|e| e.label));
    Relabel { vertices: by_number(vertices), edges: by_number(edges) }
}

fn by_number(labels: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut counts = BTreeMap::new();
    labels.for_each(|l| *counts.entry(l).or_insert(0u64) += 1);
    let mut sorted: Vec<(u64, u32)> = counts.into_iter().map(|(label, count)| (count, label)).collect();
    sorted.sort_unstable();
    sorted.into_iter().map(|(_, label)| label).collect()
}

impl Relabel {
    /// A graph with new labels; those that have no number get one past the last.
    pub fn apply(&self, graph: &Graph) -> Graph {
        let number = |labels: &[u32], l: u32| labels.iter().position(|&x| x == l).unwrap_or(labels.len());
        let vertices = graph.vertices().iter().map(|&l| number(&self.vertices, l) as u32).collect();
        let relabel = |e: &Edge| Edge { label: number(&self.edges, e.label) as u32, ..*e };
        Graph::of_checked(vertices, graph.edges().iter().map(relabel).collect())
    }
}
