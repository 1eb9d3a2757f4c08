//! Training rows merged into cells: all rows with the same bin in every column.
//!
//! A loss needs only sums over the rows of a cell. Cells are sorted, so that the result depends neither
//! on the order of the rows nor on whether a row of weight 2 is given as two rows.

use std::sync::Arc;

use rayon::prelude::*;

use super::bin_products::BinProducts;
use super::bin_sums::sum_by_bin;
use super::predictions::BinChange;
use crate::data::bins::Codes;
use crate::data::sums::PART;
use crate::threads;

/// The cells of some rows.
#[derive(Debug, Clone)]
pub struct Cells {
    /// Bin of each cell, by column.
    pub codes: Vec<Vec<u16>>,
    /// Weight of each cell.
    pub weight: Vec<f64>,
    /// Weighted sum of y of each cell; for classes the weight of the positive rows.
    pub sum: Vec<f64>,
    /// Mean response of each cell; none for classes.
    pub mean: Vec<f64>,
    /// Squared loss within cells, which no prediction reduces; 0 for classes.
    pub within_loss: f64,
    /// The weights that bins have in common, where responses are numbers and the search is faster with them.
    pub products: Option<Arc<BinProducts>>,
    /// The bin of each cell in a column of one bin.
    one_bin: Vec<u16>,
}

impl Cells {
    /// Merges rows of positive weight. `y` holds numbers, or -1 and 1 if `is_classification`.
    pub fn new(codes: &Codes, y: &[f64], weights: &[f64], is_classification: bool) -> Self {
        let (mut rows, packed) = pack_bins(codes);
        let rest = |r: u32| codes.columns[packed..].iter().map(move |c| c[r as usize]);
        let compare = |p: &(u64, u32), q: &(u64, u32)| p.0.cmp(&q.0).then_with(|| rest(p.1).cmp(rest(q.1)));
        // The order of rows that are equal in all of these does not matter.
        rows.par_sort_unstable_by(|p, q| {
            let (i, j) = (p.1 as usize, q.1 as usize);
            compare(p, q).then(y[i].total_cmp(&y[j])).then(weights[i].total_cmp(&weights[j]))
        });
        let groups: Vec<&[(u64, u32)]> = rows.chunk_by(|p, q| compare(p, q).is_eq()).collect();
        let of_groups =
            threads::map_range(groups.len(), PART, |k| merge_rows(groups[k], y, weights, is_classification));
        let first_rows: Vec<u32> = groups.iter().map(|group| group[0].1).collect();
        let of_cells =
            threads::map(&codes.columns, |bins| first_rows.iter().map(|&r| bins[r as usize]).collect());
        let mut new = Self::of_sums(of_cells, &of_groups);
        if !is_classification {
            new.mean = new.sum.iter().zip(&new.weight).map(|(sum, weight)| sum / weight).collect();
            new.products = BinProducts::if_faster(&new, &codes.n_bins).map(Arc::new);
        }
        new
    }

    /// Cells with these bins, by column, and the weight, weighted sum of y and squared loss within each.
    pub fn of_sums(codes: Vec<Vec<u16>>, of_groups: &[(f64, f64, f64)]) -> Self {
        Self {
            codes,
            weight: of_groups.iter().map(|(weight, _, _)| *weight).collect(),
            sum: of_groups.iter().map(|(_, sum, _)| *sum).collect(),
            mean: Vec::new(),
            within_loss: of_groups.iter().map(|(_, _, within_loss)| within_loss).sum(),
            products: None,
            one_bin: vec![0; of_groups.len()],
        }
    }

    /// The bin of each cell for a change.
    pub fn codes_of(&self, change: &BinChange) -> &[u16] {
        change.column.map_or(&self.one_bin, |j| &self.codes[j])
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.weight.len()
    }

    /// Sums of a number of each cell over the cells of each bin of a column.
    pub fn sum_by_bin(&self, column: usize, n_bins: usize, of_cell: &[f64]) -> Vec<f64> {
        let codes = &self.codes[column][..of_cell.len()];
        sum_by_bin(of_cell.len(), n_bins, |i| (codes[i] as usize, [of_cell[i]])).into_flattened()
    }

    /// Weight of each bin of a column.
    pub fn bin_weights(&self, column: usize, n_bins: usize) -> Vec<f64> {
        let mut bins = vec![0.0; n_bins];
        self.codes[column].iter().zip(&self.weight).for_each(|(&b, w)| bins[b as usize] += w);
        bins
    }
}

/// The bins of the first columns of each row packed into one integer, with the row's index, and the
/// number of columns packed. One comparison of integers orders most pairs of rows.
fn pack_bins(codes: &Codes) -> (Vec<(u64, u32)>, usize) {
    let mut rows: Vec<(u64, u32)> = (0..codes.n_rows as u32).map(|r| (0, r)).collect();
    let (mut bits, mut columns) = (0, 0);
    for (column, &n_bins) in codes.columns.iter().zip(&codes.n_bins) {
        let more = usize::BITS - n_bins.leading_zeros();
        bits += more;
        if bits > u64::BITS {
            break;
        }
        threads::map_chunks(&mut rows, PART, |k, rows| {
            rows.iter_mut()
                .zip(&column[k * PART..])
                .for_each(|(row, &bin)| row.0 = row.0 << more | u64::from(bin));
        });
        columns += 1;
    }
    (rows, columns)
}

/// Weight, weighted sum of y and squared loss within a group of rows.
fn merge_rows(group: &[(u64, u32)], y: &[f64], weights: &[f64], is_classification: bool) -> (f64, f64, f64) {
    let rows = || group.iter().map(|&(_, r)| (y[r as usize], weights[r as usize]));
    let weight: f64 = rows().map(|(_, w)| w).sum();
    if is_classification {
        return (weight, rows().map(|(y, w)| if y > 0.0 { w } else { 0.0 }).sum(), 0.0);
    }
    // From one of them, so that equal responses have no error.
    let first = y[group[0].1 as usize];
    let mean = first + rows().map(|(y, w)| w * (y - first)).sum::<f64>() / weight;
    (weight, weight * mean, rows().map(|(y, w)| 0.5 * w * (y - mean) * (y - mean)).sum())
}
