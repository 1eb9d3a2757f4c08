//! Cholesky factor of a dense symmetric positive definite matrix.

use super::{MIN_PRODUCTS_PER_THREAD, dot, triangular};
use crate::threads;

/// Maximum number of factorisations, with an increasing diagonal.
const MAX_ATTEMPTS: usize = 6;
/// First relative increase of the diagonal, about the size of rounding.
const FIRST_BOOST: f64 = 1e-14;
/// Factor of the increase from attempt to attempt: up to 1e-6, beyond which the solution would be
/// inaccurate.
const BOOST_GROWTH: f64 = 100.0;
/// Number of rows that are computed together: 8 of 500 entries fill a first-level cache of 32 KiB.
const BLOCK: usize = 8;
/// Number of rows of a panel: a tenth of the work is within panels if there are 500 rows.
const PANEL: usize = 4 * BLOCK;

/// Lower triangular L with L L' = A, by rows of full length.
#[derive(Debug, Clone)]
pub struct Cholesky {
    n: usize,
    rows: Vec<f64>,
}

impl Cholesky {
    /// Factors the matrix whose lower triangle is given row by row (n rows of length n). `None`
    /// where it is not positive definite even with a little of its diagonal added.
    pub fn new(matrix: &[f64], n: usize) -> Option<Self> {
        let mut boost = 0.0;
        for _ in 0..MAX_ATTEMPTS {
            let factor = factor(matrix.to_vec(), n, boost);
            if factor.is_some() {
                return factor;
            }
            boost = if boost == 0.0 { FIRST_BOOST } else { boost * BOOST_GROWTH };
        }
        None
    }

    /// L by rows of full length.
    pub fn lower(&self) -> &[f64] {
        &self.rows
    }

    /// L^-1 b.
    pub fn forward(&self, b: &[f64]) -> Vec<f64> {
        triangular::forward(|i| self.row(i), b)
    }

    /// Replaces each of the right-hand sides b, one after another, by L^-1 b. Those of a block share the reading of L.
    pub fn forward_all(&self, right: &mut [f64]) {
        let n = self.n.max(1);
        let part = BLOCK * MIN_PRODUCTS_PER_THREAD.div_ceil(BLOCK * n * n);
        threads::map_chunks(right, part * n, |_, right| {
            for block in right.chunks_mut(BLOCK * n) {
                for i in 0..n {
                    let row = self.row(i);
                    for x in block.chunks_mut(n) {
                        x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
                    }
                }
            }
        });
    }

    /// L'^-1 z.
    pub fn backward(&self, z: Vec<f64>) -> Vec<f64> {
        triangular::backward(|i| self.row(i), z)
    }

    /// A^-1 b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.backward(self.forward(b))
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.n..(i + 1) * self.n]
    }
}

/// The factor of `a` with `boost` times its diagonal added. Rows of a panel are for all threads as far as they depend
/// on the rows above it.
fn factor(mut a: Vec<f64>, n: usize, boost: f64) -> Option<Cholesky> {
    for first in (0..n).step_by(PANEL) {
        let (above, panel) = a.split_at_mut(first * n);
        let panel = &mut panel[..PANEL.min(n - first) * n];
        let part = BLOCK * MIN_PRODUCTS_PER_THREAD.div_ceil(BLOCK * (first * first).max(1));
        threads::map_chunks(panel, part * n, |_, rows| {
            rows.chunks_mut(BLOCK * n).for_each(|block| eliminate(above, 0, block, n));
        });
        for begin in (0..panel.len() / n).step_by(BLOCK) {
            let (above, rest) = panel.split_at_mut(begin * n);
            let end = rest.len().min(BLOCK * n);
            let block = &mut rest[..end];
            eliminate(above, first, block, n);
            for (at, i) in (first + begin..).take(block.len() / n).enumerate() {
                let (before, here) = block.split_at_mut(at * n);
                let here = &mut here[..n];
                eliminate(before, first + begin, here, n);
                let diagonal = here[i] * (1.0 + boost);
                let remainder = diagonal - dot(&here[..i], &here[..i]);
                if remainder.is_nan() || remainder <= 1e-300 {
                    return None;
                }
                here[i] = remainder.sqrt();
            }
        }
    }
    Some(Cholesky { n, rows: a })
}

/// The entries of a block of rows in the columns of the rows `above`, which are factored and begin with row `first`. The
/// rows of the block share the reading of those above.
fn eliminate(above: &[f64], first: usize, block: &mut [f64], n: usize) {
    for (row, j) in above.chunks(n).zip(first..) {
        for here in block.chunks_mut(n) {
            here[j] = (here[j] - dot(&row[..j], &here[..j])) / row[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solves(rows in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 20), 1..20)) {
            let n = rows.len();
            let entry = |i: usize, j: usize| dot(&rows[i], &rows[j]) + f64::from(u8::from(i == j));
            let matrix: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
            let b: Vec<f64> = (0..n).map(|k| k as f64 - 2.0).collect();
            let factor = Cholesky::new(&matrix, n).unwrap();
            let x = factor.solve(&b);
            let mut all = matrix.clone();
            factor.forward_all(&mut all);
            for (row, together) in matrix.chunks(n).zip(all.chunks(n)) {
                prop_assert_eq!(&factor.forward(row)[..], together);
            }
            for i in 0..n {
                prop_assert!((dot(&matrix[i * n..(i + 1) * n], &x) - b[i]).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn refuses_what_is_not_positive() {
        assert!(Cholesky::new(&[1.0, 0.0, 0.0, -1.0], 2).is_none());
    }
}
