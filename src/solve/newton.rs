//! Solves over the working set: Newton steps on the loss, each an exact solution of the penalised
//! quadratic model.
//!
//! Most of the time goes into the Gram matrix for the row curvatures. One curvature therefore serves several
//! steps and lambdas, as long as they reduce the gap, and [columns](super::model_columns) that do not matter are left out.
//! Squared loss needs one step and one curvature.
//!
//! # States of the curvature
//!
//! The curvature is *fresh* if it was computed at the current predictions, else *stale*. Curvature below
//! `floor` times its bound is replaced by that. After a step of length t in \[0, 1\]:
//!
//! | state | event | transition |
//! |---|---|---|
//! | stale | the gap did not fall to [`SLOW_GAP_RATIO`] of the last, and no column came in | compute a fresh curvature before the next step |
//! | any | t >= [`SHORT_STEP_LENGTH`] | stale; the floor falls by [`FLOOR_FACTOR`] if t = 1 |
//! | stale | t < [`SHORT_STEP_LENGTH`] | compute a fresh curvature |
//! | fresh | t < [`SHORT_STEP_LENGTH`] | raise the floor by [`FLOOR_FACTOR`], compute the curvature again |
//! | fresh, floor 1 | t = 0 | end: rounding |
//!
//! Invariants: no step raises the objective by more than rounding; after each step the coefficients,
//! predictions, residual and correlations of the iterate belong together.
//!
//! It ends: with floor 1 the model lies above the loss, so that its minimiser lowers the objective
//! unless rounding hides the decrease, which ends the loop; and the floor can be raised only a few
//! times in a row before it is 1. [`MAX_STEPS`] limits steps that
//! decrease the objective too little for the gap; the gap of the outer loop then shows the accuracy.

use super::Problem;
use super::column::combine;
use super::gram::Gram;
use super::iterate::Iterate;
use super::model_columns::columns_of;
use super::restricted::Restricted;
use crate::error::Result;
use crate::linalg::line_search;
use crate::penalty::{QuadraticModel, Refactored};
use crate::space::PatternSpace;

/// Maximum number of Newton steps over one working set.
const MAX_STEPS: usize = 100;
/// Ratio of the gap after a step to that before, above which a fresh curvature is computed.
const SLOW_GAP_RATIO: f64 = 0.2;
/// Initial floor of the curvature as a fraction of its bound. With a much smaller one the rows of zero
/// curvature of the squared hinge loss make the model so flat that its minimiser has hundreds of active
/// columns too many.
const FIRST_FLOOR: f64 = 1e-3;
/// Smallest floor; needed for nearly separable classes.
const MIN_FLOOR: f64 = 1e-14;
/// A step shortened below this length is a failure of the model.
pub(super) const SHORT_STEP_LENGTH: f64 = 0.1;
/// Factor by which the floor rises after a failure and falls after a full step: two failures raise the
/// initial floor to 1.
pub(super) const FLOOR_FACTOR: f64 = 100.0;
/// Maximum number of halvings of a step: 2^-30 of it changes the objective by less than rounding.
pub(super) const MAX_HALVINGS: usize = 30;
/// Each step solves its quadratic model to this fraction of the tolerance of the one before.
const TOLERANCE_FACTOR: f64 = 0.1;

/// A direction from the current point.
struct Direction {
    /// Coefficients that it starts from.
    before: Vec<f64>,
    /// Change of the coefficients.
    delta: Vec<f64>,
    /// Change of the predictions.
    image: Vec<f64>,
    /// Change of the intercept.
    intercept: f64,
    /// Change of the objective that the slope promises.
    promised: f64,
}

impl<S: PatternSpace> Restricted<'_, S> {
    /// Solves over the working set until its own gap is at most `tol` times the primal; the primal.
    pub(super) fn minimise(&mut self, lambda: f64, tol: f64) -> Result<f64> {
        if !self.iterate.is_exact {
            self.recompute_residuals();
        }
        let mut last_gap = f64::INFINITY;
        let mut is_fresh = self.problem.loss.is_quadratic();
        let mut floor = FIRST_FLOOR;
        let mut tolerance = tol;
        for _ in 0..MAX_STEPS {
            self.control.check()?;
            let primal = self.primal(lambda);
            let gap = primal - self.dual(lambda, self.dual_norm());
            if gap <= self.problem.gap_target(primal, tol) || self.control.is_out_of_time() {
                return Ok(primal);
            }
            let is_extended = self.extend_model(lambda) > 0;
            if gap > SLOW_GAP_RATIO * last_gap && !is_fresh && !is_extended {
                floor = self.refresh_curvature(floor, lambda);
                is_fresh = true;
            }
            last_gap = gap;
            if !is_extended {
                tolerance *= TOLERANCE_FACTOR;
            }
            let step = self.newton_step(lambda, primal, tolerance);
            if step >= SHORT_STEP_LENGTH {
                is_fresh = self.problem.loss.is_quadratic();
                floor = if step < 1.0 { floor } else { (floor / FLOOR_FACTOR).max(MIN_FLOOR) };
                continue;
            }
            let is_over = self.control.is_out_of_time();
            if self.problem.loss.is_quadratic() || is_over || (step == 0.0 && is_fresh && floor >= 1.0) {
                break;
            }
            if is_fresh {
                floor = (floor * FLOOR_FACTOR).min(1.0);
            }
            floor = self.refresh_curvature(floor, lambda);
            is_fresh = true;
            last_gap = f64::INFINITY;
        }
        Ok(self.primal(lambda))
    }

    fn recompute_residuals(&mut self) {
        self.iterate.recompute_residuals(&self.problem.risk(), &self.working_set.columns);
    }

    /// One step; how much of it was taken, 0 if it could not lower the objective.
    fn newton_step(&mut self, lambda: f64, primal: f64, tolerance: f64) -> f64 {
        let before = self.iterate.coefficients.clone();
        let mut coefficients = self.of_model(&before);
        self.penalty.solve_quadratic(QuadraticModel {
            gram: &self.gram.of(&columns_of(&self.working_set.columns, &self.modelled)),
            coordinates: &self.of_model(&self.working_set.coordinates),
            lambda,
            coefficients: &mut coefficients,
            correlations: &mut self.of_model(&self.iterate.correlations),
            tolerance,
            control: self.control,
        });
        self.set_coefficients(&coefficients);
        if self.problem.loss.is_quadratic() {
            self.recompute_residuals();
            return 1.0;
        }
        let direction = self.direction(lambda, before);
        let step = self.search_line(lambda, primal, &direction);
        self.iterate.is_exact = false;
        self.iterate.fit_intercept(&self.problem.risk());
        self.iterate.correlate(&self.working_set.columns);
        step
    }

    /// The way from `before`, where the correlations are from, to the coefficients now.
    fn direction(&self, lambda: f64, before: Vec<f64>) -> Direction {
        let Iterate { coefficients: after, correlations, .. } = &self.iterate;
        let delta: Vec<f64> = after.iter().zip(&before).map(|(new, old)| new - old).collect();
        let mut image = vec![0.0; self.iterate.predictions.len()];
        combine(&self.working_set.columns, &delta, &mut image);
        let intercept = -self.of_model(&delta).iter().zip(&self.gram.mean).map(|(d, m)| d * m).sum::<f64>();
        image.iter_mut().for_each(|x| *x += intercept);
        let promised = -delta.iter().zip(correlations).map(|(d, r)| d * r).sum::<f64>()
            + self.penalty.change(&self.working_set.coordinates, lambda, &before, after);
        Direction { before, delta, image, intercept, promised }
    }

    /// Backtracks from the full step until the objective falls by enough; the length of the step.
    fn search_line(&mut self, lambda: f64, primal: f64, direction: &Direction) -> f64 {
        let Direction { before, delta, image, intercept, promised } = direction;
        let start = self.iterate.predictions.clone();
        for t in line_search::steps(1.0, 0.5).take(MAX_HALVINGS) {
            for i in 0..start.len() {
                self.iterate.predictions[i] = start[i] + t * image[i];
            }
            for k in 0..before.len() {
                self.iterate.coefficients[k] =
                    if t == 1.0 { before[k] + delta[k] } else { before[k] + t * delta[k] };
            }
            if line_search::is_sufficient(primal, self.primal(lambda), t * promised.min(0.0)) {
                self.iterate.intercept += t * intercept;
                if t < 1.0 {
                    self.refactor_after_short_step(lambda);
                }
                return if *promised < 0.0 { t } else { 0.0 };
            }
        }
        self.iterate.predictions = start;
        self.iterate.coefficients.copy_from_slice(before);
        self.refactor_after_short_step(lambda);
        0.0
    }

    /// A coefficient that the full step had brought to 0 may be back: the penalty collects the active
    /// columns again. Without time for another step they serve nothing.
    fn refactor_after_short_step(&mut self, lambda: f64) {
        if self.control.is_out_of_time() {
            return;
        }
        self.penalty.collect_active(&self.of_model(&self.iterate.coefficients));
        if !self.refactor(false) {
            self.refresh_curvature(FIRST_FLOOR, lambda);
        }
    }

    /// Takes the rows' curvature at the current predictions, none below `floor` times its bound; the
    /// floor that it took. Columns that differ in rows of almost no curvature may look dependent: the
    /// floor is then raised, as far as [`FIRST_FLOOR`].
    fn refresh_curvature(&mut self, mut floor: f64, lambda: f64) -> f64 {
        let Problem { loss, sample_weights, .. } = *self.problem;
        let bound = loss.curvature_bound();
        self.choose_model(lambda);
        loop {
            let curvatures = self.iterate.curvatures(&self.problem.risk());
            let columns = columns_of(&self.working_set.columns, &self.modelled);
            if loss.is_piecewise() {
                let bounds: Vec<f64> = sample_weights.iter().map(|m| m * bound).collect();
                self.gram.update_curvature(&columns, &bounds, |i| curvatures[i] > 0.0, floor);
            } else {
                self.gram = Gram::of_curvature(&columns, sample_weights, &curvatures, floor * bound);
            }
            if self.refactor(floor >= FIRST_FLOOR) {
                return floor;
            }
            floor = (floor * FLOOR_FACTOR).min(FIRST_FLOOR);
        }
    }

    /// Tells the penalty of the new Gram matrix. False, and nothing changed, where active columns depend
    /// on others, unless `force`.
    fn refactor(&mut self, force: bool) -> bool {
        let mut coefficients = self.of_model(&self.iterate.coefficients);
        let columns = columns_of(&self.working_set.columns, &self.modelled);
        let coordinates = self.of_model(&self.working_set.coordinates);
        let how = self.penalty.refactor(&self.gram.of(&columns), &coordinates, &mut coefficients, force);
        if how == Refactored::CoefficientsMoved {
            self.set_coefficients(&coefficients);
            self.recompute_residuals();
        }
        how != Refactored::Dependent
    }
}
