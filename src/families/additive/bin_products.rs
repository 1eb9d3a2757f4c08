//! The squared loss without its cells: the weight of the cells that two bins have in common.
//!
//! With the weights `G[a][b]` of all pairs of bins, a change `d` of the predictions by bins changes the sum of the weighted
//! residuals in bin `b` by `-sum_a d[a] G[a][b]`, and the residuals of all bins are all that the search needs. Where there
//! are many cells for few bins this takes a fraction of the time of two passes over the cells. The products of a column are
//! computed when it first changes; most columns never do.

use std::sync::OnceLock;

use super::bin_sums::sum_by_bin;
use super::cells::Cells;
use super::predictions::{Predictions, SquaredPredictions};
use crate::data::sums::{PART, total};
use crate::threads;

/// Maximum number of cells times columns: the products of a column take a tenth of a second of one thread, in which nobody looks
/// at the clock.
const MAX_ENTRIES: usize = 100_000_000;

/// The products of the bins of a table.
#[derive(Debug)]
pub struct BinProducts {
    /// The first bin of each column in the list of all bins, and the number of all.
    first: Vec<usize>,
    /// The weight of each bin.
    weights: Vec<f64>,
    /// The best constant.
    pub null: NullModel,
    /// The products of each column: a row for each of its bins, with an entry for each of all bins.
    of_column: Vec<OnceLock<Vec<f64>>>,
}

/// The model of the best constant.
#[derive(Debug, Clone, Default)]
pub struct NullModel {
    /// The constant.
    pub mean: f64,
    /// Half its squared error.
    pub loss: f64,
    /// Sums of weight times residual over each of all bins.
    pub residuals: Vec<f64>,
    /// The sum over all cells.
    pub total: f64,
}

impl BinProducts {
    /// Those of columns with these numbers of bins; `None` if a change by bins takes longer than a pass over the cells.
    pub fn if_faster(cells: &Cells, n_bins: &[usize]) -> Option<Self> {
        let mut first = vec![0];
        first.extend(n_bins.iter().scan(0, |sum, n| {
            *sum += n;
            Some(*sum)
        }));
        let (most, n_cells) = (*n_bins.iter().max()?, cells.len());
        if first[n_bins.len()].saturating_mul(most) > n_cells
            || n_cells.saturating_mul(n_bins.len()) > MAX_ENTRIES
        {
            return None;
        }
        let of_column = vec![OnceLock::new(); n_bins.len()];
        let mut new = Self { first, of_column, weights: Vec::new(), null: NullModel::default() };
        new.weights = new.sum_by_bin(cells, &cells.weight);
        let (mean, predictions) = SquaredPredictions::new_by_cell(cells);
        let residuals = threads::map_range(cells.len(), PART, |i| cells.weight[i] * (cells.mean[i] - mean));
        new.null = NullModel {
            mean,
            loss: predictions.loss(cells),
            residuals: new.sum_by_bin(cells, &residuals),
            total: total(&residuals),
        };
        Some(new)
    }

    /// Memory of the products of all columns.
    pub fn n_bytes(&self) -> u64 {
        8 * (self.n_bins() as u64).pow(2)
    }

    /// The places of a column's bins in the list of all.
    pub fn bins(&self, column: usize) -> std::ops::Range<usize> {
        self.first[column]..self.first[column + 1]
    }

    /// The weights that bins of two columns have in common, a row for each bin of the first.
    pub fn pairs<'a>(&'a self, cells: &Cells, [j, k]: [usize; 2]) -> impl Iterator<Item = &'a [f64]> {
        let bins = self.bins(k);
        self.rows(cells, j).chunks(self.n_bins()).map(move |row| &row[bins.clone()])
    }

    /// The sum of the weighted changes of the predictions in each of all bins and in all cells, where those of all cells and
    /// those of the bins of some columns are given.
    pub fn change<'a>(
        &self,
        cells: &Cells,
        shift: f64,
        functions: impl IntoIterator<Item = (usize, &'a [f64])>,
    ) -> (Vec<f64>, f64) {
        let mut sums: Vec<f64> = self.weights.iter().map(|weight| shift * weight).collect();
        for (column, function) in functions {
            for (row, &by) in self.rows(cells, column).chunks(sums.len()).zip(function) {
                if by != 0.0 {
                    sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += by * weight);
                }
            }
        }
        // Each cell is in one bin of the first column.
        let total = sums[self.bins(0)].iter().sum();
        (sums, total)
    }

    /// Sums of a number of each cell over the cells of each of all bins.
    fn sum_by_bin(&self, cells: &Cells, of_cell: &[f64]) -> Vec<f64> {
        let of_column = |j: usize| cells.sum_by_bin(j, self.bins(j).len(), of_cell);
        threads::map_range(self.of_column.len(), 1, of_column).concat()
    }

    fn n_bins(&self) -> usize {
        self.first[self.of_column.len()]
    }

    fn rows(&self, cells: &Cells, j: usize) -> &[f64] {
        if let Some(rows) = self.of_column[j].get() {
            return rows;
        }
        // Outside the lock, which a thread that waits for others must not hold.
        let n = cells.len();
        let with_column = |k: usize| {
            let (own, other, weight) = (&cells.codes[j][..n], &cells.codes[k][..n], &cells.weight[..n]);
            let width = self.bins(k).len();
            let pair = |i: usize| (own[i] as usize * width + other[i] as usize, [weight[i]]);
            sum_by_bin(n, self.bins(j).len() * width, pair)
        };
        let tables = threads::map_range(self.of_column.len(), 1, with_column);
        let mut rows = Vec::with_capacity(self.bins(j).len() * self.n_bins());
        for bin in 0..self.bins(j).len() {
            for (k, table) in tables.iter().enumerate() {
                let width = self.bins(k).len();
                rows.extend_from_slice(table[bin * width..(bin + 1) * width].as_flattened());
            }
        }
        self.of_column[j].get_or_init(|| rows)
    }
}
