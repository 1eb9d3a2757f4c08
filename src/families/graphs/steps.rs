//! The children of a pattern in the enumeration of the verification: all patterns with one edge more that the
//! labels allow, without embeddings. The parent of a pattern is its minimum code without the last edge.

use std::collections::BTreeSet;

use super::records::Triple;
use crate::space::graphs::{Edge, Graph, GraphPattern};

/// Patterns of one edge.
pub(super) fn first(triples: &BTreeSet<Triple>) -> Vec<GraphPattern> {
    let edge = |&(a, label, b): &Triple| pattern(vec![a, b], vec![Edge::new(0, 1, label)]);
    triples.iter().filter_map(edge).collect()
}

/// The children of a pattern.
pub(super) fn larger(smaller: &GraphPattern, triples: &BTreeSet<Triple>) -> Vec<GraphPattern> {
    let graph = smaller.graph();
    let labels = graph.vertices();
    let n = labels.len() as u32;
    let mut found = BTreeSet::new();
    let mut grow = |labels: Vec<u32>, edge: Edge| {
        let edges = graph.edges().iter().copied().chain([edge]).collect();
        found.extend(pattern(labels, edges).filter(|p| p.code()[..smaller.n_edges()] == *smaller.code()));
    };
    for &(a, label, b) in triples {
        for u in 0..n {
            for (from, to) in if a == b { vec![(a, b)] } else { vec![(a, b), (b, a)] } {
                if labels[u as usize] != from {
                    continue;
                }
                grow(labels.iter().copied().chain([to]).collect(), Edge::new(u, n, label));
                for v in (u + 1..n).filter(|&v| labels[v as usize] == to && graph.between(u, v).is_none()) {
                    grow(labels.to_vec(), Edge::new(u, v, label));
                }
            }
        }
    }
    found.into_iter().collect()
}

fn pattern(labels: Vec<u32>, edges: Vec<Edge>) -> Option<GraphPattern> {
    GraphPattern::of_graph(&Graph::new(labels, edges).ok()?).ok()
}
