//! Every connected subgraph of labelled undirected graphs, up to a number of edges
//! (\[gSpan\]).
//!
//! A pattern occurs in a graph that contains it as a subgraph: there is an injective map of its vertices that
//! preserves labels and edges (further edges are allowed). A pattern has at least one edge. Each is
//! enumerated once, as its minimum DFS code (`code`). The children of a code are its rightmost extensions
//! (`extend`); an extension that is not a minimum code duplicates a pattern of another node
//! (`minimal`). The test for minimality is the slowest step, so that only nodes that the bound does not
//! prune are tested, and the results are stored with the explored part of the tree (`tree`). The folds of a
//! cross-validation share the trees, each with its own records (`part`).
//!
//! Codes start with the edge of smallest labels. Inside the space labels are renumbered by frequency, rarest
//! first (`labels`), so that the bound prunes near the root; patterns outside the space have the original
//! labels. With wildcards a label of a pattern may match any label (`wildcard`).
//!
//! References: \[gSpan\] Yan, Han, "gSpan: Graph-Based Substructure Pattern Mining" (2002).

mod class;
mod code;
mod database;
mod describe;
mod encoding;
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

use self::database::Database;
use self::forest::Forest;
use self::labels::Relabel;
use self::part::Part;
use self::walk::Walker;
use super::{
    CorrelationBound, Node, PatternSpace, ReportMode, RowWeights, Sign, Step, Visitor, check_numbered,
};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::threads;

/// Default memory limit of the explored part of the trees, in bytes.
pub const TREE_BYTES: u64 = 400 << 20;

/// Every connected subgraph of some graphs.
#[derive(Debug)]
pub struct GraphSpace {
    /// All graphs of the forest, with internal labels.
    graphs: Arc<Vec<Graph>>,
    relabel: Arc<Relabel>,
    forest: Arc<Forest>,
    /// The graphs of the space.
    part: Part,
}

impl GraphSpace {
    /// The subgraphs of `graphs` with at most `max_edges` edges that occur in at least `min_support` graphs,
    /// each counted `counts` times. `bytes` limits the memory of the explored part of the trees; a smaller
    /// limit is slower and does not change results. Labels of patterns may be [`ANY`] according to
    /// `wildcards`. Fails unless there is a count for each graph.
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
        // With wildcards vertices are numbered twice.
        check_numbered("vertices (twice)", 2 * graphs.iter().map(|g| g.vertices().len()).sum::<usize>())?;
        let relabel = Relabel::rarest_first(graphs);
        let graphs: Vec<Graph> = graphs.iter().map(|g| relabel.inwards(g)).collect();
        let forest = Forest::new(Database::new(&graphs, wildcards), counts, max_edges, min_support, bytes);
        let part = Part::full(&forest, counts);
        Ok(Self { graphs: Arc::new(graphs), relabel: Arc::new(relabel), forest: Arc::new(forest), part })
    }

    /// The space of some of the rows (ascending), each counted `counts` times. Both spaces share their trees.
    #[must_use]
    pub fn part(&self, rows: &[u32], counts: &[f64]) -> Self {
        let graphs: Vec<u32> = rows.iter().map(|&r| self.part.graphs[r as usize]).collect();
        let part = Part::of(&self.forest, &graphs, counts);
        Self { graphs: self.graphs.clone(), relabel: self.relabel.clone(), forest: self.forest.clone(), part }
    }

    fn graph(&self, row: u32) -> &Graph {
        &self.graphs[self.part.graphs[row as usize] as usize]
    }

    /// Number of patterns that occur in at least `min_support` graphs, by a walk over all of them.
    pub fn occurring(&self, control: &Control) -> Result<u64> {
        let n = self.n_rows();
        let weights = RowWeights::new(vec![0.0; n], &vec![1.0; n], &self.part.counts);
        let trees = self.roots();
        let found = threads::map_in_turn(trees.len(), |at| {
            let k = trees[at];
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
        found.into_iter().sum()
    }
}

/// Counts patterns.
struct Count<'a> {
    found: u64,
    control: &'a Control,
}

impl Visitor<GraphPattern> for Count<'_> {
    type Bound = CorrelationBound;

    fn bound(&self) -> CorrelationBound {
        CorrelationBound { threshold: f64::NEG_INFINITY, radius: 0.0, growth: 0.0, total: 0.0 }
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

    fn encoded(&self) -> Option<Vec<u8>> {
        Some(self.encode())
    }

    fn n_rows(&self) -> usize {
        self.part.graphs.len()
    }

    /// Number of connected graphs over the labels and wildcards of the space, including those that do not
    /// occur (`size`); see [`GraphSpace::occurring`].
    fn size(&self) -> BigUint {
        let base = &self.forest.base;
        let [vertex, edge] = base.n_labels;
        let Wildcards { vertices, edges } = base.wildcards;
        size::connected(vertex + usize::from(vertices), edge + usize::from(edges), self.forest.max_edges)
    }

    fn roots(&self) -> Vec<usize> {
        self.part.trees.clone()
    }

    /// A later search walks the stored trees, which takes less time than a list of candidates with their rows.
    fn search_is_cheap(&self) -> bool {
        true
    }

    fn walk<V: Visitor<GraphPattern>>(&self, root: &usize, weights: &RowWeights, visitor: &mut V) -> bool {
        let mut tree = self.forest.tree(*root);
        Walker::new(self, &mut tree, weights, visitor).run(self.part.above[*root])
    }

    fn rows(&self, pattern: &GraphPattern) -> Vec<u32> {
        let internal = self.relabel.to_internal(pattern);
        if let Some(records) = self.forest.records(internal.code()) {
            return self.part.rows(&records).collect();
        }
        let matcher = Matcher::new([&internal]);
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
