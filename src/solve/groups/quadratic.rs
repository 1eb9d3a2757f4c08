//! Minimiser of a quadratic with the sparse group penalty in Gram space.
//!
//! ```text
//! min_w  1/2 w' G w - q' w + sum_b s_b ( tau_b ||w_b||_1 + (1 - tau_b) ||w_b||_2 ),   r = q - G w
//! ```
//!
//! Block proximal steps find which weights are not 0. Among weights that keep their signs the
//! objective is smooth: Newton's steps on them do the rest, which box rules, far too alike
//! for descent by blocks, need. Each step lowers the objective.

use super::super::factor::Factor;
use super::super::gram::Products;
use crate::control::Control;
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
    /// Ends the descent when it is over.
    pub control: &'a Control,
}

/// A relative excess over the threshold that counts as none.
const EXCESS: f64 = 1e-10;
/// A gradient among the active weights that counts as none, as a share of the penalty.
const STEEP: f64 = 1e-11;
/// Rounds of proximal and Newton's steps.
const ROUNDS: usize = 500;
/// Newton's steps in a round.
const STEPS: usize = 50;
/// Added to the curvature, as a share of it: some columns depend on others.
const RIDGE: f64 = 1e-8;
/// Share of the fall that the gradient promises which a step must reach.
const ENOUGH: f64 = 1e-4;
/// A rise of the objective that counts as none, as a share of the penalty.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Rounds without progress before the end.
const PATIENCE: usize = 3;

/// The smooth part of the problem: weights with their signs, by block.
struct Active {
    columns: Vec<usize>,
    /// Block of each.
    block: Vec<usize>,
    /// Euclidean norm of each block.
    norms: Vec<f64>,
}

impl<P: Sync> GroupQuadratic<'_, P> {
    /// Minimises.
    pub fn minimise(&mut self) {
        let mut idle = 0;
        for _ in 0..ROUNDS {
            let open: Vec<usize> = (0..self.blocks.len()).filter(|&b| self.excess(b) > EXCESS).collect();
            if open.is_empty() || idle >= PATIENCE || self.control.is_over() {
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

    fn whole_penalty(&self) -> f64 {
        (0..self.blocks.len()).map(|b| self.penalty(b)).sum()
    }

    /// How far a block is from its optimality conditions, as a share of its strength.
    fn excess(&self, b: usize) -> f64 {
        let Block { columns, strength, penalty } = &self.blocks[b];
        let pull = |k: usize| self.signs[k].pull(self.r[k]);
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
        let wants = |k: usize| self.signs[k].pull(self.r[k]) > penalty.tau * strength;
        let moving: Vec<usize> = columns.iter().copied().filter(|&k| self.w[k] != 0.0 || wants(k)).collect();
        self.gram.prepare(&moving);
        let row = |&k: &usize| moving.iter().map(|&l| self.gram.column(k)[l].abs()).sum::<f64>();
        let steep = moving.iter().map(row).fold(0.0, f64::max);
        if steep <= 0.0 {
            return 0.0;
        }
        let goal = |&k: &usize| {
            let goal = self.w[k] + self.r[k] / steep;
            if self.signs[k].pull(goal) > 0.0 { goal } else { 0.0 }
        };
        let mut new: Vec<f64> = moving.iter().map(goal).collect();
        penalty.prox(&mut new, strength / steep);
        let delta: Vec<f64> = moving.iter().zip(&new).map(|(&k, new)| new - self.w[k]).collect();
        let before = self.penalty(b);
        let product = self.product(&moving, &delta);
        moving.iter().zip(&new).for_each(|(&k, &new)| self.w[k] = new);
        let fall = before - self.penalty(b) + self.smooth_fall(&moving, &delta, &product);
        for (&k, &by) in moving.iter().zip(&delta).filter(|(_, by)| **by != 0.0) {
            self.r.iter_mut().zip(self.gram.column(k)).for_each(|(r, g)| *r -= by * g);
        }
        fall
    }

    /// G `delta` on the columns that move.
    fn product(&self, columns: &[usize], delta: &[f64]) -> Vec<f64> {
        let row = |&k: &usize| {
            let g = self.gram.column(k);
            columns.iter().zip(delta).map(|(&l, d)| g[l] * d).sum::<f64>()
        };
        columns.iter().map(row).collect()
    }

    /// Fall of the quadratic.
    fn smooth_fall(&self, columns: &[usize], delta: &[f64], product: &[f64]) -> f64 {
        columns.iter().zip(delta).zip(product).map(|((&k, d), p)| d * (self.r[k] - 0.5 * p)).sum()
    }

    /// Newton's steps on the active weights; how far the objective falls.
    fn newton(&mut self) -> f64 {
        let before = (self.w.to_vec(), self.r.to_vec());
        let (mut fall, mut small) = (0.0, 0);
        for _ in 0..STEPS {
            let active = self.active();
            let gradient = self.gradient(&active);
            let flat = |(g, &b): (&f64, &usize)| g.abs() <= STEEP * self.blocks[b].strength;
            if gradient.iter().zip(&active.block).all(flat) {
                break;
            }
            let Some(direction) = self.direction(&active, &gradient) else { break };
            let Some(by) = self.advance(&active, &gradient, &direction) else { break };
            fall += by;
            small += usize::from(by <= ROUNDING * self.whole_penalty());
            if small > 1 {
                break;
            }
        }
        // The steps kept r up to date where weights were active.
        let (w, mut r) = before;
        for k in (0..w.len()).filter(|&k| self.w[k] != w[k]) {
            let by = self.w[k] - w[k];
            r.iter_mut().zip(self.gram.column(k)).for_each(|(r, g)| *r -= by * g);
        }
        self.r.copy_from_slice(&r);
        fall
    }

    fn active(&self) -> Active {
        let mut active = Active { columns: Vec::new(), block: Vec::new(), norms: Vec::new() };
        for (b, block) in self.blocks.iter().enumerate() {
            let held = block.columns.iter().copied().filter(|&k| self.w[k] != 0.0);
            active.columns.extend(held);
            active.block.resize(active.columns.len(), b);
            active.norms.push(block.columns.iter().map(|&k| self.w[k] * self.w[k]).sum::<f64>().sqrt());
        }
        active
    }

    fn gradient(&self, active: &Active) -> Vec<f64> {
        let one = |(&k, &b): (&usize, &usize)| {
            let Block { strength, penalty, .. } = &self.blocks[b];
            let w = self.w[k];
            strength * (penalty.tau * w.signum() + (1.0 - penalty.tau) * w / active.norms[b]) - self.r[k]
        };
        active.columns.iter().zip(&active.block).map(one).collect()
    }

    /// Newton's direction; `None` if it cannot be had, or not in time.
    fn direction(&self, active: &Active, gradient: &[f64]) -> Option<Vec<f64>> {
        let mut factor = Factor::default();
        for (i, (&k, &b)) in active.columns.iter().zip(&active.block).enumerate() {
            let column = self.gram.column(k);
            let Block { strength, penalty, .. } = &self.blocks[b];
            let norm = active.norms[b];
            let bend = strength * (1.0 - penalty.tau) / norm;
            let entry = |j: usize| {
                let l = active.columns[j];
                let fold =
                    if active.block[j] == b { bend * self.w[k] / norm * self.w[l] / norm } else { 0.0 };
                column[l] - fold
            };
            if self.control.is_over() {
                return None;
            }
            let cross: Vec<f64> = (0..i).map(entry).collect();
            factor.push(&cross, entry(i) + bend + RIDGE * (column[k] + bend)).ok()?;
        }
        Some(factor.solve(gradient).into_iter().map(|d| -d).collect())
    }

    /// Goes along the direction, weights that would change their sign staying at 0, as far as
    /// the objective falls enough; by how much.
    fn advance(&mut self, active: &Active, gradient: &[f64], direction: &[f64]) -> Option<f64> {
        let crossing = active.columns.iter().zip(direction).map(|(&k, d)| {
            let t = -self.w[k] / d;
            if t > 0.0 { t } else { f64::INFINITY }
        });
        let first = crossing.fold(1.0, f64::min);
        let halves = |from: f64, count: i32| (0..count).map(move |k| from * 0.5f64.powi(k));
        let whole = self.whole_penalty();
        for t in halves(1.0, 4).chain(halves(first, 12)) {
            let step = |(&k, d): (&usize, &f64)| {
                let w = self.w[k];
                // At the first crossing itself rounding must not leave a trace of the weight.
                if w * (w + t * d) <= 0.0 || (w + t * d).abs() <= 1e-14 * w.abs() { -w } else { t * d }
            };
            let delta: Vec<f64> = active.columns.iter().zip(direction).map(step).collect();
            let product = self.product(&active.columns, &delta);
            let old: Vec<f64> = active.columns.iter().map(|&k| self.w[k]).collect();
            active.columns.iter().zip(&delta).for_each(|(&k, d)| self.w[k] += d);
            let fall = whole - self.whole_penalty() + self.smooth_fall(&active.columns, &delta, &product);
            let promised: f64 = -gradient.iter().zip(&delta).map(|(g, d)| g * d).sum::<f64>();
            if fall >= ENOUGH * promised - ROUNDING * whole && promised > 0.0 {
                active.columns.iter().zip(&product).for_each(|(&k, p)| self.r[k] -= p);
                return Some(fall);
            }
            active.columns.iter().zip(old).for_each(|(&k, old)| self.w[k] = old);
        }
        None
    }
}
