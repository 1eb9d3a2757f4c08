//! Solves over the working set: Newton steps on the loss, each an exact solve of the
//! penalised quadratic model.
//!
//! The curvature of the rows is kept from step to step and from lambda to lambda as long
//! as steps with it close the gap well: its Gram matrix is what costs. Squared loss needs
//! one step and never another curvature.

use super::columns::combine;
use super::gram::Gram;
use super::quadratic::Quadratic;
use super::solver::{Problem, Solver};
use crate::error::Result;
use crate::linalg::line_search;
use crate::loss::{Conjugate, Smooth};
use crate::space::PatternSpace;

/// Newton steps over one working set.
const STEPS: usize = 100;
/// A step that leaves more than this share of the gap asks for a new curvature.
const SLOW: f64 = 0.2;
/// Curvature below this share of its bound is taken as that, at first. Each full step lowers
/// the share by [`RAISE`], as far as [`LEAST`] (nearly separable classes need it); a step that
/// had to be shortened below [`SHORT`] raises it. At 1 the model lies above the loss, and
/// every step lowers it. Far below this one the squared hinge's rows without curvature leave a
/// model so flat that its minimiser lies far off, hundreds of columns away.
const FLOOR: f64 = 1e-3;
const LEAST: f64 = 1e-14;
const SHORT: f64 = 0.1;
const RAISE: f64 = 100.0;
/// Halvings of a step before it is given up: what is left of it is lost in rounding.
const SHORTENINGS: usize = 30;

impl<S: PatternSpace, L: Smooth + Conjugate> Solver<'_, S, L> {
    /// Solves over the working set until its own gap is at most `tol` times the primal; the
    /// primal.
    pub(super) fn newton(&mut self, lambda: f64, tol: f64) -> Result<f64> {
        if !self.exact {
            self.restate();
        }
        let mut last = f64::INFINITY;
        // Whether the curvature is that of the current predictions.
        let mut fresh = L::QUADRATIC;
        let mut floor = FLOOR;
        let mut excess = tol;
        for _ in 0..STEPS {
            self.control.check()?;
            let primal = self.primal(lambda);
            let gap = primal - self.dual((lambda / self.reach().max(f64::MIN_POSITIVE)).min(1.0));
            if gap <= super::working_set::target(self, primal, tol) || self.control.is_out_of_time() {
                return Ok(primal);
            }
            if gap > SLOW * last && !fresh {
                floor = self.refresh(floor);
                fresh = true;
            }
            last = gap;
            excess *= 0.1;
            let step = self.newton_step(lambda, primal, excess);
            if step >= SHORT {
                fresh = L::QUADRATIC;
                floor = if step < 1.0 { floor } else { (floor / RAISE).max(LEAST) };
                continue;
            }
            if L::QUADRATIC || (step == 0.0 && fresh && floor >= 1.0) {
                break;
            }
            if fresh {
                floor = (floor * RAISE).min(1.0);
            }
            floor = self.refresh(floor);
            fresh = true;
            last = f64::INFINITY;
        }
        Ok(self.primal(lambda))
    }

    /// One step, with groups up to a relative `excess` of the pulls; how much of it was taken, 0 if
    /// it could not lower the objective.
    fn newton_step(&mut self, lambda: f64, primal: f64, excess: f64) -> f64 {
        let penalty: Vec<f64> = self.columns.iter().map(|c| lambda * c.cost).collect();
        let before = self.w.clone();
        let pull = self.r.clone();
        if self.grouped.is_some() {
            self.minimise_groups(lambda, excess);
        } else {
            let signs: Vec<_> = self.columns.iter().map(|c| c.sign).collect();
            let (gram, w, r) = (self.gram.of(&self.columns), &mut self.w, &mut self.r);
            Quadratic { gram, penalty: &penalty, signs: &signs, w, r }.minimise(&mut self.active);
        }
        if L::QUADRATIC {
            self.restate();
            return 1.0;
        }
        let delta: Vec<f64> = self.w.iter().zip(&before).map(|(new, old)| new - old).collect();
        let mut direction = vec![0.0; self.f.len()];
        combine(&self.columns, &delta, &mut direction);
        let shift = -delta.iter().zip(&self.gram.mean).map(|(d, m)| d * m).sum::<f64>();
        direction.iter_mut().for_each(|x| *x += shift);
        let slope: f64 = -delta.iter().zip(&pull).map(|(d, r)| d * r).sum::<f64>()
            + match &self.grouped {
                None => {
                    (0..penalty.len()).map(|k| penalty[k] * (self.w[k].abs() - before[k].abs())).sum::<f64>()
                }
                Some(_) => lambda * (self.penalty(&self.w) - self.penalty(&before)),
            };
        let moved = self.search_line(lambda, primal, &before, &delta, &direction, shift, slope);
        self.exact = false;
        self.centre();
        self.correlate();
        moved
    }

    /// Backtracks from the full step until the objective falls by enough.
    #[allow(clippy::too_many_arguments)]
    fn search_line(
        &mut self,
        lambda: f64,
        primal: f64,
        before: &[f64],
        delta: &[f64],
        direction: &[f64],
        shift: f64,
        slope: f64,
    ) -> f64 {
        let start = self.f.clone();
        for t in line_search::steps(1.0, 0.5).take(SHORTENINGS) {
            for i in 0..start.len() {
                self.f[i] = start[i] + t * direction[i];
            }
            for k in 0..before.len() {
                self.w[k] = if t == 1.0 { before[k] + delta[k] } else { before[k] + t * delta[k] };
            }
            if line_search::is_sufficient(primal, self.primal(lambda), t * slope.min(0.0)) {
                self.intercept += t * shift;
                self.settle(t);
                return if slope < 0.0 { t } else { 0.0 };
            }
        }
        self.f = start;
        self.w.copy_from_slice(before);
        self.settle(0.0);
        0.0
    }

    /// After a shortened step: a weight that the full step had brought to 0 may be back, so
    /// that the active columns are gathered again.
    fn settle(&mut self, t: f64) {
        if t == 1.0 || self.grouped.is_some() {
            return;
        }
        self.active.columns = (0..self.w.len()).filter(|&k| self.w[k] != 0.0).collect();
        if !self.rebuild(false) {
            self.refresh(FLOOR);
        }
    }

    /// Takes the rows' curvature at the current predictions, none below `floor` times its
    /// bound; the floor that it took. Columns that differ in rows of almost no curvature may
    /// look dependent: the floor is then raised, as far as [`FLOOR`].
    fn refresh(&mut self, mut floor: f64) -> f64 {
        let Problem { loss, y, sample_weights, .. } = *self.problem;
        loop {
            let curvature = |i: usize| loss.curvature(y[i], self.f[i]);
            if L::PIECEWISE {
                let bound: Vec<f64> = sample_weights.iter().map(|m| m * L::BOUND).collect();
                self.gram.bend(&self.columns, &bound, |i| curvature(i) > 0.0, floor);
            } else {
                let h =
                    (0..sample_weights.len()).map(|i| sample_weights[i] * curvature(i).max(floor * L::BOUND));
                self.gram = Gram::new(h.collect());
                self.gram.extend(&self.columns);
            }
            if self.rebuild(floor >= FLOOR) {
                return floor;
            }
            floor = (floor * RAISE).min(FLOOR);
        }
    }

    /// Factors the active columns anew. Where some are dependent, their weights are handed on
    /// if `force`; else nothing changes and the answer is false.
    fn rebuild(&mut self, force: bool) -> bool {
        if self.grouped.is_some() {
            return true;
        }
        let signs: Vec<_> = self.columns.iter().map(|c| c.sign).collect();
        let mut w = self.w.clone();
        let (active, moved) = self.active.anew(&self.gram.of(&self.columns), &mut w, &signs);
        if moved && !force {
            return false;
        }
        (self.active, self.w) = (active, w);
        if moved {
            self.restate();
        }
        true
    }
}
