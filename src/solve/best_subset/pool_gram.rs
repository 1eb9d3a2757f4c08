//! Inner products of the columns of a pool with its members by the curvature at one subset, with the intercept
//! projected out. Members change one at a time, so that most products serve many moves.

use std::collections::HashMap;

use super::pool::Pool;
use crate::solve::column::Column;
use crate::solve::weighted_gram::WeightedGram;
use crate::threads;

/// Columns for each thread.
const MIN_COLUMNS_PER_THREAD: usize = 16;

/// Products by fixed weights of the rows.
#[derive(Debug)]
pub struct PoolGram {
    gram: WeightedGram,
    total: f64,
    /// Weighted mean of each column, and its centred product with itself.
    means: Vec<f64>,
    own: Vec<f64>,
    /// Centred products of a member with all columns.
    products: HashMap<usize, Vec<f64>>,
}

impl PoolGram {
    /// Of a pool and the curvature of each row.
    pub fn new<P: Clone>(pool: &Pool<P>, curvatures: &[f64]) -> Self {
        let mut gram = WeightedGram::new(curvatures.to_vec());
        gram.extend(&pool.columns[pool.dense()].iter().collect::<Vec<_>>());
        let total = curvatures.iter().sum();
        Self { gram, total, means: Vec::new(), own: Vec::new(), products: HashMap::new() }
    }

    /// Computes what the products of all columns with some members lack.
    pub fn take_in<P: Sync>(&mut self, pool: &Pool<P>, members: &[usize]) {
        let columns = &pool.columns;
        let known = self.means.len();
        let fresh = threads::map_range(columns.len() - known, MIN_COLUMNS_PER_THREAD, |at| {
            let column = &columns[known + at];
            let mean = self.mean(column);
            (mean, self.gram.product(column, column) - self.total * mean * mean)
        });
        self.means.extend(fresh.iter().map(|(mean, _)| mean));
        self.own.extend(fresh.iter().map(|(_, own)| own));
        for &member in members {
            let mut products = self.products.remove(&member).unwrap_or_default();
            let known = products.len();
            let fresh = threads::map_range(columns.len() - known, MIN_COLUMNS_PER_THREAD, |at| {
                let both = self.gram.product(&columns[member], &columns[known + at]);
                both - self.total * self.means[member] * self.means[known + at]
            });
            products.extend(fresh);
            self.products.insert(member, products);
        }
    }

    /// Products of a member with all columns.
    pub fn with(&self, member: usize) -> &[f64] {
        self.products.get(&member).map_or(&[], Vec::as_slice)
    }

    /// Product of a column of the pool with itself.
    pub fn square(&self, place: usize) -> f64 {
        self.own[place]
    }

    /// Products of any pattern with itself and with some members.
    pub fn of<P>(&self, pool: &Pool<P>, members: &[usize], column: &Column<P>) -> (f64, Vec<f64>) {
        let mean = self.mean(column);
        let with =
            |&m: &usize| self.gram.product(&pool.columns[m], column) - self.total * self.means[m] * mean;
        (self.gram.product(column, column) - self.total * mean * mean, members.iter().map(with).collect())
    }

    fn mean<P>(&self, column: &Column<P>) -> f64 {
        column.dot(&self.gram.w) / self.total
    }
}
