//! Newton steps on the nonzero coefficients, in which the objective is smooth.
//!
//! With the active coefficients w and the norms of their blocks the Hessian is
//!
//! ```text
//! G + sum_b h_b (I_b - u_b u_b'),      h_b = s_b (1 - tau_b) / ||w_b||,  u_b = w_b / ||w_b||
//! ```
//!
//! which changes little from step to step and from strength to strength ([`super::stale_preconditioner`]).

use super::super::GramMatrix;
use super::block_descent::{Block, BlockDescent};
use super::stale_preconditioner::Matrix;
use crate::linalg::line_search::{ROUNDING, is_sufficient_decrease, steps};

/// Gradient on the active coefficients that counts as 0, as a fraction of the tolerance of the problem.
const GRADIENT_FRACTION: f64 = 0.1;
/// Maximum number of Newton steps in a round.
const MAX_STEPS: usize = 50;
/// Maximum number of consecutive steps that change the objective by rounding alone.
const MAX_IDLE_STEPS: usize = 1;
/// Maximum number of halvings of the full step.
const MAX_HALVINGS: usize = 4;
/// Maximum number of halvings of the step to the first sign change, tried after those of the full step.
const MAX_HALVINGS_TO_CROSSING: usize = 12;
/// A coefficient below this fraction of its previous value at the sign change is rounding.
const MIN_REMAINDER: f64 = 1e-14;
/// Relative increase of the diagonal, because columns may be linearly dependent.
const RELATIVE_RIDGE: f64 = 1e-8;

/// The curvature of the penalty, `sum_b h_b (I_b - u_b u_b')`.
struct Curvature<'a> {
    /// h of each block: the curvature of its Euclidean norm.
    across: &'a [f64],
    /// w / ||`w_b`|| of each column.
    unit: &'a [f64],
    /// Block of each column.
    block_of: &'a [usize],
}

/// The Hessian, by the numbers of the columns.
struct Hessian<'a> {
    gram: &'a dyn GramMatrix,
    penalty: Curvature<'a>,
}

impl Matrix for Hessian<'_> {
    fn entry(&self, k: usize, l: usize) -> f64 {
        let Curvature { across, unit, block_of } = self.penalty;
        let (product, h) = (self.gram.column(k)[l], across[block_of[k]]);
        let along = if block_of[k] == block_of[l] { h * unit[k] * unit[l] } else { 0.0 };
        let diagonal = if k == l { h + RELATIVE_RIDGE * (product + h) } else { 0.0 };
        product - along + diagonal
    }

    fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        let Curvature { across, unit, block_of } = self.penalty;
        let mut along = vec![0.0; across.len()];
        columns.iter().zip(x).for_each(|(&k, x)| along[block_of[k]] += unit[k] * x);
        let rest = |((&k, x), product): ((&usize, &f64), f64)| {
            let h = across[block_of[k]];
            let diagonal = h + RELATIVE_RIDGE * (self.gram.column(k)[k] + h);
            product + diagonal * x - h * unit[k] * along[block_of[k]]
        };
        columns.iter().zip(x).zip(self.gram.times(columns, x)).map(rest).collect()
    }
}

impl BlockDescent<'_> {
    /// Takes Newton steps on the active coefficients; returns the decrease of the objective.
    pub(super) fn newton(&mut self) -> f64 {
        let block_of = self.block_of();
        let before = (self.w.to_vec(), self.r.to_vec());
        let (mut fall, mut small) = (0.0, 0);
        for _ in 0..MAX_STEPS {
            let columns = self.preconditioners.columns.order(self.w.len(), |k| self.w[k] != 0.0);
            let norms = self.norms();
            let gradient = self.gradient(&columns, &block_of, &norms);
            let negligible = |(g, &k): (&f64, &usize)| {
                g.abs() <= GRADIENT_FRACTION * self.tolerance * self.blocks[block_of[k]].strength
            };
            if gradient.iter().zip(&columns).all(negligible) {
                break;
            }
            let Some(direction) = self.direction(&columns, &block_of, &norms, &gradient) else { break };
            let Some(by) = self.advance(&columns, &gradient, &direction) else { break };
            fall += by;
            small += usize::from(by <= ROUNDING * self.total_penalty());
            if small > MAX_IDLE_STEPS {
                break;
            }
        }
        // The steps update r on the active columns alone.
        let (w, mut r) = before;
        for (k, by) in (0..w.len()).map(|k| (k, self.w[k] - w[k])).filter(|(_, by)| *by != 0.0) {
            r.iter_mut().zip(self.gram.column(k)).for_each(|(r, g)| *r -= by * g);
        }
        self.r.copy_from_slice(&r);
        fall
    }

    /// Block of each column.
    fn block_of(&self) -> Vec<usize> {
        let mut blocks = vec![0; self.w.len()];
        for (b, block) in self.blocks.iter().enumerate() {
            block.columns.iter().for_each(|&k| blocks[k] = b);
        }
        blocks
    }

    /// Euclidean norm of each block.
    fn norms(&self) -> Vec<f64> {
        let norm = |block: &Block| block.columns.iter().map(|&k| self.w[k] * self.w[k]).sum::<f64>().sqrt();
        self.blocks.iter().map(norm).collect()
    }

    fn gradient(&self, columns: &[usize], block_of: &[usize], norms: &[f64]) -> Vec<f64> {
        let one = |&k: &usize| {
            let Block { strength, penalty, .. } = &self.blocks[block_of[k]];
            let w = self.w[k];
            strength * (penalty.tau * w.signum() + (1.0 - penalty.tau) * w / norms[block_of[k]]) - self.r[k]
        };
        columns.iter().map(one).collect()
    }

    /// The Newton direction; `None` where the Hessian is not positive definite or the time is up.
    fn direction(
        &mut self,
        columns: &[usize],
        block_of: &[usize],
        norms: &[f64],
        gradient: &[f64],
    ) -> Option<Vec<f64>> {
        let curvature = |(block, norm): (&Block, &f64)| {
            if *norm > 0.0 { block.strength * (1.0 - block.penalty.tau) / norm } else { 0.0 }
        };
        let mut unit = vec![0.0; self.w.len()];
        columns.iter().for_each(|&k| unit[k] = self.w[k] / norms[block_of[k]]);
        let across: Vec<f64> = self.blocks.iter().zip(norms).map(curvature).collect();
        let down: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let penalty = Curvature { across: &across, unit: &unit, block_of };
        let hessian = Hessian { gram: self.gram, penalty };
        self.preconditioners.columns.solve(&hessian, columns, down, self.control)
    }

    /// Line search along the direction, with coefficients that would change their sign set to 0; returns the
    /// decrease of the objective.
    fn advance(&mut self, columns: &[usize], gradient: &[f64], direction: &[f64]) -> Option<f64> {
        let crossing = columns.iter().zip(direction).map(|(&k, d)| {
            let t = -self.w[k] / d;
            if t > 0.0 { t } else { f64::INFINITY }
        });
        let first = crossing.fold(1.0, f64::min);
        let before = self.total_penalty();
        for t in steps(1.0, 0.5).take(MAX_HALVINGS).chain(steps(first, 0.5).take(MAX_HALVINGS_TO_CROSSING)) {
            let step = |(&k, d): (&usize, &f64)| {
                let w = self.w[k];
                // At the first crossing itself rounding must not leave a trace of the coefficient.
                if w * (w + t * d) <= 0.0 || (w + t * d).abs() <= MIN_REMAINDER * w.abs() {
                    -w
                } else {
                    t * d
                }
            };
            let delta: Vec<f64> = columns.iter().zip(direction).map(step).collect();
            let product = self.gram.times(columns, &delta);
            let old: Vec<f64> = columns.iter().map(|&k| self.w[k]).collect();
            columns.iter().zip(&delta).for_each(|(&k, d)| self.w[k] += d);
            let fall = before - self.total_penalty() + self.smooth_fall(columns, &delta, &product);
            let promised: f64 = -gradient.iter().zip(&delta).map(|(g, d)| g * d).sum::<f64>();
            if is_sufficient_decrease(fall, promised, before) {
                columns.iter().zip(&product).for_each(|(&k, p)| self.r[k] -= p);
                return Some(fall);
            }
            columns.iter().zip(old).for_each(|(&k, old)| self.w[k] = old);
        }
        None
    }
}
