//! Training rows as cells: rows with the same bin in every column are one to the model.
//!
//! What a loss needs of a cell are sums over its rows, so equal rows are merged and sorted:
//! the result depends neither on the order of the rows nor on whether a row of weight 2 is
//! written twice.

use crate::data::bins::Codes;

/// Merged rows.
#[derive(Debug, Clone)]
pub struct Cells {
    /// One list of bins a column.
    pub codes: Vec<Vec<u16>>,
    /// Weight of each cell.
    pub weight: Vec<f64>,
    /// Sum of weight * y of each cell; of classes, the weight of the positives.
    pub sum: Vec<f64>,
    /// Part of the squared loss that no prediction changes: spread within cells; 0 for classes.
    pub within: f64,
}

impl Cells {
    /// Merges rows. `y` is a number, or a class as -1 / 1 (`classes`); no weight is 0.
    pub fn new(codes: &Codes, y: &[f64], weights: &[f64], classes: bool) -> Self {
        let (mut rows, packed) = packed(codes);
        let rest = |r: u32| codes.columns[packed..].iter().map(move |c| c[r as usize]);
        let compare = |p: &(u64, u32), q: &(u64, u32)| p.0.cmp(&q.0).then_with(|| rest(p.1).cmp(rest(q.1)));
        // Rows that are equal in all of this are alike: their order does not matter.
        rows.sort_unstable_by(|p, q| {
            let (i, j) = (p.1 as usize, q.1 as usize);
            compare(p, q).then(y[i].total_cmp(&y[j])).then(weights[i].total_cmp(&weights[j]))
        });
        let mut cells = Self {
            codes: vec![Vec::new(); codes.columns.len()],
            weight: Vec::new(),
            sum: Vec::new(),
            within: 0.0,
        };
        for group in rows.chunk_by(|p, q| compare(p, q).is_eq()) {
            for (to, from) in cells.codes.iter_mut().zip(&codes.columns) {
                to.push(from[group[0].1 as usize]);
            }
            let (weight, sum, within) = merged(group, y, weights, classes);
            cells.weight.push(weight);
            cells.sum.push(sum);
            cells.within += within;
        }
        cells
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.weight.len()
    }

    /// Weight of the bins of a column.
    pub fn bin_weights(&self, column: usize, n_bins: usize) -> Vec<f64> {
        let mut bins = vec![0.0; n_bins];
        self.codes[column].iter().zip(&self.weight).for_each(|(&b, w)| bins[b as usize] += w);
        bins
    }
}

/// Each row with the bins of its first columns as one number, and how many columns that holds:
/// it orders most rows at once.
fn packed(codes: &Codes) -> (Vec<(u64, u32)>, usize) {
    let mut rows: Vec<(u64, u32)> = (0..codes.n_rows as u32).map(|r| (0, r)).collect();
    let (mut bits, mut columns) = (0, 0);
    for (column, &n_bins) in codes.columns.iter().zip(&codes.n_bins) {
        let more = usize::BITS - n_bins.leading_zeros();
        bits += more;
        if bits > u64::BITS {
            break;
        }
        rows.iter_mut().zip(column).for_each(|(row, &bin)| row.0 = row.0 << more | u64::from(bin));
        columns += 1;
    }
    (rows, columns)
}

/// Weight, sum and spread of a group of rows.
fn merged(group: &[(u64, u32)], y: &[f64], weights: &[f64], classes: bool) -> (f64, f64, f64) {
    let rows = || group.iter().map(|&(_, r)| (y[r as usize], weights[r as usize]));
    let weight: f64 = rows().map(|(_, w)| w).sum();
    if classes {
        return (weight, rows().map(|(y, w)| if y > 0.0 { w } else { 0.0 }).sum(), 0.0);
    }
    let sum: f64 = rows().map(|(y, w)| w * y).sum();
    let mean = sum / weight;
    (weight, sum, rows().map(|(y, w)| 0.5 * w * (y - mean) * (y - mean)).sum())
}
