//! The steps of verification against the number of all patterns; hostile patterns.

use proptest::prelude::*;

use super::{Alphabet, GraphLanguage, GraphRecords, Graphs, Parts};
use crate::data::labels::Labels;
use crate::data::table::Level;
use crate::families::convex::LabelledFamily;
use crate::space::PatternSpace;
use crate::space::graphs::{GraphPattern, Wildcards};

fn labels(n: u32) -> Labels {
    Labels((0..n).map(|l| Level::Int(l.into())).collect())
}

/// One graph of one edge for each triple of labels.
fn all_edges(vertices: u32, edges: u32) -> GraphRecords {
    let (mut ends, mut own, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for a in 0..vertices {
        for b in a..vertices {
            for label in 0..edges {
                own.extend([a, b]);
                ends.extend([0, 1]);
                kinds.push(label);
            }
        }
    }
    let starts = |step: usize| (0..=kinds.len()).map(|k| k * step).collect::<Vec<_>>();
    let parts = Parts {
        vertex_starts: &starts(2),
        vertices: &own,
        edge_starts: &starts(1),
        ends: &ends,
        edges: &kinds,
    };
    GraphRecords::new(Alphabet { vertices: labels(vertices), edges: labels(edges) }, parts).unwrap()
}

/// All patterns that the steps lead to.
fn walked(
    pattern: Option<&GraphPattern>,
    language: &GraphLanguage,
    records: &GraphRecords,
) -> Vec<GraphPattern> {
    let mut all = Vec::new();
    for next in Graphs::steps(pattern, language, records) {
        all.extend(walked(Some(&next), language, records));
        all.push(next);
    }
    all
}

fn the_steps_lead_to_all(vertices: u32, edges: u32, max_edges: usize, wildcards: Wildcards) {
    let language = GraphLanguage { max_edges, min_support: 1, wildcards };
    let records = all_edges(vertices, edges);
    let mut all = walked(None, &language, &records);
    let counts = vec![1.0; records.graphs().len()];
    let space = <Graphs as LabelledFamily>::space(&records, &counts, &language, None).unwrap();
    assert_eq!(space.size(), all.len().into());
    all.sort();
    all.dedup();
    assert_eq!(space.size(), all.len().into());
}

#[test]
fn the_steps_lead_to_every_candidate_once() {
    for (vertices, edges, max_edges) in [(1, 1, 6), (2, 1, 5), (1, 2, 4), (3, 2, 3)] {
        the_steps_lead_to_all(vertices, edges, max_edges, Wildcards::default());
    }
    for (vertices, edges, max_edges) in [(1, 1, 4), (2, 1, 3), (1, 2, 3)] {
        for (a, b) in [(true, false), (false, true), (true, true)] {
            the_steps_lead_to_all(vertices, edges, max_edges, Wildcards { vertices: a, edges: b });
        }
    }
}

#[test]
fn unsound_parts_are_refused() {
    let new = |vertex_starts: &[usize], vertices: &[u32], ends: &[u32]| {
        let parts = Parts { vertex_starts, vertices, edge_starts: &[0, 0, 1], ends, edges: &[0] };
        GraphRecords::new(Alphabet { vertices: labels(1), edges: labels(1) }, parts).unwrap_err().to_string()
    };
    assert!(new(&[0, 1, 3], &[0, 0, 0], &[1, 1]).contains("graph 1: edge 0 joins vertex 1 to itself"));
    assert!(new(&[0, 1, 3], &[0, 0, 0], &[0, 2]).contains("graph 1: edge 0 ends at vertex 2"));
    assert!(new(&[0, 2], &[0, 0], &[0, 1]).contains("beginnings"));
    assert!(new(&[0, 1, 3], &[0, 0, 2], &[0, 1]).contains("label 2 of 1"));
}

#[test]
fn a_list_of_edges_that_is_no_code_is_refused() {
    let read = |text: &str| serde_json::from_str::<GraphPattern>(text);
    assert!(read("[[0,1,5,0,6],[1,2,6,0,5],[2,0,5,1,5]]").is_ok());
    let any = "[[0,1,5,null,null],[1,2,null,0,5]]";
    assert_eq!(serde_json::to_string(&read(any).unwrap()).unwrap(), any);
    for text in [
        "[]",
        "[[0,0,5,0,5]]",
        "[[1,2,5,0,5]]",
        "[[0,1,5,0,6],[1,2,5,0,5]]",
        "[[0,1,5,0,6],[0,1,5,0,6]]",
        "[[0,1,5,0,6],[1,3,6,0,5]]",
        "[[0,1,5,0,6],[1,0,6,0,5]]",
        "[[0,1,5,0,6],[0,2,5,0,5],[1,3,6,0,5]]",
        "[[0,1,5,0]]",
        "[[0,1,5,0,-1]]",
        "[[0,1,5,0,4294967295]]",
        "[[0,null,5,0,5]]",
        "[[0,1,5,0,null],[1,2,5,0,6]]",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
    let long: Vec<[u32; 5]> = (0..33).map(|k| [k, k + 1, 0, 0, 0]).collect();
    assert!(read(&serde_json::to_string(&long).unwrap()).is_err());
}

proptest! {
    #[test]
    fn what_is_read_is_a_graph(code in prop::collection::vec(prop::array::uniform5(0u32..3), 0..5)) {
        if let Ok(pattern) = serde_json::from_str::<GraphPattern>(&serde_json::to_string(&code).unwrap()) {
            prop_assert!(GraphPattern::of_graph(&pattern.graph()).is_ok());
        }
    }
}
