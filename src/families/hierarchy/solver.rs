//! The working-set algorithm: solve over a working set, bound the sources of its complement, and add those
//! that may have nonzero coefficients, until there are none.
//!
//! The working set grows while the barrier falls. After each centring the bounds of the sources
//! ([`DescendantSums::bound`]) are compared with the dual norm over the working set, and sources that
//! exceed it by more than the present gap are added. At the end every source is below
//!
//! ```text
//! |beta_t|  <=  Omega(f_W)^2 + 2 (eps - eps_W)                                          (13)
//! ```
//!
//! which proves a gap of at most eps over the whole lattice. The reported gap is computed from the
//! coefficients and multipliers, not from the strength of the barrier.

use super::growth::Growth;
use super::hull::{Hull, Source};
use super::newton::{BarrierLevel, InnerMaximum, SaddlePoint, SaddleProblem, run_centring};
use super::norm::DualNorm;
use super::sums::DescendantSums;
use super::terms::{DualTerms, HierarchyLoss, balance_multipliers};
use crate::control::Control;
use crate::error::Result;
use crate::threads;
use crate::verify::relative_gap;

/// Stopping criteria.
#[derive(Debug, Clone, Copy)]
pub struct SolverLimits {
    /// Tolerance of the relative gap.
    pub tol: f64,
    /// Maximum number of conjunctions in the working set.
    pub max_hull: usize,
    /// Whether the gap is proven over the whole lattice; else the working set grows only as long as that
    /// lowers the objective.
    pub needs_proof: bool,
}

/// A solution with its bounds, on the scale of the paper: 1/2 Omega^2 + C sum of losses.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Coefficient of each conjunction of the working set.
    pub coefficients: Vec<f64>,
    /// Intercept.
    pub intercept: f64,
    /// Kernel weights and multipliers.
    pub point: SaddlePoint,
    /// The kernel weights and multipliers of the dual objective.
    pub witness: SaddlePoint,
    /// Primal objective.
    pub primal: f64,
    /// Dual objective, a lower bound over the whole lattice.
    pub dual: f64,
    /// The gap of the problem restricted to the working set.
    pub restricted_gap: f64,
    /// Whether the gap is within the tolerance.
    pub complete: bool,
    /// Number of Newton steps.
    pub n_newton_steps: u64,
    /// Number of sources that were bounded.
    pub n_sources: u64,
    /// Number of rounds over all sources.
    pub n_rounds: u64,
}

/// Factor of the barrier strength from one centring to the next.
const BARRIER_DECREASE: f64 = 0.1;
/// Smallest barrier strength relative to the objective; below it rounding dominates.
const MIN_BARRIER: f64 = 1e-13;
/// Maximum number of sources added in one round to a small working set; to a large one a quarter of its
/// size.
pub const MAX_SOURCES: usize = 16;
/// Accuracy of the last centrings, as a fraction of the tolerance of the gap.
const LAST_CENTRE_GAP: f64 = 0.05;
/// Fraction of the tolerance used by the solver; the rest is left for trimming.
const GAP_FRACTION: f64 = 0.5;

/// Number of steps of the search for the best factor of the multipliers; each leaves two thirds of the
/// interval.
const SCALE_STEPS: usize = 40;

/// Solves over the lattice, from a working set.
pub fn solve(
    problem: &SaddleProblem<'_>,
    hull: &mut Hull<'_>,
    descendant_sums: &DescendantSums<'_>,
    limits: SolverLimits,
    control: &Control,
) -> Result<Solution> {
    let mut point = initial_point(problem, hull);
    let mut best: Option<Solution> = None;
    let zero_predictions = vec![0.0; point.u.len()];
    let scale = problem.terms.primal(&zero_predictions, problem.terms.intercept(&zero_predictions));
    let mut mu = 0.1 * scale / (hull.len() + problem.terms.n_barriers()) as f64;
    let mut growth = Growth::default();
    loop {
        control.check()?;
        let parts = (hull.len() + problem.terms.n_barriers()) as f64;
        let last = mu * parts <= limits.tol * scale;
        let decrement_tol = if last { (LAST_CENTRE_GAP * limits.tol).powi(2) * scale } else { f64::INFINITY };
        let Some(centred) = run_centring(problem, hull, &mut point, BarrierLevel { mu, decrement_tol })
        else {
            break;
        };
        control.check()?;
        let (mut solution, violating_sources) =
            evaluate(problem, hull, descendant_sums, &centred.inner, &point, limits);
        control.check()?;
        solution.n_newton_steps = centred.n_steps;
        let (is_done, level) = (solution.complete, mu / solution.primal.abs());
        let is_sufficient = hull.len() >= limits.max_hull || growth.is_over(&solution, hull.len(), limits);
        let is_settled = (is_sufficient || !limits.needs_proof && violating_sources.is_empty())
            && solution.restricted_gap <= GAP_FRACTION * limits.tol * solution.primal.abs();
        best = Some(Solution::merge_best(best, solution));
        if is_done || is_settled || control.should_stop() {
            break;
        }
        if !violating_sources.is_empty() && !is_sufficient {
            add_sources(hull, violating_sources, &mut point.eta, limits.max_hull, level);
        } else if mu < MIN_BARRIER * scale {
            break;
        } else {
            mu *= BARRIER_DECREASE;
            growth.change_barrier();
        }
    }
    Ok(Solution::into_best(best, problem, hull, point))
}

/// The primal and dual objective of the coefficients and multipliers, and the sources to be added.
pub fn evaluate(
    problem: &SaddleProblem<'_>,
    hull: &Hull<'_>,
    descendant_sums: &DescendantSums<'_>,
    inner: &InnerMaximum,
    point: &SaddlePoint,
    limits: SolverLimits,
) -> (Solution, Vec<Source>) {
    let (coefficients, terms) = (inner.dual.f.clone(), &problem.terms);
    let mut u = inner.u.clone();
    balance_multipliers(&mut u);
    let q = hull.correlations(&u);
    let rows = hull.predictions(&coefficients, inner.u.len());
    let intercept = terms.intercept(&rows);
    let omega = problem.norm.penalty(hull, &coefficients);
    let primal = 0.5 * omega * omega + terms.primal(&rows, intercept);
    let dual_norm = inner.dual.dual_norm_bound(hull, problem.norm, &q);
    let restricted_gap = (primal - terms.dual(&u) + 0.5 * dual_norm * dual_norm).max(0.0);
    let limit = dual_norm * dual_norm
        + 2.0 * restricted_gap.max(GAP_FRACTION * limits.tol * primal.abs() - restricted_gap);
    let sources = hull.sources();
    let bound = |s: &Source| descendant_sums.bound(&s.conjunction, &s.rows, &u, limit);
    let bounds: Vec<f64> = threads::map(&sources, bound);
    let (scale, dual) = best_scale(terms, &u, bounds.iter().copied().fold(dual_norm * dual_norm, f64::max));
    let complete = relative_gap(primal - dual, primal, terms.loss, terms.y) <= GAP_FRACTION * limits.tol;
    let count = sources.len() as u64;
    let mut above: Vec<(f64, Source)> =
        bounds.iter().copied().zip(sources).filter(|(bound, _)| *bound > limit).collect();
    // Most of the others fall below the limit once those with the largest bounds are added.
    above.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.conjunction.cmp(&b.1.conjunction)));
    above.truncate(MAX_SOURCES.max(hull.len() / 4));
    let violating_sources = above.into_iter().map(|(_, source)| source).collect();
    let witness = SaddlePoint { eta: point.eta.clone(), u: u.iter().map(|u| scale * u).collect() };
    let point = point.clone();
    let solution = Solution {
        coefficients,
        intercept,
        point,
        witness,
        primal,
        dual,
        restricted_gap,
        complete,
        n_newton_steps: 0,
        n_sources: count,
        n_rounds: 1,
    };
    (solution, violating_sources)
}

/// Adds sources with small kernel weights, up to the maximum size of the working set.
pub fn add_sources(
    hull: &mut Hull<'_>,
    sources: Vec<Source>,
    eta: &mut Vec<f64>,
    max_hull: usize,
    level: f64,
) {
    let capacity = max_hull.saturating_sub(hull.len());
    sources.into_iter().take(capacity).for_each(|s| hull.add(s));
    eta.resize(hull.len(), level.clamp(1e-12, 0.1 / hull.len() as f64));
    let total: f64 = eta.iter().sum();
    eta.iter_mut().for_each(|e| *e /= total);
}

/// The factor in (0, 1] of the multipliers with the largest dual objective, which is concave in it, and that
/// objective; `square` bounds their squared dual norm.
fn best_scale(terms: &DualTerms<'_>, u: &[f64], square: f64) -> (f64, f64) {
    let dual = |scale: f64| {
        let scaled: Vec<f64> = u.iter().map(|u| scale * u).collect();
        terms.dual(&scaled) - 0.5 * scale * scale * square
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..SCALE_STEPS {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if dual(left) < dual(right) { low = left } else { high = right }
    }
    let middle = 0.5 * (low + high);
    let (scaled, unscaled) = (dual(middle), dual(1.0));
    if scaled > unscaled { (middle, scaled) } else { (1.0, unscaled) }
}

/// Equal kernel weights, and multipliers inside their bounds.
pub fn initial_point(problem: &SaddleProblem<'_>, hull: &Hull<'_>) -> SaddlePoint {
    let eta = vec![1.0 / hull.len() as f64; hull.len()];
    let mut u = problem.terms.interior_point();
    if problem.terms.loss == HierarchyLoss::Squared {
        let dual = DualNorm::new(hull, problem.norm, &hull.correlations(&u), &eta);
        let slope: f64 = u.iter().zip(problem.terms.y).map(|(u, y)| u * y).sum();
        let curvature: f64 = u.iter().zip(&problem.terms.weights).map(|(u, m)| u * u / m).sum();
        let curvature = curvature + dual.norm * dual.norm;
        let step_length = if curvature > 0.0 { slope / curvature } else { 0.0 };
        u.iter_mut().for_each(|u| *u *= step_length);
    }
    SaddlePoint { eta, u }
}

impl Solution {
    /// The smaller primal and the larger dual objective of two solutions, with the counts of both.
    pub fn merge_best(before: Option<Self>, mut now: Self) -> Self {
        let Some(mut before) = before else { return now };
        let (n_newton_steps, n_sources, n_rounds) = (
            before.n_newton_steps + now.n_newton_steps,
            before.n_sources + now.n_sources,
            before.n_rounds + now.n_rounds,
        );
        // Each objective is valid by itself, so that the best of each may be combined.
        let of_dual = if before.dual > now.dual { &before } else { &now };
        let (dual, witness) = (of_dual.dual, of_dual.witness.clone());
        let (complete, restricted_gap) =
            (before.complete || now.complete, before.restricted_gap.min(now.restricted_gap));
        if before.primal < now.primal {
            std::mem::swap(&mut before, &mut now);
        }
        Self { witness, dual, restricted_gap, complete, n_newton_steps, n_sources, n_rounds, ..now }
    }

    /// The best solution, or the intercept alone if there was no time for one.
    pub fn into_best(
        best: Option<Self>,
        problem: &SaddleProblem<'_>,
        hull: &Hull<'_>,
        point: SaddlePoint,
    ) -> Self {
        let mut solution = best.unwrap_or_else(|| {
            let zero_predictions = vec![0.0; point.u.len()];
            let intercept = problem.terms.intercept(&zero_predictions);
            let primal = problem.terms.primal(&zero_predictions, intercept);
            let (complete, restricted_gap) = (primal <= 0.0, primal);
            let (coefficients, witness) = (Vec::new(), point.clone());
            Self {
                coefficients,
                intercept,
                point,
                witness,
                primal,
                dual: 0.0,
                restricted_gap,
                complete,
                n_newton_steps: 0,
                n_sources: 0,
                n_rounds: 0,
            }
        });
        solution.coefficients.resize(hull.len(), 0.0);
        solution.point.eta.resize(hull.len(), 0.0);
        solution
    }
}
