//! The optimal coefficients on a given support, within bounds if there are any: Newton's method
//! with backtracking.

use std::borrow::Cow;

use super::design::{Expansion, Interval, SubsetProblem};
use crate::linalg::line_search::{is_sufficient, steps};
use crate::linalg::{UpdatableCholesky, dot};
use crate::loss::SelfConcordant;

/// Maximum number of Newton steps: quadratic convergence needs fewer than ten, separable classes some tens.
const MAX_STEPS: usize = 100;
/// Maximum number of halvings of one step: 2^-60 is below the spacing of doubles.
const MAX_HALVINGS: usize = 60;
/// Newton decrement, relative to the loss of the empty model, at which the iteration ends: a few
/// hundred units in the last place, the rounding of a sum over many rows.
const DECREMENT_TOLERANCE: f64 = 1e-13;

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
        self.smooth_value =
            self.expansion.value + 0.5 * (ridge + problem.intercept_ridge * self.intercept * self.intercept);
    }
}

/// Minimises loss plus ridge penalty over the intercept and the coefficients of `start.support`,
/// starting from those of `start`. `null_loss` is the loss of the empty model, 0 if it is not known yet.
pub fn refit<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    start: SupportFit,
    null_loss: f64,
) -> SupportFit {
    refit_towards(problem, start, null_loss, f64::INFINITY)
}

/// As [`refit`], but ends early once the objective is unlikely to fall below `target`: under the
/// quadratic model a Newton step lowers it by half the decrement.
pub fn refit_towards<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    mut start: SupportFit,
    null_loss: f64,
    target: f64,
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
    for _ in 0..MAX_STEPS {
        let (gradient, step) = newton_step(problem, &current, &bounds);
        let decrement = -dot(&gradient, &step);
        if decrement <= DECREMENT_TOLERANCE * null_loss.max(current.smooth_value)
            || current.smooth_value - decrement > target
        {
            break;
        }
        let Some(next) = backtrack(problem, &current, &step, decrement) else { break };
        current = next;
        if L::QUADRATIC {
            break;
        }
    }
    current
}

/// Takes the longest of the steps 1, 1/2, 1/4, ... that meets Armijo's condition.
fn backtrack<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    current: &SupportFit,
    step: &[f64],
    decrement: f64,
) -> Option<SupportFit> {
    let mut next = current.clone();
    for step_length in steps(1.0, 0.5).take(MAX_HALVINGS) {
        next.intercept = current.intercept + step_length * step[0];
        for (k, w) in next.w.iter_mut().enumerate() {
            *w = current.w[k] + step_length * step[k + 1];
        }
        next.evaluate(problem);
        if is_sufficient(current.smooth_value, next.smooth_value, -step_length * decrement) {
            return Some(next);
        }
    }
    None
}

/// Gradient and Newton step; entry 0 is the intercept.
fn newton_step<L: SelfConcordant>(
    problem: &SubsetProblem<'_, L>,
    current: &SupportFit,
    bounds: &[Interval],
) -> (Vec<f64>, Vec<f64>) {
    let columns: Vec<Cow<'_, [f64]>> =
        current.support.iter().map(|&j| problem.design.columns[j].to_dense()).collect();
    let (u, h) = (&current.expansion.slope, &current.expansion.curvature);
    let k = columns.len();
    let mut gradient = Vec::with_capacity(k + 1);
    gradient.push(u.iter().sum::<f64>() + problem.intercept_ridge * current.intercept);
    let mut hessian = vec![vec![h.iter().sum::<f64>() + problem.intercept_ridge]];
    let mut weighted = vec![0.0; h.len()];
    for (a, x) in columns.iter().enumerate() {
        let ridge = problem.ridge[current.support[a]];
        gradient.push(dot(x, u) + ridge * current.w[a]);
        weighted.iter_mut().zip(x.iter().zip(h)).for_each(|(z, (x, h))| *z = x * h);
        let mut row = Vec::with_capacity(a + 2);
        row.push(weighted.iter().sum());
        row.extend(columns[..=a].iter().map(|other| dot(other, &weighted)));
        row[a + 1] += ridge;
        hessian.push(row);
    }
    let bounded = bounds.iter().any(|b| b.0.is_finite() || b.1.is_finite());
    let step = if bounded {
        solve_in_box(&hessian, &gradient, &current.w, bounds)
    } else {
        solve_newton_system(&hessian, &gradient)
    };
    (gradient, step)
}

/// First relative increase of the diagonal of a linearly dependent column: 10 times the tolerance of the factor.
const MIN_INCREASE: f64 = 1e-8;

/// -H^-1 g. The diagonal of a linearly dependent column is increased, ever faster, until the matrix is definite.
fn solve_newton_system(hessian: &[Vec<f64>], gradient: &[f64]) -> Vec<f64> {
    let mut factor = UpdatableCholesky::default();
    for row in hessian {
        let (cross, diagonal) = (&row[..row.len() - 1], row[row.len() - 1]);
        let mut diagonal = if diagonal > 0.0 { diagonal } else { 1.0 };
        let mut increase = MIN_INCREASE;
        while diagonal.is_finite() && factor.push(cross, diagonal).is_err() {
            diagonal *= 1.0 + increase;
            increase *= 10.0;
        }
        if diagonal.is_infinite() {
            // Overflow: the coefficient moves on its own.
            let is_pushed = factor.push(&vec![0.0; cross.len()], 1.0).is_ok();
            debug_assert!(is_pushed, "an orthogonal row is independent");
        }
    }
    let negative: Vec<f64> = gradient.iter().map(|g| -g).collect();
    factor.solve(&negative)
}

/// Maximum number of sweeps of the quadratic problem with bounds.
const MAX_BOX_SWEEPS: usize = 1000;

/// The step d that minimises g'd + d'Hd/2 with `w + d` within the bounds, by cyclic coordinate descent.
fn solve_in_box(hessian: &[Vec<f64>], gradient: &[f64], w: &[f64], bounds: &[Interval]) -> Vec<f64> {
    let m = gradient.len();
    let entry = |a: usize, b: usize| if a >= b { hessian[a][b] } else { hessian[b][a] };
    let mut step = vec![0.0; m];
    let mut slope = gradient.to_vec();
    for _ in 0..MAX_BOX_SWEEPS {
        let (mut largest_change, mut total) = (0.0f64, 0.0f64);
        for a in 0..m {
            let diagonal = entry(a, a);
            if diagonal <= 0.0 {
                continue;
            }
            let mut target = step[a] - slope[a] / diagonal;
            if a > 0 {
                target = target.clamp(bounds[a - 1].0 - w[a - 1], bounds[a - 1].1 - w[a - 1]);
            }
            let change = target - step[a];
            if change != 0.0 {
                step[a] = target;
                (0..m).for_each(|b| slope[b] += change * entry(a, b));
                largest_change = largest_change.max(diagonal * change * change);
                total += diagonal * target * target;
            }
        }
        if largest_change <= 1e-24 * total {
            break;
        }
    }
    step
}
