//! Which graphs of a forest a space is about: all of them, or those that a fold learns from.
//!
//! A tree is grown once for all parts: its nodes, their records and the answers of the
//! minimality test are the same for each. A part reads it with its own weights, and what
//! occurs in no graph of the part counts nothing there.

use super::forest::Forest;
use crate::data::row_hash::hash_rows;
use crate::space::{NodeStats, RowWeights};

/// No row of the part.
const NONE: u32 = u32::MAX;

/// Some graphs of a forest, numbered anew.
#[derive(Debug)]
pub(super) struct Part {
    /// Graph of each row, ascending.
    pub graphs: Vec<u32>,
    /// Row of each graph.
    rows: Vec<u32>,
    /// How many training records each row stands for.
    pub counts: Vec<f64>,
    /// For each tree, how many training records the pattern that its root grew from occurs in;
    /// more than there are where there is none.
    pub above: Vec<f64>,
    /// The trees in the order of a search.
    pub trees: Vec<usize>,
}

impl Part {
    /// Everything.
    pub fn full(forest: &Forest, counts: &[f64]) -> Self {
        let graphs: Vec<u32> = (0..forest.base.n_records as u32).collect();
        Self { trees: forest.largest_first(), ..Self::of(forest, &graphs, counts) }
    }

    /// These graphs.
    pub fn of(forest: &Forest, graphs: &[u32], counts: &[f64]) -> Self {
        let mut rows = vec![NONE; forest.base.n_records];
        graphs.iter().zip(0u32..).for_each(|(&g, row)| rows[g as usize] = row);
        // Searches of several parts at once would wait for each other at every tree if they
        // all began with the same.
        let mut trees = forest.largest_first();
        let first = hash_rows(graphs) % trees.len().max(1) as u64;
        trees.rotate_left(first as usize);
        let mut part =
            Self { graphs: graphs.to_vec(), rows, counts: counts.to_vec(), above: Vec::new(), trees };
        let above = |k: usize| forest.above(k).map_or(f64::INFINITY, |records| part.count(&records));
        part.above = (0..forest.n_trees()).map(above).collect();
        part
    }

    fn row(&self, graph: u32) -> Option<u32> {
        Some(self.rows[graph as usize]).filter(|&row| row != NONE)
    }

    /// Rows of some graphs, those of the part.
    pub fn rows(&self, graphs: &[u32]) -> impl Iterator<Item = u32> {
        graphs.iter().filter_map(|&g| self.row(g))
    }

    /// Sums of the weights over some graphs, those of the part.
    #[inline]
    pub fn sums(&self, graphs: &[u32], weights: &RowWeights) -> NodeStats {
        let mut sums = NodeStats::default();
        for row in graphs.iter().filter_map(|&g| self.row(g)) {
            sums += weights.stats[row as usize];
        }
        sums
    }

    fn count(&self, graphs: &[u32]) -> f64 {
        graphs.iter().filter_map(|&g| self.row(g)).map(|row| self.counts[row as usize]).sum()
    }
}
