//! Preconditioned conjugate gradients.
//!
//! # References
//! Hestenes, Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", 1952.

use super::dot;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// What may be left of the residual, as a fraction of what it was at the start, both in the
    /// norm of the preconditioner.
    pub tolerance: f64,
    /// Products with the matrix.
    pub max_rounds: usize,
}

/// Improves `x` as a solution of H x = b with H symmetric positive definite; `residual` = b - H x is
/// kept up to date. `product(d)` is H d, `precondition(r)` an approximation of H^-1 r.
///
/// The rounds taken and whether the tolerance was reached; `None`, with `x` where it had come, once a
/// direction has no positive curvature: H is not positive definite.
pub fn conjugate_gradients(
    product: impl Fn(&[f64]) -> Vec<f64>,
    precondition: impl Fn(&[f64]) -> Vec<f64>,
    x: &mut [f64],
    residual: &mut [f64],
    limits: Limits,
    should_stop: impl Fn() -> bool,
) -> Option<(usize, bool)> {
    let mut preconditioned = precondition(residual);
    let mut size = dot(residual, &preconditioned);
    let enough = limits.tolerance * limits.tolerance * size;
    let mut direction = preconditioned.clone();
    let mut rounds = 0;
    while size > enough && rounds < limits.max_rounds && !should_stop() {
        let image = product(&direction);
        let curvature = dot(&direction, &image);
        if curvature <= 0.0 {
            return None;
        }
        let step = size / curvature;
        x.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
        residual.iter_mut().zip(&image).for_each(|(r, d)| *r -= step * d);
        preconditioned = precondition(residual);
        let next = dot(residual, &preconditioned);
        direction.iter_mut().zip(&preconditioned).for_each(|(d, p)| *d = p + next / size * *d);
        size = next;
        rounds += 1;
    }
    Some((rounds, size <= enough))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// In exact arithmetic n rounds are enough for n unknowns.
        #[test]
        fn solves(
            rows in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 8), 1..9),
            scales in prop::collection::vec(0.5..2.0f64, 8),
        ) {
            let n = rows.len();
            let times = |x: &[f64]| -> Vec<f64> {
                let entry = |i: usize, j: usize| dot(&rows[i], &rows[j]) + f64::from(u8::from(i == j));
                (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect()
            };
            let scaled = |r: &[f64]| r.iter().zip(&scales).map(|(r, s)| r * s).collect();
            let b: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
            let (mut x, mut residual) = (vec![0.0; n], b.clone());
            let limits = Limits { tolerance: 1e-10, max_rounds: 100 };
            let end = conjugate_gradients(times, scaled, &mut x, &mut residual, limits, || false);
            prop_assert!(end.is_some_and(|(_, converged)| converged));
            for (left, b) in times(&x).iter().zip(&b) {
                prop_assert!((left - b).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn notices_a_matrix_that_is_not_positive_definite() {
        let limits = Limits { tolerance: 1e-10, max_rounds: 100 };
        let negate = |x: &[f64]| x.iter().map(|x| -x).collect();
        let end =
            conjugate_gradients(negate, <[f64]>::to_vec, &mut [0.0; 2], &mut [1.0, 2.0], limits, || false);
        assert!(end.is_none());
    }
}
