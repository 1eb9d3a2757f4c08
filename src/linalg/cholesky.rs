//! Cholesky factor of a dense symmetric positive definite matrix.

use super::{dot, triangular};

/// Maximum number of factorisations, with an increasing diagonal.
const MAX_ATTEMPTS: usize = 6;
/// First relative increase of the diagonal, about the size of rounding.
const FIRST_BOOST: f64 = 1e-14;
/// Factor of the increase from attempt to attempt: up to 1e-6, beyond which the solution would be
/// inaccurate.
const BOOST_GROWTH: f64 = 100.0;

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

    /// L^-1 b.
    pub fn forward(&self, b: &[f64]) -> Vec<f64> {
        triangular::forward((0..self.n).map(|i| self.row(i)), b)
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

/// The factor of `a` with `boost` times its diagonal added.
fn factor(mut a: Vec<f64>, n: usize, boost: f64) -> Option<Cholesky> {
    for i in 0..n {
        let (above, here) = a.split_at_mut(i * n);
        let here = &mut here[..n];
        for j in 0..i {
            let row = &above[j * n..=j * n + j];
            here[j] = (here[j] - dot(&row[..j], &here[..j])) / row[j];
        }
        let diagonal = here[i] * (1.0 + boost);
        let remainder = diagonal - dot(&here[..i], &here[..i]);
        if remainder.is_nan() || remainder <= 1e-300 {
            return None;
        }
        here[i] = remainder.sqrt();
    }
    Some(Cholesky { n, rows: a })
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
            let x = Cholesky::new(&matrix, n).unwrap().solve(&b);
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
