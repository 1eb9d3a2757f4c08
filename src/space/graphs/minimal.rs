//! The minimum DFS code of a graph, and the test whether a code is minimal.
//!
//! All embeddings of the first edges of a code in its graph are extended together, edge by edge: the smallest
//! edge that extends any of them is the next edge of the minimum code.

use super::code::{DfsEdge, GraphPattern, draw};
use super::graph::Graph;
use crate::error::{Error, Result};

/// Marks a vertex that is not in the code.
const NEW: u32 = u32::MAX;

/// Tests codes for minimality with reused buffers, because allocation would dominate and serialise threads.
#[derive(Debug, Default)]
pub(super) struct Minimal {
    graph: Graph,
    growth: Growth,
}

impl Minimal {
    /// Whether no DFS code of the same graph is smaller. The code without its last edge must be minimal.
    pub fn is(&mut self, code: &[DfsEdge]) -> bool {
        let Self { graph, growth } = self;
        draw(code, graph);
        growth.begin(graph);
        for &next in code {
            if growth.smallest_extension(graph, Some(next)) != Some(next) {
                return false;
            }
            growth.add_edge(graph, next);
        }
        true
    }
}

/// A prefix of the minimum code of a graph, and all its embeddings.
#[derive(Debug, Default)]
struct Growth {
    code: Vec<DfsEdge>,
    /// Graph vertices of each embedding, concatenated.
    embeddings: Vec<u32>,
    width: usize,
    /// The rightmost path of the code, from its first vertex to its last.
    path: Vec<u32>,
    /// Buffer for the next embeddings.
    spare: Vec<u32>,
    /// Position of each graph vertex in the current embedding.
    place: Vec<u32>,
}

impl GraphPattern {
    /// The pattern of a connected graph with at least one edge.
    ///
    /// Fails for a graph without edges and for one that is not connected.
    pub fn of_graph(graph: &Graph) -> Result<Self> {
        let mut growth = Growth::default();
        growth.begin(graph);
        for _ in graph.edges() {
            match growth.smallest_extension(graph, None) {
                Some(next) => growth.add_edge(graph, next),
                None => break,
            }
        }
        if growth.code.is_empty() {
            return Err(Error::data("a pattern needs at least one edge; this graph has none"));
        }
        if growth.code.len() < graph.edges().len() || growth.width < graph.vertices().len() {
            return Err(Error::data("a pattern is a connected graph; this one falls into several parts"));
        }
        Ok(Self::of_code(growth.code))
    }
}

impl Growth {
    /// Resets the state for a new graph.
    fn begin(&mut self, graph: &Graph) {
        self.code.clear();
        self.embeddings.clear();
        self.path.clear();
        self.width = 0;
        self.place.clear();
        self.place.resize(graph.vertices().len(), NEW);
    }

    /// The smallest edge that extends the code, if it is smaller than `best`.
    fn smallest_extension(&mut self, graph: &Graph, mut best: Option<DfsEdge>) -> Option<DfsEdge> {
        let mut offer = |edge: DfsEdge| {
            if best.is_none_or(|b| edge.rank() < b.rank()) {
                best = Some(edge);
            }
        };
        if self.code.is_empty() {
            (0..graph.vertices().len() as u32).for_each(|v| first(graph, v, &mut offer));
            return best;
        }
        for embedding in self.embeddings.chunks(self.width) {
            put(&mut self.place, embedding, true);
            let vertices = graph.vertices();
            for (depth, &from) in self.path.iter().rev().enumerate() {
                for arc in graph.neighbours(embedding[from as usize]) {
                    let to = self.place[arc.to as usize];
                    let edge = DfsEdge {
                        from,
                        to: if to == NEW { self.width as u32 } else { to },
                        from_label: vertices[embedding[from as usize] as usize],
                        label: arc.label,
                        to_label: vertices[arc.to as usize],
                    };
                    if to == NEW || (depth == 0 && !self.has(from, to)) {
                        offer(edge);
                    }
                }
            }
            put(&mut self.place, embedding, false);
        }
        best
    }

    /// Whether the code has an edge between two of its vertices.
    fn has(&self, from: u32, to: u32) -> bool {
        self.code.iter().any(|e| (e.from, e.to) == (from, to) || (e.to, e.from) == (from, to))
    }

    /// Extends the code by an edge, and the embeddings that contain the edge.
    fn add_edge(&mut self, graph: &Graph, edge: DfsEdge) {
        let mut extended = std::mem::take(&mut self.spare);
        extended.clear();
        let labels = graph.vertices();
        if self.code.is_empty() {
            for u in 0..labels.len() as u32 {
                for arc in graph.neighbours(u) {
                    let found = (labels[u as usize], arc.label, labels[arc.to as usize]);
                    if found == (edge.from_label, edge.label, edge.to_label) {
                        extended.extend([u, arc.to]);
                    }
                }
            }
        } else {
            for embedding in self.embeddings.chunks(self.width) {
                for arc in graph.neighbours(embedding[edge.from as usize]) {
                    let fits = if edge.is_forward() {
                        labels[arc.to as usize] == edge.to_label && !embedding.contains(&arc.to)
                    } else {
                        embedding[edge.to as usize] == arc.to
                    };
                    if fits && arc.label == edge.label {
                        extended.extend_from_slice(embedding);
                        extended.extend(edge.is_forward().then_some(arc.to));
                    }
                }
            }
        }
        self.width = self.width.max(edge.from.max(edge.to) as usize + 1);
        self.spare = std::mem::replace(&mut self.embeddings, extended);
        if edge.is_forward() {
            let n_kept = self.path.iter().rposition(|&v| v == edge.from).map_or(0, |at| at + 1);
            self.path.truncate(n_kept);
            self.path.extend((n_kept == 0).then_some(edge.from).into_iter().chain([edge.to]));
        }
        self.code.push(edge);
    }
}

/// Evaluates each edge at a vertex as the first edge of a code.
fn first(graph: &Graph, vertex: u32, offer: &mut impl FnMut(DfsEdge)) {
    let labels = graph.vertices();
    for arc in graph.neighbours(vertex) {
        let (from_label, to_label) = (labels[vertex as usize], labels[arc.to as usize]);
        offer(DfsEdge { from: 0, to: 1, from_label, label: arc.label, to_label });
    }
}

fn put(place: &mut [u32], embedding: &[u32], there: bool) {
    for (k, &v) in embedding.iter().enumerate() {
        place[v as usize] = if there { k as u32 } else { NEW };
    }
}
