//! Graphs with labels numbered by an alphabet.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::data::labels::{Labels, places};
use crate::data::rows::Records;
use crate::error::{Error, Result};
use crate::space::graphs::{ANY, Edge, Graph, Wildcards};

/// The labels by number.
#[derive(Debug, Clone, PartialEq, Default, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alphabet {
    /// Labels of vertices.
    pub vertices: Labels,
    /// Labels of edges.
    pub edges: Labels,
}

impl Alphabet {
    /// A description of the first error in the labels, if there is one.
    pub fn check(&self) -> std::result::Result<(), String> {
        self.vertices.check().map_err(|complaint| format!("vertices: {complaint}"))?;
        self.edges.check().map_err(|complaint| format!("edges: {complaint}"))
    }
}

/// Graphs as concatenated arrays.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// Offset of the vertices of each graph, and the total.
    pub vertex_starts: &'a [usize],
    /// Labels of the vertices; the length of the alphabet for unknown labels.
    pub vertices: &'a [u32],
    /// Offset of the edges of each graph, and the total.
    pub edge_starts: &'a [usize],
    /// Both ends of each edge, numbered within the graph.
    pub ends: &'a [u32],
    /// Labels of the edges.
    pub edges: &'a [u32],
}

/// Labels of two vertices and of the edge between them, the lesser vertex label first.
pub(super) type Triple = (u32, u32, u32);

/// Some graphs.
#[derive(Debug, Clone)]
pub struct GraphRecords {
    alphabet: Arc<Alphabet>,
    graphs: Vec<Arc<Graph>>,
    /// Cache of [`Self::triples`] by choice of wildcards.
    triples: [OnceLock<BTreeSet<Triple>>; 4],
}

impl Hash for GraphRecords {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.alphabet, &self.graphs).hash(state);
    }
}

impl GraphRecords {
    /// Graphs from arrays. Fails for an invalid edge; the error names the graph.
    pub fn new(alphabet: Alphabet, parts: Parts<'_>) -> Result<Self> {
        let sound = |starts: &[usize], end: usize| {
            starts.first() == Some(&0) && starts.last() == Some(&end) && starts.is_sorted()
        };
        let Parts { vertex_starts, vertices, edge_starts, ends, edges } = parts;
        let matching = vertex_starts.len() == edge_starts.len() && ends.len() == 2 * edges.len();
        if !(matching && sound(vertex_starts, vertices.len()) && sound(edge_starts, edges.len())) {
            return Err(Error::data("the graphs' beginnings must ascend from 0 to the numbers of labels"));
        }
        for (labels, own) in [(vertices, &alphabet.vertices), (edges, &alphabet.edges)] {
            if let Some(bad) = labels.iter().find(|&&l| l as usize > own.len()) {
                return Err(Error::data(format!("label {bad} of {}", own.len())));
            }
        }
        alphabet.check().map_err(Error::Data)?;
        let graph = |k: usize| {
            let labels = vertices[vertex_starts[k]..vertex_starts[k + 1]].to_vec();
            let range = edge_starts[k]..edge_starts[k + 1];
            let edges = range.map(|e| Edge::new(ends[2 * e], ends[2 * e + 1], edges[e])).collect();
            Graph::new(labels, edges).map(Arc::new).map_err(|e| Error::data(format!("graph {k}: {e}")))
        };
        let graphs = (0..vertex_starts.len() - 1).map(graph).collect::<Result<_>>()?;
        Ok(Self { alphabet: Arc::new(alphabet), graphs, triples: Default::default() })
    }

    /// Whether a vertex or an edge has a label that another alphabet lacks.
    pub(super) fn has_unknown(&self, alphabet: &Alphabet) -> bool {
        let vertices = places(&self.alphabet.vertices.0, &alphabet.vertices.0);
        let edges = places(&self.alphabet.edges.0, &alphabet.edges.0);
        let is_unknown =
            |places: &[Option<u32>], label: u32| places.get(label as usize).is_none_or(Option::is_none);
        self.graphs.iter().any(|graph| {
            graph.vertices().iter().any(|&label| is_unknown(&vertices, label))
                || graph.edges().iter().any(|edge| is_unknown(&edges, edge.label))
        })
    }

    /// The graphs with their labels numbered by another alphabet; those that it lacks get the number past it.
    pub(super) fn relabelled(&self, alphabet: &Alphabet) -> Result<Self> {
        let numbers = |own: &Labels, others: &Labels| -> Vec<u32> {
            let unknown = others.len() as u32;
            let known = places(&own.0, &others.0).into_iter();
            known.chain([None]).map(|place| place.unwrap_or(unknown)).collect()
        };
        let vertices = numbers(&self.alphabet.vertices, &alphabet.vertices);
        let edges = numbers(&self.alphabet.edges, &alphabet.edges);
        let graph = |graph: &Arc<Graph>| {
            let labels = graph.vertices().iter().map(|&label| vertices[label as usize]).collect();
            let relabel = |e: &Edge| Edge { label: edges[e.label as usize], ..*e };
            Graph::new(labels, graph.edges().iter().map(relabel).collect()).map(Arc::new)
        };
        let graphs = self.graphs.iter().map(graph).collect::<Result<_>>()?;
        Ok(Self { alphabet: Arc::new(alphabet.clone()), graphs, triples: Default::default() })
    }

    /// The alphabet of the labels.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The graphs.
    pub fn graphs(&self) -> &[Arc<Graph>] {
        &self.graphs
    }

    /// The triples of patterns that match some edge: of labels that the alphabet has, and of
    /// wildcards.
    pub(super) fn triples(&self, wildcards: Wildcards) -> &BTreeSet<Triple> {
        let Wildcards { vertices, edges } = wildcards;
        self.triples[usize::from(vertices) + 2 * usize::from(edges)].get_or_init(|| {
            let choices = |label: u32, known: usize, any: bool| {
                ((label as usize) < known).then_some(label).into_iter().chain(any.then_some(ANY))
            };
            let mut triples = BTreeSet::new();
            for (g, e) in self.graphs.iter().flat_map(|g| g.edges().iter().map(move |e| (g, e))) {
                let vertex =
                    |v: u32| choices(g.vertices()[v as usize], self.alphabet.vertices.len(), vertices);
                for label in choices(e.label, self.alphabet.edges.len(), edges) {
                    for a in vertex(e.u) {
                        triples.extend(vertex(e.v).map(|b| (a.min(b), label, a.max(b))));
                    }
                }
            }
            triples
        })
    }
}

impl Records for GraphRecords {
    const NOUN: &'static str = "records";

    fn n_rows(&self) -> usize {
        self.graphs.len()
    }

    fn take(&self, rows: &[u32]) -> Self {
        let graphs = rows.iter().map(|&r| self.graphs[r as usize].clone()).collect();
        Self { alphabet: self.alphabet.clone(), graphs, triples: Default::default() }
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let key = |r: usize| (self.graphs[r].vertices(), self.graphs[r].edges());
        key(a).cmp(&key(b))
    }
}
