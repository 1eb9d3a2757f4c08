//! The columns of a working set: patterns as row lists and bitsets, side columns dense.

use rayon::prelude::*;

use crate::data::sums::PART;
use crate::space::Sign;

/// One column of the working set.
#[derive(Debug, Clone)]
pub struct Column<P> {
    /// The pattern; `None` for a side column.
    pub pattern: Option<P>,
    /// Which side column it is, if it is one.
    pub side: usize,
    /// Penalty weight.
    pub cost: f64,
    /// The group that it is penalised in; the largest number: none.
    pub group: usize,
    /// Signs that its weight may have.
    pub sign: Sign,
    /// A pattern's rows, ascending.
    pub rows: Vec<u32>,
    /// The same as bits.
    pub bits: Vec<u64>,
    /// A side column's values.
    pub values: Vec<f64>,
}

impl<P> Column<P> {
    /// A pattern's column.
    pub fn of_pattern(pattern: P, rows: Vec<u32>, n_rows: usize, cost: f64, sign: Sign) -> Self {
        let mut bits = vec![0u64; n_rows.div_ceil(64)];
        rows.iter().for_each(|&r| bits[r as usize / 64] |= 1 << (r % 64));
        let (side, group) = (usize::MAX, usize::MAX);
        Self { pattern: Some(pattern), side, cost, group, sign, rows, bits, values: Vec::new() }
    }

    /// A side column's column.
    pub fn of_side(side: usize, values: Vec<f64>, cost: f64, sign: Sign) -> Self {
        let (rows, bits) = (Vec::new(), Vec::new());
        Self { pattern: None, side, cost, group: usize::MAX, sign, rows, bits, values }
    }

    /// The same, penalised in a group.
    #[must_use]
    pub fn within(self, group: usize) -> Self {
        Self { group, ..self }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (self.rows.len() * 4 + self.bits.len() * 8 + self.values.len() * 8 + 128) as u64
    }

    /// Its value in a row.
    pub fn at(&self, row: usize) -> f64 {
        if self.pattern.is_some() { (self.bits[row / 64] >> (row % 64) & 1) as f64 } else { self.values[row] }
    }

    /// Inner product with a vector over rows.
    pub fn dot(&self, v: &[f64]) -> f64 {
        if self.pattern.is_some() {
            gathered(&self.rows, v)
        } else {
            self.values.iter().zip(v).map(|(x, v)| x * v).sum()
        }
    }
}

/// Rows that are worth a thread's while.
const WORTH: usize = 1 << 15;

/// Inner products of columns with a vector over rows.
pub fn dots<P: Sync>(columns: &[Column<P>], v: &[f64]) -> Vec<f64> {
    columns.par_iter().with_min_len(WORTH / v.len().max(1) + 1).map(|c| c.dot(v)).collect()
}

/// Sum of `v` over rows, in four running sums: one alone waits for each addition.
pub fn gathered(rows: &[u32], v: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let four = rows.chunks_exact(4);
    let rest: f64 = four.remainder().iter().map(|&r| v[r as usize]).sum();
    for r in four {
        (0..4).for_each(|k| sums[k] += v[r[k] as usize]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// `f += sum_k w_k column_k`. Each row adds the columns in their order, however many threads
/// share the rows.
pub fn combine<P: Sync>(columns: &[Column<P>], w: &[f64], f: &mut [f64]) {
    f.par_chunks_mut(PART).enumerate().for_each(|(chunk, part)| {
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

/// Rows that three bitsets share. Nothing can overflow, and additions that check for it are not
/// done several at once.
pub fn shared(a: &[u64], b: &[u64], c: &[u64]) -> u32 {
    a.iter().zip(b).zip(c).fold(0, |n, ((a, b), c)| n.wrapping_add((a & b & c).count_ones()))
}

/// Sum of `h` over the rows that two bitsets share, among those of `words` (place, mask).
pub fn shared_sum(a: &[u64], b: &[u64], words: &[(usize, u64)], h: &[f64]) -> f64 {
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
