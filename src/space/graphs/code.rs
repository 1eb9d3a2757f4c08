//! Patterns as DFS codes: a connected graph is the list of edges of a depth-first search, and the smallest of
//! all such lists represents the graph (\[gSpan\]).
//!
//! Vertices are numbered in the order of discovery. A *forward* edge discovers its second
//! vertex; a *backward* edge leads from the last vertex discovered (the *rightmost*) to one
//! before it. Of two edges that may follow a code, the backward one comes first; of two
//! backward ones that to the earlier vertex; of two forward ones that from the later
//! vertex; then the labels decide.
//!
//! References: \[gSpan\] Yan, Han, "gSpan: Graph-Based Substructure Pattern Mining" (2002).

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::graph::{Edge, Graph};
use super::wildcard::ANY;
use crate::data::bounded;
use crate::space::Encode;

/// An edge of a DFS code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct DfsEdge {
    /// First vertex, by order of discovery.
    pub from: u32,
    /// Last vertex.
    pub to: u32,
    /// Label of the first vertex.
    pub from_label: u32,
    /// Label of the edge.
    pub label: u32,
    /// Label of the last vertex.
    pub to_label: u32,
}

/// An edge in a document; a label of null is a wildcard.
type Wire = (u32, u32, Option<u32>, Option<u32>, Option<u32>);

impl TryFrom<Wire> for DfsEdge {
    type Error = String;

    fn try_from((from, to, from_label, label, to_label): Wire) -> Result<Self, String> {
        if [from_label, label, to_label].contains(&Some(ANY)) {
            return Err(format!("label {ANY} is out of range; any label is written null"));
        }
        let [from_label, label, to_label] = [from_label, label, to_label].map(|l| l.unwrap_or(ANY));
        Ok(Self { from, to, from_label, label, to_label })
    }
}

impl From<DfsEdge> for Wire {
    fn from(e: DfsEdge) -> Self {
        let [from_label, label, to_label] =
            [e.from_label, e.label, e.to_label].map(|l| (l != ANY).then_some(l));
        (e.from, e.to, from_label, label, to_label)
    }
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

/// A connected subgraph: the minimum DFS code of its graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct GraphPattern(Vec<DfsEdge>);

/// Maximum number of edges of a pattern.
pub const MAX_EDGES: usize = 32;

impl<'de> Deserialize<'de> for GraphPattern {
    /// Checks a code: its edges must be in the order of a depth-first search.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let code = bounded::list::<MAX_EDGES, DfsEdge, D>(from)?;
        match complaint(&code) {
            Some(complaint) => Err(D::Error::custom(complaint)),
            None => Ok(Self(code)),
        }
    }
}

/// A description of the first error in a list of edges as a code, if there is one.
fn complaint(code: &[DfsEdge]) -> Option<String> {
    let Some(first) = code.first() else { return Some("a pattern has at least one edge".into()) };
    let mut labels = vec![first.from_label];
    for (k, e) in code.iter().enumerate() {
        let (last, before) = (labels.len() as u32 - 1, &code[..k]);
        let path: Vec<u32> = rightmost_path(before).iter().map(|&k| before[k].from).chain([last]).collect();
        let again =
            before.iter().any(|b| (b.from, b.to) == (e.from, e.to) || (b.to, b.from) == (e.from, e.to));
        let fits = if e.is_forward() {
            e.to == last + 1 && path.contains(&e.from)
        } else {
            e.from == last && e.to < last && path.contains(&e.to) && !again
        };
        if e.is_forward() && fits {
            labels.push(e.to_label);
        }
        let has_label = |v: u32, label: u32| labels.get(v as usize) == Some(&label);
        if !(fits && has_label(e.from, e.from_label) && has_label(e.to, e.to_label)) {
            return Some(format!("edge {k} of a pattern does not follow the ones before it"));
        }
    }
    None
}

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

    /// Number of vertices and edges that any label matches.
    pub fn n_wildcards(&self) -> usize {
        let graph = self.graph();
        let labels = graph.vertices().iter().copied().chain(self.0.iter().map(|e| e.label));
        labels.filter(|&l| l == ANY).count()
    }

    /// The pattern as a graph; its vertices are numbered by order of discovery.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        draw(&self.0, &mut graph);
        graph
    }
}

impl Encode for GraphPattern {
    fn encode(&self, words: &mut Vec<u32>) {
        words.extend(self.0.iter().flat_map(|e| [e.from, e.to, e.from_label, e.label, e.to_label]));
    }

    fn decode(words: &[u32]) -> Self {
        let edge =
            |w: &[u32]| DfsEdge { from: w[0], to: w[1], from_label: w[2], label: w[3], to_label: w[4] };
        Self(words.chunks_exact(5).map(edge).collect())
    }
}

/// Rebuilds a graph from a code.
pub(super) fn draw(code: &[DfsEdge], graph: &mut Graph) {
    graph.renew(vertices(code), |labels, edges| {
        for e in code {
            labels[e.from as usize] = e.from_label;
            labels[e.to as usize] = e.to_label;
            edges.push(Edge::new(e.from, e.to, e.label));
        }
    });
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
