//! Patterns with the same rows as a pattern, found by the removal or the addition of an edge and by the
//! replacement of a wildcard by a label or of a label by a wildcard.

use std::collections::{BTreeSet, VecDeque};

use super::code::GraphPattern;
use super::graph::{Edge, Graph};
use super::wildcard::{ANY, Wildcards};
use super::{GraphSpace, Matcher};
use crate::space::PatternSpace;

/// Maximum number of patterns that are matched with records.
const MAX_MATCHED_PATTERNS: usize = 60;

impl GraphSpace {
    /// Patterns with exactly these rows, including the given one, in order of size and number of wildcards.
    /// Smaller ones are searched first; the result may be incomplete.
    pub fn class(&self, pattern: &GraphPattern, rows: &[u32]) -> Vec<GraphPattern> {
        let given = self.relabel.to_internal(pattern);
        let mut class = self.by_edges(self.narrowed(given.clone(), rows), rows);
        class.insert(given);
        let order = |p: &GraphPattern| (p.n_edges(), p.n_wildcards());
        if let Some(first) = class.iter().min_by_key(|p| order(p)) {
            let first = self.narrowed(first.clone(), rows);
            class.extend(self.wider(&first).into_iter().filter(|p| self.has_rows(p, rows, false)));
            class.insert(first);
        }
        let mut class: Vec<GraphPattern> = class.iter().map(|p| self.relabel.outwards(p.code())).collect();
        class.sort_by_cached_key(order);
        class
    }

    /// Patterns with these rows that are reached by removing or adding single edges.
    fn by_edges(&self, pattern: GraphPattern, rows: &[u32]) -> BTreeSet<GraphPattern> {
        let mut class = BTreeSet::from([pattern.clone()]);
        let mut seen = class.clone();
        let mut queue = VecDeque::from([pattern]);
        let mut effort = MAX_MATCHED_PATTERNS;
        while let Some(next) = queue.pop_front() {
            let (smaller, larger) = (next.less_an_edge(), self.with_an_edge(&next, rows));
            for (pattern, grown) in
                smaller.into_iter().map(|p| (p, false)).chain(larger.into_iter().map(|p| (p, true)))
            {
                if effort == 0 || !seen.insert(pattern.clone()) {
                    continue;
                }
                effort -= 1;
                if self.has_rows(&pattern, rows, grown) {
                    if grown {
                        queue.push_back(pattern.clone());
                    } else {
                        queue.push_front(pattern.clone());
                    }
                    class.insert(pattern);
                }
            }
        }
        class
    }

    /// The pattern with wildcards replaced by labels where all of its rows allow it.
    fn narrowed(&self, mut pattern: GraphPattern, rows: &[u32]) -> GraphPattern {
        let Some(graph) = rows.first().map(|&r| self.graph(r)) else { return pattern };
        let vertices: BTreeSet<u32> = graph.vertices().iter().copied().collect();
        let edges: BTreeSet<u32> = graph.edges().iter().map(|e| e.label).collect();
        while pattern.n_wildcards() > 0 {
            let instead = |of: &BTreeSet<u32>, label| if label == ANY { of.clone() } else { BTreeSet::new() };
            let narrower = pattern.relabelled(|l| instead(&vertices, l), |l| instead(&edges, l));
            match narrower.into_iter().find(|p| self.has_rows(p, rows, true)) {
                Some(next) => pattern = next,
                None => break,
            }
        }
        pattern
    }

    /// Patterns with one label replaced by a wildcard.
    fn wider(&self, pattern: &GraphPattern) -> BTreeSet<GraphPattern> {
        let Wildcards { vertices, edges } = self.forest.base.wildcards;
        let instead = |allowed: bool, label| (allowed && label != ANY).then_some(ANY);
        pattern.relabelled(|l| instead(vertices, l), |l| instead(edges, l))
    }

    /// Whether a pattern has these rows, given that a subpattern of it (`grown`) or a superpattern has them.
    fn has_rows(&self, pattern: &GraphPattern, rows: &[u32], grown: bool) -> bool {
        let matcher = Matcher::new([pattern]);
        if grown {
            return matcher.holding(rows.iter().map(|&r| self.graph(r))).all(|holds| holds);
        }
        let others = (0..self.n_rows() as u32).filter(|r| rows.binary_search(r).is_err());
        !matcher.holding(others.map(|r| self.graph(r))).any(|holds| holds)
    }

    /// Patterns with one edge more, from one occurrence in the first of some rows.
    fn with_an_edge(&self, pattern: &GraphPattern, rows: &[u32]) -> Vec<GraphPattern> {
        let Some(graph) = rows.first().map(|&r| self.graph(r)) else { return Vec::new() };
        if pattern.n_edges() >= self.forest.max_edges {
            return Vec::new();
        }
        let mut larger = BTreeSet::new();
        for place in Matcher::new([pattern]).occurrences(graph, 1).into_iter().flatten() {
            let pattern_graph = pattern.graph();
            for (&vertex, from) in place.iter().zip(0u32..) {
                for end in graph.neighbours(vertex) {
                    let (mut labels, mut edges) =
                        (pattern_graph.vertices().to_vec(), pattern_graph.edges().to_vec());
                    let to = place.iter().position(|&v| v == end.to).unwrap_or(labels.len()) as u32;
                    if to as usize == labels.len() {
                        labels.push(graph.vertices()[end.to as usize]);
                    } else if pattern_graph.between(from, to).is_some() {
                        continue;
                    }
                    edges.push(Edge::new(from, to, end.label));
                    larger.extend(GraphPattern::of_graph(&Graph::of_checked(labels, edges)).ok());
                }
            }
        }
        larger.into_iter().collect()
    }
}

impl GraphPattern {
    /// The patterns with one label of a vertex or edge replaced by an alternative.
    fn relabelled<I: IntoIterator<Item = u32>>(
        &self,
        vertex: impl Fn(u32) -> I,
        edge: impl Fn(u32) -> I,
    ) -> BTreeSet<Self> {
        let graph = self.graph();
        let (labels, edges) = (graph.vertices(), graph.edges());
        let mut graphs = Vec::new();
        for v in 0..labels.len() {
            for label in vertex(labels[v]) {
                let mut labels = labels.to_vec();
                labels[v] = label;
                graphs.push(Graph::of_checked(labels, edges.to_vec()));
            }
        }
        for k in 0..edges.len() {
            for label in edge(edges[k].label) {
                let mut edges = edges.to_vec();
                edges[k].label = label;
                graphs.push(Graph::of_checked(labels.to_vec(), edges));
            }
        }
        graphs.iter().filter_map(|g| Self::of_graph(g).ok()).collect()
    }

    /// The connected patterns with one edge removed.
    fn less_an_edge(&self) -> BTreeSet<Self> {
        let graph = self.graph();
        (0..self.n_edges())
            .filter_map(|k| {
                let mut edges = graph.edges().to_vec();
                let removed = edges.remove(k);
                let is_isolated = |v: u32| !edges.iter().any(|e| e.u == v || e.v == v);
                let isolated = [removed.u, removed.v].into_iter().find(|&v| is_isolated(v));
                let place = |v: u32| v - u32::from(isolated.is_some_and(|l| l < v));
                let kept_vertices = (0u32..).zip(graph.vertices()).filter(|(v, _)| Some(*v) != isolated);
                let labels = kept_vertices.map(|(_, &label)| label).collect();
                let edges = edges.iter().map(|e| Edge::new(place(e.u), place(e.v), e.label)).collect();
                Self::of_graph(&Graph::of_checked(labels, edges)).ok()
            })
            .collect()
    }
}
