//! The descent where more coefficients are active than there are rows.
//!
//! A norm, unlike the sum of absolute values, does not end at as many coefficients as rows. With `G = A' A`, the start
//! `w_0` and its correlations `r_0` each round of the *proximal point method* solves
//!
//! ```text
//! min_w  1/2 ||A (w - w_0)||^2 - r_0' (w - w_0) + penalty(w) + ||w - w_k||^2 / (2 s)
//! ```
//!
//! by its dual, which has one smooth variable z for each row:
//!
//! ```text
//! min_z  1/2 ||z||^2 - w_0' (r_0 - A' z) + ||w(z)||^2 / (2 s),      w(z) = prox( w_k + s (r_0 - A' z) )
//! ```
//!
//! The gradient is `z - A (w(z) - w_0)`, and the generalised Hessian that of [`System`]. Newton's method finds on the way
//! which coefficients are 0: any number of them change in a step, where steps on the coefficients end at the first
//! that changes its sign.
//!
//! # References
//! Zhang, Zhang, Sun, Toh, "An efficient Hessian based algorithm for solving large-scale sparse group Lasso problems",
//! Mathematical Programming 179 (2020).

use super::block_descent::{Block, BlockDescent};
use super::row_space::System;
use crate::linalg::dot;
use crate::linalg::line_search::{is_sufficient, steps};

/// Maximum number of rounds of the proximal point method; three or four are usual.
const MAX_ROUNDS: usize = 30;
/// Maximum number of rounds in turn that do not lower the violation of the conditions.
const MAX_IDLE_ROUNDS: usize = 2;
/// Maximum number of Newton steps in a round; four are usual.
const MAX_STEPS: usize = 50;
/// Maximum number of halvings of a step.
const MAX_HALVINGS: usize = 20;
/// s, as a multiple of the largest coefficient over the strength of the penalty: each round leaves about so small a
/// part of the error.
const STEP_LENGTH: f64 = 100.0;
/// Factor on that after a round that leaves more than this fraction of the violation, and the most that it may become: of
/// dependent columns a coefficient may fall to 0 along a direction in which the objective is nearly flat.
const SLOW: f64 = 0.5;
const LONGER: f64 = 10.0;
const MAX_STEP_LENGTH: f64 = 1e4;
/// Gradient that ends a round, as a fraction of what the tolerance allows.
const GRADIENT_FRACTION: f64 = 0.1;
/// Gradient that is rounding, as a fraction of the terms that it is the difference of.
const ROUNDING: f64 = 1e-14;

/// Where a descent starts.
struct Start {
    w: Vec<f64>,
    /// A w.
    image: Vec<f64>,
    correlations: Vec<f64>,
}

/// A round: its centre `w_k` and its s.
#[derive(Clone, Copy)]
struct Round<'a> {
    start: &'a Start,
    centre: &'a [f64],
    step: f64,
}

/// A dual point, and what follows from it.
struct DualPoint {
    z: Vec<f64>,
    /// `r_0 - A' z`.
    correlations: Vec<f64>,
    /// w(z).
    w: Vec<f64>,
    objective: f64,
}

impl BlockDescent<'_> {
    /// Whether more coefficients are active than there are rows.
    pub(super) fn is_wide(&self) -> bool {
        self.w.iter().filter(|w| **w != 0.0).count() > self.gram.n_rows()
    }

    /// Descends until no block violates its conditions, or rounding ends it.
    pub(super) fn descend_over_rows(&mut self) {
        let all: Vec<usize> = (0..self.w.len()).collect();
        let start = Start { w: self.w.to_vec(), image: self.image(self.w), correlations: self.r.to_vec() };
        let strength = self.blocks.iter().map(|b| b.strength).fold(f64::INFINITY, f64::min);
        let curvature = all.iter().map(|&k| self.gram.square(k)).fold(f64::MIN_POSITIVE, f64::max);
        let enough = GRADIENT_FRACTION * self.tolerance * strength / curvature.sqrt();
        let mut z = vec![0.0; self.gram.n_rows()];
        let (mut centre, mut least, mut idle) = (start.w.clone(), self.largest_violation(self.w, self.r), 0);
        let mut length = STEP_LENGTH;
        for _ in 0..MAX_ROUNDS {
            let size = centre.iter().fold(strength / curvature, |size, w| size.max(w.abs()));
            let round = Round { start: &start, centre: &centre, step: length * size / strength };
            let w = self.solve_round(round, z, enough);
            z = self.change(&start, &w);
            let correlations = self.correlations(&start, &z);
            let violation = self.largest_violation(&w, &correlations);
            if violation > SLOW * least {
                length = (LONGER * length).min(MAX_STEP_LENGTH);
            }
            if violation < least {
                self.w.copy_from_slice(&w);
                self.r.copy_from_slice(&correlations);
                (least, idle) = (violation, 0);
            } else {
                idle += 1;
            }
            if least <= self.tolerance || idle >= MAX_IDLE_ROUNDS || self.control.should_stop() {
                return;
            }
            centre = w;
        }
    }

    fn largest_violation(&self, w: &[f64], r: &[f64]) -> f64 {
        self.blocks.iter().map(|block| block.violation(self.coordinates, w, r)).fold(0.0, f64::max)
    }

    /// `A w`.
    fn image(&self, w: &[f64]) -> Vec<f64> {
        let active = (0..w.len()).filter(|&k| w[k] != 0.0);
        let (columns, values): (Vec<usize>, Vec<f64>) = active.map(|k| (k, w[k])).unzip();
        self.gram.combine(&columns, &values)
    }

    /// `A (w - w_0)`.
    fn change(&self, start: &Start, w: &[f64]) -> Vec<f64> {
        self.image(w).iter().zip(&start.image).map(|(a, first)| a - first).collect()
    }

    /// `r_0 - A' z`.
    fn correlations(&self, start: &Start, z: &[f64]) -> Vec<f64> {
        let all: Vec<usize> = (0..start.w.len()).collect();
        start.correlations.iter().zip(self.gram.correlate(&all, z)).map(|(r, by)| r - by).collect()
    }

    /// The minimiser of a round, from z on.
    fn solve_round(&mut self, round: Round<'_>, z: Vec<f64>, enough: f64) -> Vec<f64> {
        let Round { start, step, .. } = round;
        let norm = |v: &[f64]| dot(v, v).sqrt();
        let correlations = self.correlations(start, &z);
        let mut point = self.dual_point(round, z, correlations);
        for _ in 0..MAX_STEPS {
            let change = self.change(start, &point.w);
            let down: Vec<f64> = change.iter().zip(&point.z).map(|(a, z)| a - z).collect();
            let rounding = ROUNDING * (norm(&point.z) + norm(&start.image));
            if norm(&down) <= enough.max(rounding) || self.control.should_stop() {
                break;
            }
            let system = System::new(self.gram, self.blocks, &point.w, step);
            let Some(direction) = self.preconditioners.rows.solve(&system, &down, self.control) else {
                break;
            };
            let slope = -dot(&down, &direction);
            let ahead = self.correlations(start, &add(&point.z, 1.0, &direction));
            let moved = |t: f64| {
                let correlations =
                    point.correlations.iter().zip(&ahead).map(|(here, ahead)| here + t * (ahead - here));
                self.dual_point(round, add(&point.z, t, &direction), correlations.collect())
            };
            let mut tried = steps(1.0, 0.5).take(MAX_HALVINGS).map(|t| (t, moved(t)));
            let falls = |t: f64, next: &DualPoint| is_sufficient(point.objective, next.objective, t * slope);
            let Some((_, next)) = tried.find(|(t, next)| falls(*t, next)) else { break };
            point = next;
        }
        point.w
    }

    fn dual_point(&self, round: Round<'_>, z: Vec<f64>, correlations: Vec<f64>) -> DualPoint {
        let Round { start, centre, step } = round;
        let mut w = vec![0.0; centre.len()];
        for Block { columns, strength, penalty } in self.blocks {
            let goal = |&k: &usize| {
                let goal = centre[k] + step * correlations[k];
                if self.coordinates[k].sign.signed_correlation(goal) > 0.0 { goal } else { 0.0 }
            };
            let mut new: Vec<f64> = columns.iter().map(goal).collect();
            penalty.prox(&mut new, step * strength);
            columns.iter().zip(new).for_each(|(&k, new)| w[k] = new);
        }
        let objective = 0.5 * dot(&z, &z) - dot(&correlations, &start.w) + dot(&w, &w) / (2.0 * step);
        DualPoint { z, correlations, w, objective }
    }
}

/// `v + t d`.
fn add(v: &[f64], t: f64, d: &[f64]) -> Vec<f64> {
    v.iter().zip(d).map(|(v, d)| v + t * d).collect()
}
