//! Dense linear algebra for all solvers.
//!
//! | item | operation | cost for order n |
//! |---|---|---|
//! | [`dot`], [`dots`] | inner product in a fixed order of summation | n |
//! | [`inner_products`] | those of all pairs of k vectors | n k^2 / 2 |
//! | [`add_rank_one`] | the products of the entries of a vector, added to a matrix | n^2 / 2 |
//! | [`subtract_multiples`] | k vectors subtracted from another | n k |
//! | [`Cholesky`] | factor of one symmetric positive definite matrix | n^3 / 6 |
//! | [`UpdatableCholesky`] | factor with updates by columns | n^2 / 2 a column |
//! | [`conjugate_gradients`] | preconditioned solution of a system given by its product | a product a round |
//! | [`minimise_with_signs`] | minimum of a quadratic over coefficients of given signs | n^3 / 6 a change of the free set |
//! | [`minimise_in_box`] | minimum of a quadratic over coefficients with ends | n^3 / 6 a change of the free set |
//! | [`line_search`] | steps to try and the sufficient decrease that accepts one | - |
//!
//! The order of every sum is fixed, so that results have the same bits for any number of threads.

mod box_quadratic;
mod cholesky;
mod conjugate_gradients;
mod dot;
pub mod line_search;
pub mod root;
mod sign_constrained;
mod triangular;
mod updatable_cholesky;

pub use box_quadratic::minimise_in_box;
pub use cholesky::Cholesky;
pub use conjugate_gradients::{Limits, conjugate_gradients};
pub use dot::{SIDE_BY_SIDE, add_rank_one, dot, dots, inner_products, subtract_multiples};
pub use sign_constrained::minimise_with_signs;
pub use updatable_cholesky::UpdatableCholesky;

/// Minimum number of multiplications for each thread: some tens of microseconds.
pub const MIN_PRODUCTS_PER_THREAD: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_pool;

    /// Rows that look random enough, each with a large entry of its own.
    fn rows(count: usize, width: usize) -> Vec<Vec<f64>> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / 2_f64.powi(53) - 0.5
        };
        let row = |k: usize, next: &mut dyn FnMut() -> f64| -> Vec<f64> {
            (0..width).map(|j| next() + if j == k % width { 3.0 } else { 0.0 }).collect()
        };
        (0..count).map(|k| row(k, &mut next)).collect()
    }

    /// The results of all that is shared out, for matrices that are large enough for that.
    fn results() -> Vec<Vec<f64>> {
        let n = 700;
        let a = rows(n, n + 20);
        let gram = inner_products(&a.concat(), n + 20);
        let rhs: Vec<f64> = (0..n).map(|k| (k % 7) as f64 - 3.0).collect();
        let factor = Cholesky::new(&gram, n).expect("positive definite");
        let mut several: Vec<f64> = (0..40).flat_map(|k| rhs.iter().map(move |x| x + f64::from(k))).collect();
        let solved = factor.solve(&rhs);
        factor.forward_all(&mut several);
        let mut updated = UpdatableCholesky::default();
        let columns: Vec<Vec<f64>> = (0..n).map(|k| gram[k * n..=k * n + k].to_vec()).collect();
        assert!(updated.extend(&columns).into_iter().all(|fits| fits));
        let all = updated.solve(&rhs);
        let gone = [3, 4, 90, 400, 699];
        updated.remove(&gone);
        let left: Vec<usize> = (0..n).filter(|k| !gone.contains(k)).collect();
        let rhs_left: Vec<f64> = left.iter().map(|&k| rhs[k]).collect();
        let after = updated.solve(&rhs_left);
        let entry = |i: usize, j: usize| gram[i.max(j) * n + i.min(j)];
        for (x, places) in [(&solved, (0..n).collect()), (&all, (0..n).collect()), (&after, left)] {
            let places: Vec<usize> = places;
            for &i in &places {
                let back: f64 = places.iter().zip(x).map(|(&j, x)| entry(i, j) * x).sum();
                assert!((back - rhs[i]).abs() < 1e-8, "row {i}: {back} for {}", rhs[i]);
            }
        }
        vec![gram, solved, several, all, after]
    }

    #[test]
    fn threads_change_no_bit() {
        let bits = |threads: usize| -> Vec<u64> {
            let all = thread_pool(threads).expect("a pool").install(results);
            all.concat().into_iter().map(f64::to_bits).collect()
        };
        let one = bits(1);
        assert!([2, 3, 8].into_iter().all(|threads| bits(threads) == one));
    }
}
