//! The working-set algorithm: solve over a working set, bound the sources of its complement, and add those
//! that may have nonzero coefficients, until there are none.
//!
//! The working set grows while the barrier falls. After each centring, sources above the limit that the present gap
//! allows are added ([`Evaluation::violations`]). Once there are none and the gap over the working set is small, the complement is
//! bounded ([`super::complement`]); conjunctions above the limit that no group has room for are added as well. At the end the part
//! of the complement in the squared dual norm is at most
//!
//! ```text
//! Omega(f_W)^2 + 2 (eps - eps_W)                                                          (13)
//! ```
//!
//! which proves a gap of at most eps over the whole lattice. The reported gap is computed from the
//! coefficients and multipliers, not from the strength of the barrier. Folds, which need no proof, have a rough bound at the
//! end, which tells whether a proof is likely to be found.
//!
//! A full working set leaves a gap that more steps cannot close; it is solved to a small part of that ([`super::evaluation::PART_OF_GAP`]).

use serde::{Deserialize, Serialize};

use super::complement::Outside;
use super::evaluation::Evaluation;
use super::growth::Growth;
use super::hull::{Hull, Source};
use super::newton::{BarrierLevel, SaddlePoint, SaddleProblem, idle_weight, run_centring};
use super::norm::DualNorm;
use super::terms::{DualTerms, HierarchyLoss};
use crate::control::Control;
use crate::error::Result;

/// Stopping criteria.
#[derive(Debug, Clone, Copy)]
pub struct SolverLimits {
    /// Tolerance of the relative gap.
    pub tol: f64,
    /// Maximum number of conjunctions in the working set.
    pub max_hull: usize,
    /// Whether the gap is proven over the whole lattice; else the working set grows only as long as that
    /// lowers the objective, and the dual objective is rough.
    pub needs_proof: bool,
}

/// A solution with its bounds, on the scale of the paper: 1/2 Omega^2 + C sum of losses.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    /// A bound of the squared dual norm of the witness over the whole lattice; infinite if none is known.
    pub square: f64,
    /// The gap of the problem restricted to the working set.
    pub restricted_gap: f64,
    /// Whether the gap is within the tolerance.
    pub complete: bool,
    /// Number of Newton steps.
    pub n_newton_steps: u64,
    /// Number of conjunctions outside the working set whose supersets were looked at.
    pub n_nodes: u64,
    /// Number of rounds over all sources.
    pub n_rounds: u64,
}

/// Factor of the barrier strength from one centring to the next.
const BARRIER_DECREASE: f64 = 0.1;
/// Smallest barrier strength relative to the objective; below it rounding dominates.
const MIN_BARRIER: f64 = 1e-13;
/// Accuracy of the last centrings, as a fraction of the tolerance of the gap.
const LAST_CENTRE_GAP: f64 = 0.05;

/// Solves over the lattice, from a working set, in the time of `problem.control`; the bounds of the sources have that of
/// `outside`.
pub fn solve(
    problem: &SaddleProblem<'_>,
    hull: &mut Hull<'_>,
    outside: Outside<'_>,
    limits: SolverLimits,
) -> Result<Solution> {
    let (mut point, control) = (initial_point(problem, hull), outside.control);
    let mut best: Option<Solution> = None;
    let zero_predictions = vec![0.0; point.u.len()];
    let scale = problem.terms.primal(&zero_predictions, problem.terms.intercept(&zero_predictions));
    let mut mu = 0.1 * scale / (hull.len() + problem.terms.n_barriers()) as f64;
    let mut growth = Growth::default();
    // The last evaluation, if its sources are not bounded.
    let mut unproven: Option<Evaluation<'_>> = None;
    loop {
        control.check()?;
        let parts = (hull.len() + problem.terms.n_barriers()) as f64;
        // Near interpolation the objective is far below that of no rules.
        let objective = best.as_ref().map_or(scale, |best| best.primal.min(scale));
        let last = mu * parts <= limits.tol * objective;
        let decrement_tol =
            if last { (LAST_CENTRE_GAP * limits.tol).powi(2) * objective } else { f64::INFINITY };
        let Some(centred) = run_centring(problem, hull, &mut point, BarrierLevel { mu, decrement_tol })
        else {
            break;
        };
        control.check()?;
        let mut evaluation = Evaluation::new(problem, hull, &centred.inner, &point, limits);
        evaluation.solution.n_newton_steps = centred.n_steps;
        let is_full = hull.len() >= limits.max_hull;
        let is_sufficient = is_full || growth.is_over(&evaluation.solution, hull.len(), limits);
        // A full working set ends a fold, which does not count then.
        let is_ended = problem.control.should_stop() || is_full && !limits.needs_proof;
        let mut violating = if is_sufficient { Vec::new() } else { evaluation.violations(hull, outside) };
        let is_provable = violating.is_empty() && evaluation.is_provable();
        let is_last = violating.is_empty() && mu < MIN_BARRIER * scale;
        // A full working set is solved as well as the gap that it leaves is worth.
        let dual = best.as_ref().map_or(0.0, |best| best.dual);
        let is_spent = is_full && evaluation.solution.is_within(dual);
        let is_bounded =
            limits.needs_proof && (is_provable || is_last || is_ended || is_spent || is_full && dual == 0.0);
        if is_bounded {
            violating = evaluation.bound_complement(hull, outside).violating;
        }
        control.check()?;
        let solution = evaluation.solution.clone();
        solution.report(best.as_ref(), hull.len(), control);
        unproven = (!is_bounded).then_some(evaluation);
        let level = idle_weight(&centred.inner.dual, problem.norm, mu);
        let is_settled = is_sufficient || violating.is_empty() && !limits.needs_proof;
        best = Some(Solution::merge_best(best, solution, &problem.terms, limits.tol));
        let is_done = best.as_ref().is_some_and(|best| best.complete) || is_provable && is_settled;
        if is_done || is_ended || is_spent {
            break;
        }
        if !violating.is_empty() && !is_sufficient {
            add_sources(hull, violating, &mut point.eta, limits.max_hull, level);
        } else if is_last {
            break;
        } else {
            mu *= BARRIER_DECREASE;
            centred.follow(BARRIER_DECREASE.ln(), &problem.terms, &mut point);
            growth.change_barrier();
        }
    }
    if let Some(evaluation) = unproven.filter(|_| best.as_ref().is_none_or(|best| !best.complete)) {
        let solution = evaluation.into_bounded(hull, outside);
        best = Some(Solution::merge_best(best, solution, &problem.terms, limits.tol));
    }
    Ok(Solution::into_best(best, problem, hull, point))
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
    /// Tells how far the search for a strength is, beside the best solution before.
    fn report(&self, before: Option<&Self>, n_rules: usize, control: &Control) {
        control.set_status(|| {
            let dual = before.map_or(self.dual, |before| before.dual.max(self.dual));
            format!("{n_rules} rules in the hull, relative gap {:.1e}", (self.primal - dual) / self.primal)
        });
    }

    /// The smaller primal and the larger dual objective of two solutions, with the counts of both.
    /// The gap between both may be within the tolerance where that of neither is.
    pub fn merge_best(before: Option<Self>, mut now: Self, terms: &DualTerms<'_>, tol: f64) -> Self {
        let Some(mut before) = before else { return now };
        let (n_newton_steps, n_nodes, n_rounds) = (
            before.n_newton_steps + now.n_newton_steps,
            before.n_nodes + now.n_nodes,
            before.n_rounds + now.n_rounds,
        );
        // Each objective is valid by itself, so that the best of each may be combined.
        let of_dual = if before.dual > now.dual { &before } else { &now };
        let (dual, square) = (of_dual.dual, of_dual.square);
        let witness = of_dual.witness.clone();
        let (complete, restricted_gap) =
            (before.complete || now.complete, before.restricted_gap.min(now.restricted_gap));
        if before.primal < now.primal {
            std::mem::swap(&mut before, &mut now);
        }
        let mut merged = Self {
            witness,
            dual,
            square,
            restricted_gap,
            complete,
            n_newton_steps,
            n_nodes,
            n_rounds,
            ..now
        };
        merged.complete |= merged.has_gap(terms, tol);
        merged
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
                square: f64::INFINITY,
                restricted_gap,
                complete,
                n_newton_steps: 0,
                n_nodes: 0,
                n_rounds: 0,
            }
        });
        solution.coefficients.resize(hull.len(), 0.0);
        solution.point.eta.resize(hull.len(), 0.0);
        solution
    }
}
