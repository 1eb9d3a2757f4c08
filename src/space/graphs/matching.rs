//! Subgraph matching: which of some patterns a graph contains, and their occurrences.
//!
//! Codes with a common prefix share their search. The patterns form a trie of code edges, and the graph is
//! searched once for each embedding of a prefix, until all patterns below it have been found.

use super::code::{DfsEdge, GraphPattern};
use super::graph::Graph;
use super::wildcard::fits;

struct Node {
    edge: DfsEdge,
    above: usize,
    children: Vec<usize>,
    /// Patterns whose code ends here.
    patterns: Vec<usize>,
}

/// Patterns as a trie of code edges.
pub struct Matcher {
    /// Prefixes of codes; each comes after its parent.
    nodes: Vec<Node>,
    roots: Vec<usize>,
    /// Number of patterns that end at or below each node.
    wanted: Vec<usize>,
    n_patterns: usize,
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Matcher of {} patterns", self.n_patterns)
    }
}

impl Matcher {
    /// A matcher of the given patterns.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a GraphPattern>) -> Self {
        let mut matcher = Self { nodes: Vec::new(), roots: Vec::new(), wanted: Vec::new(), n_patterns: 0 };
        for pattern in patterns {
            let mut at = usize::MAX;
            for &edge in pattern.code() {
                at = matcher.child(at, edge);
            }
            if let Some(node) = matcher.nodes.get_mut(at) {
                node.patterns.push(matcher.n_patterns);
            }
            matcher.n_patterns += 1;
        }
        matcher.wanted = vec![0; matcher.nodes.len()];
        for (k, node) in matcher.nodes.iter().enumerate().rev() {
            matcher.wanted[k] += node.patterns.len();
            if node.above < k {
                matcher.wanted[node.above] += matcher.wanted[k];
            }
        }
        matcher
    }

    fn child(&mut self, above: usize, edge: DfsEdge) -> usize {
        let children = self.nodes.get(above).map_or(&self.roots, |n| &n.children);
        if let Some(&child) = children.iter().find(|&&c| self.nodes[c].edge == edge) {
            return child;
        }
        let child = self.nodes.len();
        self.nodes.push(Node { edge, above, children: Vec::new(), patterns: Vec::new() });
        match self.nodes.get_mut(above) {
            Some(node) => node.children.push(child),
            None => self.roots.push(child),
        }
        child
    }

    /// The patterns that a graph contains, ascending.
    pub fn held(&self, graph: &Graph) -> Vec<usize> {
        let mut found = Vec::new();
        self.each(graph, &mut Candidate::default(), |pattern, _| {
            found.push(pattern);
            true
        });
        found.sort_unstable();
        found
    }

    /// A function that tests whether a graph contains any of the patterns.
    pub fn holding<'a>(&self, graphs: impl IntoIterator<Item = &'a Graph>) -> impl Iterator<Item = bool> {
        let mut state = Candidate::default();
        graphs.into_iter().map(move |graph| {
            let mut any = false;
            self.each(graph, &mut state, |_, _| {
                any = true;
                true
            });
            any
        })
    }

    /// Occurrences of the patterns in a graph: for each pattern the vertices of each occurrence, in the order
    /// of the code. Occurrences with the same vertices and edges are given once, at most `limit` of each
    /// pattern.
    pub fn occurrences(&self, graph: &Graph, limit: usize) -> Vec<Vec<Vec<u32>>> {
        let mut found: Vec<Vec<Vec<u32>>> = vec![Vec::new(); self.n_patterns];
        let mut seen = vec![std::collections::BTreeSet::new(); self.n_patterns];
        let codes = self.codes();
        self.each(graph, &mut Candidate::default(), |pattern, vertices| {
            let join = |e: &DfsEdge| {
                let (u, v) = (vertices[e.from as usize], vertices[e.to as usize]);
                (u.min(v), u.max(v))
            };
            let mut edges: Vec<(u32, u32)> = codes[pattern].iter().map(join).collect();
            edges.sort_unstable();
            if found[pattern].len() < limit && seen[pattern].insert(edges) {
                found[pattern].push(vertices.to_vec());
            }
            found[pattern].len() >= limit
        });
        found
    }

    /// The code of each pattern.
    fn codes(&self) -> Vec<Vec<DfsEdge>> {
        let mut codes = vec![Vec::new(); self.n_patterns];
        let mut heads: Vec<Vec<DfsEdge>> = Vec::new();
        for node in &self.nodes {
            let mut code = heads.get(node.above).cloned().unwrap_or_default();
            code.push(node.edge);
            node.patterns.iter().for_each(|&p| codes[p].clone_from(&code));
            heads.push(code);
        }
        codes
    }

    /// Calls `on_match` with each embedding of a pattern in the graph, until it returns true for that pattern.
    fn each(&self, graph: &Graph, state: &mut Candidate, on_match: impl FnMut(usize, &[u32]) -> bool) {
        state.wanted.clone_from(&self.wanted);
        state.done.clear();
        state.done.resize(self.n_patterns, false);
        state.used.clear();
        state.used.resize(graph.vertices().len(), false);
        let mut search = Search { matcher: self, graph, state, on_match };
        for &root in &self.roots {
            for (vertex, &label) in (0..).zip(graph.vertices()) {
                if fits(self.nodes[root].edge.from_label, label) && search.state.wanted[root] > 0 {
                    search.put(vertex);
                    search.extend(root);
                    search.lift();
                }
            }
        }
    }
}

/// The state of the search in a graph; reused for the next graph.
#[derive(Default)]
struct Candidate {
    /// Number of patterns not yet found at or below each node.
    wanted: Vec<usize>,
    done: Vec<bool>,
    /// Vertex of the graph for each vertex of the code, and which vertices are used.
    map: Vec<u32>,
    used: Vec<bool>,
}

struct Search<'a, F> {
    matcher: &'a Matcher,
    graph: &'a Graph,
    state: &'a mut Candidate,
    on_match: F,
}

impl<F: FnMut(usize, &[u32]) -> bool> Search<'_, F> {
    /// Maps the edge of a node, given the map of the edges before it.
    fn extend(&mut self, node: usize) {
        let (edge, graph) = (self.matcher.nodes[node].edge, self.graph);
        let from = self.state.map[edge.from as usize];
        for arc in graph.neighbours(from) {
            if self.state.wanted[node] == 0 {
                return;
            }
            if !fits(edge.label, arc.label) {
                continue;
            }
            if !edge.is_forward() {
                if self.state.map[edge.to as usize] == arc.to {
                    self.below(node);
                }
            } else if !self.state.used[arc.to as usize]
                && fits(edge.to_label, graph.vertices()[arc.to as usize])
            {
                self.put(arc.to);
                self.below(node);
                self.lift();
            }
        }
    }

    /// Reports the patterns that end at a node and descends below it.
    fn below(&mut self, node: usize) {
        let matcher = self.matcher;
        for &pattern in &matcher.nodes[node].patterns {
            if !self.state.done[pattern] && (self.on_match)(pattern, &self.state.map) {
                self.state.done[pattern] = true;
                let mut at = node;
                while let Some(wanted) = self.state.wanted.get_mut(at) {
                    *wanted -= 1;
                    at = matcher.nodes[at].above;
                }
            }
        }
        for &child in &matcher.nodes[node].children {
            self.extend(child);
        }
    }

    fn put(&mut self, vertex: u32) {
        self.state.used[vertex as usize] = true;
        self.state.map.push(vertex);
    }

    fn lift(&mut self) {
        if let Some(vertex) = self.state.map.pop() {
            self.state.used[vertex as usize] = false;
        }
    }
}
