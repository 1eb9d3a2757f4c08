//! Minimiser of a quadratic with the sparse group penalty in Gram space.
//!
//! ```text
//! min_w  1/2 w' G w - q' w + sum_b s_b ( tau_b ||w_b||_1 + (1 - tau_b) ||w_b||_2 ),   r = q - G w
//! ```
//!
//! Block proximal steps find which weights are not 0. Among weights that keep their signs the
//! objective is smooth: Newton's steps on them ([`super::newton`]) do the rest, which box rules,
//! far too alike for descent by blocks, need. Each step lowers the objective.

use super::super::gram::Products;
use super::lagged::Lagged;
use crate::control::Control;
use crate::linalg::line_search::ROUNDING;
use crate::penalty::SparseGroup;
use crate::space::Sign;

/// Columns that are penalised together.
#[derive(Debug)]
pub(super) struct Block {
    pub columns: Vec<usize>,
    pub strength: f64,
    pub penalty: SparseGroup,
}

/// One problem: its data, and the weights that are moved.
pub(super) struct GroupQuadratic<'a, P> {
    pub gram: Products<'a, P>,
    pub blocks: &'a [Block],
    pub signs: &'a [Sign],
    pub w: &'a mut [f64],
    /// q - G w.
    pub r: &'a mut [f64],
    /// What Newton's steps know from earlier problems.
    pub lagged: &'a mut Lagged,
    /// A relative excess over the threshold that counts as none.
    pub excess: f64,
    /// Ends the descent when it is over.
    pub control: &'a Control,
}

/// The least relative excess over the threshold that rounding lets one ask for.
const LEAST: f64 = 1e-10;
/// Rounds of proximal and Newton's steps.
const ROUNDS: usize = 500;
/// Rounds without progress before the end.
const PATIENCE: usize = 3;

impl<P: Sync> GroupQuadratic<'_, P> {
    /// Minimises.
    pub fn minimise(&mut self) {
        self.excess = self.excess.max(LEAST);
        let mut idle = 0;
        for _ in 0..ROUNDS {
            let open: Vec<usize> =
                (0..self.blocks.len()).filter(|&b| self.excess_of(b) > self.excess).collect();
            if open.is_empty() || idle >= PATIENCE || self.control.should_stop() {
                return;
            }
            let fall: f64 = open.iter().map(|&b| self.proximal_step(b)).sum::<f64>() + self.newton();
            idle = if fall > ROUNDING * self.whole_penalty() { 0 } else { idle + 1 };
        }
    }

    fn penalty(&self, b: usize) -> f64 {
        let block = &self.blocks[b];
        block.strength * block.penalty.value(block.columns.iter().map(|&k| self.w[k]))
    }

    pub(super) fn whole_penalty(&self) -> f64 {
        (0..self.blocks.len()).map(|b| self.penalty(b)).sum()
    }

    /// How far a block is from its optimality conditions, as a share of its strength.
    fn excess_of(&self, b: usize) -> f64 {
        let Block { columns, strength, penalty } = &self.blocks[b];
        let pull = |k: usize| self.signs[k].signed_correlation(self.r[k]);
        let norm = columns.iter().map(|&k| self.w[k] * self.w[k]).sum::<f64>().sqrt();
        if norm == 0.0 {
            let mut pulls: Vec<f64> = columns.iter().map(|&k| pull(k)).collect();
            return penalty.dual_norm(&mut pulls) / strength - 1.0;
        }
        let off = |&k: &usize| match self.w[k] {
            0.0 => pull(k) / strength - penalty.tau,
            w => self.r[k] / strength - penalty.tau * w.signum() - (1.0 - penalty.tau) * w / norm,
        };
        columns.iter().map(|k| if self.w[*k] == 0.0 { off(k) } else { off(k).abs() }).fold(0.0, f64::max)
    }

    /// One proximal step on the columns of a block that have a weight or want one; how far
    /// the objective falls.
    fn proximal_step(&mut self, b: usize) -> f64 {
        let Block { columns, strength, penalty } = &self.blocks[b];
        let wants = |k: usize| self.signs[k].signed_correlation(self.r[k]) > penalty.tau * strength;
        let moving: Vec<usize> = columns.iter().copied().filter(|&k| self.w[k] != 0.0 || wants(k)).collect();
        self.gram.prepare(&moving);
        let row = |&k: &usize| moving.iter().map(|&l| self.gram.column(k)[l].abs()).sum::<f64>();
        let steep = moving.iter().map(row).fold(0.0, f64::max);
        if steep <= 0.0 {
            return 0.0;
        }
        let goal = |&k: &usize| {
            let goal = self.w[k] + self.r[k] / steep;
            if self.signs[k].signed_correlation(goal) > 0.0 { goal } else { 0.0 }
        };
        let mut new: Vec<f64> = moving.iter().map(goal).collect();
        penalty.prox(&mut new, strength / steep);
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
