//! The sparse group penalty (\[SRF\] (21)): sparse in groups and within groups.
//!
//! ```text
//! Omega(w) = tau ||w||_1 + (1 - tau) sum_g ||w_g||_2
//! ```
//!
//! Its dual norm is the largest of the groups' *epsilon-norms* with epsilon = 1 - tau: the
//! one nu >= 0 with
//!
//! ```text
//! sum_k ( |v_k| - tau nu )_+^2  =  ( (1 - tau) nu )^2.
//! ```
//!
//! Members with |`v_k`| <= tau nu contribute nothing. A search that finds no member of a group above tau nu
//! therefore proves the bound nu of the norm of the group.

/// The penalty of one group, tau in (0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseGroup {
    /// Fraction tau of the L1 norm in the penalty.
    pub tau: f64,
}

impl SparseGroup {
    /// The penalty of a group with these coefficients.
    pub fn value(self, weights: impl Iterator<Item = f64>) -> f64 {
        let (sum, squares) = weights.fold((0.0, 0.0), |(sum, squares), w| (sum + w.abs(), squares + w * w));
        self.of_sums(sum, squares)
    }

    /// The same, from the sum of the sizes and of the squares.
    pub fn of_sums(self, sum: f64, squares: f64) -> f64 {
        self.tau * sum + (1.0 - self.tau) * squares.sqrt()
    }

    /// The epsilon-norm of a group; values <= 0 add nothing. Reorders them.
    ///
    /// Between two of the points |`v_k`| / tau the equation is quadratic: the piece that holds
    /// the root is found from the largest value down.
    pub fn dual_norm(self, values: &mut [f64]) -> f64 {
        let (tau, rest) = (self.tau, 1.0 - self.tau);
        values.sort_by(|a, b| b.total_cmp(a));
        let (mut sum, mut squares) = (0.0, 0.0);
        for (k, &v) in values.iter().enumerate() {
            if v <= 0.0 {
                break;
            }
            sum += v;
            squares += v * v;
            let count = (k + 1) as f64;
            let next = values.get(k + 1).map_or(0.0, |v| v.max(0.0)) / tau;
            let curve = count * tau * tau - rest * rest;
            if (curve * next - 2.0 * tau * sum) * next + squares >= 0.0 {
                // sum^2 - count squares is 0 for equal values: nothing cancels where tau is nearly 1.
                let inner = tau * tau * (sum * sum - count * squares) + rest * rest * squares;
                let root = inner.max(0.0).sqrt();
                return squares / (tau * sum + root);
            }
        }
        0.0
    }

    /// The point nearest to `v` when distance is half its square plus `step` times the penalty.
    pub fn prox(self, v: &mut [f64], step: f64) {
        let soft = self.tau * step;
        v.iter_mut().for_each(|x| *x = x.signum() * (x.abs() - soft).max(0.0));
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let keep = if norm > 0.0 { (1.0 - (1.0 - self.tau) * step / norm).max(0.0) } else { 0.0 };
        v.iter_mut().for_each(|x| *x *= keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reference implementation: bisection of the equation.
    fn bisected(tau: f64, values: &[f64]) -> f64 {
        let excess = |nu: f64| {
            let left: f64 = values.iter().map(|v| (v.abs() - tau * nu).max(0.0).powi(2)).sum();
            left - ((1.0 - tau) * nu).powi(2)
        };
        let (mut low, mut high) = (0.0, values.iter().map(|v| v.abs()).sum::<f64>() / tau);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        high
    }

    proptest! {
        #[test]
        fn the_dual_norm_solves_its_equation(
            values in prop::collection::vec(prop_oneof![0.0..4.0f64, Just(0.0), Just(1.0), 0.0..1e-9f64], 0..12),
            tau in prop_oneof![0.001..1.0f64, Just(0.5), Just(0.999_999)],
        ) {
            let norm = SparseGroup { tau }.dual_norm(&mut values.clone());
            let twin = bisected(tau, &values);
            prop_assert!((norm - twin).abs() <= 1e-10 * (1.0 + twin), "{norm} {twin}");
        }

        /// Omega(w) Omega*(v) >= w'v, and some w reaches it: the norms are each other's dual.
        #[test]
        fn the_norms_are_dual(
            v in prop::collection::vec(-3.0..3.0f64, 1..8),
            w in prop::collection::vec(-3.0..3.0f64, 8),
            tau in 0.01..1.0f64,
        ) {
            let penalty = SparseGroup { tau };
            let norm = penalty.dual_norm(&mut v.iter().map(|v| v.abs()).collect::<Vec<_>>());
            let product: f64 = v.iter().zip(&w).map(|(v, w)| v * w).sum();
            let value = penalty.value(w.iter().take(v.len()).copied());
            prop_assert!(product <= norm * value * (1.0 + 1e-12) + 1e-12);
            let best: Vec<f64> = v.iter().map(|v| v.signum() * (v.abs() - tau * norm).max(0.0)).collect();
            let reached: f64 = v.iter().zip(&best).map(|(v, w)| v * w).sum();
            let most = norm * penalty.value(best.into_iter());
            prop_assert!((reached - most).abs() <= 1e-9 * (1.0 + most));
        }

        /// No point near the prox does better.
        #[test]
        fn the_prox_is_least(
            v in prop::collection::vec(-3.0..3.0f64, 1..6),
            moves in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 6), 30),
            tau in 0.01..=1.0f64,
            step in 0.0..3.0f64,
        ) {
            let penalty = SparseGroup { tau };
            let mut at = v.clone();
            penalty.prox(&mut at, step);
            let cost = |w: &[f64]| {
                let distance: f64 = w.iter().zip(&v).map(|(a, b)| 0.5 * (a - b).powi(2)).sum();
                distance + step * penalty.value(w.iter().copied())
            };
            for by in &moves {
                for size in [1.0, 1e-2, 1e-4] {
                    let other: Vec<f64> = at.iter().zip(by).map(|(a, b)| a + size * b).collect();
                    prop_assert!(cost(&at) <= cost(&other) + 1e-12);
                }
            }
            prop_assert!(cost(&at) <= cost(&vec![0.0; v.len()]) + 1e-12);
        }
    }

    #[test]
    fn with_tau_1_the_dual_norm_is_the_largest_value() {
        let penalty = SparseGroup { tau: 1.0 };
        assert_eq!(penalty.dual_norm(&mut [0.5, 2.0, 2.0, -3.0]), 2.0);
        assert_eq!(penalty.dual_norm(&mut []), 0.0);
    }
}
