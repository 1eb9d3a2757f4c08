//! What follows from the weights: predictions, residual, inner products, and the objectives.

use rayon::prelude::*;

use super::columns::{combine, dots};
use super::solver::{Problem, Solver};
use crate::data::sums::{PART, over_rows};
use crate::data::task::Task;
use crate::loss::{Conjugate, Smooth};
use crate::space::PatternSpace;

/// What the residual may sum to, as a share of its size: what rounding leaves. Below it Newton's method
/// would go to and fro, dozens of times.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl<S: PatternSpace, L: Smooth + Conjugate> Solver<'_, S, L> {
    /// Predictions, residual and inner products from the weights, without the rounding that many
    /// steps leave.
    pub(super) fn restate(&mut self) {
        self.f.fill(self.intercept);
        combine(&self.columns, &self.w, &mut self.f);
        self.centre();
        self.correlate();
        self.exact = true;
    }

    /// Puts the intercept where the residual sums to 0, and the residual with it: Newton's
    /// method, halving the bracket wherever a step would leave it.
    pub(super) fn centre(&mut self) {
        let (mut low, mut high) = self.intercept_bracket();
        let mut at = 0.0;
        for _ in 0..200 {
            let [sum, size, curvature] = self.shift_residual(at);
            if sum > 0.0 {
                low = at;
            } else {
                high = at;
            }
            let newton = at + sum / curvature.max(f64::MIN_POSITIVE);
            // Where there is no bracket yet, steps of a size that a logit can have; the minimiser of a
            // regression may lie as far off as the responses do.
            let next = match (low.is_finite(), high.is_finite()) {
                _ if newton > low
                    && newton < high
                    && (L::TASK == Task::Regression || (newton - at).abs() < 8.0) =>
                {
                    newton
                }
                (true, true) => 0.5 * (low + high),
                _ => at + if sum > 0.0 { 8.0 } else { -8.0 },
            };
            if sum.abs() <= ROUNDING * size || next == at || next <= low || next >= high {
                break;
            }
            at = next;
        }
        self.intercept += at;
        self.f.iter_mut().for_each(|f| *f += at);
    }

    /// An interval that contains the shift of [`Solver::centre`]. Losses of a regression grow with
    /// the distance of prediction and response, so that it lies amid the distances; a quadratic
    /// needs one step from anywhere.
    fn intercept_bracket(&self) -> (f64, f64) {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        if L::QUADRATIC || L::TASK == Task::Classification {
            return everything;
        }
        let distances = self.problem.y.iter().zip(&self.f).map(|(y, f)| y - f);
        distances.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), d| (low.min(d), high.max(d)))
    }

    /// The residual at predictions shifted by `at`; its sum, its size, and the curvature there.
    fn shift_residual(&mut self, at: f64) -> [f64; 3] {
        let Problem { loss, y, sample_weights, .. } = *self.problem;
        let f = &self.f;
        let part = |(k, residual): (usize, &mut [f64])| {
            let mut sums = [0.0; 3];
            for (i, s) in (k * PART..).zip(residual) {
                *s = -sample_weights[i] * loss.gradient(y[i], f[i] + at);
                sums[0] += *s;
                sums[1] += s.abs();
                sums[2] += sample_weights[i] * loss.curvature(y[i], f[i] + at);
            }
            sums
        };
        let parts: Vec<[f64; 3]> = self.residual.par_chunks_mut(PART).enumerate().map(part).collect();
        parts.iter().fold([0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    }

    /// Inner products of all columns with the residual.
    pub(super) fn correlate(&mut self) {
        self.r = dots(&self.columns, &self.residual);
    }

    /// The primal objective.
    pub(super) fn primal(&self, lambda: f64) -> f64 {
        let Problem { loss, y, sample_weights, .. } = *self.problem;
        let losses = over_rows(y.len(), |i| sample_weights[i] * loss.value(y[i], self.f[i]));
        losses + lambda * self.penalty(&self.w)
    }

    /// The penalty of weights, for a lambda of 1.
    pub(super) fn penalty(&self, w: &[f64]) -> f64 {
        match &self.grouped {
            None => self.columns.iter().zip(w).map(|(c, w)| c.cost * w.abs()).sum(),
            Some(grouped) => grouped.value(&self.columns, w),
        }
    }

    /// The dual objective at `scale` times the residual.
    pub(super) fn dual(&self, scale: f64) -> f64 {
        let Problem { loss, y, sample_weights, .. } = *self.problem;
        over_rows(y.len(), |i| {
            -sample_weights[i] * loss.conjugate(y[i], -scale * self.residual[i] / sample_weights[i])
        })
    }

    /// The largest pull per unit of penalty over the working set: the penalty's dual norm.
    pub(super) fn reach(&self) -> f64 {
        if let Some(grouped) = &self.grouped {
            return grouped.reach(&self.columns, &self.r);
        }
        self.columns
            .iter()
            .zip(&self.r)
            .map(|(c, &r)| c.sign.signed_correlation(r) / c.cost)
            .fold(0.0, f64::max)
    }
}
