//! Sums over weighted rows of the products of two columns.

use super::columns::{Column, gathered, shared, shared_sum};

/// Weights of rows, so laid out that a product of two patterns is counted wherever many rows weigh the
/// same.
#[derive(Debug, Clone)]
pub struct Measure {
    /// Weight of each row.
    pub w: Vec<f64>,
    /// Weights that many rows share, and these rows as bits: for them products are counts.
    levels: Vec<(f64, Vec<u64>)>,
    /// All other rows of any weight, as words of bits.
    odd: Vec<(usize, u64)>,
    /// The side columns times the weights.
    side: Vec<Vec<f64>>,
}

impl Measure {
    /// No side columns yet.
    pub fn new(w: Vec<f64>) -> Self {
        let bits = |of: &dyn Fn(f64) -> bool| -> Vec<u64> {
            w.chunks(64)
                .map(|part| part.iter().rev().fold(0, |word, &x| word << 1 | u64::from(of(x))))
                .collect()
        };
        let common = common(&w);
        let levels = common.iter().map(|&value| (value, bits(&|x| x == value))).collect();
        let odd = bits(&|x| x != 0.0 && !common.contains(&x)).into_iter().enumerate();
        let odd = odd.filter(|(_, mask)| *mask != 0).collect();
        Self { w, levels, odd, side: Vec::new() }
    }

    /// Takes in the side columns among these.
    pub fn extend<P>(&mut self, columns: &[Column<P>]) {
        for column in columns.iter().filter(|c| c.pattern.is_none()) {
            self.side.push(column.values.iter().zip(&self.w).map(|(x, w)| x * w).collect());
        }
    }

    /// `sum_i w_i a_i b_i`.
    pub fn product<P>(&self, a: &Column<P>, b: &Column<P>) -> f64 {
        match (a.pattern.is_some(), b.pattern.is_some()) {
            (true, true) => {
                let level =
                    |(value, rows): &(f64, Vec<u64>)| value * f64::from(shared(&a.bits, &b.bits, rows));
                self.levels.iter().map(level).sum::<f64>() + shared_sum(&a.bits, &b.bits, &self.odd, &self.w)
            }
            (true, false) => gathered(&a.rows, &self.side[b.side]),
            (false, true) => gathered(&b.rows, &self.side[a.side]),
            (false, false) => a.values.iter().zip(&self.side[b.side]).map(|(a, b)| a * b).sum(),
        }
    }
}

/// The weights that at least an eighth of the rows with any each have, ascending. Squared loss has one
/// curvature, the squared hinge two; beside counts of rows, little is left to be summed.
fn common(w: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = w.iter().copied().filter(|w| *w != 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    let runs = sorted.chunk_by(|a, b| a == b).filter(|run| 8 * run.len() >= sorted.len());
    runs.filter_map(|run| run.first().copied()).collect()
}
