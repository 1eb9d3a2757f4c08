//! Newton's steps on the weights that are not 0, among which the objective is smooth.
//!
//! With the active weights w and the norms of their blocks the Hessian is
//!
//! ```text
//! G + sum_b bend_b (I_b - u_b u_b'),      bend_b = s_b (1 - tau_b) / ||w_b||,  u_b = w_b / ||w_b||
//! ```
//!
//! which changes little from step to step and from strength to strength ([`Lagged`]).

use super::super::gram::Products;
use super::lagged::Matrix;
use super::quadratic::{Block, GroupQuadratic};
use crate::linalg::line_search::{ROUNDING, is_sufficient_decrease, steps};

/// A gradient among the active weights that counts as none, as a share of the excess that does.
const STEEP: f64 = 0.1;
/// Newton's steps in a round.
const STEPS: usize = 50;
/// Added to the curvature, as a share of it: some columns depend on others.
const RIDGE: f64 = 1e-8;

/// The Hessian, by the numbers of the columns.
struct Hessian<'a, P> {
    gram: &'a Products<'a, P>,
    /// w / ||`w_b`|| of each column.
    unit: Vec<f64>,
    /// Block of each column.
    home: &'a [usize],
    /// Of each block.
    bend: Vec<f64>,
}

impl<P: Sync> Matrix for Hessian<'_, P> {
    fn entry(&self, k: usize, l: usize) -> f64 {
        let (product, bend) = (self.gram.column(k)[l], self.bend[self.home[k]]);
        let fold = if self.home[k] == self.home[l] { bend * self.unit[k] * self.unit[l] } else { 0.0 };
        let own = if k == l { bend + RIDGE * (product + bend) } else { 0.0 };
        product - fold + own
    }

    fn times(&self, columns: &[usize], x: &[f64]) -> Vec<f64> {
        let mut along = vec![0.0; self.bend.len()];
        columns.iter().zip(x).for_each(|(&k, x)| along[self.home[k]] += self.unit[k] * x);
        let rest = |((&k, x), product): ((&usize, &f64), f64)| {
            let bend = self.bend[self.home[k]];
            let own = bend + RIDGE * (self.gram.column(k)[k] + bend);
            product + own * x - bend * self.unit[k] * along[self.home[k]]
        };
        columns.iter().zip(x).zip(self.gram.times(columns, x)).map(rest).collect()
    }
}

impl<P: Sync> GroupQuadratic<'_, P> {
    /// Newton's steps on the active weights; how far the objective falls.
    pub(super) fn newton(&mut self) -> f64 {
        let home = self.home();
        let before = (self.w.to_vec(), self.r.to_vec());
        let (mut fall, mut small) = (0.0, 0);
        for _ in 0..STEPS {
            let columns = self.lagged.order(self.w.len(), |k| self.w[k] != 0.0);
            let norms = self.norms();
            let gradient = self.gradient(&columns, &home, &norms);
            let flat =
                |(g, &k): (&f64, &usize)| g.abs() <= STEEP * self.excess * self.blocks[home[k]].strength;
            if gradient.iter().zip(&columns).all(flat) {
                break;
            }
            let Some(direction) = self.direction(&columns, &home, &norms, &gradient) else { break };
            let Some(by) = self.advance(&columns, &gradient, &direction) else { break };
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

    /// Block of each column.
    fn home(&self) -> Vec<usize> {
        let mut home = vec![0; self.w.len()];
        for (b, block) in self.blocks.iter().enumerate() {
            block.columns.iter().for_each(|&k| home[k] = b);
        }
        home
    }

    /// Euclidean norm of each block.
    fn norms(&self) -> Vec<f64> {
        let norm = |block: &Block| block.columns.iter().map(|&k| self.w[k] * self.w[k]).sum::<f64>().sqrt();
        self.blocks.iter().map(norm).collect()
    }

    fn gradient(&self, columns: &[usize], home: &[usize], norms: &[f64]) -> Vec<f64> {
        let one = |&k: &usize| {
            let Block { strength, penalty, .. } = &self.blocks[home[k]];
            let w = self.w[k];
            strength * (penalty.tau * w.signum() + (1.0 - penalty.tau) * w / norms[home[k]]) - self.r[k]
        };
        columns.iter().map(one).collect()
    }

    /// Newton's direction; `None` if it cannot be had, or not in time.
    fn direction(
        &mut self,
        columns: &[usize],
        home: &[usize],
        norms: &[f64],
        gradient: &[f64],
    ) -> Option<Vec<f64>> {
        let bend = |(block, norm): (&Block, &f64)| {
            if *norm > 0.0 { block.strength * (1.0 - block.penalty.tau) / norm } else { 0.0 }
        };
        let mut unit = vec![0.0; self.w.len()];
        columns.iter().for_each(|&k| unit[k] = self.w[k] / norms[home[k]]);
        let bend = self.blocks.iter().zip(norms).map(bend).collect();
        let hessian = Hessian { gram: &self.gram, unit, home, bend };
        let down = gradient.iter().map(|g| -g).collect();
        self.lagged.solve(&hessian, columns, down, self.control)
    }

    /// Goes along the direction, weights that would change their sign staying at 0, as far as
    /// the objective falls enough; by how much.
    fn advance(&mut self, columns: &[usize], gradient: &[f64], direction: &[f64]) -> Option<f64> {
        let crossing = columns.iter().zip(direction).map(|(&k, d)| {
            let t = -self.w[k] / d;
            if t > 0.0 { t } else { f64::INFINITY }
        });
        let first = crossing.fold(1.0, f64::min);
        let whole = self.whole_penalty();
        for t in steps(1.0, 0.5).take(4).chain(steps(first, 0.5).take(12)) {
            let step = |(&k, d): (&usize, &f64)| {
                let w = self.w[k];
                // At the first crossing itself rounding must not leave a trace of the weight.
                if w * (w + t * d) <= 0.0 || (w + t * d).abs() <= 1e-14 * w.abs() { -w } else { t * d }
            };
            let delta: Vec<f64> = columns.iter().zip(direction).map(step).collect();
            let product = self.gram.times(columns, &delta);
            let old: Vec<f64> = columns.iter().map(|&k| self.w[k]).collect();
            columns.iter().zip(&delta).for_each(|(&k, d)| self.w[k] += d);
            let fall = whole - self.whole_penalty() + self.smooth_fall(columns, &delta, &product);
            let promised: f64 = -gradient.iter().zip(&delta).map(|(g, d)| g * d).sum::<f64>();
            if is_sufficient_decrease(fall, promised, whole) {
                columns.iter().zip(&product).for_each(|(&k, p)| self.r[k] -= p);
                return Some(fall);
            }
            columns.iter().zip(old).for_each(|(&k, old)| self.w[k] = old);
        }
        None
    }
}
