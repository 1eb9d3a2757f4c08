//! Inner products of two columns under fixed weights of the rows.

use super::column::{Column, intersection_size, intersection_sum, sum_over};
use super::product_table::{BLOCK, ProductTable};
use crate::threads;

/// Inner products for each thread.
pub const MIN_PRODUCTS_PER_THREAD: usize = 64;
/// What the parts of a product of two patterns take, in times of a row of a pass over a table (some 1.7 ns): a word of rows
/// of a level, a word of other rows, another row in both patterns; and the sums of the classes of a table.
const LEVEL_WORD: f64 = 0.6;
const OTHER_WORD: f64 = 0.5;
const SHARED_ROW: f64 = 3.0;
const CLASS_SUMS: f64 = 90.0;

/// Row weights in a layout in which products of two patterns are counts over rows of equal weight.
#[derive(Debug, Clone)]
pub struct WeightedGram {
    /// Weight of each row.
    pub w: Vec<f64>,
    /// Weights of many rows each, and these rows as bits: for them products are counts.
    levels: Vec<(f64, Vec<u64>)>,
    /// All other rows of any weight, as words of bits.
    other_rows: Vec<(usize, u64)>,
    n_other_rows: usize,
    /// The dense columns times the weights.
    dense: Vec<Vec<f64>>,
}

impl WeightedGram {
    /// No dense columns yet.
    pub fn new(w: Vec<f64>) -> Self {
        let bits = |of: &dyn Fn(f64) -> bool| -> Vec<u64> {
            w.chunks(64)
                .map(|part| part.iter().rev().fold(0, |word, &x| word << 1 | u64::from(of(x))))
                .collect()
        };
        let common = common(&w);
        let levels = common.iter().map(|&value| (value, bits(&|x| x == value))).collect();
        let is_other = |x: f64| x != 0.0 && !common.contains(&x);
        let other_rows: Vec<(usize, u64)> =
            bits(&is_other).into_iter().enumerate().filter(|(_, mask)| *mask != 0).collect();
        let n_other_rows = other_rows.iter().map(|(_, mask)| mask.count_ones() as usize).sum();
        Self { w, levels, other_rows, n_other_rows, dense: Vec::new() }
    }

    /// Takes in the dense columns among these.
    pub fn extend<P>(&mut self, columns: &[&Column<P>]) {
        for column in columns.iter().filter(|c| c.pattern.is_none()) {
            self.dense.push(column.values.iter().zip(&self.w).map(|(x, w)| x * w).collect());
        }
    }

    /// `sum_i w_i a_i b_i` of each column a with each b, where `is_wanted` of their numbers; others may be 0. Best with
    /// the shorter list as b.
    pub fn products<P: Sync>(
        &self,
        a: &[&Column<P>],
        b: &[&Column<P>],
        is_wanted: impl Fn(usize, usize) -> bool + Sync,
    ) -> Vec<Vec<f64>> {
        let (patterns, dense): (Vec<usize>, Vec<usize>) = (0..b.len()).partition(|&j| b[j].pattern.is_some());
        let blocks: Vec<&[usize]> = patterns.chunks(BLOCK).collect();
        let saving = |i: usize, block: &[usize]| {
            let wanted = block.iter().filter(|&&j| is_wanted(i, j));
            if a[i].pattern.is_some() { self.saving(a[i], wanted.map(|&j| b[j].rows.len())) } else { 0.0 }
        };
        let tables = threads::map_range(blocks.len(), 1, |k| {
            let columns: Vec<&Column<P>> = blocks[k].iter().map(|&j| b[j]).collect();
            let cost: usize = columns.iter().map(|column| column.rows.len()).sum();
            let saved: f64 = (0..a.len()).map(|i| saving(i, blocks[k]).max(0.0)).sum();
            (saved > cost as f64).then(|| ProductTable::of(&columns, self.w.len()))
        });
        threads::map_range(a.len(), MIN_PRODUCTS_PER_THREAD / b.len().max(1) + 1, |i| {
            let mut products = vec![0.0; b.len()];
            let single = |j: usize| if is_wanted(i, j) { self.product(a[i], b[j]) } else { 0.0 };
            dense.iter().for_each(|&j| products[j] = single(j));
            for (block, table) in blocks.iter().zip(&tables) {
                match table.as_ref().filter(|_| saving(i, block) > 0.0) {
                    None => block.iter().for_each(|&j| products[j] = single(j)),
                    Some(table) => {
                        let sums = table.sums(&a[i].rows, &self.w);
                        block.iter().zip(sums).for_each(|(&j, sum)| products[j] = sum);
                    }
                }
            }
            products
        })
    }

    /// What a table saves of the products of a pattern with some others, given by their numbers of rows.
    fn saving<P>(&self, pattern: &Column<P>, n_rows: impl Iterator<Item = usize>) -> f64 {
        let words = self.w.len().div_ceil(64);
        let of_words =
            LEVEL_WORD * (self.levels.len() * words) as f64 + OTHER_WORD * self.other_rows.len() as f64;
        // As if other rows, and those of the patterns, were independent.
        let of_rows =
            SHARED_ROW * self.n_other_rows as f64 / (self.w.len() as f64).powi(2) * pattern.rows.len() as f64;
        let products: f64 = n_rows.map(|n| of_words + of_rows * n as f64).sum();
        products - pattern.rows.len() as f64 - CLASS_SUMS
    }

    /// `sum_i w_i a_i b_i`.
    pub fn product<P>(&self, a: &Column<P>, b: &Column<P>) -> f64 {
        match (a.pattern.is_some(), b.pattern.is_some()) {
            (true, true) => {
                let level = |(value, rows): &(f64, Vec<u64>)| {
                    value * f64::from(intersection_size(&a.bits, &b.bits, rows))
                };
                self.levels.iter().map(level).sum::<f64>()
                    + intersection_sum(&a.bits, &b.bits, &self.other_rows, &self.w)
            }
            (true, false) => sum_over(&a.rows, &self.dense[b.dense_index]),
            (false, true) => sum_over(&b.rows, &self.dense[a.dense_index]),
            (false, false) => a.values.iter().zip(&self.dense[b.dense_index]).map(|(a, b)| a * b).sum(),
        }
    }
}

/// A weight has a level of its own if at least one in this many rows has it; counts over fewer rows are
/// slower than sums.
const ROWS_PER_LEVEL: usize = 8;

/// The weights that many rows have, ascending. Squared loss has one curvature and the squared hinge loss two,
/// so that few rows remain for sums.
fn common(w: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = w.iter().copied().filter(|w| *w != 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    let runs = sorted.chunk_by(|a, b| a == b).filter(|run| ROWS_PER_LEVEL * run.len() >= sorted.len());
    runs.filter_map(|run| run.first().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROWS: usize = 1000;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// From tables and one at a time, with weights that many rows have and with dense columns between the patterns.
        #[test]
        fn products_of_lists_are_those_of_pairs(
            kinds in prop::collection::vec((0.0..1.0f64, any::<bool>()), 1..24),
            n_second in 0..24usize,
            common in 0..ROWS,
            zero in 0..ROWS,
            seed in any::<u64>(),
        ) {
            let mut state = seed | 1;
            let mut uniform = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            let mut columns: Vec<Column<usize>> = Vec::new();
            for (k, &(density, is_dense)) in kinds.iter().enumerate() {
                let values: Vec<f64> = (0..ROWS).map(|_| uniform()).collect();
                let rows = (0..ROWS as u32).filter(|&r| values[r as usize] < density * density).collect();
                let dense_index = columns.iter().filter(|c| c.pattern.is_none()).count();
                columns.push(if is_dense && k % 4 == 1 {
                    Column::dense(dense_index, values.into())
                } else {
                    Column::of_pattern(k, rows, ROWS)
                });
            }
            let a: Vec<&Column<usize>> = columns.iter().collect();
            let b = &a[..n_second.min(a.len())];
            let mut weights: Vec<f64> = (0..ROWS).map(|_| uniform()).collect();
            weights[..common].fill(0.25);
            weights[zero / 2..zero].fill(0.0);
            let mut gram = WeightedGram::new(weights);
            gram.extend(&a);
            let is_wanted = |i: usize, j: usize| i >= j;
            for (i, products) in gram.products(&a, b, is_wanted).into_iter().enumerate() {
                for (j, product) in products.into_iter().enumerate().filter(|(j, _)| is_wanted(i, *j)) {
                    prop_assert!((product - gram.product(a[i], b[j])).abs() < 1e-9);
                }
            }
        }
    }
}
