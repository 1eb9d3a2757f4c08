//! The columns of a working set: patterns as row lists and bitsets, others dense.

use std::sync::Arc;

use crate::data::sums::PART;
use crate::linalg::add_rank_one;
use crate::threads;

/// One column of the working set.
#[derive(Debug, Clone)]
pub struct Column<P> {
    /// The pattern; `None` for a dense column.
    pub pattern: Option<P>,
    /// Which dense column it is, if it is one.
    pub dense_index: usize,
    /// A pattern's rows, ascending.
    pub rows: Vec<u32>,
    /// The same as bits.
    pub bits: Vec<u64>,
    /// A dense column's values, which all copies of the column share.
    pub values: Arc<[f64]>,
}

impl<P> Column<P> {
    /// A pattern's column.
    pub fn of_pattern(pattern: P, rows: Vec<u32>, n_rows: usize) -> Self {
        let mut bits = vec![0u64; n_rows.div_ceil(64)];
        rows.iter().for_each(|&r| bits[r as usize / 64] |= 1 << (r % 64));
        Self { pattern: Some(pattern), dense_index: usize::MAX, rows, bits, values: Arc::default() }
    }

    /// The dense column of this number.
    pub fn dense(dense_index: usize, values: Arc<[f64]>) -> Self {
        Self { pattern: None, dense_index, rows: Vec::new(), bits: Vec::new(), values }
    }

    /// Memory in bytes, beside the shared values: its rows, its bits and as many in a
    /// [table](super::product_table::ProductTable).
    pub fn bytes(&self) -> u64 {
        (self.rows.len() * 4 + self.bits.len() * 16 + 128) as u64
    }

    /// Whether it has the same rows as another pattern, or those of `n_rows` that the other lacks, or is the same dense
    /// column.
    pub fn is_same_beside_intercept(&self, other: &Self, n_rows: usize) -> bool {
        match (self.pattern.is_some(), other.pattern.is_some()) {
            (true, true) => {
                let is_disjoint = || self.bits.iter().zip(&other.bits).all(|(a, b)| a & b == 0);
                self.rows == other.rows || self.rows.len() + other.rows.len() == n_rows && is_disjoint()
            }
            (false, false) => self.dense_index == other.dense_index,
            _ => false,
        }
    }

    /// Its value in a row.
    pub fn value(&self, row: usize) -> f64 {
        if self.pattern.is_some() { (self.bits[row / 64] >> (row % 64) & 1) as f64 } else { self.values[row] }
    }

    /// Sum of its squares, weighted by row.
    pub fn sum_of_squares(&self, weights: &[f64]) -> f64 {
        if self.pattern.is_some() {
            sum_over(&self.rows, weights)
        } else {
            self.values.iter().zip(weights).map(|(x, v)| v * x * x).sum()
        }
    }

    /// Adds `by` times the column to a vector over rows.
    pub fn add_to(&self, v: &mut [f64], by: f64) {
        if self.pattern.is_some() {
            self.rows.iter().for_each(|&r| v[r as usize] += by);
        } else {
            v.iter_mut().zip(&self.values[..]).for_each(|(v, x)| *v += by * x);
        }
    }

    /// Adds `by a a'` to the lower triangle of a matrix over rows, and `by mean a` to a vector, with the column or,
    /// if fewer, the rows outside the pattern as a, whose mean is returned. Less its mean, one is minus the other.
    pub fn add_outer_to(&self, matrix: &mut [f64], by: f64, mean: f64, crossed: &mut [f64]) -> f64 {
        let n = crossed.len();
        if self.pattern.is_none() {
            add_rank_one(matrix, &self.values, by);
            self.add_to(crossed, by * mean);
            return mean;
        }
        let outside: Vec<u32>;
        let (rows, mean) = if 2 * self.rows.len() > n {
            outside = (0..n as u32).filter(|&r| self.bits[r as usize / 64] >> (r % 64) & 1 == 0).collect();
            (&outside, 1.0 - mean)
        } else {
            (&self.rows, mean)
        };
        for (at, &i) in rows.iter().enumerate() {
            let row = &mut matrix[i as usize * n..][..n];
            rows[..=at].iter().for_each(|&j| row[j as usize] += by);
            crossed[i as usize] += by * mean;
        }
        mean
    }

    /// Inner product with a vector over rows.
    pub fn dot(&self, v: &[f64]) -> f64 {
        if self.pattern.is_some() {
            sum_over(&self.rows, v)
        } else {
            self.values.iter().zip(v).map(|(x, v)| x * v).sum()
        }
    }
}

/// Minimum number of rows for each thread.
const MIN_ROWS_PER_THREAD: usize = 1 << 15;

/// Inner products of columns with a vector over rows.
pub fn dots<P: Sync>(columns: &[Column<P>], v: &[f64]) -> Vec<f64> {
    dots_with(columns.len(), |k| &columns[k], v)
}

/// The same of columns given by their number.
pub fn dots_with<'a, P: Sync + 'a>(
    count: usize,
    column: impl Fn(usize) -> &'a Column<P> + Sync,
    v: &[f64],
) -> Vec<f64> {
    threads::map_range(count, MIN_ROWS_PER_THREAD / v.len().max(1) + 1, |k| column(k).dot(v))
}

/// Sum of `v` over rows, in four running sums: one alone waits for each addition.
pub fn sum_over(rows: &[u32], v: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let four = rows.chunks_exact(4);
    let rest: f64 = four.remainder().iter().map(|&r| v[r as usize]).sum();
    for r in four {
        (0..4).for_each(|k| sums[k] += v[r[k] as usize]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// `f += sum_k w_k column_k`. Each row adds the columns in a fixed order, for any number of
/// threads.
pub fn combine<P: Sync>(columns: &[Column<P>], w: &[f64], f: &mut [f64]) {
    threads::map_chunks(f, PART, |chunk, part| {
        let from = chunk * PART;
        let end = part.len();
        for (column, &w) in columns.iter().zip(w).filter(|(_, w)| **w != 0.0) {
            if column.pattern.is_some() {
                let first = column.rows.partition_point(|&r| (r as usize) < from);
                let rows = column.rows[first..].iter().map(|&r| r as usize - from);
                rows.take_while(|&r| r < end).for_each(|r| part[r] += w);
            } else {
                part.iter_mut().zip(&column.values[from..]).for_each(|(f, x)| *f += w * x);
            }
        }
    });
}

/// Number of rows in three bitsets. The count cannot overflow; checked additions would not vectorise.
pub fn intersection_size(a: &[u64], b: &[u64], c: &[u64]) -> u32 {
    a.iter().zip(b).zip(c).fold(0, |n, ((a, b), c)| n.wrapping_add((a & b & c).count_ones()))
}

/// Sum of `h` over the rows in two bitsets, among those of `words` (place, mask).
pub fn intersection_sum(a: &[u64], b: &[u64], words: &[(usize, u64)], h: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &(k, mask) in words {
        let mut word = a[k] & b[k] & mask;
        while word != 0 {
            sum += h[k * 64 + word.trailing_zeros() as usize];
            word &= word - 1;
        }
    }
    sum
}
