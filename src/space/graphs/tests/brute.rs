//! Reference implementation: every set of edges of every graph, distinguished by trying all orders of
//! their vertices. The fuzz targets compile this file as well.

use std::collections::{BTreeMap, BTreeSet};

use crate::space::graphs::{ANY, Edge, Graph, Wildcards};

/// A graph in a form that all its copies share.
pub type Form = (Vec<u32>, Vec<(usize, usize, u32)>);

/// The least form over all orders of the vertices.
pub fn form(graph: &Graph) -> Form {
    let mut best: Option<Form> = None;
    let mut order: Vec<usize> = (0..graph.vertices().len()).collect();
    permute(&mut order, 0, &mut |place| {
        let mut labels = vec![0; place.len()];
        (0..place.len()).for_each(|v| labels[place[v]] = graph.vertices()[v]);
        let ends = |e: &Edge| (place[e.u as usize], place[e.v as usize]);
        let edge = |e: &Edge| (ends(e).0.min(ends(e).1), ends(e).0.max(ends(e).1), e.label);
        let mut edges: Vec<_> = graph.edges().iter().map(edge).collect();
        edges.sort_unstable();
        let form = (labels, edges);
        if best.as_ref().is_none_or(|b| form < *b) {
            best = Some(form);
        }
    });
    best.unwrap_or_default()
}

fn permute(order: &mut Vec<usize>, from: usize, f: &mut impl FnMut(&[usize])) {
    if from == order.len() {
        f(order);
    }
    for k in from..order.len() {
        order.swap(from, k);
        permute(order, from + 1, f);
        order.swap(from, k);
    }
}

/// The graph of some of the edges, if it is connected.
pub fn part(graph: &Graph, edges: &[Edge]) -> Option<Graph> {
    let mut names: Vec<u32> = edges.iter().flat_map(|e| [e.u, e.v]).collect();
    names.sort_unstable();
    names.dedup();
    let place = |v: u32| names.iter().position(|&n| n == v).unwrap() as u32;
    let labels = names.iter().map(|&v| graph.vertices()[v as usize]).collect();
    let edges: Vec<Edge> = edges.iter().map(|e| Edge::new(place(e.u), place(e.v), e.label)).collect();
    let mut reached = BTreeSet::from([0]);
    for _ in &names {
        for e in &edges {
            if reached.contains(&e.u) || reached.contains(&e.v) {
                reached.extend([e.u, e.v]);
            }
        }
    }
    (reached.len() == names.len()).then(|| Graph::new(labels, edges).unwrap())
}

/// A graph with wildcards for the vertices and edges of these bits.
pub fn masked(graph: &Graph, vertices: u32, edges: u32) -> Graph {
    let one = |label: u32, mask: u32, k: usize| if mask >> k & 1 == 1 { ANY } else { label };
    let labels = graph.vertices().iter().enumerate().map(|(k, &l)| one(l, vertices, k)).collect();
    let edge = |(k, e): (usize, &Edge)| Edge::new(e.u, e.v, one(e.label, edges, k));
    Graph::new(labels, graph.edges().iter().enumerate().map(edge).collect()).unwrap()
}

/// A graph with wildcards in every possible way.
fn with_wildcards(graph: &Graph, wildcards: Wildcards) -> Vec<Graph> {
    let masks = |width: usize, allowed: bool| 0u32..if allowed { 1 << width } else { 1 };
    let vertices = masks(graph.vertices().len(), wildcards.vertices);
    let edges = masks(graph.edges().len(), wildcards.edges);
    vertices.flat_map(|v| edges.clone().map(move |e| masked(graph, v, e))).collect()
}

/// Every connected subgraph of 1 to `max_edges` edges, with the graphs that hold it.
pub fn patterns(graphs: &[Graph], max_edges: usize, wildcards: Wildcards) -> BTreeMap<Form, Vec<u32>> {
    let mut all: BTreeMap<Form, Vec<u32>> = BTreeMap::new();
    for (record, graph) in graphs.iter().enumerate() {
        let mut forms = BTreeSet::new();
        for mask in 1u32..1 << graph.edges().len() {
            if mask.count_ones() as usize <= max_edges {
                let chosen: Vec<Edge> = (0..graph.edges().len())
                    .filter(|k| mask >> k & 1 == 1)
                    .map(|k| graph.edges()[k])
                    .collect();
                let parts = part(graph, &chosen).into_iter().flat_map(|p| with_wildcards(&p, wildcards));
                forms.extend(parts.map(|p| form(&p)));
            }
        }
        forms.into_iter().for_each(|f| all.entry(f).or_default().push(record as u32));
    }
    all
}
