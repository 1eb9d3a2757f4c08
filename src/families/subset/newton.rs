//! The optimal coefficients on a given support, within bounds if there are any: Newton's method
//! with backtracking.

use super::design::{Interval, SubsetProblem};
use super::hessian::Hessian;
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::linalg::dot;
use crate::linalg::line_search::{is_sufficient, steps};
use crate::loss::SelfConcordant;

/// Maximum number of Newton steps: quadratic convergence needs fewer than ten, separable classes some tens.
const MAX_STEPS: usize = 100;
/// Maximum number of halvings of one step: 2^-60 is below the spacing of doubles.
const MAX_HALVINGS: usize = 60;
/// Newton decrement, relative to the loss of the empty model, at which the iteration ends: a few
/// hundred units in the last place, the rounding of a sum over many rows.
const DECREMENT_TOLERANCE: f64 = 1e-13;

/// Corrections of a Hessian after which one from the rows takes its place
const MAX_CORRECTIONS: usize = 20;

/// Coefficients on a support with their predictions and objective.
#[derive(Debug, Clone, Default)]
pub struct SupportFit {
    /// Columns of the support.
    pub support: Vec<usize>,
    /// Their coefficients in units of the standardised columns.
    pub w: Vec<f64>,
    /// The intercept.
    pub intercept: f64,
    /// Predictions of the rows.
    pub f: Vec<f64>,
    /// Loss plus ridge penalty: the objective without lambda0.
    pub smooth_value: f64,
    /// Expansion of the loss at the predictions.
    pub expansion: Expansion,
}

impl SupportFit {
    fn evaluate<L: SelfConcordant>(&mut self, problem: &SubsetProblem<'_, L>) {
        self.f.clear();
        self.f.resize(problem.y.len(), self.intercept);
        for (&j, &w) in self.support.iter().zip(&self.w) {
            problem.design.columns[j].add_to(&mut self.f, w);
        }
        problem.expand_loss(&self.f, &mut self.expansion);
        let ridge: f64 = self.support.iter().zip(&self.w).map(|(&j, w)| problem.ridge[j] * w * w).sum();
        self.smooth_value = self.expansion.value + 0.5 * ridge;
    }
}

/// Minimises loss plus ridge penalty over the intercept and the coefficients of `start.support`,
/// starting from those of `start`. `null_loss` is the loss of the empty model, 0 if it is not known yet. As the time ends
/// they are the best so far.
pub fn refit<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    start: SupportFit,
    null_loss: f64,
    control: &Control,
) -> SupportFit {
    refit_towards(problem, start, None, null_loss, f64::INFINITY, control)
}

/// As [`refit`], but with a Hessian near the one at the start, and ends early once the objective is unlikely to fall
/// below `target`: under the quadratic model a Newton step lowers it by half the decrement. That of another Hessian is
/// scaled by the curvature along its step.
pub fn refit_towards<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    mut start: SupportFit,
    near: Option<Hessian>,
    null_loss: f64,
    target: f64,
    control: &Control,
) -> SupportFit {
    let bounds: Vec<Interval> = start.support.iter().map(|&j| problem.interval(j)).collect();
    start.w.iter_mut().zip(&bounds).for_each(|(w, b)| *w = w.clamp(b.0, b.1));
    start.evaluate(problem);
    // A quadratic model may propose coefficients far beyond the optimum, where an exponential loss has no digits left.
    if start.smooth_value.is_nan() || start.smooth_value > null_loss {
        start.w.fill(0.0);
        start.intercept = 0.0;
        start.evaluate(problem);
    }
    let mut current = start;
    let mut gradient = gradient_at(problem, &current);
    // Corrections of the Hessian; `None`: it is that of the rows.
    let mut n_corrections = near.is_some().then_some(0);
    let mut hessian = near.unwrap_or_else(|| Hessian::of_rows(problem, &current));
    for _ in 0..MAX_STEPS {
        if control.should_stop() {
            break;
        }
        let step = hessian.step(&gradient, &current.w, &bounds);
        let decrement = -dot(&gradient, &step);
        let is_from_rows = n_corrections.is_none();
        let is_last = |decrement: f64| {
            decrement <= DECREMENT_TOLERANCE * null_loss.max(current.smooth_value)
                || current.smooth_value - decrement > target
        };
        if is_last(decrement) {
            if is_from_rows || is_last(decrement * decrement / curvature_along(problem, &current, &step)) {
                break;
            }
            // The curvatures are too far from those of the rows.
            n_corrections = None;
            hessian = Hessian::of_rows(problem, &current);
            continue;
        }
        let next = backtrack(problem, &current, &step, decrement);
        if next.is_none() && is_from_rows || L::QUADRATIC {
            return next.map_or(current, |next| next.0);
        }
        n_corrections = n_corrections.map(|n| n + 1).filter(|n| *n <= MAX_CORRECTIONS && next.is_some());
        let Some((next, length)) = next else {
            hessian = Hessian::of_rows(problem, &current);
            continue;
        };
        current = next;
        let before = std::mem::replace(&mut gradient, gradient_at(problem, &current));
        if n_corrections.is_some() {
            let step: Vec<f64> = step.iter().map(|s| length * s).collect();
            let change: Vec<f64> =
                gradient.iter().zip(&before).map(|(after, before)| after - before).collect();
            hessian.correct(&step, &change);
        } else {
            hessian = Hessian::of_rows(problem, &current);
        }
    }
    current
}

/// Second derivative of the objective along a step.
fn curvature_along<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    current: &SupportFit,
    step: &[f64],
) -> f64 {
    let mut change = vec![step[0]; current.f.len()];
    let mut curvature = 0.0;
    for (&j, s) in current.support.iter().zip(&step[1..]) {
        problem.design.columns[j].add_to(&mut change, *s);
        curvature += problem.ridge[j] * s * s;
    }
    curvature + change.iter().zip(&current.expansion.curvature).map(|(f, h)| h * f * f).sum::<f64>()
}

/// Takes the longest of the steps 1, 1/2, 1/4, ... that meets Armijo's condition; with its length.
fn backtrack<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    current: &SupportFit,
    step: &[f64],
    decrement: f64,
) -> Option<(SupportFit, f64)> {
    let mut next = current.clone();
    for length in steps(1.0, 0.5).take(MAX_HALVINGS) {
        next.intercept = current.intercept + length * step[0];
        for (k, w) in next.w.iter_mut().enumerate() {
            *w = current.w[k] + length * step[k + 1];
        }
        next.evaluate(problem);
        if is_sufficient(current.smooth_value, next.smooth_value, -length * decrement) {
            return Some((next, length));
        }
    }
    None
}

/// Gradient; entry 0 is the intercept.
fn gradient_at<L: SelfConcordant>(problem: &SubsetProblem<'_, L>, current: &SupportFit) -> Vec<f64> {
    let u = problem.design.summed(&current.expansion.slope);
    let of_intercept = current.expansion.slope.iter().sum::<f64>();
    let of_coefficient = |(&j, w): (&usize, &f64)| problem.design.columns[j].dot(u) + problem.ridge[j] * w;
    std::iter::once(of_intercept).chain(current.support.iter().zip(&current.w).map(of_coefficient)).collect()
}
