//! A space of subgraphs as bytes, for other processes: all graphs of the forest, so that the trees are the same, and which
//! of them are its own. The trees are grown again where they are searched.

use std::sync::Arc;

use super::database::Database;
use super::forest::Forest;
use super::graph::{Edge, Graph};
use super::labels::Relabel;
use super::part::Part;
use super::{GraphSpace, Wildcards};
use crate::data::bytes::{Reader, Writer};

/// First byte.
const KIND: u8 = b'g';

impl GraphSpace {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Writer(vec![KIND]);
        let Forest { base, max_edges, min_support, budget, .. } = &*self.forest;
        [*max_edges, *min_support].iter().for_each(|&size| to.size(size));
        let Wildcards { vertices, edges } = base.wildcards;
        [vertices, edges].iter().for_each(|&any| to.number(u64::from(any)));
        to.number(budget.bytes());
        self.relabel.originals().iter().for_each(|labels| to.numbers(labels.iter().map(|&l| u64::from(l))));
        to.reals(self.forest.counts());
        for graph in &*self.graphs {
            to.numbers(graph.vertices().iter().map(|&label| u64::from(label)));
            to.size(graph.edges().len());
            let numbers = graph.edges().iter().flat_map(|e| [e.u, e.v, e.label]);
            numbers.for_each(|number| to.number(u64::from(number)));
        }
        to.number(u64::from(self.part.is_full));
        if !self.part.is_full {
            to.numbers(self.part.graphs.iter().map(|&graph| u64::from(graph)));
            to.reals(&self.part.counts);
        }
        to.0
    }

    /// The space that [`encoded`](crate::space::PatternSpace::encoded) wrote.
    pub(crate) fn decoded(bytes: &[u8]) -> Option<Self> {
        let (&KIND, bytes) = bytes.split_first()? else { return None };
        let mut from = Reader(bytes);
        let [max_edges, min_support] = [from.size()?, from.size()?];
        let wildcards = Wildcards { vertices: from.number()? == 1, edges: from.number()? == 1 };
        let budget = from.number()?;
        let labels = [from.numbers()?, from.numbers()?];
        let counts = from.reals()?;
        let graphs: Vec<Graph> = counts.iter().map(|_| graph(&mut from, &labels)).collect::<Option<_>>()?;
        let forest = Forest::new(Database::new(&graphs, wildcards), &counts, max_edges, min_support, budget);
        let part = if from.number()? == 1 {
            Part::full(&forest, &counts)
        } else {
            let (own, counts): (Vec<u32>, _) = (from.numbers()?, from.reals()?);
            let ascends = own.windows(2).all(|pair| pair[0] < pair[1]);
            let is_known = own.last().is_none_or(|&last| (last as usize) < graphs.len());
            (ascends && is_known && own.len() == counts.len()).then(|| Part::of(&forest, &own, &counts))?
        };
        let relabel = Relabel::of(labels);
        Some(Self { graphs: Arc::new(graphs), relabel: Arc::new(relabel), forest: Arc::new(forest), part })
    }
}

/// A graph of the labels of vertices and edges with these numbers.
fn graph(from: &mut Reader<'_>, [of_vertices, of_edges]: &[Vec<u32>; 2]) -> Option<Graph> {
    let vertices: Vec<u32> = from.numbers()?;
    let mut number = || u32::try_from(from.number()?).ok();
    let mut edges = Vec::new();
    for _ in 0..number()? {
        edges.push(Edge { u: number()?, v: number()?, label: number()? });
    }
    let is_labelled = vertices.iter().all(|&label| (label as usize) < of_vertices.len())
        && edges.iter().all(|edge| (edge.label as usize) < of_edges.len());
    if !is_labelled {
        return None;
    }
    Graph::new(vertices, edges).ok()
}
