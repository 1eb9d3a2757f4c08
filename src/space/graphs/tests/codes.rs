//! Least codes against all codes.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::code::{DfsEdge, GraphPattern};
use super::super::labels::Relabel;
use super::super::minimal::Minimal;
use super::super::{Edge, Graph};
use super::brute::{form, masked};
use super::strategies::{connected, graph};

/// Every DFS code of a connected graph, by following every depth-first search.
fn all_codes(graph: &Graph) -> Vec<Vec<DfsEdge>> {
    let mut codes = Vec::new();
    for v in 0..graph.vertices().len() as u32 {
        follow(graph, &mut vec![v], &mut vec![0], &mut Vec::new(), &mut codes);
    }
    codes
}

/// `map`: vertices in the order of discovery; `path`: the rightmost path from the root.
fn follow(
    graph: &Graph,
    map: &mut Vec<u32>,
    path: &mut Vec<u32>,
    code: &mut Vec<DfsEdge>,
    out: &mut Vec<Vec<DfsEdge>>,
) {
    if code.len() == graph.edges().len() {
        out.push(code.clone());
        return;
    }
    let used = |code: &[DfsEdge], a: u32, b: u32| {
        code.iter().any(|e| (e.from, e.to) == (a, b) || (e.to, e.from) == (a, b))
    };
    let last = map.len() as u32 - 1;
    let edge = |from: u32, to: u32, map: &[u32], label: u32| DfsEdge {
        from,
        to,
        from_label: graph.vertices()[map[from as usize] as usize],
        label,
        to_label: graph.vertices()[map[to as usize] as usize],
    };
    // Backward edges follow the discovery of their vertex at once, to the earliest first.
    let open = path.iter().copied().find(|&to| {
        to != last && !used(code, last, to) && graph.between(map[last as usize], map[to as usize]).is_some()
    });
    if let Some(to) = open {
        let label = graph.between(map[last as usize], map[to as usize]).unwrap();
        code.push(edge(last, to, map, label));
        follow(graph, map, path, code, out);
        code.pop();
        return;
    }
    // A search goes on from the deepest vertex that has a new neighbour.
    for depth in (0..path.len()).rev() {
        let from = path[depth];
        let arcs: Vec<_> =
            graph.neighbours(map[from as usize]).iter().filter(|a| !map.contains(&a.to)).collect();
        for arc in &arcs {
            let (rest, to) = (path.split_off(depth + 1), map.len() as u32);
            map.push(arc.to);
            path.push(to);
            code.push(edge(from, to, map, arc.label));
            follow(graph, map, path, code, out);
            code.pop();
            path.pop();
            path.extend(rest);
            map.pop();
        }
        if !arcs.is_empty() {
            return;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_least_code_is_the_least_of_all_codes(graph in connected()) {
        let ranks = |code: &Vec<DfsEdge>| code.iter().map(DfsEdge::rank).collect::<Vec<_>>();
        let codes = all_codes(&graph);
        let least = codes.iter().min_by_key(|code| ranks(code)).unwrap();
        let pattern = GraphPattern::of_graph(&graph).unwrap();
        prop_assert_eq!(pattern.code(), least.as_slice());
        let mut minimal = Minimal::default();
        for code in &codes {
            prop_assert_eq!(minimal.is(code), code == least);
        }
        prop_assert_eq!(form(&pattern.graph()), form(&graph));
    }

    #[test]
    fn copies_of_a_graph_have_one_code(graph in connected(), turn in any::<prop::sample::Index>()) {
        let n = graph.vertices().len() as u32;
        let turn = turn.index(n as usize) as u32;
        let place = |v: u32| (v + turn) % n;
        let mut labels = vec![0; n as usize];
        (0..n).for_each(|v| labels[place(v) as usize] = graph.vertices()[v as usize]);
        let edges = graph.edges().iter().rev().map(|e| Edge::new(place(e.v), place(e.u), e.label)).collect();
        let copy = Graph::new(labels, edges).unwrap();
        prop_assert_eq!(GraphPattern::of_graph(&copy).unwrap(), GraphPattern::of_graph(&graph).unwrap());
    }

    #[test]
    fn rare_labels_come_first(
        graphs in prop::collection::vec(graph(5, 6), 0..5),
        vertices in any::<u32>(),
        edges in any::<u32>(),
    ) {
        let old: Vec<Arc<Graph>> = graphs.into_iter().map(Arc::new).collect();
        let relabel = Relabel::rarest_first(&old);
        let new: Vec<Graph> = old.iter().map(|g| relabel.inwards(g)).collect();
        let labels: Vec<u32> = new.iter().flat_map(Graph::vertices).copied().collect();
        let number = |l: u32| labels.iter().filter(|&&v| v == l).count();
        prop_assert!((1..=labels.iter().copied().max().unwrap_or(0)).all(|l| number(l - 1) <= number(l)));
        for (old, new) in old.iter().zip(&new) {
            if let Ok(pattern) = GraphPattern::of_graph(&masked(new, vertices, edges)) {
                let shown = relabel.outwards(pattern.code());
                prop_assert_eq!(form(&shown.graph()), form(&masked(old, vertices, edges)));
                prop_assert_eq!(relabel.to_internal(&shown), pattern);
            }
        }
    }
}

#[test]
fn only_a_connected_graph_with_an_edge_is_a_pattern() {
    let edge = Edge::new(0, 1, 0);
    for (n, edges, what) in [
        (0, vec![], "no"),
        (1, vec![], "none"),
        (3, vec![edge], "parts"),
        (4, vec![edge, Edge::new(2, 3, 0)], "parts"),
    ] {
        let error = GraphPattern::of_graph(&Graph::new(vec![0; n], edges).unwrap()).unwrap_err();
        assert!(error.to_string().contains(what) || n == 0, "{error}");
    }
}

#[test]
fn unsound_edges_are_refused() {
    let refused = |edges: &[(u32, u32)]| {
        let edges = edges.iter().map(|&(u, v)| Edge::new(u, v, 0)).collect();
        Graph::new(vec![0; 3], edges).unwrap_err().to_string()
    };
    assert!(refused(&[(0, 1), (2, 2)]).contains("edge 1 joins vertex 2 to itself"));
    assert!(refused(&[(0, 3)]).contains("edge 0 ends at vertex 3, but the graph has 3"));
    assert!(refused(&[(0, 1), (1, 0)]).contains("keep one edge"));
}
