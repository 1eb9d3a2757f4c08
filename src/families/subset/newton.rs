//! The best coefficients on a given support: Newton's method with a safeguarded step, within
//! bounds where there are any.

use super::design::{Bound, Expansion, Problem};
use super::vectors::{add, dot};
use crate::linalg::UpdatableCholesky;
use crate::loss::SelfConcordant;

/// Newton steps; quadratic convergence needs a handful, separable classes some tens.
const STEPS: usize = 100;
/// Halvings of one step.
const HALVINGS: usize = 60;
/// The decrement, relative to the loss of the empty model, that ends the iteration.
const TOLERANCE: f64 = 1e-13;

/// Coefficients on a support, and what they predict.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Columns with a coefficient.
    pub support: Vec<usize>,
    /// Their coefficients, in units of the standardised columns.
    pub w: Vec<f64>,
    /// The intercept.
    pub intercept: f64,
    /// Predictions.
    pub f: Vec<f64>,
    /// Loss and ridge: the objective without lambda0.
    pub smooth: f64,
    /// The loss around the predictions.
    pub rows: Expansion,
}

impl State {
    fn evaluate<L: SelfConcordant>(&mut self, problem: &Problem<'_, L>) {
        self.f.clear();
        self.f.resize(problem.y.len(), self.intercept);
        for (&j, &w) in self.support.iter().zip(&self.w) {
            add(&mut self.f, w, &problem.design.columns[j]);
        }
        problem.expand(&self.f, &mut self.rows);
        let ridge: f64 = self.support.iter().zip(&self.w).map(|(&j, w)| problem.ridge[j] * w * w).sum();
        self.smooth = self.rows.value + 0.5 * (ridge + problem.floor * self.intercept * self.intercept);
    }
}

/// Minimises loss and ridge over the intercept and the coefficients of `start.support`, from
/// the coefficients of `start`. `null_loss`: the loss of the empty model, 0 where it is not known yet.
pub fn refit<L: SelfConcordant>(problem: &Problem<'_, L>, start: State, null_loss: f64) -> State {
    refit_towards(problem, start, null_loss, f64::INFINITY)
}

/// The same, given up once the objective will hardly come below `target`: a Newton step gains
/// half its decrement where the quadratic model holds.
pub fn refit_towards<L: SelfConcordant>(
    problem: &Problem<'_, L>,
    mut start: State,
    null_loss: f64,
    target: f64,
) -> State {
    let bounds: Vec<Bound> = start.support.iter().map(|&j| problem.bound(j)).collect();
    start.w.iter_mut().zip(&bounds).for_each(|(w, b)| *w = w.clamp(b.0, b.1));
    start.evaluate(problem);
    if !start.smooth.is_finite() {
        start.w.fill(0.0);
        start.intercept = 0.0;
        start.evaluate(problem);
    }
    let mut now = start;
    for _ in 0..STEPS {
        let (gradient, step) = step(problem, &now, &bounds);
        let decrement = -dot(&gradient, &step);
        if decrement <= TOLERANCE * null_loss.max(now.smooth) || now.smooth - decrement > target {
            break;
        }
        let Some(next) = shorten(problem, &now, &step, decrement) else { break };
        now = next;
        if L::QUADRATIC {
            break;
        }
    }
    now
}

/// The largest of 1, 1/2, 1/4, ... of a step that lowers the objective enough. Near the optimum
/// the fall drowns in the rounding of a sum over all rows: so much of a rise is none.
fn shorten<L: SelfConcordant>(
    problem: &Problem<'_, L>,
    now: &State,
    step: &[f64],
    decrement: f64,
) -> Option<State> {
    let mut next = now.clone();
    let mut size = 1.0;
    let rounding = 4.0 * f64::EPSILON * (now.f.len() as f64).sqrt() * now.smooth.abs();
    for _ in 0..HALVINGS {
        next.intercept = now.intercept + size * step[0];
        for (k, w) in next.w.iter_mut().enumerate() {
            *w = now.w[k] + size * step[k + 1];
        }
        next.evaluate(problem);
        if next.smooth <= now.smooth - 1e-4 * size * decrement + rounding {
            return Some(next);
        }
        size *= 0.5;
    }
    None
}

/// Gradient and Newton step, the intercept first.
fn step<L: SelfConcordant>(problem: &Problem<'_, L>, now: &State, bounds: &[Bound]) -> (Vec<f64>, Vec<f64>) {
    let columns: Vec<&[f64]> = now.support.iter().map(|&j| problem.design.columns[j].as_slice()).collect();
    let (u, h) = (&now.rows.slope, &now.rows.curvature);
    let k = columns.len();
    let mut gradient = Vec::with_capacity(k + 1);
    gradient.push(u.iter().sum::<f64>() + problem.floor * now.intercept);
    let mut hessian = vec![vec![h.iter().sum::<f64>() + problem.floor]];
    let mut weighted = vec![0.0; h.len()];
    for (a, x) in columns.iter().enumerate() {
        let ridge = problem.ridge[now.support[a]];
        gradient.push(dot(x, u) + ridge * now.w[a]);
        weighted.iter_mut().zip(x.iter().zip(h)).for_each(|(z, (x, h))| *z = x * h);
        let mut row = Vec::with_capacity(a + 2);
        row.push(weighted.iter().sum());
        row.extend(columns[..=a].iter().map(|other| dot(other, &weighted)));
        row[a + 1] += ridge;
        hessian.push(row);
    }
    let bounded = bounds.iter().any(|b| b.0.is_finite() || b.1.is_finite());
    let step = if bounded { boxed(&hessian, &gradient, &now.w, bounds) } else { solve(&hessian, &gradient) };
    (gradient, step)
}

/// -H^-1 g; columns that depend on earlier ones get a little of their own.
fn solve(hessian: &[Vec<f64>], gradient: &[f64]) -> Vec<f64> {
    let mut factor = UpdatableCholesky::default();
    for row in hessian {
        let (cross, own) = (&row[..row.len() - 1], row[row.len() - 1]);
        let mut own = if own > 0.0 { own } else { 1.0 };
        while factor.push(cross, own).is_err() {
            own *= 1.0 + 1e-8;
        }
    }
    let negative: Vec<f64> = gradient.iter().map(|g| -g).collect();
    factor.solve(&negative)
}

/// Sweeps of the quadratic problem within bounds.
const SWEEPS: usize = 1000;

/// The step that minimises g'd + d'Hd/2 with every coefficient within its bounds, by cyclic
/// coordinate descent.
fn boxed(hessian: &[Vec<f64>], gradient: &[f64], w: &[f64], bounds: &[Bound]) -> Vec<f64> {
    let m = gradient.len();
    let entry = |a: usize, b: usize| if a >= b { hessian[a][b] } else { hessian[b][a] };
    let mut step = vec![0.0; m];
    let mut slope = gradient.to_vec();
    for _ in 0..SWEEPS {
        let (mut moved, mut gained) = (0.0f64, 0.0f64);
        for a in 0..m {
            let own = entry(a, a);
            if own <= 0.0 {
                continue;
            }
            let mut to = step[a] - slope[a] / own;
            if a > 0 {
                to = to.clamp(bounds[a - 1].0 - w[a - 1], bounds[a - 1].1 - w[a - 1]);
            }
            let change = to - step[a];
            if change != 0.0 {
                step[a] = to;
                (0..m).for_each(|b| slope[b] += change * entry(a, b));
                moved = moved.max(own * change * change);
                gained += own * to * to;
            }
        }
        if moved <= 1e-24 * gained {
            break;
        }
    }
    step
}
