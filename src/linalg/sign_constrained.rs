//! The minimum of a positive definite quadratic over coefficients of which some have given signs: an active-set
//! method.
//!
//! ```text
//! min_x  1/2 x' A x - c' x     subject to  s_k x_k >= 0
//! ```
//!
//! # References
//! Lawson, Hanson, "Solving Least Squares Problems", 1974, chapter 23 (NNLS).

use super::{UpdatableCholesky, dot};

/// Slope that counts as 0, as a fraction of the size of its terms: rounding.
const MIN_SLOPE: f64 = 1e-12;
/// Maximum number of changes of the free set for each coordinate; each lowers the objective unless rounding
/// makes it cycle.
const CHANGES_PER_COORDINATE: usize = 10;

/// The minimiser, from a feasible start `x`; `matrix` holds A by rows, and a sign of 0 allows both. `None` if A is
/// not positive definite where it starts. Where rounding makes the free set cycle, or a coordinate depend on it, the last
/// point is returned: of nearly dependent columns with a small ridge penalty it is the better one to go on from.
pub fn minimise_with_signs(
    matrix: &[Vec<f64>],
    c: &[f64],
    signs: &[f64],
    mut x: Vec<f64>,
) -> Option<Vec<f64>> {
    let n = c.len();
    let mut free: Vec<usize> = (0..n).filter(|&k| x[k] != 0.0 || signs[k] == 0.0).collect();
    let mut factor = UpdatableCholesky::default();
    let cross = |k: usize, with: &[usize]| -> Vec<f64> { with.iter().map(|&l| matrix[k][l]).collect() };
    let columns: Vec<Vec<f64>> = (0..free.len()).map(|at| cross(free[at], &free[..=at])).collect();
    if factor.extend(&columns).contains(&false) {
        return None;
    }
    let mut is_minimal = free.is_empty();
    for _ in 0..CHANGES_PER_COORDINATE * (n + 1) {
        if is_minimal {
            let Some(entering) = steepest(matrix, c, signs, &x) else { return Some(x) };
            if factor.push(&cross(entering, &free), matrix[entering][entering]).is_err() {
                return Some(x);
            }
            free.push(entering);
        }
        let target = factor.solve(&free.iter().map(|&k| c[k]).collect::<Vec<_>>());
        // The fraction of the way to the target at which each coordinate becomes 0.
        let crossing = |(&k, &to): (&usize, &f64)| match signs[k] * to > 0.0 || signs[k] == 0.0 {
            true => f64::INFINITY,
            false if x[k] == 0.0 => 0.0,
            false => x[k] / (x[k] - to),
        };
        let crossings: Vec<f64> = free.iter().zip(&target).map(crossing).collect();
        let step = crossings.iter().copied().fold(1.0, f64::min);
        is_minimal = step >= 1.0;
        for ((&k, &to), &crossing) in free.iter().zip(&target).zip(&crossings) {
            x[k] = if crossing <= step { 0.0 } else { x[k] + step * (to - x[k]) };
        }
        let gone: Vec<usize> = (0..free.len()).filter(|&at| crossings[at] <= step).collect();
        factor.remove(&gone);
        let stays = |(&k, &crossing): (&usize, &f64)| (crossing > step).then_some(k);
        free = free.iter().zip(&crossings).filter_map(stays).collect();
    }
    Some(x)
}

/// The coordinate at 0 along which the objective falls fastest in its allowed direction.
fn steepest(matrix: &[Vec<f64>], c: &[f64], signs: &[f64], x: &[f64]) -> Option<usize> {
    let slope = |k: usize| {
        let image = dot(&matrix[k], x);
        let size = c[k].abs() + image.abs();
        (k, signs[k] * (c[k] - image), size)
    };
    (0..c.len())
        .filter(|&k| x[k] == 0.0)
        .map(slope)
        .filter(|&(_, slope, size)| slope > MIN_SLOPE * size)
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        .map(|(k, ..)| k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Cholesky;
    use proptest::prelude::*;

    /// The least objective over all sets of coordinates whose unconstrained minimiser is feasible.
    fn by_enumeration(matrix: &[Vec<f64>], c: &[f64], signs: &[f64]) -> f64 {
        let of_subset = |mask: usize| {
            let free: Vec<usize> = (0..c.len()).filter(|k| mask >> k & 1 == 1).collect();
            let x = solve_free(matrix, c, &free)?;
            let is_feasible = free.iter().zip(&x).all(|(&k, x)| signs[k] * x >= 0.0);
            is_feasible.then(|| -0.5 * free.iter().zip(&x).map(|(&k, x)| c[k] * x).sum::<f64>())
        };
        (0..1usize << c.len()).filter_map(of_subset).fold(0.0, f64::min)
    }

    /// The minimiser over the free coordinates, signs aside.
    fn solve_free(matrix: &[Vec<f64>], c: &[f64], free: &[usize]) -> Option<Vec<f64>> {
        let lower: Vec<f64> = free.iter().flat_map(|&k| free.iter().map(move |&l| matrix[k][l])).collect();
        let rhs: Vec<f64> = free.iter().map(|&k| c[k]).collect();
        Some(Cholesky::new(&lower, free.len())?.solve(&rhs))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn agrees_with_enumeration(
            rows in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 12), 1..8),
            c in prop::collection::vec(-1.0..1.0f64, 8),
            sign in prop::collection::vec(-1..=1i8, 8),
            start in prop::collection::vec(0.0..2.0f64, 8),
        ) {
            let n = rows.len();
            let entry = |k: usize, l: usize| dot(&rows[k], &rows[l]) + if k == l { 0.01 } else { 0.0 };
            let matrix: Vec<Vec<f64>> = (0..n).map(|k| (0..n).map(|l| entry(k, l)).collect()).collect();
            let signs: Vec<f64> = sign[..n].iter().map(|&s| f64::from(s)).collect();
            let start = (0..n).map(|k| signs[k] * (start[k] - 1.0).max(0.0)).collect();
            let x = minimise_with_signs(&matrix, &c[..n], &signs, start).unwrap();
            prop_assert!(x.iter().zip(&signs).all(|(x, s)| s * x >= 0.0));
            let value = (0..n).map(|k| x[k] * (0.5 * dot(&matrix[k], &x) - c[k])).sum::<f64>();
            let best = by_enumeration(&matrix, &c[..n], &signs);
            prop_assert!((value - best).abs() <= 1e-9 * (1.0 + best.abs()), "{} {}", value, best);
        }
    }
}
