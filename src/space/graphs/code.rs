//! Patterns as DFS codes: a connected graph written down as the edges of a depth-first
//! search, the least of all such lists standing for the graph (\[gSpan\]).
//!
//! Vertices are numbered in the order of discovery. A *forward* edge discovers its second
//! vertex; a *backward* edge leads from the last vertex discovered (the *rightmost*) to one
//! before it. Of two edges that may follow a code, the backward one comes first; of two
//! backward ones that to the earlier vertex; of two forward ones that from the later
//! vertex; then the labels decide.
//!
//! References: \[gSpan\] Yan, Han, "gSpan: Graph-Based Substructure Pattern Mining" (2002).

use super::graph::{Edge, Graph};

/// An edge of a DFS code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DfsEdge {
    /// Vertex where it begins, by order of discovery.
    pub from: u32,
    /// Vertex where it ends.
    pub to: u32,
    /// Label of the first vertex.
    pub from_label: u32,
    /// Label of the edge.
    pub label: u32,
    /// Label of the last vertex.
    pub to_label: u32,
}

impl DfsEdge {
    /// Whether it discovers a vertex.
    pub fn is_forward(&self) -> bool {
        self.from < self.to
    }

    /// Sorts edges that may follow the same code.
    pub fn rank(&self) -> (bool, u32, u32, u32, u32) {
        let place = if self.is_forward() { u32::MAX - self.from } else { self.to };
        (self.is_forward(), place, self.from_label, self.label, self.to_label)
    }
}

/// A connected subgraph: the least DFS code of its graph, in the order of the labels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphPattern(Vec<DfsEdge>);

impl GraphPattern {
    pub(super) fn of_code(code: Vec<DfsEdge>) -> Self {
        Self(code)
    }

    /// The edges of the code.
    pub fn code(&self) -> &[DfsEdge] {
        &self.0
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        vertices(&self.0)
    }

    /// Number of edges.
    pub fn n_edges(&self) -> usize {
        self.0.len()
    }

    /// The pattern as a graph; its vertices are numbered by order of discovery.
    pub fn graph(&self) -> Graph {
        let mut labels = vec![0; self.n_vertices()];
        for e in &self.0 {
            labels[e.from as usize] = e.from_label;
            labels[e.to as usize] = e.to_label;
        }
        Graph::of_checked(labels, self.0.iter().map(|e| Edge::new(e.from, e.to, e.label)).collect())
    }
}

/// Number of vertices of a code.
pub(super) fn vertices(code: &[DfsEdge]) -> usize {
    code.iter().map(|e| e.from.max(e.to) as usize + 1).max().unwrap_or(0)
}

/// The rightmost path of a code: positions of the forward edges from the last vertex
/// discovered up to the first.
pub(super) fn rightmost_path(code: &[DfsEdge]) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = u32::MAX;
    for (k, e) in code.iter().enumerate().rev() {
        if e.is_forward() && (at == u32::MAX || e.to == at) {
            path.push(k);
            at = e.from;
        }
    }
    path
}
