//! Optimal values of the pieces of a column under a penalty on squared jumps.

use super::cost::PieceCost;
use super::segment::CostSums;

/// Maximum number of Newton steps.
const MAX_STEPS: usize = 20;
/// Maximum number of halvings of a Newton step.
const MAX_HALVINGS: i32 = 6;
/// Bound of the starting values: where the exponentials of pieces with one class are not yet flat.
const MAX_ABS_START: f64 = 2.0;

/// Minimises the sum of costs + lambda2 * sum of squared jumps by damped Newton steps, each the solution
/// of a tridiagonal system.
pub fn minimise_coupled<C: PieceCost>(
    cost: C,
    pieces: &[CostSums],
    values: Vec<f64>,
    lambda2: f64,
) -> Vec<f64> {
    if values.len() < 2 {
        return values;
    }
    let objective = |v: &[f64]| {
        let costs: f64 = pieces.iter().zip(v).map(|(s, &v)| cost.evaluate(s.a, s.b, v)).sum();
        costs + lambda2 * v.windows(2).map(|v| (v[1] - v[0]) * (v[1] - v[0])).sum::<f64>()
    };
    let clamped: Vec<f64> = values.iter().map(|v| v.clamp(-MAX_ABS_START, MAX_ABS_START)).collect();
    let mut best = if objective(&clamped) < objective(&values) { clamped } else { values };
    let mut now = objective(&best);
    for _ in 0..MAX_STEPS {
        let step = newton_step(cost, pieces, &best, lambda2);
        let shortened =
            |h: i32| -> Vec<f64> { best.iter().zip(&step).map(|(v, s)| v + 0.5_f64.powi(h) * s).collect() };
        let improved =
            (0..=MAX_HALVINGS).map(shortened).map(|v| (objective(&v), v)).find(|(value, _)| *value < now);
        let Some((value, next)) = improved else { break };
        let has_converged = now - value <= 1e-12 * now.abs();
        (best, now) = (next, value);
        if has_converged {
            break;
        }
    }
    best
}

/// The Newton step, by the Thomas algorithm.
fn newton_step<C: PieceCost>(cost: C, pieces: &[CostSums], values: &[f64], lambda2: f64) -> Vec<f64> {
    let (last, twice) = (values.len() - 1, 2.0 * lambda2);
    let (mut diagonal, mut right) = (Vec::with_capacity(last + 1), Vec::with_capacity(last + 1));
    for (k, (s, &v)) in pieces.iter().zip(values).enumerate() {
        let (mut slope, mut curvature) = cost.derivatives(s.a, s.b, v);
        if k > 0 {
            slope += twice * (v - values[k - 1]);
            curvature += twice;
        }
        if k < last {
            slope += twice * (v - values[k + 1]);
            curvature += twice;
        }
        diagonal.push(curvature.max(f64::MIN_POSITIVE));
        right.push(-slope);
    }
    for k in 1..=last {
        let ratio = twice / diagonal[k - 1];
        diagonal[k] = (diagonal[k] - ratio * twice).max(f64::MIN_POSITIVE);
        right[k] += ratio * right[k - 1];
    }
    let mut step = vec![0.0; last + 1];
    for k in (0..=last).rev() {
        let above = if k < last { twice * step[k + 1] } else { 0.0 };
        step[k] = (right[k] + above) / diagonal[k];
    }
    step
}

#[cfg(test)]
mod tests {
    use super::super::cost::{Exponential, Quadratic};
    use super::*;
    use proptest::prelude::*;

    fn is_least<C: PieceCost>(cost: C, pieces: &[CostSums], lambda2: f64, nudges: &[f64]) -> bool {
        let start = pieces.iter().map(|s| cost.minimiser(s.a, s.b)).collect();
        let best = minimise_coupled(cost, pieces, start, lambda2);
        let objective = |v: &[f64]| -> f64 {
            let costs: f64 = pieces.iter().zip(v).map(|(s, &v)| cost.evaluate(s.a, s.b, v)).sum();
            costs + lambda2 * v.windows(2).map(|v| (v[1] - v[0]).powi(2)).sum::<f64>()
        };
        let other: Vec<f64> = best.iter().zip(nudges).map(|(v, n)| v + n).collect();
        objective(&best) <= objective(&other) + 1e-9
    }

    proptest! {
        #[test]
        fn nothing_nearby_is_better(
            sums in prop::collection::vec((0.1..9.0f64, 0.1..9.0f64), 2..7),
            lambda2 in 0.001..5.0f64, nudges in prop::collection::vec(-0.3..0.3f64, 7),
        ) {
            let pieces: Vec<CostSums> = sums.iter().map(|&(a, b)| CostSums { a, b, weight: 1.0 }).collect();
            let squared = Quadratic { limit: f64::INFINITY };
            prop_assert!(is_least(Exponential, &pieces, lambda2, &nudges));
            prop_assert!(is_least(squared, &pieces, lambda2, &nudges));
        }
    }
}
