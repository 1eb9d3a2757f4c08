//! All graphs of a space with common vertex numbers, so that an embedding is a list of numbers and any of
//! them determines its record.

use std::collections::{BTreeMap, BTreeSet};

use super::code::DfsEdge;
use super::graph::Graph;
use super::wildcard::{ANY, Wildcards};

/// A neighbour of a vertex as a pattern may contain it, with ranks in the order of the labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// The vertex at the other end.
    pub to: u32,
    /// Rank of (edge label, label of that vertex).
    pub kind: u32,
    /// Rank of (lesser vertex label, edge label, greater vertex label).
    pub triple: u32,
}

/// Labels of two vertices, the smaller first, with the label of the edge between them.
type Triple = (u32, u32, u32);

/// An extension of a code: positions of two vertices and the kind of the edge between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extension {
    pub from: u32,
    pub to: u32,
    pub kind: u32,
}

impl Extension {
    /// Whether it discovers a vertex.
    #[inline]
    pub fn is_forward(self) -> bool {
        self.from < self.to
    }
}

/// Graphs with links by rank. An edge has a link for each kind that matches it; several with wildcards.
#[derive(Debug)]
pub(super) struct Database {
    pub n_records: usize,
    /// Distinct labels of vertices and of edges.
    pub n_labels: [usize; 2],
    /// Wildcards that are allowed.
    pub wildcards: Wildcards,
    /// Record of each vertex.
    pub record: Vec<u32>,
    /// Offsets of the links of each vertex: of all vertices with their labels, then, with wildcards, of all
    /// vertices with [`ANY`].
    offsets: Vec<usize>,
    links: Vec<Link>,
    /// (edge label, vertex label) of each kind, ascending.
    pub kinds: Vec<(u32, u32)>,
    /// Embeddings of the codes of one edge, by triple, ascending.
    pub firsts: Vec<(Triple, Vec<u32>)>,
}

impl Database {
    pub fn new(graphs: &[Graph], wildcards: Wildcards) -> Self {
        let (mut kinds, mut triples) = (BTreeSet::new(), BTreeSet::new());
        let mut n_labels = [BTreeSet::new(), BTreeSet::new()];
        for g in graphs {
            n_labels[0].extend(g.vertices());
            n_labels[1].extend(g.edges().iter().map(|e| e.label));
            for (&label, v) in g.vertices().iter().zip(0..) {
                for (_, kind) in kinds_at(g, v, wildcards) {
                    kinds.insert(kind);
                    triples.extend(wildcards.of_vertex(label).map(|from| triple(from, kind)));
                }
            }
        }
        let mut base = Self {
            n_records: graphs.len(),
            n_labels: n_labels.map(|labels| labels.len()),
            wildcards,
            record: Vec::new(),
            offsets: vec![0],
            links: Vec::new(),
            kinds: kinds.into_iter().collect(),
            firsts: triples.into_iter().map(|t| (t, Vec::new())).collect(),
        };
        for (g, record) in graphs.iter().zip(0..) {
            base.record.resize(base.record.len() + g.vertices().len(), record);
        }
        base.link(graphs, false);
        if wildcards.vertices {
            base.link(graphs, true);
        }
        base
    }

    /// Adds the links of all vertices, with their labels or with [`ANY`].
    fn link(&mut self, graphs: &[Graph], any: bool) {
        let rank = |k: usize| k as u32;
        let kind_of: BTreeMap<_, _> = self.kinds.iter().enumerate().map(|(k, &key)| (key, rank(k))).collect();
        let triple_of: BTreeMap<Triple, _> =
            self.firsts.iter().enumerate().map(|(k, (key, _))| (*key, rank(k))).collect();
        let mut start = 0;
        for g in graphs {
            for (&label, v) in g.vertices().iter().zip(0..) {
                let from = if any { ANY } else { label };
                for (to, kind) in kinds_at(g, v, self.wildcards) {
                    let triple = triple_of[&triple(from, kind)];
                    self.links.push(Link { to: start + to, kind: kind_of[&kind], triple });
                    if from <= kind.1 {
                        self.firsts[triple as usize].1.extend([start + v, start + to]);
                    }
                }
                self.offsets.push(self.links.len());
            }
            start += g.vertices().len() as u32;
        }
    }

    /// The links of a vertex, with ranks for its own label (`view` 0) or for the label in a pattern
    /// ([`Self::view`]). Only triples differ.
    #[inline]
    pub fn links(&self, vertex: u32, view: u32) -> &[Link] {
        let at = (vertex + view) as usize;
        &self.links[self.offsets[at]..self.offsets[at + 1]]
    }

    /// Index of the links of a vertex with this label in a pattern.
    pub fn view(&self, label: u32) -> u32 {
        if label == ANY { self.record.len() as u32 } else { 0 }
    }

    /// The rank of an edge label and the label of the vertex it leads to.
    pub fn kind(&self, label: u32, to_label: u32) -> Option<u32> {
        self.kinds.binary_search(&(label, to_label)).ok().map(|k| k as u32)
    }

    /// Adds all embeddings of a code extended by an edge, from those of the code (`width` vertices each).
    pub fn extend(&self, embeddings: &[u32], width: usize, edge: Extension, extended: &mut Vec<u32>) {
        for embedding in embeddings.chunks_exact(width) {
            for link in self.links(embedding[edge.from as usize], 0) {
                if link.kind != edge.kind {
                    continue;
                }
                if edge.is_forward() {
                    if !embedding.contains(&link.to) {
                        extended.extend_from_slice(embedding);
                        extended.push(link.to);
                    }
                } else if link.to == embedding[edge.to as usize] {
                    extended.extend_from_slice(embedding);
                }
            }
        }
    }

    /// The records of embeddings, ascending.
    pub fn records(&self, embeddings: &[u32], width: usize) -> Vec<u32> {
        let mut records: Vec<u32> =
            embeddings.chunks_exact(width).map(|e| self.record[e[0] as usize]).collect();
        records.dedup();
        records
    }

    /// The edge of a code that an extension is, `labels` being those of the code's vertices.
    pub fn edge(&self, extension: Extension, labels: &[u32]) -> DfsEdge {
        let (label, to_label) = self.kinds[extension.kind as usize];
        let Extension { from, to, .. } = extension;
        DfsEdge { from, to, from_label: labels[from as usize], label, to_label }
    }
}

/// The neighbours of a vertex with each kind that matches the edge.
fn kinds_at(g: &Graph, vertex: u32, wildcards: Wildcards) -> impl Iterator<Item = (u32, (u32, u32))> {
    g.neighbours(vertex).iter().flat_map(move |arc| {
        let ends = wildcards.of_vertex(g.vertices()[arc.to as usize]);
        let kinds =
            wildcards.of_edge(arc.label).flat_map(move |label| ends.clone().map(move |to| (label, to)));
        kinds.map(|kind| (arc.to, kind))
    })
}

/// The triple of an edge of this kind from a vertex.
fn triple(from: u32, (label, to): (u32, u32)) -> Triple {
    (from.min(to), label, from.max(to))
}
