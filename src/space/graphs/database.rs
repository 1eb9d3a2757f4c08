//! All graphs of a space side by side: vertices numbered through, so that an embedding is a
//! list of numbers and its record follows from any of them.

use std::collections::{BTreeMap, BTreeSet};

use super::code::DfsEdge;
use super::graph::Graph;

/// What lies at the other end of an edge, in numbers that sort as the labels do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// The vertex at the other end.
    pub to: u32,
    /// Rank of (edge label, label of that vertex).
    pub kind: u32,
    /// Rank of (lesser vertex label, edge label, greater vertex label).
    pub triple: u32,
}

/// An extension of a code: places of two vertices and the kind of the edge between them.
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

/// Graphs, linked by rank.
#[derive(Debug)]
pub(super) struct Database {
    pub n_records: usize,
    /// Distinct labels of vertices and of edges.
    pub n_labels: [usize; 2],
    /// Label of each vertex.
    pub labels: Vec<u32>,
    /// Record of each vertex.
    pub record: Vec<u32>,
    offsets: Vec<u32>,
    links: Vec<Link>,
    /// (edge label, vertex label) of each kind, ascending.
    pub kinds: Vec<(u32, u32)>,
    /// First edges of codes by triple, ascending: each with its embeddings.
    pub firsts: Vec<((u32, u32, u32), Vec<u32>)>,
}

impl Database {
    pub fn new(graphs: &[Graph]) -> Self {
        let (mut kinds, mut triples) = (BTreeSet::new(), BTreeSet::new());
        let mut n_labels = [BTreeSet::new(), BTreeSet::new()];
        for g in graphs {
            n_labels[0].extend(g.vertices());
            n_labels[1].extend(g.edges().iter().map(|e| e.label));
            for e in g.edges() {
                let (a, b) = ends(g, e.u, e.v);
                kinds.extend([(e.label, a), (e.label, b)]);
                triples.insert((a.min(b), e.label, a.max(b)));
            }
        }
        let rank = |k: usize| k as u32;
        let kind_of: BTreeMap<_, _> = kinds.iter().enumerate().map(|(k, &key)| (key, rank(k))).collect();
        let triple_of: BTreeMap<_, _> = triples.iter().enumerate().map(|(k, &key)| (key, rank(k))).collect();
        let mut base = Self {
            n_records: graphs.len(),
            n_labels: n_labels.map(|labels| labels.len()),
            labels: Vec::new(),
            record: Vec::new(),
            offsets: vec![0],
            links: Vec::new(),
            kinds: kinds.iter().copied().collect(),
            firsts: triples.iter().map(|&t| (t, Vec::new())).collect(),
        };
        for (record, g) in graphs.iter().enumerate() {
            let start = base.labels.len() as u32;
            for v in 0..g.vertices().len() as u32 {
                for arc in g.neighbours(v) {
                    let (a, b) = ends(g, v, arc.to);
                    let triple = triple_of[&(a.min(b), arc.label, a.max(b))];
                    base.links.push(Link { to: start + arc.to, kind: kind_of[&(arc.label, b)], triple });
                    if a <= b {
                        base.firsts[triple as usize].1.extend([start + v, start + arc.to]);
                    }
                }
                base.offsets.push(base.links.len() as u32);
            }
            base.labels.extend_from_slice(g.vertices());
            base.record.resize(base.labels.len(), record as u32);
        }
        base
    }

    /// What is linked to a vertex.
    #[inline]
    pub fn links(&self, vertex: u32) -> &[Link] {
        let at = vertex as usize;
        &self.links[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// The rank of an edge label and the label of the vertex it leads to.
    pub fn kind(&self, label: u32, to_label: u32) -> Option<u32> {
        self.kinds.binary_search(&(label, to_label)).ok().map(|k| k as u32)
    }

    /// Every embedding of `code` and one edge more, from those of `code` (`width` vertices
    /// each).
    pub fn extend(&self, embeddings: &[u32], width: usize, edge: Extension) -> Vec<u32> {
        let mut extended = Vec::new();
        for embedding in embeddings.chunks_exact(width) {
            for link in self.links(embedding[edge.from as usize]) {
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
        extended
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

fn ends(graph: &Graph, u: u32, v: u32) -> (u32, u32) {
    (graph.vertices()[u as usize], graph.vertices()[v as usize])
}
