//! Coordinates of values v in which the order of their jumps is a matter of signs.
//!
//! ```text
//! v_k = u_0 + u_1 k + u_2 (k - 1) + ... + u_k
//! ```
//!
//! `u_1` is the first jump, and `u_j` the difference between the jump j and the one before: with T the matrix of these sums,
//! v = T u is convex where `u_2`, `u_3`, ... are not negative.

use std::ops::Range;

/// The values T u of coordinates u.
pub fn to_values(u: &mut [f64]) {
    (2..u.len()).for_each(|k| u[k] += u[k - 1]);
    (1..u.len()).for_each(|k| u[k] += u[k - 1]);
}

/// The coordinates of values.
pub fn to_coordinates(values: &mut [f64]) {
    (1..values.len()).rev().for_each(|k| values[k] -= values[k - 1]);
    (2..values.len()).rev().for_each(|k| values[k] -= values[k - 1]);
}

/// T' g: the slopes in the coordinates of a function with slopes g in the values.
pub fn to_slopes(g: &mut [f64]) {
    let last = g.len().saturating_sub(1);
    (0..last).rev().for_each(|k| g[k] += g[k + 1]);
    (1..last).rev().for_each(|k| g[k] += g[k + 1]);
}

/// T' H T for a symmetric matrix H by rows, with T for the values in `range` and without change for the others.
pub fn to_curvatures(matrix: &mut [Vec<f64>], range: Range<usize>) {
    matrix.iter_mut().for_each(|row| to_slopes(&mut row[range.clone()]));
    for k in 0..matrix.len() {
        let mut column: Vec<f64> = range.clone().map(|row| matrix[row][k]).collect();
        to_slopes(&mut column);
        range.clone().zip(column).for_each(|(row, entry)| matrix[row][k] = entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_coordinates(
            u in prop::collection::vec(-1.0..1.0f64, 0..7), g in prop::collection::vec(-1.0..1.0f64, 7),
            h in prop::collection::vec(-1.0..1.0f64, 7),
        ) {
            let n = u.len();
            let sum = |k: usize| u[0] + (1..=k).map(|j| u[j] * (k + 1 - j) as f64).sum::<f64>();
            let mut values = u.clone();
            to_values(&mut values);
            prop_assert!((0..n).all(|k| (values[k] - sum(k)).abs() < 1e-12));
            let mut slopes = g[..n].to_vec();
            to_slopes(&mut slopes);
            prop_assert!((dot(&slopes, &u) - dot(&g, &values)).abs() < 1e-12);
            // The matrix h h'.
            let mut matrix: Vec<Vec<f64>> = (0..n).map(|k| (0..n).map(|l| h[k] * h[l]).collect()).collect();
            to_curvatures(&mut matrix, 0..n);
            let product: f64 = matrix.iter().zip(&u).map(|(row, u_k)| u_k * dot(row, &u)).sum();
            prop_assert!((product - dot(&h, &values).powi(2)).abs() < 1e-10);
            to_coordinates(&mut values);
            prop_assert!(values.iter().zip(&u).all(|(v, u)| (v - u).abs() < 1e-12));
        }
    }
}
