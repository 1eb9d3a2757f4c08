//! Minimiser of a quadratic with the sparse group penalty in Gram space.
//!
//! ```text
//! min_w  1/2 w' G w - q' w + sum_b s_b ( tau_b ||w_b||_1 + (1 - tau_b) ||w_b||_2 ),   r = q - G w
//! ```
//!
//! Block proximal steps find which coefficients are not 0. Among coefficients that keep their signs the
//! objective is smooth: Newton steps on them ([`super::newton`]) do the rest, which box rules,
//! far too alike for descent by blocks, need. Once more coefficients are active than there are rows, Newton's method for the
//! dual ([`super::dual_newton`]) does it all. Each step lowers the objective; the descent ends when no block violates its
//! conditions, or when several rounds have changed nothing but rounding.

use super::super::{Coordinate, GramMatrix, QuadraticModel};
use super::{Preconditioners, SparseGroup};
use crate::control::Control;
use crate::linalg::line_search::ROUNDING;

/// Columns that are penalised together.
#[derive(Debug)]
pub(super) struct Block {
    pub columns: Vec<usize>,
    pub strength: f64,
    pub penalty: SparseGroup,
}

impl Block {
    /// Violation of its optimality conditions, as a fraction of its strength.
    pub fn violation(&self, coordinates: &[Coordinate], w: &[f64], r: &[f64]) -> f64 {
        let Self { columns, strength, penalty } = self;
        let signed = |k: usize| coordinates[k].sign.signed_correlation(r[k]);
        let norm = columns.iter().map(|&k| w[k] * w[k]).sum::<f64>().sqrt();
        if norm == 0.0 {
            let mut correlations: Vec<f64> = columns.iter().map(|&k| signed(k)).collect();
            return penalty.dual_norm(&mut correlations) / strength - 1.0;
        }
        let off = |&k: &usize| match w[k] {
            0.0 => signed(k) / strength - penalty.tau,
            w => r[k] / strength - penalty.tau * w.signum() - (1.0 - penalty.tau) * w / norm,
        };
        columns.iter().map(|k| if w[*k] == 0.0 { off(k) } else { off(k).abs() }).fold(0.0, f64::max)
    }
}

/// The state of the minimisation.
pub(super) struct BlockDescent<'a> {
    pub gram: &'a dyn GramMatrix,
    pub blocks: &'a [Block],
    pub coordinates: &'a [Coordinate],
    pub w: &'a mut [f64],
    /// q - G w.
    pub r: &'a mut [f64],
    pub preconditioners: &'a mut Preconditioners,
    /// Violation of the conditions, as a fraction of the threshold, that counts as none.
    pub tolerance: f64,
    /// Ends the descent when it is over.
    pub control: &'a Control,
}

/// Smallest tolerance: about the rounding of the correlations.
const MIN_TOLERANCE: f64 = 1e-10;
/// Maximum number of rounds of proximal and Newton steps; tens are usual.
const MAX_ROUNDS: usize = 500;
/// Maximum number of consecutive rounds that lower the objective by rounding alone.
const MAX_IDLE_ROUNDS: usize = 3;

impl<'a> BlockDescent<'a> {
    /// The start.
    pub fn new(
        model: QuadraticModel<'a>,
        blocks: &'a [Block],
        preconditioners: &'a mut Preconditioners,
    ) -> Self {
        let QuadraticModel { gram, coordinates, coefficients, correlations, tolerance, control, .. } = model;
        let tolerance = tolerance.max(MIN_TOLERANCE);
        Self {
            gram,
            blocks,
            coordinates,
            w: coefficients,
            r: correlations,
            preconditioners,
            tolerance,
            control,
        }
    }

    /// Minimises.
    pub fn run(&mut self) {
        let (mut idle, mut was_wide) = (0, false);
        for _ in 0..MAX_ROUNDS {
            let open: Vec<usize> =
                (0..self.blocks.len()).filter(|&b| self.violation(b) > self.tolerance).collect();
            if open.is_empty() || idle >= MAX_IDLE_ROUNDS || self.control.should_stop() {
                return;
            }
            if self.is_wide() && !was_wide {
                was_wide = true;
                self.descend_over_rows();
                continue;
            }
            let fall: f64 = open.iter().map(|&b| self.proximal_step(b)).sum::<f64>() + self.newton();
            idle = if fall > ROUNDING * self.total_penalty() { 0 } else { idle + 1 };
        }
    }

    fn penalty(&self, b: usize) -> f64 {
        let block = &self.blocks[b];
        block.strength * block.penalty.value(block.columns.iter().map(|&k| self.w[k]))
    }

    pub(super) fn total_penalty(&self) -> f64 {
        (0..self.blocks.len()).map(|b| self.penalty(b)).sum()
    }

    fn violation(&self, b: usize) -> f64 {
        self.blocks[b].violation(self.coordinates, self.w, self.r)
    }

    /// One proximal step on the columns of a block that have a coefficient or violate the condition of 0; how far
    /// the objective falls.
    fn proximal_step(&mut self, b: usize) -> f64 {
        let Block { columns, strength, penalty } = &self.blocks[b];
        let violates =
            |k: usize| self.coordinates[k].sign.signed_correlation(self.r[k]) > penalty.tau * strength;
        let moving: Vec<usize> =
            columns.iter().copied().filter(|&k| self.w[k] != 0.0 || violates(k)).collect();
        self.gram.prepare(&moving);
        let row = |&k: &usize| {
            let column = self.gram.column(k);
            moving.iter().map(|&l| column[l].abs()).sum::<f64>()
        };
        let curvature = moving.iter().map(row).fold(0.0, f64::max);
        if curvature <= 0.0 {
            return 0.0;
        }
        let goal = |&k: &usize| {
            let goal = self.w[k] + self.r[k] / curvature;
            if self.coordinates[k].sign.signed_correlation(goal) > 0.0 { goal } else { 0.0 }
        };
        let mut new: Vec<f64> = moving.iter().map(goal).collect();
        penalty.prox(&mut new, strength / curvature);
        let delta: Vec<f64> = moving.iter().zip(&new).map(|(&k, new)| new - self.w[k]).collect();
        let before = self.penalty(b);
        let product = self.gram.times(&moving, &delta);
        moving.iter().zip(&new).for_each(|(&k, &new)| self.w[k] = new);
        let fall = before - self.penalty(b) + self.smooth_fall(&moving, &delta, &product);
        for (&k, &by) in moving.iter().zip(&delta).filter(|(_, by)| **by != 0.0) {
            self.r.iter_mut().zip(self.gram.column(k)).for_each(|(r, g)| *r -= by * g);
        }
        fall
    }

    /// Fall of the quadratic.
    pub(super) fn smooth_fall(&self, columns: &[usize], delta: &[f64], product: &[f64]) -> f64 {
        columns.iter().zip(delta).zip(product).map(|((&k, d), p)| d * (self.r[k] - 0.5 * p)).sum()
    }
}
