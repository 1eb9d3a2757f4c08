//! Linear systems with a matrix that changes slowly.
//!
//! `H x = b` is solved by conjugate gradients with the Cholesky factor of an earlier H as
//! preconditioner. The factor follows the set of columns, one push or removal at a time.

use super::age::Age;
use crate::control::Control;
use crate::linalg::{Limits, UpdatableCholesky, conjugate_gradients};

/// Relative residual of a solution in the norm of the preconditioner; Newton's method converges as fast with
/// directions of this accuracy.
const RESIDUAL_TOLERANCE: f64 = 1e-4;
/// A factor is recomputed if more than one of this many columns is removed.
const MAX_REMOVED_ONE_IN: usize = 8;
/// Number of columns whose entries are computed together.
const COLUMNS_PER_BLOCK: usize = 64;

/// A positive definite matrix over numbered columns.
pub(super) trait Matrix {
    /// One entry.
    fn entry(&self, k: usize, l: usize) -> f64;
    /// Its product with a vector over `columns`.
    fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64>;
}

/// The factor of an earlier matrix, and its columns.
#[derive(Debug, Default)]
pub(super) struct StalePreconditioner {
    columns: Vec<usize>,
    factor: UpdatableCholesky,
    age: Age,
}

impl StalePreconditioner {
    /// The columns for which `active` holds, below `count`: those of the factor first.
    pub fn order(&self, count: usize, active: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut there = vec![false; count];
        self.columns.iter().for_each(|&k| there[k] = true);
        let old = self.columns.iter().copied().filter(|&k| active(k));
        old.chain((0..count).filter(|&k| !there[k] && active(k))).collect()
    }

    /// x with `matrix` x = `rhs` over columns in the [order](Self::order) of this factor; `None`
    /// where the matrix is not positive definite, or time is up.
    pub fn solve(
        &mut self,
        matrix: &impl Matrix,
        columns: &[usize],
        rhs: Vec<f64>,
        control: &Control,
    ) -> Option<Vec<f64>> {
        let mut x = vec![0.0; rhs.len()];
        let mut residual = rhs;
        let follows = !self.age.is_stale() && self.follow(matrix, columns, control);
        if !(follows && self.descend(matrix, &mut x, &mut residual, control)) {
            if !self.restart(matrix, columns, control) {
                *self = Self::default();
                return None;
            }
            self.descend(matrix, &mut x, &mut residual, control);
        }
        Some(x)
    }

    /// Updates the factor to these columns; false if it must be recomputed.
    fn follow(&mut self, matrix: &impl Matrix, columns: &[usize], control: &Control) -> bool {
        let mut n_kept = 0;
        let mut gone = Vec::new();
        for (at, k) in self.columns.iter().enumerate() {
            if columns.get(n_kept) == Some(k) { n_kept += 1 } else { gone.push(at) }
        }
        if MAX_REMOVED_ONE_IN * gone.len() > self.columns.len() {
            return false;
        }
        self.remove(&gone);
        self.extend(matrix, &columns[n_kept..], control)
    }

    fn restart(&mut self, matrix: &impl Matrix, columns: &[usize], control: &Control) -> bool {
        *self = Self { age: Age::new(columns.len()), ..Self::default() };
        self.extend(matrix, columns, control)
    }

    fn extend(&mut self, matrix: &impl Matrix, columns: &[usize], control: &Control) -> bool {
        columns.chunks(COLUMNS_PER_BLOCK).all(|part| {
            let from = self.columns.len();
            self.columns.extend(part);
            let upto =
                |at: usize| self.columns[..=at].iter().map(|&l| matrix.entry(self.columns[at], l)).collect();
            let entries: Vec<Vec<f64>> = (from..self.columns.len()).map(upto).collect();
            !control.should_stop() && self.factor.extend(&entries).into_iter().all(|fits| fits)
        })
    }

    fn remove(&mut self, gone: &[usize]) {
        for &at in gone.iter().rev() {
            self.columns.remove(at);
        }
        self.factor.remove(gone);
    }

    /// Conjugate gradients started from `x`; whether they converged.
    fn descend(
        &mut self,
        matrix: &impl Matrix,
        x: &mut [f64],
        residual: &mut [f64],
        control: &Control,
    ) -> bool {
        let limits = Limits { tolerance: RESIDUAL_TOLERANCE, max_rounds: Age::worth(x.len()) };
        let product = |d: &[f64]| matrix.times(&self.columns, d);
        let precondition = |r: &[f64]| self.factor.solve(r);
        let Some((rounds, converged)) =
            conjugate_gradients(product, precondition, x, residual, limits, || control.should_stop())
        else {
            return false;
        };
        self.age.count(rounds);
        converged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Dense(Vec<Vec<f64>>);

    impl Matrix for Dense {
        fn entry(&self, k: usize, l: usize) -> f64 {
            self.0[k][l]
        }

        fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
            let row = |&k: &usize| columns.iter().zip(x).map(|(&l, x)| self.0[k][l] * x).sum();
            columns.iter().map(row).collect()
        }
    }

    /// A A' + ridge.
    fn square(a: &[Vec<f64>], ridge: f64) -> Dense {
        let entry = |i: usize, j: usize| {
            a[i].iter().zip(&a[j]).map(|(x, y)| x * y).sum::<f64>() + if i == j { ridge } else { 0.0 }
        };
        Dense((0..a.len()).map(|i| (0..a.len()).map(|j| entry(i, j)).collect()).collect())
    }

    proptest! {
        /// The same factor serves matrices and sets of columns of all kinds, one after the other.
        #[test]
        fn solves_whatever_came_before(
            problems in prop::collection::vec(
                (
                    prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 9), 20),
                    prop::collection::vec(any::<bool>(), 20),
                    prop_oneof![Just(0.1), Just(1.0), Just(100.0)],
                    any::<bool>(),
                ),
                1..6,
            ),
        ) {
            let mut preconditioner = StalePreconditioner::default();
            let mut last: Option<Dense> = None;
            for (a, active, ridge, repeat) in &problems {
                let matrix = last.take().filter(|_| *repeat).unwrap_or_else(|| square(a, *ridge));
                let columns = preconditioner.order(20, |k| active[k]);
                prop_assert_eq!(columns.len(), active.iter().filter(|a| **a).count());
                let rhs: Vec<f64> = columns.iter().map(|&k| k as f64 - 7.5).collect();
                // Each solution leaves a small share of the error: of six in turn nothing is left.
                let mut x = vec![0.0; rhs.len()];
                for _ in 0..6 {
                    let back = matrix.times(&columns, &x);
                    let left = rhs.iter().zip(&back).map(|(rhs, back)| rhs - back).collect();
                    let Some(by) = preconditioner.solve(&matrix, &columns, left, &Control::default()) else {
                        return Err(TestCaseError::fail("no solution"));
                    };
                    x.iter_mut().zip(&by).for_each(|(x, by)| *x += by);
                }
                for (back, rhs) in matrix.times(&columns, &x).iter().zip(&rhs) {
                    prop_assert!((back - rhs).abs() < 1e-6, "{back} {rhs}");
                }
                last = Some(matrix);
            }
        }
    }
}
