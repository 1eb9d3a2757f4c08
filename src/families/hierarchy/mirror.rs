//! Mirror descent on the shares, as in \[HKL-REL\] section 4: the slow twin of [`super::newton`].
//!
//! Steps are entropic, `eta_v` <- `eta_v` exp(-s (grad g)_v), with the gradient of Theorem 3; the
//! inner maximum is found by Newton's method with a barrier so weak that the gap does not feel
//! it. The step is halved where g would rise and grows where it falls.

use super::hull::Hull;
use super::newton::{Inner, Level, Problem, maximise_inner};
use super::solver::{Limits, Solution, evaluate, expand, start};
use super::sums::Sums;
use crate::control::Control;
use crate::error::Result;

/// The barrier's share of the gap asked for.
const BARRIER: f64 = 0.02;
/// Descent steps between two looks at the sources.
const STEPS: usize = 50;
/// Looks at the sources before giving up.
const LOOKS: usize = 2000;

/// Solves over the lattice, from a working set.
pub fn solve(
    problem: &Problem<'_>,
    hull: &mut Hull<'_>,
    sums: &Sums<'_>,
    limits: Limits,
    control: &Control,
) -> Result<Solution> {
    let mut point = start(problem, hull, limits);
    let flat = vec![0.0; point.u.len()];
    let scale = problem.terms.primal(&flat, problem.terms.intercept(&flat));
    let mut best: Option<Solution> = None;
    let mut length = 1.0;
    for _ in 0..LOOKS {
        control.check()?;
        let mu = BARRIER * limits.tol * scale / (1 + problem.terms.n_barriers()) as f64;
        let level = Level { mu, close: f64::INFINITY };
        let Some(mut inner) = maximise_inner(problem, hull, &point.eta, point.u.clone(), level) else {
            break;
        };
        for _ in 0..STEPS {
            if control.should_stop() {
                break;
            }
            let Some((eta, next)) = descend(problem, hull, &point.eta, &inner, level, &mut length) else {
                break;
            };
            (point.eta, inner) = (eta, next);
        }
        control.check()?;
        point.u.clone_from(&inner.u);
        let (solution, wanted) = evaluate(problem, hull, sums, &inner, &point, limits, control);
        control.check()?;
        let full = hull.len() >= limits.max_hull && solution.inside <= limits.tol * solution.primal.abs();
        let done = solution.complete || full;
        best = Some(Solution::better(best, solution));
        if done || control.should_stop() {
            break;
        }
        expand(hull, wanted, &mut point.eta, limits.max_hull, 1e-6);
    }
    Ok(Solution::finish(best, problem, hull, point))
}

/// One step downhill; `None` where rounding leaves none.
fn descend(
    problem: &Problem<'_>,
    hull: &Hull<'_>,
    eta: &[f64],
    inner: &Inner,
    level: Level,
    length: &mut f64,
) -> Option<(Vec<f64>, Inner)> {
    let t = &inner.dual.t;
    let mean: f64 = t.iter().sum();
    loop {
        let step = |(e, t): (&f64, &f64)| e * (*length * (t / e - mean)).clamp(-50.0, 3.0).exp();
        let mut next: Vec<f64> = eta.iter().zip(t).map(step).map(|e| e.max(1e-300)).collect();
        let total: f64 = next.iter().sum();
        next.iter_mut().for_each(|e| *e /= total);
        let reached = maximise_inner(problem, hull, &next, inner.u.clone(), level)?;
        if reached.value < inner.value {
            *length *= 1.2;
            return Some((next, reached));
        }
        *length *= 0.5;
        if *length < 1e-9 {
            *length = 1e-3;
            return None;
        }
    }
}
