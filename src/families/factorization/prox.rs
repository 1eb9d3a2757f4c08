//! Proximal operators of the norms and their powers (\[SparseFM\] section 4, appendix A):
//! `prox(p) = argmin_q |q - p|^2 / 2 + lambda Omega(q)`.
//!
//! All of them shrink the norms of rows or the magnitudes of entries, which are rows of length 1, by one
//! threshold, so that only the threshold is searched for: what lies under it is dropped until nothing does. The
//! paper finds the same one by sorting (Algorithm 2).

use super::coupling::{power, root};

/// The threshold of `lambda (sum of sizes)^m` for sizes >= 0: lambda m S^(m-1), where S is the sum of what is left
/// of the sizes above it.
///
/// The threshold of a superset of the sizes that survive is never too large, so that what lies
/// under it may go; where nothing goes it is the threshold of the survivors.
fn threshold(sizes: &[f64], lambda: f64, m: usize) -> f64 {
    if m == 1 {
        return lambda;
    }
    let (mut alive, slope) = (sizes.to_vec(), lambda * m as f64);
    loop {
        let least = slope * power(root(slope * alive.len() as f64, alive.iter().sum(), m), m - 1);
        let before = alive.len();
        alive.retain(|&a| a > least);
        if alive.len() == before || alive.is_empty() {
            return least;
        }
    }
}

/// prox of `lambda (sum of the norms of the rows)^m` for rows of length `k`, in place (m = 1: Eq. 6, m = 2:
/// Theorems 6 and 7, larger m: Theorems 9 and 10).
pub(super) fn row_power(p: &mut [f64], k: usize, lambda: f64, m: usize) {
    let sizes: Vec<f64> = p.chunks_exact(k).map(norm).collect();
    let by = threshold(&sizes, lambda, m);
    if k == 1 {
        p.iter_mut().for_each(|v| *v = (v.abs() - by).max(0.0).copysign(*v));
        return;
    }
    for (row, size) in p.chunks_exact_mut(k).zip(sizes) {
        let keep = if size > by { (size - by) / size } else { 0.0 };
        row.iter_mut().for_each(|v| *v *= keep);
    }
}

/// prox of `lambda sum_s |p_s|_1^m` for the columns s of rows of length `k`, in place.
pub(super) fn column_power(p: &mut [f64], k: usize, lambda: f64, m: usize) {
    let mut column = vec![0.0; p.len() / k];
    for s in 0..k {
        column.iter_mut().zip(p[s..].iter().step_by(k)).for_each(|(to, from)| *to = *from);
        row_power(&mut column, 1, lambda, m);
        p[s..].iter_mut().step_by(k).zip(&column).for_each(|(to, from)| *to = *from);
    }
}

/// Euclidean norm.
#[inline]
pub(super) fn norm(row: &[f64]) -> f64 {
    if let [entry] = row { entry.abs() } else { row.iter().map(|v| v * v).sum::<f64>().sqrt() }
}
