//! Newton's method on the saddle point problem of \[HKL-REL\] Theorem 2, with logarithmic barriers.
//!
//! Over a working set the problem is to minimise, over kernel weights eta in the simplex,
//!
//! ```text
//! g(eta) = max over u, sum of u = 0, of  sum_i psi_i(u_i) - h(Phi' u, eta)
//! ```
//!
//! Barriers of strength mu keep eta positive and u inside its bounds; as mu falls the minimiser converges
//! to that of g. For one mu this is Newton's method on g. The inner maximum is also found by Newton's
//! method ([`maximise_inner`]), its Hessian in eta follows from the implicit function theorem, and steps
//! are relative to eta (Newton's method in log eta), which scales the derivatives alike. From one mu to the next the
//! minimiser follows its tangent in log mu ([`CentringResult::follow`]): one to three steps are left of six.

use serde::{Deserialize, Serialize};

use super::hull::{Hull, HullNode};
use super::inner_hessian::{InnerHessian, gram};
use super::norm::{DualNorm, NormParams};
use super::terms::{DualTerms, balance_multipliers, remove_sum};
use crate::control::Control;
use crate::linalg::{Cholesky, MIN_PRODUCTS_PER_THREAD, dot};
use crate::threads;

/// A problem over any working set.
#[derive(Debug, Clone)]
pub struct SaddleProblem<'a> {
    /// The dual terms of the rows.
    pub terms: DualTerms<'a>,
    /// Parameters of the penalty.
    pub norm: NormParams,
    /// Ends every long loop.
    pub control: &'a Control,
}

/// Strength of the barriers and accuracy of the centring.
#[derive(Debug, Clone, Copy)]
pub struct BarrierLevel {
    /// Strength of the barriers.
    pub mu: f64,
    /// Newton decrement at which centring ends; the gap depends on its square root.
    pub decrement_tol: f64,
}

/// Kernel weights and multipliers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SaddlePoint {
    /// Kernel weights of the groups, > 0, sum 1.
    pub eta: Vec<f64>,
    /// Multipliers of the rows, sum 0.
    pub u: Vec<f64>,
}

/// The inner maximum at one eta, with the quantities for its derivatives.
pub struct InnerMaximum {
    /// The multipliers.
    pub u: Vec<f64>,
    /// h at the maximum.
    pub dual: DualNorm,
    /// g without the barrier on eta.
    pub value: f64,
    /// Negative Hessian with respect to u.
    hessian: InnerHessian,
}

/// Maximum number of Newton steps of one inner maximum or one centring.
const MAX_NEWTON_STEPS: usize = 60;
/// A centring ends once its decrement is at most this fraction of mu. A fraction of mu for each conjunction takes half of
/// the steps, but the last centrings then start so far away that they can end short of the tolerance.
const CENTRING_FRACTION: f64 = 0.05;
/// A decrement below this fraction of the value that no longer decreases quadratically is rounding.
const STALLED_DECREMENT: f64 = 1e-13;
/// Largest fraction of the step to the boundary (fraction-to-the-boundary rule).
const BOUNDARY_FRACTION: f64 = 0.95;

/// The inner objective at u.
fn objective(
    problem: &SaddleProblem<'_>,
    hull: &Hull<'_>,
    eta: &[f64],
    u: &[f64],
    mu: f64,
) -> (f64, Vec<f64>, DualNorm) {
    let q = hull.correlations(u);
    let dual = DualNorm::new(hull, problem.norm, &q, eta);
    let terms: f64 = u.iter().enumerate().map(|(i, &u)| problem.terms.term(i, u, mu).value).sum();
    (terms - 0.5 * dual.norm * dual.norm, q, dual)
}

/// Finds the inner maximum at eta, from multipliers inside their bounds; `None` if the Hessian is
/// indefinite by rounding. Each step is an ascent step or ends the loop, and their number is limited.
pub fn maximise_inner(
    problem: &SaddleProblem<'_>,
    hull: &Hull<'_>,
    eta: &[f64],
    mut u: Vec<f64>,
    level: BarrierLevel,
    products: Option<&[f64]>,
) -> Option<InnerMaximum> {
    let n = u.len();
    let BarrierLevel { mu, decrement_tol } = level;
    balance_multipliers(&mut u);
    let (mut value, mut q, mut dual) = objective(problem, hull, eta, &u, mu);
    let ones = vec![1.0; n];
    let (mut n_steps, mut previous_decrement) = (0, f64::INFINITY);
    loop {
        let terms: Vec<_> = (0..n).map(|i| problem.terms.term(i, u[i], mu)).collect();
        let curvature: Vec<f64> = terms.iter().map(|t| t.curvature).collect();
        let hessian = InnerHessian::new(hull, problem.norm, &dual, &q, &curvature, products)?;
        let f = hull.predictions(&dual.f, n);
        let slope: Vec<f64> = terms.iter().zip(&f).map(|(t, f)| t.slope - f).collect();
        let (mut step, level) = (hessian.solve(hull, &slope), hessian.solve(hull, &ones));
        remove_sum(&mut step, &level, u.iter().sum());
        let decrement = dot(&slope, &step);
        n_steps += 1;
        let has_stalled =
            decrement > 0.25 * previous_decrement && decrement < STALLED_DECREMENT * value.abs();
        previous_decrement = decrement;
        if decrement <= (1e-4 * mu).min(decrement_tol)
            || has_stalled
            || n_steps > MAX_NEWTON_STEPS
            || problem.control.should_stop()
        {
            return Some(InnerMaximum { u, dual, value, hessian });
        }
        let mut step_length = (BOUNDARY_FRACTION * problem.terms.max_step(&u, &step)).min(1.0);
        loop {
            let next: Vec<f64> = u.iter().zip(&step).map(|(u, s)| u + step_length * s).collect();
            let (next_value, next_q, next_dual) = objective(problem, hull, eta, &next, mu);
            if next_value >= value + 1e-3 * step_length * decrement - 1e-15 * value.abs() {
                (u, value, q, dual) = (next, next_value, next_q, next_dual);
                break;
            }
            step_length *= 0.4;
            if step_length < 1e-8 {
                return Some(InnerMaximum { u, dual, value, hessian });
            }
        }
    }
}

/// The matrix of d f / d log eta, without its term of rank one -theta f t': for each conjunction
/// the entries of its subsets v.
fn mixed_derivatives(hull: &Hull<'_>, inner: &InnerMaximum) -> Vec<Vec<(usize, f64)>> {
    let dual = &inner.dual;
    let row = |(w, node): (usize, &HullNode)| {
        let entry = |&v: &u32| (v as usize, dual.f[w] * dual.k[v as usize] / dual.c[w]);
        node.ancestors.iter().map(entry).collect()
    };
    hull.nodes().iter().enumerate().map(row).collect()
}

/// A' S A for A = B - theta f t', the lower triangle of a matrix of full rows; `rows` are those of B, S is symmetric and
/// given by its lower triangle.
fn project(reduced: &[f64], rows: &[Vec<(usize, f64)>], f: &[f64], theta: f64, t: &[f64]) -> Vec<f64> {
    let size = t.len();
    let symmetric = |v: usize, w: usize| reduced[v.max(w) * size + v.min(w)];
    let n_entries: usize = rows.iter().map(Vec::len).sum();
    let rows_per_thread = MIN_PRODUCTS_PER_THREAD.div_ceil(n_entries.max(size).max(1));
    let part = rows_per_thread * size.max(1);
    let mut products = vec![0.0; size * size]; // S B
    let solved = threads::map_chunks(&mut products, part, |k, products| {
        let of_row = |(v, product): (usize, &mut [f64])| -> f64 {
            for (w, other) in rows.iter().enumerate() {
                let x = symmetric(v, w);
                other.iter().for_each(|&(column, b)| product[column] += x * b);
            }
            (0..size).map(|w| symmetric(v, w) * f[w]).sum()
        };
        (k * rows_per_thread..).zip(products.chunks_mut(size)).map(of_row).collect::<Vec<f64>>()
    });
    let solved = solved.concat(); // S f
    let curvature: f64 = f.iter().zip(&solved).map(|(f, s)| f * s).sum(); // f' S f
    let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); size];
    for (v, row) in rows.iter().enumerate() {
        row.iter().for_each(|&(column, b)| columns[column].push((v, b)));
    }
    let along: Vec<f64> = columns.iter().map(|c| c.iter().map(|&(v, b)| b * solved[v]).sum()).collect(); // B' S f
    let mut matrix = vec![0.0; size * size];
    threads::map_chunks(&mut matrix, part, |k, rows| {
        for (v, row) in (k * rows_per_thread..).zip(rows.chunks_mut(size)) {
            for &(w, b) in &columns[v] {
                row[..=v].iter_mut().zip(&products[w * size..]).for_each(|(m, x)| *m += b * x);
            }
            for (w, m) in row[..=v].iter_mut().enumerate() {
                *m += theta * (theta * curvature * t[v] * t[w] - along[v] * t[w] - t[v] * along[w]);
            }
        }
    });
    matrix
}

/// A direction of the kernel weights, and of the multipliers that follow them.
struct Direction {
    /// Relative change of each kernel weight, such that their sum stays the same.
    eta: Vec<f64>,
    /// First-order change of the multipliers.
    u: Vec<f64>,
}

/// The linear system of Newton's method at kernel weights with their inner maximum.
struct NewtonSystem<'a> {
    hull: &'a Hull<'a>,
    params: NormParams,
    eta: &'a [f64],
    inner: &'a InnerMaximum,
    /// The matrix of d f / d log eta, without its term of rank one.
    rows: Vec<Vec<(usize, f64)>>,
    /// K^-1 1.
    level: Vec<f64>,
    factor: Cholesky,
    /// The solution for eta itself, along which the sum of a change is removed.
    solved_eta: Vec<f64>,
}

impl<'a> NewtonSystem<'a> {
    /// Factors the Hessian of g with a barrier; `None` if it is indefinite by rounding, or the time is over.
    fn new(
        problem: &SaddleProblem<'_>,
        hull: &'a Hull<'a>,
        eta: &'a [f64],
        inner: &'a InnerMaximum,
        mu: f64,
    ) -> Option<Self> {
        let (size, dual, params) = (eta.len(), &inner.dual, problem.norm);
        let square = dual.norm * dual.norm;
        let unit = square * (params.rho - 1.0);
        let hessian = &inner.hessian;
        // By the implicit function theorem the multipliers change by -K^-1 Phi d f, less what changes their sum.
        let level = hessian.solve(hull, &vec![1.0; inner.u.len()]);
        let rows = mixed_derivatives(hull, inner);
        let reduced = hessian.reduced(hull, &level);
        let mut matrix = project(&reduced, &rows, &dual.f, params.theta(), &dual.t);
        if problem.control.should_stop() {
            return None;
        }
        // Steps preserve the sum of eta. Without the last term the matrix has the curvature of the barrier
        // alone in that direction, and is badly conditioned.
        let sum = if square > 0.0 { square } else { 1.0 };
        for v in 0..size {
            for w in 0..=v {
                matrix[v * size + w] +=
                    unit * params.theta() / params.rho * dual.t[v] * dual.t[w] + sum * eta[v] * eta[w];
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
        let solved_eta = factor.solve(eta);
        Some(Self { hull, params, eta, inner, rows, level, factor, solved_eta })
    }

    /// The negative gradient of g with a barrier, relative to eta.
    fn negative_gradient(&self, mu: f64) -> Vec<f64> {
        let dual = &self.inner.dual;
        let unit = dual.norm * dual.norm * (self.params.rho - 1.0) / self.params.rho;
        dual.t.iter().map(|t| unit * t + mu).collect()
    }

    /// The direction for a right-hand side.
    fn direction(&self, right: &[f64]) -> Direction {
        let Self { hull, eta, inner, level, solved_eta, .. } = self;
        let dual = &inner.dual;
        let solved = self.factor.solve(right);
        let nu = dot(eta, &solved) / dot(eta, solved_eta);
        let change: Vec<f64> = solved.iter().zip(solved_eta).map(|(x, l)| x - nu * l).collect();
        let along = self.params.theta() * dot(&dual.t, &change);
        let f_change: Vec<f64> = self
            .rows
            .iter()
            .zip(&dual.f)
            .map(|(row, f)| row.iter().map(|&(v, b)| b * change[v]).sum::<f64>() - along * f)
            .collect();
        let mut multiplier_change = inner.hessian.solve(hull, &hull.predictions(&f_change, inner.u.len()));
        remove_sum(&mut multiplier_change, level, 0.0);
        multiplier_change.iter_mut().for_each(|x| *x = -*x);
        Direction { eta: change, u: multiplier_change }
    }
}

/// g with the barriers on eta and u.
fn barrier_value(eta: &[f64], inner: &InnerMaximum, mu: f64) -> f64 {
    inner.value - mu * eta.iter().map(|e| e.ln()).sum::<f64>()
}

/// The kernel weight of a conjunction without part in the dual norm at the minimiser for one mu, where eta is
/// proportional to R^2 (rho - 1) / rho t + mu. From smaller ones a Newton step can no more than double it.
pub fn idle_weight(dual: &DualNorm, norm: NormParams, mu: f64) -> f64 {
    let total = dual.norm * dual.norm * (norm.rho - 1.0) / norm.rho + mu * dual.f.len() as f64;
    mu / total
}

/// The result of a centring.
pub struct CentringResult {
    /// The inner maximum at the final kernel weights.
    pub inner: InnerMaximum,
    /// Change of the minimiser with log mu; `None` if the centring ended before it was there.
    tangent: Option<Direction>,
    /// Number of Newton steps.
    pub n_steps: u64,
}

impl CentringResult {
    /// Moves the minimiser towards that of another log mu along the tangent. A kernel weight changes by the same factor
    /// everywhere, as those of groups of no use do. The tangent does not count the barriers of multipliers, so that there
    /// is none for the hinge loss, whose terms are curved by these alone.
    pub fn follow(&self, change: f64, terms: &DualTerms<'_>, point: &mut SaddlePoint) {
        let Some(Direction { eta, u }) = self.tangent.as_ref().filter(|_| terms.are_curved()) else { return };
        point.eta.iter_mut().zip(eta).for_each(|(e, d)| *e *= (change * d).exp());
        let total: f64 = point.eta.iter().sum();
        point.eta.iter_mut().for_each(|e| *e /= total);
        let step: Vec<f64> = u.iter().map(|d| change * d).collect();
        let length = (BOUNDARY_FRACTION * terms.max_step(&point.u, &step)).min(1.0);
        point.u.iter_mut().zip(step).for_each(|(u, s)| *u += length * s);
    }
}

/// Moves `point` to the minimiser for one mu within the tolerance or rounding, or until the time is over.
pub fn run_centring(
    problem: &SaddleProblem<'_>,
    hull: &Hull<'_>,
    point: &mut SaddlePoint,
    level: BarrierLevel,
) -> Option<CentringResult> {
    let mu = level.mu;
    let inverse = problem.terms.constant_curvature().map(|g| g.iter().map(|g| 1.0 / g).collect::<Vec<f64>>());
    let products = inverse.map(|inverse| gram(hull, &inverse));
    let mut inner = maximise_inner(problem, hull, &point.eta, point.u.clone(), level, products.as_deref())?;
    let (mut steps, mut previous_decrement, mut tangent) = (0, f64::INFINITY, None);
    while steps < MAX_NEWTON_STEPS as u64 && !problem.control.should_stop() {
        let Some(system) = NewtonSystem::new(problem, hull, &point.eta, &inner, mu) else { break };
        let negative_gradient = system.negative_gradient(mu);
        let step = system.direction(&negative_gradient);
        // The squared length of the step in the norm of the Hessian.
        let decrement = dot(&step.eta, &negative_gradient);
        // Above mu, where Newton's method converges slowly, this is no sign of rounding: new conjunctions grow by a factor
        // a step.
        let has_stalled = decrement > 0.25 * previous_decrement
            && decrement < mu.min(STALLED_DECREMENT * inner.value.abs());
        previous_decrement = decrement;
        if decrement <= (CENTRING_FRACTION * mu).min(level.decrement_tol) || has_stalled {
            tangent = Some(system.direction(&vec![mu; hull.len()]));
            break;
        }
        steps += 1;
        let current_value = barrier_value(&point.eta, &inner, mu);
        let largest_decrease = step.eta.iter().fold(0.0, |m: f64, s| m.max(-s));
        let mut step_length = (BOUNDARY_FRACTION / largest_decrease).min(1.0);
        let moved = loop {
            let mut eta: Vec<f64> =
                point.eta.iter().zip(&step.eta).map(|(e, s)| e * (1.0 + step_length * s)).collect();
            let total: f64 = eta.iter().sum();
            eta.iter_mut().for_each(|e| *e /= total);
            let multiplier_step_length =
                (BOUNDARY_FRACTION * problem.terms.max_step(&inner.u, &step.u)).min(step_length);
            let u = inner.u.iter().zip(&step.u).map(|(u, s)| u + multiplier_step_length * s).collect();
            let next = maximise_inner(problem, hull, &eta, u, level, products.as_deref())?;
            if barrier_value(&eta, &next, mu)
                <= current_value - 1e-3 * step_length * decrement + 1e-14 * current_value.abs()
            {
                break Some((eta, next));
            }
            step_length *= 0.4;
            if step_length < 1e-6 {
                break None;
            }
        };
        let Some((eta, next)) = moved else { break };
        (point.eta, inner) = (eta, next);
    }
    point.u.clone_from(&inner.u);
    Some(CentringResult { inner, tangent, n_steps: steps })
}
