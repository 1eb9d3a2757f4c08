//! Mirror descent on the kernel weights, as in \[HKL-REL\] section 4: a reference for [`super::newton`].
//!
//! Steps are entropic, `eta_v` <- `eta_v` exp(-s (grad g)_v), with the gradient of Theorem 3. The inner
//! maximum is found by Newton's method with a barrier that is weak relative to the tolerance. The step
//! length s is halved if g rises and increased if it falls.

use super::complement::Outside;
use super::evaluation::Evaluation;
use super::hull::Hull;
use super::newton::{BarrierLevel, InnerMaximum, SaddleProblem, maximise_inner};
use super::solver::{Solution, SolverLimits, add_sources, initial_point};
use crate::error::Result;

/// Contribution of the barriers to the gap, relative to the tolerance.
const BARRIER_FRACTION: f64 = 0.02;
/// Maximum number of descent steps between two evaluations of the sources.
const MAX_STEPS_PER_ROUND: usize = 50;
/// Maximum number of evaluations of the sources.
const MAX_ROUNDS: usize = 2000;

/// Solves over the lattice, from a working set.
pub fn solve(
    problem: &SaddleProblem<'_>,
    hull: &mut Hull<'_>,
    outside: Outside<'_>,
    limits: SolverLimits,
) -> Result<Solution> {
    let control = outside.control;
    let mut point = initial_point(problem, hull);
    let zero_predictions = vec![0.0; point.u.len()];
    let scale = problem.terms.primal(&zero_predictions, problem.terms.intercept(&zero_predictions));
    let mut best: Option<Solution> = None;
    let mut step_length = 1.0;
    for _ in 0..MAX_ROUNDS {
        control.check()?;
        let mu = BARRIER_FRACTION * limits.tol * scale / (1 + problem.terms.n_barriers()) as f64;
        let level = BarrierLevel { mu, decrement_tol: f64::INFINITY };
        let Some(mut inner) = maximise_inner(problem, hull, &point.eta, point.u.clone(), level, None) else {
            break;
        };
        for _ in 0..MAX_STEPS_PER_ROUND {
            if problem.control.should_stop() {
                break;
            }
            let Some((eta, next)) = mirror_step(problem, hull, &point.eta, &inner, level, &mut step_length)
            else {
                break;
            };
            (point.eta, inner) = (eta, next);
        }
        control.check()?;
        point.u.clone_from(&inner.u);
        let mut evaluation = Evaluation::new(problem, hull, &inner, &point, limits);
        let complement = evaluation.bound_complement(hull, outside);
        let solution = evaluation.solution;
        control.check()?;
        let is_settled =
            hull.len() >= limits.max_hull && solution.restricted_gap <= limits.tol * solution.primal.abs();
        let is_done = solution.complete || is_settled;
        best = Some(Solution::merge_best(best, solution, &problem.terms, limits.tol));
        if is_done || problem.control.should_stop() {
            break;
        }
        add_sources(hull, complement.violating, &mut point.eta, limits.max_hull, 1e-6);
    }
    Ok(Solution::into_best(best, problem, hull, point))
}

/// One step that lowers g; `None` if there is none within rounding.
fn mirror_step(
    problem: &SaddleProblem<'_>,
    hull: &Hull<'_>,
    eta: &[f64],
    inner: &InnerMaximum,
    level: BarrierLevel,
    step_length: &mut f64,
) -> Option<(Vec<f64>, InnerMaximum)> {
    let t = &inner.dual.t;
    let mean: f64 = t.iter().sum();
    loop {
        let step = |(e, t): (&f64, &f64)| e * (*step_length * (t / e - mean)).clamp(-50.0, 3.0).exp();
        let mut next: Vec<f64> = eta.iter().zip(t).map(step).map(|e| e.max(1e-300)).collect();
        let total: f64 = next.iter().sum();
        next.iter_mut().for_each(|e| *e /= total);
        let next_inner = maximise_inner(problem, hull, &next, inner.u.clone(), level, None)?;
        if next_inner.value < inner.value {
            *step_length *= 1.2;
            return Some((next, next_inner));
        }
        *step_length *= 0.5;
        if *step_length < 1e-9 {
            *step_length = 1e-3;
            return None;
        }
    }
}
