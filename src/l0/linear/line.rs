//! One coefficient, all others fixed: does any value of it bring the objective below a target?
//!
//! Newton steps from 0, doubled until the slope changes its sign ([FastSparse] Theorem 4.1: steps
//! by the largest curvature never get there), then within the bracket. At every step the cuts
//! may prove that the target is out of reach.

use super::cuts::{Touch, linear, quadratic, quadratic_one, self_concordant};
use super::design::{LANES, Problem};
use crate::loss::Loss;

/// Evaluations of one search.
const EVALUATIONS: usize = 60;

/// The objective along one coefficient.
pub struct Line<'a, L> {
    /// The problem.
    pub problem: &'a Problem<'a, L>,
    /// Predictions where the coefficient is 0.
    pub base: &'a [f64],
    /// The column.
    pub column: usize,
    /// Ridge of the other coefficients.
    pub constant: f64,
}

impl<L: Loss> Line<'_, L> {
    /// Value, slope and curvature at `t`.
    pub fn at(&self, t: f64) -> (Touch, f64) {
        let Problem { design, y, loss, ridge, .. } = self.problem;
        let x = &design.columns[self.column];
        let n = x.len();
        let (weights, y, base) = (&design.weights[..n], &y[..n], &self.base[..n]);
        let mut sums = [[0.0; LANES]; 3];
        let mut start = 0;
        while start < n {
            let end = (start + LANES).min(n);
            for (l, i) in (start..end).enumerate() {
                let [v, s, c] = loss.expansion(y[i], base[i] + t * x[i]);
                let weighted = weights[i] * x[i];
                sums[0][l] += weights[i] * v;
                sums[1][l] += weighted * s;
                sums[2][l] += weighted * x[i] * c;
            }
            start = end;
        }
        let [value, slope, curvature]: [f64; 3] = sums.map(|lanes| lanes.iter().sum());
        let r = ridge[self.column];
        let touch = Touch { x: t, value: value + self.constant + 0.5 * r * t * t, slope: slope + r * t };
        (touch, curvature + r)
    }

    /// Whether the cut at 0 proves that no value reaches the target.
    pub fn is_hopeless(&self, zero: Touch, curvature: f64, target: f64) -> bool {
        let reach = if L::QUADRATIC { 0.0 } else { self.problem.design.reach[self.column] };
        self_concordant(zero, curvature, reach) >= target
            || quadratic_one(zero, self.problem.ridge[self.column]) >= target
    }

    /// A coefficient with which the objective is below `target`, if there is one.
    pub fn below(&self, zero: Touch, curvature: f64, target: f64) -> Option<f64> {
        let bound = self.problem.bound(self.column);
        let ridge = self.problem.ridge[self.column];
        let (mut near, mut curve) = (zero, curvature);
        let mut far: Option<Touch> = None;
        let mut stretch = 1.0;
        for _ in 0..EVALUATIONS {
            let mut t = near.x - stretch * near.slope / curve;
            if let Some(far) = far {
                let (low, high) = (near.x.min(far.x), near.x.max(far.x));
                if !(t > low && t < high) {
                    t = 0.5 * (low + high);
                }
            }
            t = t.clamp(bound.0, bound.1);
            if t == near.x || !t.is_finite() {
                return None;
            }
            let (next, next_curve) = self.at(t);
            if next.value < target {
                return Some(t);
            }
            if !next.value.is_finite() {
                // Overflow: a point beyond the minimum, of no use to a cut.
                stretch *= 0.25;
                continue;
            }
            let crossed = next.slope * zero.slope <= 0.0;
            if crossed {
                far = Some(next);
                stretch = 1.0;
            } else {
                (near, curve) = (next, next_curve);
                stretch = if far.is_none() { 2.0 } else { 1.0 };
            }
            let cut = far.map_or(f64::NEG_INFINITY, |far| {
                if ridge > 0.0 { quadratic(near, far, ridge) } else { linear(near, far) }
            });
            if cut.max(quadratic_one(next, ridge)) >= target {
                return None;
            }
        }
        None
    }
}
