//! Every connected subgraph of labelled undirected graphs, up to a number of edges
//! (\[gSpan\]).
//!
//! A pattern occurs in a graph when the graph has it as a subgraph: an injective map of
//! its vertices that keeps labels and edges (edges beyond the pattern's are allowed). A
//! pattern has at least one edge. Each is met once, as its least DFS code ([`code`]);
//! children of a code are its rightmost extensions ([`extend`]), and those that are not
//! least codes themselves repeat a pattern that is met elsewhere ([`minimal`]). That test
//! costs more than anything else on the way, so that only nodes that the bound lets pass
//! are tested, and every answer is kept with the tree that has been seen ([`tree`]).
//!
//! Codes begin at the edge with the least labels. Give rare labels small numbers
//! ([`rarest_first`]), and the bound cuts near the root.
//!
//! References: \[gSpan\] Yan, Han, "gSpan: Graph-Based Substructure Pattern Mining" (2002).

mod code;
mod database;
mod describe;
mod extend;
mod forest;
mod graph;
mod labels;
mod matching;
mod minimal;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod walk;

pub use code::{DfsEdge, GraphPattern};
pub use describe::Names;
pub use graph::{Arc, Edge, Graph};
pub use labels::{Relabel, rarest_first};
pub use matching::Matcher;
pub use text::{Record, read, write};

use num_bigint::BigUint;

use self::forest::Forest;
use self::walk::{Walker, within};
use super::{Bound, Harvest, Node, PatternSpace, RowWeights, Sign, Step, Visitor};
use crate::control::Control;
use crate::error::{Error, Result};

/// Bytes that the seen part of the trees may take unless told otherwise.
pub const TREE_BYTES: u64 = 400 << 20;

/// Every connected subgraph of some graphs.
#[derive(Debug, Clone)]
pub struct GraphSpace {
    forest: std::sync::Arc<Forest>,
    /// Number of rows, and the row of each record, if the rows are a part of the records.
    part: Option<(usize, Vec<u32>)>,
}

impl GraphSpace {
    /// The subgraphs of `graphs` with at most `max_edges` edges (`None`: any number) that
    /// occur in at least `min_support` of them; `bytes` is how much the part of the tree that
    /// has been seen may take: less is slower, and changes no result.
    pub fn new(
        graphs: &[Graph],
        max_edges: Option<usize>,
        min_support: usize,
        positive: bool,
        bytes: u64,
    ) -> Self {
        let sign = if positive { Sign::Plus } else { Sign::Either };
        let max_edges = max_edges.unwrap_or(usize::MAX);
        let forest = std::sync::Arc::new(Forest::new(graphs, max_edges, min_support, sign, bytes));
        Self { forest, part: None }
    }

    /// The same subgraphs over some of the graphs (ascending): what was seen of the tree is
    /// shared.
    #[must_use]
    pub fn part(&self, rows: &[u32]) -> Self {
        let mut place = vec![u32::MAX; self.forest.base.n_records];
        match &self.part {
            None => rows.iter().zip(0..).for_each(|(&r, k)| place[r as usize] = k),
            Some((_, old)) => {
                for (record, &row) in old.iter().enumerate() {
                    if let Ok(k) = rows.binary_search(&row) {
                        place[record] = k as u32;
                    }
                }
            }
        }
        Self { forest: self.forest.clone(), part: Some((rows.len(), place)) }
    }

    /// How many patterns there are, exactly: a walk over all of them, which takes as long as
    /// there are many.
    pub fn count(&self, control: &Control) -> Result<BigUint> {
        let n = self.n_rows();
        let weights = RowWeights::new(vec![0.0; n], &vec![1.0; n], &vec![1.0; n]);
        let mut total = 0u64;
        for k in self.roots() {
            control.check()?;
            let mut visitor = Count { found: 0, control };
            let mut tree = self.forest.tree(k);
            let walker = Walker::new(&self.forest, &mut tree, self.place(), &weights, &mut visitor);
            if !walker.passing().run() {
                control.check()?;
                return Err(Error::data("the time was over before all subgraphs were counted"));
            }
            total += visitor.found;
        }
        Ok(total.into())
    }

    fn place(&self) -> Option<&[u32]> {
        self.part.as_ref().map(|(_, place)| place.as_slice())
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

    fn harvest(&self) -> Harvest {
        Harvest::All
    }

    fn enter(&mut self, _: Node<'_, GraphPattern>) -> Step {
        self.found += 1;
        Step::Descend
    }

    fn count(&mut self, _: u64) {}

    fn is_over(&self) -> bool {
        self.control.is_over()
    }
}

impl PatternSpace for GraphSpace {
    type Pattern = GraphPattern;
    type Root = usize;

    fn n_rows(&self) -> usize {
        self.part.as_ref().map_or(self.forest.base.n_records, |(n, _)| *n)
    }

    /// The subgraphs that occur, each once; see [`GraphSpace::count`].
    fn size(&self) -> BigUint {
        self.count(&Control::default()).unwrap_or_default()
    }

    fn roots(&self) -> Vec<usize> {
        (0..self.forest.n_trees()).collect()
    }

    fn is_bulk(&self) -> bool {
        false
    }

    fn walk<V: Visitor<GraphPattern>>(&self, root: &usize, weights: &RowWeights, visitor: &mut V) -> bool {
        let mut tree = self.forest.tree(*root);
        Walker::new(&self.forest, &mut tree, self.place(), weights, visitor).run()
    }

    fn rows(&self, pattern: &GraphPattern) -> Vec<u32> {
        within(&self.forest.records(pattern.code()), self.place())
    }

    fn length(&self, pattern: &GraphPattern) -> usize {
        pattern.n_edges()
    }

    fn sign(&self, pattern: &GraphPattern) -> Option<Sign> {
        (1..=self.forest.max_edges).contains(&pattern.n_edges()).then_some(self.forest.sign)
    }
}
