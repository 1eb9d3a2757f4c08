//! The active-set algorithm: solve over a working set, look at its sources, take in those that
//! could matter, until none can.
//!
//! The working set grows while the barrier falls: after each centring the sources' bounds
//! ([`Sums::bound`]) are compared with the dual norm over the working set, and those above it by
//! more than the present gap come in. In the end every source is below
//!
//! ```text
//! |beta_t|  <=  Omega(f_W)^2 + 2 (eps - eps_W)                                          (13)
//! ```
//!
//! which proves a gap of at most eps over the whole lattice. The gap reported is computed from
//! the coefficients and multipliers at hand, not from the theory of the barrier.

use rayon::prelude::*;

use super::hull::{Hull, Source};
use super::newton::{Inner, Level, Point, Problem, balance, centre};
use super::norm::Dual;
use super::sums::Sums;
use super::terms::HierarchyLoss;
use crate::control::Control;
use crate::error::Result;
use crate::verify::relative_gap;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The relative gap to reach.
    pub tol: f64,
    /// The most conjunctions in the working set.
    pub max_hull: usize,
}

/// A solution with its proof; objectives in the paper's scale, 1/2 Omega^2 + C sum of losses.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Coefficient of each conjunction of the working set.
    pub f: Vec<f64>,
    /// Intercept.
    pub b: f64,
    /// Shares and multipliers.
    pub point: Point,
    /// Those that the dual objective is of.
    pub witness: Point,
    /// Objective.
    pub primal: f64,
    /// Dual objective, valid for the whole lattice.
    pub dual: f64,
    /// The gap over the working set alone.
    pub inside: f64,
    /// Whether the gap asked for was reached.
    pub complete: bool,
    /// Newton steps.
    pub steps: u64,
    /// Sources looked at.
    pub sources: u64,
    /// Rounds over all sources.
    pub rounds: u64,
}

/// The barrier's factor from one centre to the next.
const BARRIER_DECREASE: f64 = 0.1;
/// The barrier's share of the objective that rounding allows.
const MIN_BARRIER: f64 = 1e-13;
/// The most sources of a round that come in, where the working set is small.
const MAX_SOURCES: usize = 16;
/// How near to the last centres to go, as a share of the tolerance.
const LAST_CENTRE_GAP: f64 = 0.05;
/// The share of the tolerance that a solution may use; the rest is for trimming it.
const GAP_FRACTION: f64 = 0.5;

/// Solves over the lattice, from a working set.
pub fn solve(
    problem: &Problem<'_>,
    hull: &mut Hull<'_>,
    sums: &Sums<'_>,
    limits: Limits,
    control: &Control,
) -> Result<Solution> {
    let mut point = start(problem, hull, limits);
    let mut best: Option<Solution> = None;
    let flat = vec![0.0; point.u.len()];
    let scale = problem.terms.primal(&flat, problem.terms.intercept(&flat));
    let mut mu = 0.1 * scale / (hull.len() + problem.terms.n_barriers()) as f64;
    loop {
        control.check()?;
        let over = || control.should_stop();
        let parts = (hull.len() + problem.terms.n_barriers()) as f64;
        let last = mu * parts <= limits.tol * scale;
        let close = if last { (LAST_CENTRE_GAP * limits.tol).powi(2) * scale } else { f64::INFINITY };
        let Some(centre) = centre(problem, hull, &mut point, Level { mu, close }, &over) else { break };
        control.check()?;
        let (mut solution, wanted) = evaluate(problem, hull, sums, &centre.inner, &point, limits, control);
        control.check()?;
        solution.steps = centre.steps;
        let (done, level) = (solution.complete, mu / solution.primal.abs());
        let full = hull.len() >= limits.max_hull;
        let settled = full && solution.inside <= GAP_FRACTION * limits.tol * solution.primal.abs();
        best = Some(Solution::better(best, solution));
        if done || settled || control.should_stop() {
            break;
        }
        if !wanted.is_empty() && !full {
            expand(hull, wanted, &mut point.eta, limits.max_hull, level);
        } else if mu < MIN_BARRIER * scale {
            break;
        } else {
            mu *= BARRIER_DECREASE;
        }
    }
    Ok(Solution::finish(best, problem, hull, point))
}

/// What coefficients and multipliers prove, and the sources that could matter.
pub fn evaluate(
    problem: &Problem<'_>,
    hull: &Hull<'_>,
    sums: &Sums<'_>,
    inner: &Inner,
    point: &Point,
    limits: Limits,
    control: &Control,
) -> (Solution, Vec<Source>) {
    let (f, terms) = (inner.dual.f.clone(), &problem.terms);
    let mut u = inner.u.clone();
    balance(&mut u);
    let q = hull.correlations(&u);
    let rows = hull.predictions(&f, inner.u.len());
    let b = terms.intercept(&rows);
    let omega = problem.shape.penalty(hull, &f);
    let primal = 0.5 * omega * omega + terms.primal(&rows, b);
    let norm = inner.dual.bound(hull, problem.shape, &q);
    let dual_with = |square: f64| terms.dual(&u) - 0.5 * square.max(norm * norm);
    let inside = (primal - dual_with(0.0)).max(0.0);
    let limit = norm * norm + 2.0 * inside.max(GAP_FRACTION * limits.tol * primal.abs() - inside);
    let sources = hull.sources();
    let bound = |s: &Source| {
        if control.is_cancelled() { 0.0 } else { sums.bound(&s.conjunction, &s.rows, &u, limit) }
    };
    let bounds: Vec<f64> = sources.par_iter().map(bound).collect();
    let dual = dual_with(bounds.iter().copied().fold(0.0, f64::max));
    let complete = relative_gap(primal - dual, primal, terms.loss, terms.y) <= GAP_FRACTION * limits.tol;
    let count = sources.len() as u64;
    let mut above: Vec<(f64, Source)> =
        bounds.iter().copied().zip(sources).filter(|(bound, _)| *bound > limit).collect();
    // Most of the others are below the limit once the worst are inside.
    above.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.conjunction.cmp(&b.1.conjunction)));
    above.truncate(MAX_SOURCES.max(hull.len() / 4));
    let wanted = above.into_iter().map(|(_, source)| source).collect();
    let point = point.clone();
    let witness = point.clone();
    let solution = Solution {
        f,
        b,
        point,
        witness,
        primal,
        dual,
        inside,
        complete,
        steps: 0,
        sources: count,
        rounds: 1,
    };
    (solution, wanted)
}

/// Takes sources in, with small shares, as many as the working set has room for.
pub fn expand(hull: &mut Hull<'_>, sources: Vec<Source>, eta: &mut Vec<f64>, most: usize, level: f64) {
    let room = most.saturating_sub(hull.len());
    sources.into_iter().take(room).for_each(|s| hull.add(s));
    eta.resize(hull.len(), level.clamp(1e-12, 0.1 / hull.len() as f64));
    let total: f64 = eta.iter().sum();
    eta.iter_mut().for_each(|e| *e /= total);
}

/// At least the single propositions, equal shares, and multipliers inside their bounds.
pub fn start(problem: &Problem<'_>, hull: &mut Hull<'_>, limits: Limits) -> Point {
    if hull.len() == 1 {
        let sources = hull.sources();
        expand(hull, sources, &mut vec![1.0], limits.max_hull, 1.0);
    }
    let eta = vec![1.0 / hull.len() as f64; hull.len()];
    let mut u = problem.terms.start();
    if problem.terms.loss == HierarchyLoss::Squared {
        let dual = Dual::new(hull, problem.shape, &hull.correlations(&u), &eta);
        let rise: f64 = u.iter().zip(problem.terms.y).map(|(u, y)| u * y).sum();
        let curvature: f64 = u.iter().zip(&problem.terms.mass).map(|(u, m)| u * u / m).sum();
        let curvature = curvature + dual.norm * dual.norm;
        let share = if curvature > 0.0 { rise / curvature } else { 0.0 };
        u.iter_mut().for_each(|u| *u *= share);
    }
    Point { eta, u }
}

impl Solution {
    /// The one with the smaller gap, with the work of both.
    pub fn better(before: Option<Self>, mut now: Self) -> Self {
        let Some(mut before) = before else { return now };
        let (steps, sources, rounds) =
            (before.steps + now.steps, before.sources + now.sources, before.rounds + now.rounds);
        // The model of the better objective beside the better bound: each holds by itself.
        let of_dual = if before.dual > now.dual { &before } else { &now };
        let (dual, witness) = (of_dual.dual, of_dual.witness.clone());
        let (complete, inside) = (before.complete || now.complete, before.inside.min(now.inside));
        if before.primal < now.primal {
            std::mem::swap(&mut before, &mut now);
        }
        Self { witness, dual, inside, complete, steps, sources, rounds, ..now }
    }

    /// The best found, or the intercept alone where there was no time for anything.
    pub fn finish(best: Option<Self>, problem: &Problem<'_>, hull: &Hull<'_>, point: Point) -> Self {
        let mut solution = best.unwrap_or_else(|| {
            let flat = vec![0.0; point.u.len()];
            let b = problem.terms.intercept(&flat);
            let primal = problem.terms.primal(&flat, b);
            let (complete, inside) = (primal <= 0.0, primal);
            let (f, witness) = (Vec::new(), point.clone());
            Self {
                f,
                b,
                point,
                witness,
                primal,
                dual: 0.0,
                inside,
                complete,
                steps: 0,
                sources: 0,
                rounds: 0,
            }
        });
        solution.f.resize(hull.len(), 0.0);
        solution.point.eta.resize(hull.len(), 0.0);
        solution
    }
}
