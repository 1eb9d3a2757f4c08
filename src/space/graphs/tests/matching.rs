//! Matching against all maps of vertices.

use proptest::prelude::*;

use super::super::{ANY, Graph, GraphPattern, Matcher};
use super::brute::masked;
use super::strategies::{connected, graph};

/// Every injective map of the pattern's vertices that keeps edges and all labels but wildcards.
fn maps(pattern: &Graph, graph: &Graph, map: &mut Vec<u32>, out: &mut Vec<Vec<u32>>) {
    if map.len() == pattern.vertices().len() {
        let keeps = |e: &super::super::Edge| {
            let label = graph.between(map[e.u as usize], map[e.v as usize]);
            label == Some(e.label) || (label.is_some() && e.label == ANY)
        };
        if pattern.edges().iter().all(keeps) {
            out.push(map.clone());
        }
        return;
    }
    for v in 0..graph.vertices().len() as u32 {
        let (own, wanted) = (graph.vertices()[v as usize], pattern.vertices()[map.len()]);
        if !map.contains(&v) && (own == wanted || wanted == ANY) {
            map.push(v);
            maps(pattern, graph, map, out);
            map.pop();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_found_is_what_is_there(
        graphs in prop::collection::vec((connected(), any::<u32>(), any::<u32>(), any::<bool>()), 1..6),
        graph in graph(6, 9),
    ) {
        let some = |(g, v, e, any): &(Graph, u32, u32, bool)| if *any { masked(g, *v, *e) } else { g.clone() };
        let graphs: Vec<Graph> = graphs.iter().map(some).collect();
        let patterns: Vec<GraphPattern> = graphs.iter().map(|g| GraphPattern::of_graph(g).unwrap()).collect();
        let matcher = Matcher::new(&patterns);
        let mut held = Vec::new();
        let found = matcher.occurrences(&graph, usize::MAX);
        for (k, pattern) in patterns.iter().enumerate() {
            let mut all = Vec::new();
            maps(&pattern.graph(), &graph, &mut Vec::new(), &mut all);
            held.extend((!all.is_empty()).then_some(k));
            // The same edges once: count their sets.
            let set = |map: &Vec<u32>| {
                let join = |e: &super::super::DfsEdge| {
                    let (u, v) = (map[e.from as usize], map[e.to as usize]);
                    (u.min(v), u.max(v))
                };
                let mut edges: Vec<_> = pattern.code().iter().map(join).collect();
                edges.sort_unstable();
                edges
            };
            let mut sets: Vec<_> = all.iter().map(set).collect();
            sets.sort_unstable();
            sets.dedup();
            let mut got: Vec<_> = found[k].iter().map(set).collect();
            got.sort_unstable();
            prop_assert_eq!(got, sets);
            prop_assert!(found[k].iter().all(|m| all.contains(m)));
        }
        prop_assert_eq!(matcher.held(&graph), held);
        let few = matcher.occurrences(&graph, 1);
        prop_assert!(few.iter().zip(&found).all(|(few, all)| few.len() == all.len().min(1)));
    }
}

#[test]
fn a_pattern_twice_is_found_twice() {
    let graph = Graph::new(vec![0, 1], vec![super::super::Edge::new(0, 1, 5)]).unwrap();
    let pattern = GraphPattern::of_graph(&graph).unwrap();
    assert_eq!(Matcher::new([&pattern, &pattern]).held(&graph), [0, 1]);
    assert!(Matcher::new([]).held(&graph).is_empty());
}
