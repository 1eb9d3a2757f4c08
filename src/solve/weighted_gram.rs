//! Inner products of two columns under fixed weights of the rows.

use super::column::{Column, intersection_size, intersection_sum, sum_over};

/// Row weights in a layout in which products of two patterns are counts over rows of equal weight.
#[derive(Debug, Clone)]
pub struct WeightedGram {
    /// Weight of each row.
    pub w: Vec<f64>,
    /// Weights of many rows each, and these rows as bits: for them products are counts.
    levels: Vec<(f64, Vec<u64>)>,
    /// All other rows of any weight, as words of bits.
    other_rows: Vec<(usize, u64)>,
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
        let other_rows = bits(&|x| x != 0.0 && !common.contains(&x)).into_iter().enumerate();
        let other_rows = other_rows.filter(|(_, mask)| *mask != 0).collect();
        Self { w, levels, other_rows, dense: Vec::new() }
    }

    /// Takes in the dense columns among these.
    pub fn extend<P>(&mut self, columns: &[&Column<P>]) {
        for column in columns.iter().filter(|c| c.pattern.is_none()) {
            self.dense.push(column.values.iter().zip(&self.w).map(|(x, w)| x * w).collect());
        }
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
