//! The number of candidates against lists of all of them.

use std::collections::BTreeSet;

use super::super::size::connected;
use super::super::{Edge, Graph};
use super::brute::{form, part};

/// Every connected graph, by choosing labels for all pairs of up to `max_edges + 1` vertices.
fn listed(vertex: u32, edge: u32, max_edges: usize) -> usize {
    let n = max_edges as u32 + 1;
    let pairs: Vec<(u32, u32)> = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v))).collect();
    let mut forms = BTreeSet::new();
    for labels in 0..vertex.pow(n) {
        let vertices: Vec<u32> = (0..n).map(|v| labels / vertex.pow(v) % vertex).collect();
        for choice in 0..(edge + 1).pow(pairs.len() as u32) {
            let chosen =
                pairs.iter().zip(0..).map(|(&(u, v), k)| (u, v, choice / (edge + 1).pow(k) % (edge + 1)));
            let edges: Vec<Edge> =
                chosen.filter(|c| c.2 > 0).map(|(u, v, l)| Edge::new(u, v, l - 1)).collect();
            if (1..=max_edges).contains(&edges.len()) {
                let whole = Graph::new(vertices.clone(), edges.clone()).unwrap();
                forms.extend(part(&whole, &edges).map(|p| form(&p)));
            }
        }
    }
    forms.len()
}

#[test]
fn the_size_is_the_number_of_connected_graphs() {
    for (vertex, edge, max_edges) in
        [(1, 1, 3), (2, 1, 3), (1, 2, 3), (3, 2, 2), (2, 3, 2), (4, 1, 1), (3, 0, 2)]
    {
        let expected = listed(vertex, edge, max_edges);
        assert_eq!(
            connected(vertex as usize, edge as usize, max_edges),
            expected.into(),
            "{vertex} {edge} {max_edges}"
        );
    }
    assert_eq!(connected(2, 2, 0), 0u32.into());
    assert_eq!(connected(0, 0, 5), 0u32.into());
}

/// Connected graphs by number of edges, as tabulated (Harary, Palmer).
#[test]
fn without_labels_it_is_the_known_series() {
    let known = [1u32, 3, 5, 12, 30, 79, 227, 710, 2322];
    let mut sum = 1u32;
    assert_eq!(connected(1, 1, 1), sum.into());
    for (k, more) in known.iter().enumerate() {
        sum += more;
        assert_eq!(connected(1, 1, k + 2), sum.into());
    }
}
