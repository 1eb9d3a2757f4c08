//! The graphs of a forest that belong to a space: all of them, or the training graphs of a fold.
//!
//! A tree is shared by all parts: its nodes, their records and the results of the minimality test are the
//! same for each. A part has its own weights, and patterns that occur in none of its graphs have weight 0.

use super::forest::Forest;
use crate::data::row_hash::hash_rows;
use crate::space::{NodeStats, RowWeights};

/// Marks a graph that is not in the part.
const NONE: u32 = u32::MAX;

/// Some graphs of a forest, as the rows of a space.
#[derive(Debug)]
pub(super) struct Part {
    /// Whether it has all graphs, with their counts.
    pub is_full: bool,
    /// Graph of each row, ascending.
    pub graphs: Vec<u32>,
    /// Row of each graph.
    rows: Vec<u32>,
    /// Number of training records merged into each row.
    pub counts: Vec<f64>,
    /// For each tree the number of training records of the parent of its root; larger than all counts if it
    /// has no parent.
    pub above: Vec<f64>,
    /// The trees in the order of a search.
    pub trees: Vec<usize>,
}

impl Part {
    /// All graphs of the forest.
    pub fn full(forest: &Forest, counts: &[f64]) -> Self {
        let graphs: Vec<u32> = (0..forest.base.n_records as u32).collect();
        Self { is_full: true, trees: forest.largest_first(), ..Self::of(forest, &graphs, counts) }
    }

    /// The given graphs.
    pub fn of(forest: &Forest, graphs: &[u32], counts: &[f64]) -> Self {
        let mut rows = vec![NONE; forest.base.n_records];
        graphs.iter().zip(0u32..).for_each(|(&g, row)| rows[g as usize] = row);
        // Concurrent searches of several parts would wait for each other if they all began with the same tree.
        let mut trees = forest.largest_first();
        let first = hash_rows(graphs) % trees.len().max(1) as u64;
        trees.rotate_left(first as usize);
        let mut part = Self {
            is_full: false,
            graphs: graphs.to_vec(),
            rows,
            counts: counts.to_vec(),
            above: Vec::new(),
            trees,
        };
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
