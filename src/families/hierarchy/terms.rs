//! The conjugate of the loss: one concave term of the dual objective for each row.
//!
//! Row i has a multiplier `u_i`. With `a_i` = `s_i` `u_i`, `s_i` = `y_i` for classes and 1 for numbers, it
//! adds `psi_i(a_i)` = -`m_i` loss*(-`u_i` / `m_i`) to the dual objective, `m_i` = C times its weight.
//! Bounds of `a_i` at which psi stays finite are enforced by a logarithmic barrier.

use crate::loss::Task;
use crate::loss::{Conjugate, Hinge, Logistic, Squared, SquaredHinge, loss_subset};

loss_subset! {
    $
    /// Losses with an implementation of `DualTerm`.
    HierarchyLoss (crate::families::hierarchy::HierarchyLoss), with_hierarchy_loss {
        /// max(0, 1 - y f).
        Hinge,
        /// Half the squared hinge.
        SquaredHinge,
        /// log(1 + exp(-y f)).
        Logistic,
        /// Half the squared error.
        Squared,
    }
}

/// Rounding of the derivative of a loss by the intercept, as a fraction of the weights that it sums.
const SLOPE_ROUNDING: f64 = 1e-12;
/// Length, in units of the predictions, on which a derivative of 0 shows that the intercept is not unique.
const FLAT: f64 = 1e-9;

/// The dual term of one row as a function of its signed multiplier a.
trait DualTerm: Conjugate {
    /// Whether a must be >= 0.
    const IS_NONNEGATIVE: bool;
    /// Whether a must be at most m.
    const IS_BOUNDED: bool;
    /// Number of bounds that need a barrier.
    const N_BARRIERS: usize;

    /// psi(a) with barriers of strength mu: value, derivative and negative second derivative.
    fn term(self, y: f64, a: f64, m: f64, mu: f64) -> [f64; 3];
}

impl DualTerm for Hinge {
    const IS_NONNEGATIVE: bool = true;
    const IS_BOUNDED: bool = true;
    const N_BARRIERS: usize = 2;

    fn term(self, _: f64, a: f64, m: f64, mu: f64) -> [f64; 3] {
        let (low, high) = (barrier(mu, a, m), barrier(mu, m - a, m));
        [a + low[0] + high[0], 1.0 + low[1] - high[1], low[2] + high[2]]
    }
}

impl DualTerm for SquaredHinge {
    const IS_NONNEGATIVE: bool = true;
    const IS_BOUNDED: bool = false;
    const N_BARRIERS: usize = 1;

    fn term(self, _: f64, a: f64, m: f64, mu: f64) -> [f64; 3] {
        let low = barrier(mu, a, m);
        [a - 0.5 * a * a / m + low[0], 1.0 - a / m + low[1], 1.0 / m + low[2]]
    }
}

impl DualTerm for Logistic {
    const IS_NONNEGATIVE: bool = true;
    const IS_BOUNDED: bool = true;
    const N_BARRIERS: usize = 0;

    fn term(self, _: f64, a: f64, m: f64, _: f64) -> [f64; 3] {
        let (p, q) = (a / m, (m - a) / m);
        [-m * (entropy(p) + entropy(q)), (q / p).ln(), m / (a * (m - a))]
    }
}

impl DualTerm for Squared {
    const IS_NONNEGATIVE: bool = false;
    const IS_BOUNDED: bool = false;
    const N_BARRIERS: usize = 0;

    fn term(self, y: f64, a: f64, m: f64, _: f64) -> [f64; 3] {
        [a * y - 0.5 * a * a / m, y - a / m, 1.0 / m]
    }
}

/// The dual terms of all rows.
#[derive(Debug, Clone)]
pub struct DualTerms<'a> {
    /// The loss.
    pub loss: HierarchyLoss,
    /// Responses: numbers, or -1 and 1.
    pub y: &'a [f64],
    /// C times the weight of each row.
    pub weights: Vec<f64>,
}

/// Second-order expansion in u of a dual term with its barrier.
#[derive(Debug, Clone, Copy)]
pub struct TermExpansion {
    /// Value.
    pub value: f64,
    /// Derivative.
    pub slope: f64,
    /// Negative second derivative.
    pub curvature: f64,
}

impl DualTerms<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// `s_i`.
    fn sign(&self, i: usize) -> f64 {
        if self.loss.task() == Task::Regression { 1.0 } else { self.y[i] }
    }

    /// Number of barriers of all rows.
    pub fn n_barriers(&self) -> usize {
        self.len() * with_hierarchy_loss!(self.loss, loss => n_barriers_of(loss))
    }

    /// The largest step length from `u` along `step` within all bounds.
    pub fn max_step(&self, u: &[f64], step: &[f64]) -> f64 {
        with_hierarchy_loss!(self.loss, loss => self.max_step_of(loss, u, step))
    }

    fn max_step_of<L: DualTerm>(&self, _: L, u: &[f64], step: &[f64]) -> f64 {
        let bound_step = |i: usize| -> f64 {
            let (a, da) = (u[i] * self.sign(i), step[i] * self.sign(i));
            if L::IS_NONNEGATIVE && da < 0.0 {
                -a / da
            } else if L::IS_BOUNDED && da > 0.0 {
                (self.weights[i] - a) / da
            } else {
                f64::INFINITY
            }
        };
        (0..u.len()).map(bound_step).fold(f64::INFINITY, f64::min)
    }

    /// The term of row i at `u` with barriers of strength mu.
    pub fn term(&self, i: usize, u: f64, mu: f64) -> TermExpansion {
        let (sign, m) = (self.sign(i), self.weights[i]);
        let [value, slope, curvature] =
            with_hierarchy_loss!(self.loss, loss => loss.term(self.y[i], u * sign, m, mu));
        TermExpansion { value, slope: sign * slope, curvature }
    }

    /// Whether the terms are curved without their barriers.
    pub fn are_curved(&self) -> bool {
        self.loss != HierarchyLoss::Hinge
    }

    /// The negative second derivative of each term, if it is the same for all multipliers.
    pub fn constant_curvature(&self) -> Option<Vec<f64>> {
        let is_constant = self.loss == HierarchyLoss::Squared;
        is_constant.then(|| (0..self.len()).map(|i| self.term(i, 0.0, 0.0).curvature).collect())
    }

    /// The sum of the terms without barriers.
    pub fn dual(&self, u: &[f64]) -> f64 {
        (0..u.len()).map(|i| self.term(i, u[i], 0.0).value).sum()
    }

    /// C times the summed loss at predictions f + b.
    pub fn primal(&self, f: &[f64], b: f64) -> f64 {
        (0..f.len()).map(|i| self.weights[i] * self.loss.value(self.y[i], f[i] + b)).sum()
    }

    /// The intercept that minimises the loss at predictions f + b, by bisection of the derivative. Of an interval of them,
    /// as hinge losses have it with classes of equal weight, the middle: at an end rows of one class may all be wrong.
    pub fn intercept(&self, f: &[f64]) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let slope = |b: f64| -> f64 {
            (0..f.len()).map(|i| self.weights[i] * self.loss.gradient(self.y[i], f[i] + b)).sum()
        };
        if self.loss == HierarchyLoss::Squared {
            return -slope(0.0) / total;
        }
        let largest = f.iter().fold(1.0, |m: f64, f| m.max(f.abs()));
        let (mut low, mut high) = (-2.0 * largest, 2.0 * largest);
        while slope(low) > 0.0 && low > -1e3 * largest {
            low *= 2.0;
        }
        while slope(high) < 0.0 && high < 1e3 * largest {
            high *= 2.0;
        }
        // The least b, or the largest, at which the derivative is 0 but for rounding.
        let rounding = SLOPE_ROUNDING * total;
        let end = |is_before: &dyn Fn(f64) -> bool| {
            let (mut from, mut to) = (low, high);
            for _ in 0..100 {
                let middle = 0.5 * (from + to);
                if is_before(slope(middle)) { from = middle } else { to = middle }
            }
            0.5 * (from + to)
        };
        let least = end(&|slope| slope < -rounding);
        if slope(least + FLAT * largest) > rounding {
            return least;
        }
        let is_bounded = [slope(low) < -rounding, slope(high) > rounding];
        let most = end(&|slope| slope <= rounding);
        match is_bounded {
            // Of one class, or of classes that are told apart without loss, what is just enough.
            [true, false] => end(&|slope| slope < 0.0),
            [false, true] => end(&|slope| slope <= 0.0),
            _ => 0.5 * (least + most),
        }
    }

    /// Multipliers strictly inside all bounds with sum 0.
    pub fn interior_point(&self) -> Vec<f64> {
        if self.loss == HierarchyLoss::Squared {
            let total: f64 = self.weights.iter().sum();
            let mean = self.y.iter().zip(&self.weights).map(|(y, m)| y * m).sum::<f64>() / total;
            return self.y.iter().zip(&self.weights).map(|(y, m)| (y - mean) * m).collect();
        }
        let class_weight = |sign: f64| -> f64 {
            self.y.iter().zip(&self.weights).filter(|(y, _)| **y == sign).map(|(_, m)| m).sum()
        };
        let (positive, negative) = (class_weight(1.0), class_weight(-1.0));
        let level = 0.5 * positive.min(negative);
        let fraction = |y: f64| level / if y > 0.0 { positive } else { negative };
        self.y.iter().zip(&self.weights).map(|(&y, m)| y * fraction(y) * m).collect()
    }
}

/// Makes the multipliers sum to 0 by scaling down those of the sign with the larger sum, which keeps them
/// within their bounds.
pub fn balance_multipliers(u: &mut [f64]) {
    let signed_sum = |u: &[f64], sign: f64| -> f64 { u.iter().map(|u| (u * sign).max(0.0)).sum() };
    let (positive, negative) = (signed_sum(u, 1.0), signed_sum(u, -1.0));
    if positive > 0.0 && negative > 0.0 {
        let shrink = |u: &mut f64| {
            if *u > 0.0 && positive > negative {
                *u *= negative / positive;
            } else if *u < 0.0 && negative > positive {
                *u *= positive / negative;
            }
        };
        u.iter_mut().for_each(shrink);
    }
}

/// Subtracts multiples of `level` from a change until its sum plus `sum` is rounding.
pub fn remove_sum(change: &mut [f64], level: &[f64], sum: f64) {
    let total: f64 = level.iter().sum();
    for _ in 0..3 {
        let excess = (change.iter().sum::<f64>() + sum) / total;
        change.iter_mut().zip(level).for_each(|(x, l)| *x -= excess * l);
    }
}

fn n_barriers_of<L: DualTerm>(_: L) -> usize {
    L::N_BARRIERS
}

/// mu log(x / m), its derivative and its negative second derivative; 0 if mu is 0.
fn barrier(mu: f64, x: f64, m: f64) -> [f64; 3] {
    if mu > 0.0 { [mu * (x / m).ln(), mu / x, mu / (x * x)] } else { [0.0; 3] }
}

/// x log x, continuous at 0.
fn entropy(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}
