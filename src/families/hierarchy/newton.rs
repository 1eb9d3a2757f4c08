//! Newton's method on the saddle of \[HKL-REL\] Theorem 2, with logarithmic barriers.
//!
//! Over a working set the problem is to minimise, over shares eta in the simplex,
//!
//! ```text
//! g(eta) = max over u, sum of u = 0, of  sum_i psi_i(u_i) - h(Phi' u, eta)
//! ```
//!
//! A barrier of strength mu keeps eta positive and u inside its bounds; as mu falls its minimiser
//! goes to that of g. For one mu this is Newton's method on g: the inner maximum is found
//! by Newton's method too ([`maximise_inner`]), its curvature in eta follows from the implicit function
//! theorem, and steps are relative to eta, in which all derivatives are of one size.

use super::hull::Hull;
use super::kernel::Kernel;
use super::norm::{Dual, Shape};
use super::terms::Terms;
use crate::linalg::{Cholesky, dot};

/// A problem over any working set.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// The rows.
    pub terms: Terms<'a>,
    /// The penalty.
    pub shape: Shape,
}

/// How hard to push away from the bounds, and how near to go to the centre that results.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    /// Strength of the barriers.
    pub mu: f64,
    /// Newton's decrement to reach: the gap feels the square root of what is left.
    pub close: f64,
}

/// Shares and multipliers.
#[derive(Debug, Clone)]
pub struct Point {
    /// Shares of the groups, > 0, sum 1.
    pub eta: Vec<f64>,
    /// Multipliers of the rows, sum 0.
    pub u: Vec<f64>,
}

/// The inner maximum at one eta, with what its derivatives need.
pub struct Inner {
    /// The multipliers.
    pub u: Vec<f64>,
    /// h there.
    pub dual: Dual,
    /// g without the barrier on eta.
    pub value: f64,
    /// Minus the second derivative in u.
    kernel: Kernel,
}

/// Newton steps of one inner maximum or one centring.
const MOST: usize = 60;
/// A decrement below this share of the value that no longer falls is rounding.
const ROUNDING: f64 = 1e-9;
/// How far a step may go towards a bound.
const SHORT: f64 = 0.95;

/// The inner objective at u.
fn objective(
    problem: &Problem<'_>,
    hull: &Hull<'_>,
    eta: &[f64],
    u: &[f64],
    mu: f64,
) -> (f64, Vec<f64>, Dual) {
    let q = hull.correlations(u);
    let dual = Dual::new(hull, problem.shape, &q, eta);
    let terms: f64 = u.iter().enumerate().map(|(i, &u)| problem.terms.term(i, u, mu).value).sum();
    (terms - 0.5 * dual.norm * dual.norm, q, dual)
}

/// Makes the multipliers sum to 0 by shrinking the side that is larger, which leaves no bound.
pub fn balance(u: &mut [f64]) {
    let side = |u: &[f64], sign: f64| -> f64 { u.iter().map(|u| (u * sign).max(0.0)).sum() };
    let (positive, negative) = (side(u, 1.0), side(u, -1.0));
    if positive > 0.0 && negative > 0.0 {
        let shrink = |u: &mut f64| {
            if *u > 0.0 && positive > negative {
                *u *= negative / positive;
            } else if *u < 0.0 && negative > positive {
                *u *= positive / negative;
            }
        };
        u.iter_mut().for_each(shrink);
    }
}

/// Takes multiples of `level` off a change until what it adds up to is rounding.
fn without_sum(change: &mut [f64], level: &[f64], sum: f64) {
    let total: f64 = level.iter().sum();
    for _ in 0..3 {
        let excess = (change.iter().sum::<f64>() + sum) / total;
        change.iter_mut().zip(level).for_each(|(x, l)| *x -= excess * l);
    }
}

/// The inner maximum at eta, from multipliers that are inside their bounds.
pub fn maximise_inner(
    problem: &Problem<'_>,
    hull: &Hull<'_>,
    eta: &[f64],
    mut u: Vec<f64>,
    level: Level,
) -> Option<Inner> {
    let n = u.len();
    let Level { mu, close } = level;
    balance(&mut u);
    let (mut value, mut q, mut dual) = objective(problem, hull, eta, &u, mu);
    let ones = vec![1.0; n];
    let (mut round, mut before) = (0, f64::INFINITY);
    loop {
        let terms: Vec<_> = (0..n).map(|i| problem.terms.term(i, u[i], mu)).collect();
        let curvature: Vec<f64> = terms.iter().map(|t| t.curvature).collect();
        let kernel = Kernel::new(hull, problem.shape, &dual, &q, &curvature)?;
        let f = hull.predictions(&dual.f, n);
        let slope: Vec<f64> = terms.iter().zip(&f).map(|(t, f)| t.slope - f).collect();
        let (mut step, level) = (kernel.solve(hull, &slope), kernel.solve(hull, &ones));
        without_sum(&mut step, &level, u.iter().sum());
        let decrement = dot(&slope, &step);
        round += 1;
        let stalled = decrement > 0.25 * before && decrement < ROUNDING * value.abs();
        before = decrement;
        if decrement <= (1e-4 * mu).min(close) || stalled || round > MOST {
            return Some(Inner { u, dual, value, kernel });
        }
        let mut share = (SHORT * problem.terms.max_step(&u, &step)).min(1.0);
        loop {
            let next: Vec<f64> = u.iter().zip(&step).map(|(u, s)| u + share * s).collect();
            let (reached, next_q, next_dual) = objective(problem, hull, eta, &next, mu);
            if reached >= value + 1e-3 * share * decrement - 1e-15 * value.abs() {
                (u, value, q, dual) = (next, reached, next_q, next_dual);
                break;
            }
            share *= 0.4;
            if share < 1e-8 {
                return Some(Inner { u, dual, value, kernel });
            }
        }
    }
}

/// A Newton step of the shares.
struct Step {
    /// Relative change of each share.
    eta: Vec<f64>,
    /// The change of the multipliers that follows.
    u: Vec<f64>,
    /// Square of the step's length in the curvature's metric.
    decrement: f64,
}

/// Columns of Phi d f / d log eta, one for each share.
fn responses(hull: &Hull<'_>, shape: Shape, inner: &Inner) -> Vec<Vec<f64>> {
    let (n, dual) = (inner.u.len(), &inner.dual);
    let f = hull.predictions(&dual.f, n);
    let mut columns: Vec<Vec<f64>> =
        dual.t.iter().map(|t| f.iter().map(|f| -shape.theta() * t * f).collect()).collect();
    for (node, w) in hull.nodes().iter().zip(0..).filter(|&(_, w)| dual.f[w] != 0.0) {
        for &v in &node.ancestors {
            let change = dual.f[w] * dual.k[v as usize] / dual.c[w];
            let column = &mut columns[v as usize];
            node.rows.iter().for_each(|&r| column[r as usize] += change);
        }
    }
    columns
}

/// Minus the changes of the multipliers that follow such columns; their sums are 0.
fn implicit_derivatives(hull: &Hull<'_>, inner: &Inner, columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let level = inner.kernel.solve(hull, &vec![1.0; inner.u.len()]);
    let follow = |column: &Vec<f64>| {
        let mut change = inner.kernel.solve(hull, column);
        without_sum(&mut change, &level, 0.0);
        change
    };
    columns.iter().map(follow).collect()
}

fn step(problem: &Problem<'_>, hull: &Hull<'_>, eta: &[f64], inner: &Inner, mu: f64) -> Option<Step> {
    let (size, dual, shape) = (eta.len(), &inner.dual, problem.shape);
    let square = dual.norm * dual.norm;
    let unit = square * (shape.rho - 1.0);
    let columns = responses(hull, shape, inner);
    let changes = implicit_derivatives(hull, inner, &columns);
    let mut matrix = vec![0.0; size * size];
    // Steps keep the sum of eta. Without the last part its direction has the curvature of the
    // barrier alone, and rounding would spoil all others.
    let sum = if square > 0.0 { square } else { 1.0 };
    for v in 0..size {
        for w in 0..=v {
            matrix[v * size + w] = dot(&columns[v], &changes[w])
                + unit * shape.theta() / shape.rho * dual.t[v] * dual.t[w]
                + sum * eta[v] * eta[w];
        }
        matrix[v * size + v] += unit * dual.t[v] + mu;
    }
    for (node, w) in hull.nodes().iter().zip(0..) {
        let scale = unit * dual.p[w] / (dual.c[w] * dual.c[w]);
        for (place, &v) in node.ancestors.iter().enumerate() {
            for &x in &node.ancestors[..=place] {
                matrix[v as usize * size + x as usize] -= scale * dual.k[v as usize] * dual.k[x as usize];
            }
        }
    }
    let factor = Cholesky::new(&matrix, size)?;
    let pull: Vec<f64> = dual.t.iter().map(|t| unit / shape.rho * t + mu).collect();
    let (ahead, level) = (factor.solve(&pull), factor.solve(eta));
    let nu = dot(eta, &ahead) / dot(eta, &level);
    let change: Vec<f64> = ahead.iter().zip(&level).map(|(x, l)| x - nu * l).collect();
    let decrement = dot(&change, &pull);
    let mut follow = vec![0.0; inner.u.len()];
    for (column, s) in changes.iter().zip(&change) {
        follow.iter_mut().zip(column).for_each(|(x, c)| *x -= s * c);
    }
    Some(Step { eta: change, u: follow, decrement })
}

/// g with both barriers.
fn value(eta: &[f64], inner: &Inner, mu: f64) -> f64 {
    inner.value - mu * eta.iter().map(|e| e.ln()).sum::<f64>()
}

/// What a centring ended with.
pub struct Centre {
    /// The inner maximum at the shares reached.
    pub inner: Inner,
    /// Newton steps taken.
    pub steps: u64,
}

/// Goes to the minimiser for one mu, as far as floating point lets it; `over` is asked before
/// each step whether to stop.
pub fn centre(
    problem: &Problem<'_>,
    hull: &Hull<'_>,
    point: &mut Point,
    level: Level,
    over: &dyn Fn() -> bool,
) -> Option<Centre> {
    let mu = level.mu;
    let mut inner = maximise_inner(problem, hull, &point.eta, point.u.clone(), level)?;
    let (mut steps, mut before) = (0, f64::INFINITY);
    while steps < MOST as u64 && !over() {
        let Some(step) = step(problem, hull, &point.eta, &inner, mu) else { break };
        let stalled = step.decrement > 0.25 * before && step.decrement < ROUNDING * inner.value.abs();
        before = step.decrement;
        if step.decrement <= (0.05 * mu).min(level.close) || stalled {
            break;
        }
        steps += 1;
        let here = value(&point.eta, &inner, mu);
        let down = step.eta.iter().fold(0.0, |m: f64, s| m.max(-s));
        let mut share = (SHORT / down).min(1.0);
        let moved = loop {
            let mut eta: Vec<f64> =
                point.eta.iter().zip(&step.eta).map(|(e, s)| e * (1.0 + share * s)).collect();
            let total: f64 = eta.iter().sum();
            eta.iter_mut().for_each(|e| *e /= total);
            let length = (SHORT * problem.terms.max_step(&inner.u, &step.u)).min(share);
            let u = inner.u.iter().zip(&step.u).map(|(u, s)| u + length * s).collect();
            let next = maximise_inner(problem, hull, &eta, u, level)?;
            if value(&eta, &next, mu) <= here - 1e-3 * share * step.decrement + 1e-14 * here.abs() {
                point.eta = eta;
                inner = next;
                break true;
            }
            share *= 0.4;
            if share < 1e-6 {
                break false;
            }
        };
        if !moved {
            break;
        }
    }
    point.u.clone_from(&inner.u);
    Some(Centre { inner, steps })
}
