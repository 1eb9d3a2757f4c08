//! Line search along one coefficient, all others fixed, for a value with an objective below a target; the intercept is
//! fixed too, or at its optimum for each value ([`profile`](super::profile)).
//!
//! Newton steps, longer and longer until the slope has changed its sign, then within a bracket. The search ends without a
//! result as soon as a cut proves that no value is below the target.

use super::cuts::{Tangent, linear_cut, self_concordant_cut};
use super::design::{Interval, SubsetProblem};
use crate::data::sums::{LANES, in_lanes};
use crate::loss::SelfConcordant;

/// Maximum number of evaluations of one search: enough to halve a bracket to double precision.
const MAX_EVALUATIONS: usize = 60;

/// The objective without lambda0 at one value of the coefficient.
#[derive(Debug, Clone, Copy)]
pub struct CoordinatePoint {
    /// The value of the coefficient, that of the objective, and its derivative.
    pub tangent: Tangent,
    /// Second derivative.
    pub curvature: f64,
    /// Largest change of a prediction for a change of the coefficient by 1, for the cut; 0 for the squared loss.
    pub max_abs: f64,
    /// Change of the intercept, and its derivative by the coefficient.
    pub intercept: (f64, f64),
}

impl CoordinatePoint {
    /// Whether the cut at the point proves that no value is below the target.
    pub fn excludes(&self, target: f64) -> bool {
        self_concordant_cut(self.tangent, self.curvature, self.max_abs) >= target
    }
}

/// A point with an objective below `target`, or `None` if there is none or the evaluations end; `zero` is the point of
/// the coefficient 0.
pub fn find_below(
    zero: CoordinatePoint,
    target: f64,
    interval: Interval,
    mut evaluate: impl FnMut(f64) -> CoordinatePoint,
) -> Option<CoordinatePoint> {
    let mut near = zero;
    let mut far: Option<Tangent> = None;
    let mut step_factor = 1.0;
    for _ in 0..MAX_EVALUATIONS {
        let from = near.tangent;
        let mut t = from.x - step_factor * from.slope / near.curvature;
        if let Some(far) = far {
            let (low, high) = (from.x.min(far.x), from.x.max(far.x));
            if !(t > low && t < high) {
                t = 0.5 * (low + high);
            }
        }
        t = t.clamp(interval.0, interval.1);
        if t == from.x || !t.is_finite() {
            return None;
        }
        let next = evaluate(t);
        if next.tangent.value < target {
            return Some(next);
        }
        if !next.tangent.value.is_finite() {
            // Overflow: the point lies beyond the minimum and gives no cut.
            step_factor *= 0.25;
            continue;
        }
        if next.excludes(target) {
            return None;
        }
        if next.tangent.slope * zero.tangent.slope <= 0.0 {
            (far, step_factor) = (Some(next.tangent), 1.0);
        } else {
            near = next;
            // Beyond the minimum, so that there is a bracket.
            step_factor = if far.is_some() { 1.0 } else { 2.0 * step_factor };
        }
        if far.is_some_and(|far| linear_cut(near.tangent, far) >= target) {
            return None;
        }
    }
    None
}

/// The objective without lambda0 as a function of one coefficient, the intercept and all others fixed.
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
    /// A value with an objective below `target`, sought from `zero`.
    pub fn find_below(&self, zero: CoordinatePoint, target: f64) -> Option<CoordinatePoint> {
        let x = self.problem.design.columns[self.column].to_dense();
        find_below(zero, target, self.problem.interval(self.column), |t| self.evaluate(&x, t))
    }

    /// The point of the coefficient `t`; `x` are the values of the column.
    fn evaluate(&self, x: &[f64], t: f64) -> CoordinatePoint {
        let SubsetProblem { design, y, loss, ridge, .. } = self.problem;
        let rows = [x, y, self.offset, &design.weights];
        let [value, slope, curvature] = in_lanes(rows, |_, [x, y, offset, weights]| {
            let mut sums = [[0.0; LANES]; 3];
            for l in 0..LANES {
                let [v, s, c] = loss.expansion(y[l], offset[l] + t * x[l]);
                let weighted = weights[l] * x[l];
                sums[0][l] = weights[l] * v;
                sums[1][l] = weighted * s;
                sums[2][l] = weighted * x[l] * c;
            }
            sums
        });
        let r = ridge[self.column];
        CoordinatePoint {
            tangent: Tangent {
                x: t,
                value: value + self.other_ridge + 0.5 * r * t * t,
                slope: slope + r * t,
            },
            curvature: curvature + r,
            max_abs: self.problem.max_abs(self.column),
            intercept: (0.0, 0.0),
        }
    }
}
