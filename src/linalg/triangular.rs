//! Systems with a lower triangular matrix L, given by its rows (entries beyond the diagonal are
//! not read).

use super::dot;

/// z with L z = `rhs`.
pub fn forward<'a>(rows: impl Iterator<Item = &'a [f64]>, rhs: &[f64]) -> Vec<f64> {
    let mut z: Vec<f64> = Vec::with_capacity(rhs.len() + 1);
    for (row, &b) in rows.zip(rhs) {
        let i = z.len();
        z.push((b - dot(&row[..i], &z)) / row[i]);
    }
    z
}

/// x with L' x = `z`; `row(i)` is row i of L.
pub fn backward<'a>(row: impl Fn(usize) -> &'a [f64], mut z: Vec<f64>) -> Vec<f64> {
    for i in (0..z.len()).rev() {
        let row = row(i);
        let x = z[i] / row[i];
        z[i] = x;
        z[..i].iter_mut().zip(row).for_each(|(z, l)| *z -= l * x);
    }
    z
}
