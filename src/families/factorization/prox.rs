//! Proximal operators of the norms and their powers (\[SparseFM\] section 4, appendix A):
//! `prox(p) = argmin_q |q - p|^2 / 2 + lambda Omega(q)`.
//!
//! All of them shrink magnitudes by one threshold, so that only the threshold is searched for: what lies
//! under it is dropped until nothing does. The paper's searches, by sorting (Algorithm 2) and by random
//! pivots (Algorithm 3), find the same one and are its slow twins in the tests.

use super::root::{power, root};

/// What the magnitudes are reduced by, if those above it are `count` with this `sum`:
/// lambda m S^(m-1) with S their sum after the reduction.
pub(super) fn threshold_of(sum: f64, count: usize, lambda: f64, m: usize) -> f64 {
    if m == 1 {
        return lambda;
    }
    let slope = lambda * m as f64;
    slope * power(root(slope * count as f64, sum, m), m - 1)
}

/// The threshold of `lambda (sum of sizes)^m` for sizes >= 0.
///
/// The threshold of a superset of the sizes that survive is never too large, so that what lies
/// under it may go; where nothing goes it is the threshold of the survivors.
pub(super) fn threshold(sizes: &[f64], lambda: f64, m: usize) -> f64 {
    let mut alive: Vec<f64> = sizes.to_vec();
    loop {
        let least = threshold_of(alive.iter().sum(), alive.len(), lambda, m);
        let before = alive.len();
        alive.retain(|&a| a > least);
        if alive.len() == before || alive.is_empty() {
            return least;
        }
    }
}

/// sign(p) max(|p| - by, 0).
pub(super) fn soft(p: f64, by: f64) -> f64 {
    (p.abs() - by).max(0.0).copysign(p)
}

/// prox of `lambda |p|_1^m`, in place; m = 1 is soft thresholding, m = 2 Theorem 6, larger
/// m Theorem 9.
pub(super) fn sum_power(p: &mut [f64], lambda: f64, m: usize) {
    let sizes: Vec<f64> = p.iter().map(|v| v.abs()).collect();
    let by = threshold(&sizes, lambda, m);
    p.iter_mut().for_each(|v| *v = soft(*v, by));
}

/// prox of `lambda (sum of the norms of the rows)^m` for rows of length `k`, in place
/// (Theorems 7 and 10; m = 1: Eq. 6).
pub(super) fn row_power(p: &mut [f64], k: usize, lambda: f64, m: usize) {
    let sizes: Vec<f64> = p.chunks_exact(k).map(norm).collect();
    let by = threshold(&sizes, lambda, m);
    for (row, size) in p.chunks_exact_mut(k).zip(sizes) {
        let keep = if size > by { (size - by) / size } else { 0.0 };
        row.iter_mut().for_each(|v| *v *= keep);
    }
}

/// prox of `lambda sum_s |p_s|_1^m` for the columns s of rows of length `k`, in place.
pub(super) fn column_power(p: &mut [f64], k: usize, lambda: f64, m: usize) {
    let mut column = vec![0.0; p.len() / k];
    for s in 0..k {
        column.iter_mut().zip(p[s..].iter().step_by(k)).for_each(|(to, &from)| *to = from);
        sum_power(&mut column, lambda, m);
        p[s..].iter_mut().step_by(k).zip(&column).for_each(|(to, &from)| *to = from);
    }
}

/// Euclidean norm.
pub(super) fn norm(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum::<f64>().sqrt()
}
