//! One coefficient, all others fixed: does any value of it bring the objective below a target?
//!
//! Newton steps from 0, doubled until the slope changes its sign (\[FastSparse\] Theorem 4.1: steps
//! by the largest curvature never get there), then within the bracket. At every step the cuts
//! may prove that the target is out of reach.

use super::cuts::{Touch, quadratic, quadratic_one, self_concordant};
use super::design::{LANES, Problem};
use crate::loss::SelfConcordant;

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

impl<L: SelfConcordant> Line<'_, L> {
    /// Value, slope and curvature at `t`.
    pub fn at(&self, t: f64) -> (Touch, f64) {
        let Problem { design, y, loss, ridge, .. } = self.problem;
        let x = &design.columns[self.column];
        let mut sums = [[0.0; LANES]; 3];
        let mut row = |l: usize, x: f64, y: f64, base: f64, weight: f64| {
            let [v, s, c] = loss.expansion(y, base + t * x);
            let weighted = weight * x;
            sums[0][l] += weight * v;
            sums[1][l] += weighted * s;
            sums[2][l] += weighted * x * c;
        };
        let (x, x_rest) = x.as_chunks::<LANES>();
        let (y, y_rest) = y.as_chunks::<LANES>();
        let (base, base_rest) = self.base.as_chunks::<LANES>();
        let (weights, weights_rest) = design.weights.as_chunks::<LANES>();
        for (((x, y), base), weights) in x.iter().zip(y).zip(base).zip(weights) {
            for l in 0..LANES {
                row(l, x[l], y[l], base[l], weights[l]);
            }
        }
        for (l, &x) in x_rest.iter().enumerate() {
            row(l, x, y_rest[l], base_rest[l], weights_rest[l]);
        }
        let [value, slope, curvature]: [f64; 3] = sums.map(|lanes| lanes.iter().sum());
        let r = ridge[self.column];
        let touch = Touch { x: t, value: value + self.constant + 0.5 * r * t * t, slope: slope + r * t };
        (touch, curvature + r)
    }

    /// Whether the cuts at 0 prove that no value reaches the target; `h`: row curvatures there.
    pub fn is_hopeless(&self, zero: Touch, curvature: f64, h: &[f64], target: f64) -> bool {
        let Problem { design, ridge, .. } = self.problem;
        if L::QUADRATIC {
            return self_concordant(zero, curvature, 0.0) >= target;
        }
        self_concordant(zero, curvature, design.reach[self.column]) >= target
            || quadratic_one(zero, ridge[self.column]) >= target
            || self_concordant(zero, curvature, mean_reach(&design.columns[self.column], h, curvature))
                >= target
    }

    /// A coefficient with which the objective is below `target`, if there is one.
    pub fn below(&self, zero: Touch, curvature: f64, target: f64) -> Option<f64> {
        let bound = self.problem.bound(self.column);
        let ridge = self.problem.ridge[self.column];
        let reach = if L::QUADRATIC { 0.0 } else { self.problem.design.reach[self.column] };
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
            let cut = far.map_or(f64::NEG_INFINITY, |far| quadratic(near, far, ridge));
            if cut.max(self_concordant(next, next_curve, reach)) >= target {
                return None;
            }
        }
        None
    }
}

/// Mean of |x| under weights h x^2 that add up to `curvature` with what the ridge has, at x = 0.
pub fn mean_reach(x: &[f64], h: &[f64], curvature: f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (mut x8, mut h8) = (x.chunks_exact(LANES), h.chunks_exact(LANES));
    for (x, h) in x8.by_ref().zip(h8.by_ref()) {
        for l in 0..LANES {
            sums[l] += h[l] * x[l] * x[l] * x[l].abs();
        }
    }
    let rest: f64 = x8.remainder().iter().zip(h8.remainder()).map(|(x, h)| h * x * x * x.abs()).sum();
    (rest + sums.iter().sum::<f64>()) / curvature
}
