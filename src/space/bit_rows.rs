//! Sums over the rows of a node for many columns of 0/1 features at once.
//!
//! A depth-first search spends most of its time on the last proposition: its patterns are nearly all of the space, and
//! on dense data the bound of their parents excludes few of them. Nothing is searched below them, so that the sum of
//! the residual is all that is needed, and an approximate one excludes most of them: the features are stored as bits,
//! a row at a time, and each row adds its residual in single precision to the sums of [`BLOCK`] columns in a few vector
//! operations. The sums come with a bound of their rounding errors; patterns that may exceed the threshold are
//! evaluated again in double precision.

use super::row_loops::select;

/// Number of columns in a block: the sums of a block are four vector registers of the smallest instruction set.
pub const BLOCK: usize = 16;

/// 1 for each bit of a byte that is set.
static BITS_OF_BYTE: [[f32; 8]; 256] = {
    let mut bits = [[0.0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut at = 0;
        while at < 8 {
            bits[byte][at] = (byte >> at & 1) as f32;
            at += 1;
        }
        byte += 1;
    }
    bits
};

/// 0/1 features of rows as bits, a row at a time.
#[derive(Debug, Default)]
pub struct BitRows {
    blocks: usize,
    words: Vec<u16>,
}

impl BitRows {
    /// Zeros.
    pub fn new(n_rows: usize, n_columns: usize) -> Self {
        let blocks = n_columns.div_ceil(BLOCK);
        Self { blocks, words: vec![0; n_rows * blocks] }
    }

    /// Memory of this many rows and columns in bytes.
    pub fn bytes(n_rows: usize, n_columns: usize) -> usize {
        n_rows.saturating_mul(n_columns.div_ceil(BLOCK)).saturating_mul(2)
    }

    /// Whether there are no rows or no columns.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Sets a bit.
    pub fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.blocks + column / BLOCK] |= 1 << (column % BLOCK);
    }

    /// Copies the bits of a row from another one.
    pub fn copy_row(&mut self, from: usize, to: usize) {
        self.words.copy_within(from * self.blocks..(from + 1) * self.blocks, to * self.blocks);
    }

    /// Whether a bit is set.
    #[inline]
    pub fn holds(&self, row: u32, column: usize) -> bool {
        self.words[row as usize * self.blocks + column / BLOCK] >> (column % BLOCK) & 1 == 1
    }

    /// The rows whose bit in a column is set, if `there`, or not set.
    pub fn narrowed(&self, rows: &[u32], column: usize, there: bool) -> Vec<u32> {
        let mut narrowed = Vec::new();
        select(rows, &mut narrowed, |_, row| self.holds(row, column) == there);
        narrowed
    }

    /// For each column of the blocks from that of `first` to that of `last`, the sum of the values of the rows whose bit is
    /// set; `rows[k]` has the value `values[k]`.
    pub fn sums(&self, rows: &[u32], values: &[f32], first: usize, last: usize, sums: &mut [f32]) {
        for block in first / BLOCK..=last / BLOCK {
            let mut total = [0.0f32; BLOCK];
            for (&row, &value) in rows.iter().zip(values) {
                let [low, high] = self.words[row as usize * self.blocks + block].to_le_bytes();
                let (low, high) = (&BITS_OF_BYTE[low as usize], &BITS_OF_BYTE[high as usize]);
                for at in 0..8 {
                    total[at] += value * low[at];
                    total[8 + at] += value * high[at];
                }
            }
            sums[block * BLOCK..][..BLOCK].copy_from_slice(&total);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::space::{NodeStats, RowWeights};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn sums_are_those_of_the_rows_within_rounding(
            rows in prop::collection::vec((prop::collection::btree_set(0usize..40, 0..40), -1.0..1.0f64), 1..60),
            (n_columns, ends) in (40usize..50).prop_flat_map(|n| (Just(n), (0..n, 0..n))),
            magnitude in prop_oneof![Just(1.0), Just(1e-60), Just(1e120)],
            skipped in any::<u64>(),
            there in any::<bool>(),
        ) {
            let n = rows.len();
            let mut bits = BitRows::new(n, n_columns);
            rows.iter().enumerate().for_each(|(row, (held, _))| held.iter().for_each(|&c| bits.set(row, c)));
            let residual: Vec<f64> = rows.iter().map(|(_, value)| value * magnitude).collect();
            let weights = RowWeights::new(residual.clone(), &vec![1.0; n], &vec![1.0; n]);
            let node: Vec<u32> = (0..n as u32).filter(|row| skipped >> row & 1 == 0).collect();
            let mut total = NodeStats::default();
            node.iter().for_each(|&row| total += weights.stats[row as usize]);
            let coarse = weights.coarse();
            let values: Vec<f32> = node.iter().map(|&row| coarse.values[row as usize]).collect();
            let (first, last) = (ends.0.min(ends.1), ends.0.max(ends.1));
            let mut sums = vec![f32::NAN; n_columns.next_multiple_of(BLOCK)];
            bits.sums(&node, &values, first, last, &mut sums);
            for column in first..=last {
                let held: Vec<u32> = node.iter().copied().filter(|&r| rows[r as usize].0.contains(&column)).collect();
                let exact: f64 = held.iter().map(|&row| residual[row as usize]).sum();
                let error = (f64::from(sums[column]) * coarse.scale - exact).abs();
                prop_assert!(error <= coarse.rounding(&total, node.len()), "{} at {}", error, exact);
                let others: Vec<u32> = node.iter().copied().filter(|row| !held.contains(row)).collect();
                prop_assert_eq!(bits.narrowed(&node, column, there), if there { held } else { others });
            }
        }
    }
}
