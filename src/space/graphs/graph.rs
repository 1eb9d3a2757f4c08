//! A labelled undirected graph, checked.

use std::collections::BTreeSet;

use crate::error::{Error, Result};

/// An undirected edge between two vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// One end.
    pub u: u32,
    /// The other end.
    pub v: u32,
    /// The edge's label.
    pub label: u32,
}

impl Edge {
    /// The edge between `u` and `v`.
    pub fn new(u: u32, v: u32, label: u32) -> Self {
        Self { u, v, label }
    }
}

/// A neighbour of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Neighbour {
    /// The vertex at the other end.
    pub to: u32,
    /// The edge's label.
    pub label: u32,
}

/// A labelled undirected graph without loops and without two edges between the same
/// vertices. It may be empty, disconnected, or have vertices without edges.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Graph {
    vertices: Vec<u32>,
    edges: Vec<Edge>,
    /// Offset of the neighbours of each vertex, and the total.
    offsets: Vec<u32>,
    neighbours: Vec<Neighbour>,
}

impl Graph {
    /// A graph of vertices with these labels and these edges.
    ///
    /// Fails if an edge has a vertex that does not exist, joins a vertex to itself, or duplicates another
    /// edge.
    pub fn new(vertices: Vec<u32>, edges: Vec<Edge>) -> Result<Self> {
        check(vertices.len(), &edges)?;
        Ok(Self::of_checked(vertices, edges))
    }

    /// A graph of edges that are known to be valid.
    pub(super) fn of_checked(vertices: Vec<u32>, edges: Vec<Edge>) -> Self {
        let mut graph = Self { vertices, edges, ..Self::default() };
        graph.join();
        graph
    }

    /// Replaces the graph by one of edges that are known to be valid, reusing its buffers.
    pub(super) fn renew(&mut self, n_vertices: usize, fill: impl FnOnce(&mut [u32], &mut Vec<Edge>)) {
        self.vertices.clear();
        self.vertices.resize(n_vertices, 0);
        self.edges.clear();
        fill(&mut self.vertices, &mut self.edges);
        self.join();
    }

    /// Lists the neighbours of each vertex.
    fn join(&mut self) {
        let Self { vertices, edges, offsets, neighbours } = self;
        offsets.clear();
        offsets.resize(vertices.len() + 2, 0);
        for end in edges.iter().flat_map(|e| [e.u, e.v]) {
            offsets[end as usize + 2] += 1;
        }
        for v in 2..offsets.len() {
            offsets[v] += offsets[v - 1];
        }
        neighbours.clear();
        neighbours.resize(2 * edges.len(), Neighbour { to: 0, label: 0 });
        for e in edges.iter() {
            for (from, to) in [(e.u, e.v), (e.v, e.u)] {
                let at = &mut offsets[from as usize + 1];
                neighbours[*at as usize] = Neighbour { to, label: e.label };
                *at += 1;
            }
        }
        offsets.truncate(vertices.len() + 1);
    }

    /// The label of each vertex.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The edges, as given.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The neighbours of a vertex.
    pub fn neighbours(&self, vertex: u32) -> &[Neighbour] {
        &self.neighbours[self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize]
    }

    /// The label of the edge between two vertices, if there is one.
    pub fn between(&self, u: u32, v: u32) -> Option<u32> {
        self.neighbours(u).iter().find(|a| a.to == v).map(|a| a.label)
    }
}

fn check(n: usize, edges: &[Edge]) -> Result<()> {
    if n >= u32::MAX as usize || edges.len() >= u32::MAX as usize / 2 {
        return Err(Error::data("a graph has more than 4,294,967,294 vertices or half as many edges"));
    }
    let mut seen = BTreeSet::new();
    for (k, e) in edges.iter().enumerate() {
        if let Some(missing) = [e.u, e.v].into_iter().find(|&v| v as usize >= n) {
            return Err(Error::data(format!(
                "edge {k} ends at vertex {missing}, but the graph has {n} vertices, numbered from 0"
            )));
        }
        if e.u == e.v {
            return Err(Error::data(format!(
                "edge {k} joins vertex {} to itself; patterns have no loops: take it out",
                e.u
            )));
        }
        if !seen.insert((e.u.min(e.v), e.u.max(e.v))) {
            return Err(Error::data(format!(
                "edge {k} joins vertices {} and {}, which an edge before it joins; keep one edge between two vertices",
                e.u, e.v
            )));
        }
    }
    Ok(())
}
