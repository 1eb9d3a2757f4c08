//! Random graphs.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::{Edge, Graph, Wildcards};

prop_compose! {
    /// A graph that may be empty, disconnected, or have vertices without edges.
    pub fn graph(vertices: usize, edges: usize)(n in 0..=vertices)(
        labels in prop::collection::vec(0u32..3, n),
        pairs in prop::collection::vec((0..n.max(1) as u32, 0..n.max(1) as u32, 0u32..2), 0..=edges),
    ) -> Graph {
        let mut seen = BTreeSet::new();
        let fresh = |&(u, v, _): &(u32, u32, u32)| u != v && seen.insert((u.min(v), u.max(v)));
        let edges = pairs.into_iter().filter(fresh).map(|(u, v, l)| Edge::new(u, v, l)).collect();
        Graph::new(labels, edges).unwrap()
    }
}

/// Any choice of wildcards but none.
pub fn wildcards() -> impl Strategy<Value = Wildcards> {
    prop::sample::select(vec![(true, false), (false, true), (true, true)])
        .prop_map(|(vertices, edges)| Wildcards { vertices, edges })
}

prop_compose! {
    /// A connected graph of at least one edge; labels are few, so that there are symmetries.
    pub fn connected()(n in 2usize..6, kinds in 1u32..3)(
        labels in prop::collection::vec(0..kinds, n),
        tree in prop::collection::vec((any::<prop::sample::Index>(), 0u32..2), n - 1),
        more in prop::collection::vec((0..n as u32, 0..n as u32, 0u32..2), 0..4),
    ) -> Graph {
        let mut seen = BTreeSet::new();
        let tree = tree.iter().enumerate().map(|(k, (to, l))| (to.index(k + 1) as u32, k as u32 + 1, *l));
        let fresh = |&(u, v, _): &(u32, u32, u32)| u != v && seen.insert((u.min(v), u.max(v)));
        let edges = tree.chain(more).filter(fresh).map(|(u, v, l)| Edge::new(u, v, l)).collect();
        Graph::new(labels, edges).unwrap()
    }
}
