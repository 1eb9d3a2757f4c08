//! Line search along one coefficient, all others fixed, for a value with an objective below a target.
//!
//! Newton steps, longer and longer until the slope has changed its sign, then within a bracket. The search ends without a
//! result as soon as a cut proves that no value is below the target.

use super::cuts::{Tangent, linear_cut, self_concordant_cut};
use super::design::{LANES, SubsetProblem};
use crate::loss::SelfConcordant;

/// Maximum number of evaluations of one search: enough to halve a bracket to double precision.
const MAX_EVALUATIONS: usize = 60;

/// The objective without lambda0 as a function of one coefficient.
pub struct CoordinateObjective<'a, L> {
    /// The problem.
    pub problem: &'a SubsetProblem<'a, L>,
    /// Predictions with the coefficient at 0.
    pub offset: &'a [f64],
    /// The column.
    pub column: usize,
    /// Ridge penalty of the other coefficients.
    pub other_ridge: f64,
}

impl<L: SelfConcordant> CoordinateObjective<'_, L> {
    /// Value and slope, and second derivative, at `t`; `x` are the values of the column.
    fn evaluate(&self, x: &[f64], t: f64) -> (Tangent, f64) {
        let SubsetProblem { design, y, loss, ridge, .. } = self.problem;
        let mut sums = [[0.0; LANES]; 3];
        let mut row = |l: usize, x: f64, y: f64, offset: f64, weight: f64| {
            let [v, s, c] = loss.expansion(y, offset + t * x);
            let weighted = weight * x;
            sums[0][l] += weight * v;
            sums[1][l] += weighted * s;
            sums[2][l] += weighted * x * c;
        };
        let (x, x_rest) = x.as_chunks::<LANES>();
        let (y, y_rest) = y.as_chunks::<LANES>();
        let (offset, base_rest) = self.offset.as_chunks::<LANES>();
        let (weights, weights_rest) = design.weights.as_chunks::<LANES>();
        for (((x, y), offset), weights) in x.iter().zip(y).zip(offset).zip(weights) {
            for l in 0..LANES {
                row(l, x[l], y[l], offset[l], weights[l]);
            }
        }
        for (l, &x) in x_rest.iter().enumerate() {
            row(l, x, y_rest[l], base_rest[l], weights_rest[l]);
        }
        let [value, slope, curvature]: [f64; 3] = sums.map(|lanes| lanes.iter().sum());
        let r = ridge[self.column];
        let tangent =
            Tangent { x: t, value: value + self.other_ridge + 0.5 * r * t * t, slope: slope + r * t };
        (tangent, curvature + r)
    }

    /// Whether the cut at a point proves that no value is below the target.
    pub fn is_excluded(&self, at: Tangent, curvature: f64, target: f64) -> bool {
        let max_abs = if L::QUADRATIC { 0.0 } else { self.problem.design.max_abs[self.column] };
        self_concordant_cut(at, curvature, max_abs) >= target
    }

    /// A value with an objective below `target`, or `None` if there is none or the evaluations end.
    pub fn find_below(&self, zero: Tangent, curvature: f64, target: f64) -> Option<f64> {
        let interval = self.problem.interval(self.column);
        let x = self.problem.design.columns[self.column].to_dense();
        let (mut near, mut near_curvature) = (zero, curvature);
        let mut far: Option<Tangent> = None;
        let mut step_factor = 1.0;
        for _ in 0..MAX_EVALUATIONS {
            let mut t = near.x - step_factor * near.slope / near_curvature;
            if let Some(far) = far {
                let (low, high) = (near.x.min(far.x), near.x.max(far.x));
                if !(t > low && t < high) {
                    t = 0.5 * (low + high);
                }
            }
            t = t.clamp(interval.0, interval.1);
            if t == near.x || !t.is_finite() {
                return None;
            }
            let (next, next_curve) = self.evaluate(&x, t);
            if next.value < target {
                return Some(t);
            }
            if !next.value.is_finite() {
                // Overflow: the point lies beyond the minimum and gives no cut.
                step_factor *= 0.25;
                continue;
            }
            if self.is_excluded(next, next_curve, target) {
                return None;
            }
            if next.slope * zero.slope <= 0.0 {
                (far, step_factor) = (Some(next), 1.0);
            } else {
                (near, near_curvature) = (next, next_curve);
                // Beyond the minimum, so that there is a bracket.
                step_factor = if far.is_some() { 1.0 } else { 2.0 * step_factor };
            }
            if far.is_some_and(|far| linear_cut(near, far) >= target) {
                return None;
            }
        }
        None
    }
}
