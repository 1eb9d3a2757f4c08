//! Every connected subgraph of labelled undirected graphs, up to a number of edges
//! (\[gSpan\]).
//!
//! A pattern occurs in a graph when the graph has it as a subgraph: an injective map of
//! its vertices that keeps labels and edges (edges beyond the pattern's are allowed). A
//! pattern has at least one edge. Each is enumerated once, as its least DFS code ([`code`]);
//! children of a code are its rightmost extensions ([`extend`]), and those that are not
//! least codes themselves repeat a pattern that is enumerated elsewhere ([`minimal`]). That test
//! costs more than anything else on the way, so that only nodes that the bound lets pass
//! are tested, and every answer is kept with the tree that has been seen ([`tree`]). The
//! folds of a cross-validation see the same trees, each with its own records ([`part`]).
//!
//! Codes begin at the edge with the least labels. Inside the space labels are renumbered by
//! how rare they are ([`labels`]), so that the bound cuts near the root; a pattern that
//! leaves it has the caller's labels again. Where wildcards are allowed, a label of a pattern
//! may be one that any label matches ([`wildcard`]).
//!
//! References: \[gSpan\] Yan, Han, "gSpan: Graph-Based Substructure Pattern Mining" (2002).

mod class;
mod code;
mod database;
mod describe;
mod extend;
mod forest;
mod graph;
mod labels;
mod matching;
mod minimal;
mod part;
mod size;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod walk;
mod wildcard;

pub use code::{DfsEdge, GraphPattern, MAX_EDGES};
pub use describe::Names;
pub use graph::{Edge, Graph, Neighbour};
pub use matching::Matcher;
pub use text::{Record, read, write};
pub use wildcard::{ANY, Wildcards};

use std::sync::Arc;

use num_bigint::BigUint;
use rayon::prelude::*;

use self::database::Database;
use self::forest::Forest;
use self::labels::Relabel;
use self::part::Part;
use self::walk::Walker;
use super::{Bound, Node, PatternSpace, ReportMode, RowWeights, Sign, Step, Visitor, check_numbered};
use crate::control::Control;
use crate::error::{Error, Result};

/// Bytes that the seen part of the trees may take unless told otherwise.
pub const TREE_BYTES: u64 = 400 << 20;

/// Every connected subgraph of some graphs.
#[derive(Debug)]
pub struct GraphSpace {
    /// All graphs of the forest, with labels of its own.
    graphs: Arc<Vec<Graph>>,
    relabel: Arc<Relabel>,
    forest: Arc<Forest>,
    /// The graphs that the space is about.
    part: Part,
}

impl GraphSpace {
    /// The subgraphs of `graphs` with at most `max_edges` edges that occur in at least
    /// `min_support` of them, where each graph counts as `counts` says; `bytes` is how much the
    /// part of the tree that has been seen may take: less is slower, and changes no result. Labels
    /// of patterns may be [`ANY`] as `wildcards` says. Fails where there is not one count for each graph.
    pub fn new(
        graphs: &[Arc<Graph>],
        counts: &[f64],
        max_edges: usize,
        min_support: usize,
        wildcards: Wildcards,
        bytes: u64,
    ) -> Result<Self> {
        if counts.len() != graphs.len() {
            return Err(Error::data(format!("got {} counts for {} graphs", counts.len(), graphs.len())));
        }
        // Vertices are numbered twice where wildcards are allowed.
        check_numbered("vertices (twice)", 2 * graphs.iter().map(|g| g.vertices().len()).sum::<usize>())?;
        let relabel = Relabel::rarest_first(graphs);
        let graphs: Vec<Graph> = graphs.iter().map(|g| relabel.inwards(g)).collect();
        let forest = Forest::new(Database::new(&graphs, wildcards), counts, max_edges, min_support, bytes);
        let part = Part::full(&forest, counts);
        Ok(Self { graphs: Arc::new(graphs), relabel: Arc::new(relabel), forest: Arc::new(forest), part })
    }

    /// The subgraphs of some of the rows (ascending), which count as `counts` says. Both spaces
    /// read and grow the same trees.
    #[must_use]
    pub fn part(&self, rows: &[u32], counts: &[f64]) -> Self {
        let graphs: Vec<u32> = rows.iter().map(|&r| self.part.graphs[r as usize]).collect();
        let part = Part::of(&self.forest, &graphs, counts);
        Self { graphs: self.graphs.clone(), relabel: self.relabel.clone(), forest: self.forest.clone(), part }
    }

    fn graph(&self, row: u32) -> &Graph {
        &self.graphs[self.part.graphs[row as usize] as usize]
    }

    /// How many of the patterns occur in at least `min_support` graphs: a walk over all of
    /// them, which takes as long as there are many.
    pub fn occurring(&self, control: &Control) -> Result<u64> {
        let n = self.n_rows();
        let weights = RowWeights::new(vec![0.0; n], &vec![1.0; n], &self.part.counts);
        let trees = self.roots().into_iter().par_bridge();
        let found = trees.map(|k| {
            control.check()?;
            let mut visitor = Count { found: 0, control };
            let mut tree = self.forest.tree(k);
            let walker = Walker::new(self, &mut tree, &weights, &mut visitor).transient();
            if walker.run(self.part.above[k]) {
                return Ok(visitor.found);
            }
            control.check()?;
            Err(Error::data("the time was over before all subgraphs were counted"))
        });
        found.sum()
    }
}

/// Counts patterns.
struct Count<'a> {
    found: u64,
    control: &'a Control,
}

impl Visitor<GraphPattern> for Count<'_> {
    fn bound(&self) -> Bound {
        Bound { threshold: f64::NEG_INFINITY, radius: 0.0, growth: 0.0, total: 0.0 }
    }

    fn report_mode(&self) -> ReportMode {
        ReportMode::All
    }

    fn enter(&mut self, _: Node<'_, GraphPattern>) -> Step {
        self.found += 1;
        Step::Descend
    }

    fn count(&mut self, _: u64) {}

    fn should_stop(&self) -> bool {
        self.control.should_stop()
    }
}

impl PatternSpace for GraphSpace {
    type Pattern = GraphPattern;
    type Root = usize;

    fn n_rows(&self) -> usize {
        self.part.graphs.len()
    }

    /// Connected graphs of the labels and wildcards that there are, whether they occur or not ([`size`]); how
    /// many occur says [`GraphSpace::occurring`].
    fn size(&self) -> BigUint {
        let base = &self.forest.base;
        let [vertex, edge] = base.n_labels;
        let Wildcards { vertices, edges } = base.wildcards;
        size::connected(vertex + usize::from(vertices), edge + usize::from(edges), self.forest.max_edges)
    }

    fn roots(&self) -> Vec<usize> {
        self.part.trees.clone()
    }

    fn search_is_cheap(&self) -> bool {
        false
    }

    fn walk<V: Visitor<GraphPattern>>(&self, root: &usize, weights: &RowWeights, visitor: &mut V) -> bool {
        let mut tree = self.forest.tree(*root);
        Walker::new(self, &mut tree, weights, visitor).run(self.part.above[*root])
    }

    fn rows(&self, pattern: &GraphPattern) -> Vec<u32> {
        let own = self.relabel.to_internal(pattern);
        if let Some(records) = self.forest.records(own.code()) {
            return self.part.rows(&records).collect();
        }
        let matcher = Matcher::new([&own]);
        let rows = 0..self.n_rows() as u32;
        let holding = matcher.holding(rows.clone().map(|r| self.graph(r)));
        rows.zip(holding).filter_map(|(r, holds)| holds.then_some(r)).collect()
    }

    fn length(&self, pattern: &GraphPattern) -> usize {
        pattern.n_edges()
    }

    fn sign(&self, pattern: &GraphPattern) -> Option<Sign> {
        (1..=self.forest.max_edges).contains(&pattern.n_edges()).then_some(Sign::Either)
    }
}
