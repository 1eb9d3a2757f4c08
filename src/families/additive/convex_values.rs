//! The best values of given pieces whose jumps ascend (a convex function) or descend (a concave one).
//!
//! In the coordinates of [`jump_coordinates`](super::jump_coordinates) a quadratic cost is minimised by nonnegative least
//! squares, exactly. Other costs are minimised by Newton's method with such a quadratic in each step. Pieces beyond the
//! ordered ones are free.

use super::cost::PieceCost;
use super::jump_coordinates::{to_coordinates, to_curvatures, to_slopes, to_values};
use super::segment::CostSums;
use crate::data::trend::{JUMP_TOLERANCE, has_ascending_jumps};
use crate::linalg::{dot, minimise_with_signs};

/// Maximum number of Newton steps.
const MAX_STEPS: usize = 40;
/// Maximum number of halvings of a Newton step.
const MAX_HALVINGS: i32 = 20;
/// Decrease that ends the Newton steps, and difference between a decrease and that of the quadratic, relative to the cost.
const TOLERANCE: f64 = 1e-13;
/// Least curvature of a piece relative to the largest, where the quadratic has no unique minimiser.
const MIN_CURVATURE: f64 = 1e-8;

/// What the values of the pieces of a column must obey.
#[derive(Debug, Clone, Copy)]
pub struct CurvedPieces {
    /// 1 for ascending jumps, -1 for descending ones.
    pub sign: f64,
    /// Number of ordered pieces, which come first.
    pub n_ordered: usize,
    /// Penalty on squared jumps.
    pub lambda2: f64,
}

impl CurvedPieces {
    /// The values that minimise the cost of `pieces` and the penalty on squared jumps. They are exact within the
    /// limits of the values of a classifier; beyond, they are moved to the limits.
    pub fn best_values<C: PieceCost>(self, cost: C, pieces: &[CostSums]) -> Vec<f64> {
        let mut all = CostSums::default();
        pieces.iter().for_each(|&piece| all += piece);
        let objective = |v: &[f64]| self.objective(cost, pieces, v);
        let mut best = vec![cost.minimiser(all.a, all.b); pieces.len()];
        let mut now = objective(&best);
        for _ in 0..MAX_STEPS {
            let Some((target, decrease)) = self.newton_target(cost, pieces, &best) else { break };
            let at = |h: i32| -> Vec<f64> {
                let length = 0.5_f64.powi(h);
                let mut values: Vec<f64> =
                    best.iter().zip(&target).map(|(v, t)| v + length * (t - v)).collect();
                self.limit(cost, &mut values);
                values
            };
            let improved =
                (0..=MAX_HALVINGS).map(at).map(|v| (objective(&v), v)).find(|(value, _)| *value < now);
            let Some((value, next)) = improved else { break };
            let found = now - value;
            (best, now) = (next, value);
            if found.min((found - decrease).abs()) <= TOLERANCE * (now.abs() + found) {
                break;
            }
        }
        best
    }

    /// Whether values of the pieces have their jumps in order.
    pub fn allows(self, values: &[f64]) -> bool {
        has_ascending_jumps(&values[..self.n_ordered], self.sign)
    }

    /// The cost of the pieces and the penalty on squared jumps.
    pub fn objective<C: PieceCost>(self, cost: C, pieces: &[CostSums], values: &[f64]) -> f64 {
        let costs: f64 = pieces.iter().zip(values).map(|(s, &v)| cost.evaluate(s.a, s.b, v)).sum();
        costs + self.lambda2 * values.windows(2).map(|v| (v[1] - v[0]) * (v[1] - v[0])).sum::<f64>()
    }

    /// The minimiser of the quadratic expansion at some values, and the decrease of the expansion to it.
    fn newton_target<C: PieceCost>(
        self,
        cost: C,
        pieces: &[CostSums],
        values: &[f64],
    ) -> Option<(Vec<f64>, f64)> {
        let (slopes, mut curvatures): (Vec<f64>, Vec<f64>) =
            pieces.iter().zip(values).map(|(s, &v)| cost.derivatives(s.a, s.b, v)).unzip();
        self.quadratic_target(&slopes, &curvatures, values).or_else(|| {
            // Pieces without rows: a little curvature holds their values.
            let least = MIN_CURVATURE * curvatures.iter().copied().fold(0.0, f64::max);
            curvatures.iter_mut().for_each(|curvature| *curvature = curvature.max(least));
            self.quadratic_target(&slopes, &curvatures, values)
        })
    }

    /// The same of an expansion with given slopes and curvatures; `None` if it has no unique minimiser.
    fn quadratic_target(self, slopes: &[f64], curvatures: &[f64], values: &[f64]) -> Option<(Vec<f64>, f64)> {
        let (n, twice) = (values.len(), 2.0 * self.lambda2);
        let mut hessian = vec![vec![0.0; n]; n];
        curvatures.iter().enumerate().for_each(|(k, curvature)| hessian[k][k] = *curvature);
        let mut slopes = slopes.to_vec();
        for k in 1..n {
            let slope = twice * (values[k] - values[k - 1]);
            (slopes[k], slopes[k - 1]) = (slopes[k] + slope, slopes[k - 1] - slope);
            (hessian[k][k], hessian[k - 1][k - 1]) = (hessian[k][k] + twice, hessian[k - 1][k - 1] + twice);
            (hessian[k][k - 1], hessian[k - 1][k]) = (-twice, -twice);
        }
        let quadratic =
            |step: &[f64]| hessian.iter().zip(step).map(|(row, s)| s * dot(row, step)).sum::<f64>();
        let mut c: Vec<f64> =
            hessian.iter().zip(&slopes).map(|(row, slope)| dot(row, values) - slope).collect();
        let mut matrix = hessian.clone();
        to_curvatures(&mut matrix, 0..self.n_ordered);
        to_slopes(&mut c[..self.n_ordered]);
        let mut target = minimise_with_signs(&matrix, &c, &self.signs(n), vec![0.0; n])?;
        to_values(&mut target[..self.n_ordered]);
        let step: Vec<f64> = target.iter().zip(values).map(|(t, v)| t - v).collect();
        let decrease = -dot(&slopes, &step) - 0.5 * quadratic(&step);
        Some((target, decrease))
    }

    /// The signs of the coordinates of `n` pieces: 0 for both.
    pub fn signs(self, n: usize) -> Vec<f64> {
        (0..n).map(|k| if (2..self.n_ordered).contains(&k) { self.sign } else { 0.0 }).collect()
    }

    /// The coordinates of values with jumps in order, of which those that are 0 up to rounding are 0.
    pub fn coordinates(self, values: &[f64]) -> Vec<f64> {
        let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let mut found = values.to_vec();
        to_coordinates(&mut found[..self.n_ordered]);
        let is_zero = |u: f64| self.sign * u <= JUMP_TOLERANCE * largest;
        found.iter_mut().take(self.n_ordered).skip(2).filter(|u| is_zero(**u)).for_each(|u| *u = 0.0);
        found
    }

    /// Moves values beyond the limits of the cost to the limits: alone where that keeps the jumps in order, all of the
    /// ordered pieces in proportion where it does not.
    fn limit<C: PieceCost>(self, cost: C, values: &mut [f64]) {
        let most = cost.max_abs_value();
        let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        if largest <= most {
            return;
        }
        let clamped: Vec<f64> = values.iter().map(|v| v.clamp(-most, most)).collect();
        let is_in_order = self.allows(&clamped);
        for (k, v) in values.iter_mut().enumerate() {
            *v = if is_in_order || k >= self.n_ordered { clamped[k] } else { *v * most / largest };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cost::{Exponential, Quadratic};
    use super::*;
    use proptest::prelude::*;

    fn is_least<C: PieceCost>(cost: C, pieces: &[CostSums], curved: CurvedPieces, changes: &[f64]) -> bool {
        let best = curved.best_values(cost, pieces);
        // Other values whose jumps are in order.
        let (mut jump, mut other) = (changes[0], vec![changes[1]]);
        for (k, change) in changes[2..].iter().enumerate().take(pieces.len() - 1) {
            jump = if k + 1 < curved.n_ordered { jump + curved.sign * change.max(0.0) } else { *change };
            other.push(other[k] + jump);
        }
        let at = |length: f64| {
            let values: Vec<f64> = best.iter().zip(&other).map(|(v, o)| v + length * (o - v)).collect();
            curved.objective(cost, pieces, &values)
        };
        let least = at(0.0);
        let tiny = 1e-9 * (1.0 + least.abs());
        curved.allows(&best) && [1.0, 0.1, 1e-3].into_iter().all(|length| least <= at(length) + tiny)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn no_others_in_order_are_better(
            sums in prop::collection::vec((0.1..9.0f64, 0.1..9.0f64, any::<bool>()), 3..9),
            changes in prop::collection::vec(-1.0..1.0f64, 10),
            convex in any::<bool>(), more in 0..2usize, lambda2 in prop_oneof![Just(0.0), 0.001..3.0f64],
        ) {
            // Some pieces have no rows; a value has no best one if all have none.
            let sum = |(k, &(a, b, is_empty)): (usize, &(f64, f64, bool))| {
                let scale = if is_empty && k > 1 { 0.0 } else { 1.0 };
                CostSums { a: scale * a, b: scale * b, weight: scale }
            };
            let pieces: Vec<CostSums> = sums.iter().enumerate().map(sum).collect();
            let sign = if convex { 1.0 } else { -1.0 };
            let curved = CurvedPieces { sign, n_ordered: pieces.len() - more, lambda2 };
            let squared = Quadratic { limit: f64::INFINITY };
            prop_assert!(is_least(squared, &pieces, curved, &changes));
            prop_assert!(is_least(Exponential, &pieces, curved, &changes));
        }
    }
}
