//! What a point of the solver proves: its objective, its gap over the working set, and a bound of the complement.
//!
//! The complement ([`super::complement`]) is bounded once the working set contains all sources that are likely to be needed, and
//! the gap over it is small enough for a proof.

use serde::{Deserialize, Serialize};

use super::complement::{Complement, Outside};
use super::hull::{Hull, Source};
use super::newton::{InnerMaximum, SaddlePoint, SaddleProblem};
use super::solver::{Solution, SolverLimits};
use super::terms::{DualTerms, balance_multipliers};
use crate::linalg::line_search;
use crate::threads;
use crate::verify::relative_gap;

/// Maximum number of conjunctions added in one round to a small working set; to a large one a quarter of its
/// size.
pub const MAX_SOURCES: usize = 16;
/// Fraction of the tolerance used by the solver; the rest is left for trimming.
pub const GAP_FRACTION: f64 = 0.5;
/// Part of that fraction for the working set; the rest is left for the sources.
const RESTRICTED_FRACTION: f64 = 0.5;
/// The part of a gap that is not closed by which an objective may be above its least value over the working set.
pub const PART_OF_GAP: f64 = 0.01;
/// The relative gap that a rough bound leaves at best; a smaller one takes a longer search.
const ROUGH_GAP: f64 = 0.1;

/// A point with its objective.
pub struct Evaluation<'a> {
    /// The solution; its dual objective is 0 until the complement is bounded.
    pub solution: Solution,
    problem: &'a SaddleProblem<'a>,
    limits: SolverLimits,
    hull_size: usize,
    /// Square of a bound of the dual norm over the working set.
    square: f64,
    /// The squared dual norm of the complement that leaves a sufficient gap.
    limit: f64,
}

impl<'a> Evaluation<'a> {
    /// The primal objective and the gap over the working set.
    pub fn new(
        problem: &'a SaddleProblem<'a>,
        hull: &Hull<'_>,
        inner: &InnerMaximum,
        point: &SaddlePoint,
        limits: SolverLimits,
    ) -> Self {
        let (coefficients, terms) = (inner.dual.f.clone(), &problem.terms);
        let mut u = inner.u.clone();
        balance_multipliers(&mut u);
        let q = hull.correlations(&u);
        let rows = hull.predictions(&coefficients, inner.u.len());
        let intercept = terms.intercept(&rows);
        let omega = problem.norm.penalty(hull, &coefficients);
        let primal = 0.5 * omega * omega + terms.primal(&rows, intercept);
        let square = inner.dual.dual_norm_bound(hull, problem.norm, &q).powi(2);
        let restricted_gap = (primal - terms.dual(&u) + 0.5 * square).max(0.0);
        let limit =
            square + 2.0 * restricted_gap.max(GAP_FRACTION * limits.tol * primal.abs() - restricted_gap);
        let solution = Solution {
            coefficients,
            intercept,
            point: point.clone(),
            witness: SaddlePoint { eta: point.eta.clone(), u },
            primal,
            dual: 0.0,
            square: f64::INFINITY,
            restricted_gap,
            complete: false,
            n_newton_steps: 0,
            n_nodes: 0,
            n_rounds: 1,
        };
        Self { solution, problem, limits, hull_size: hull.len(), square, limit }
    }

    /// Whether a bound of the complement within the limit would prove the gap.
    pub fn is_provable(&self) -> bool {
        let (terms, solution) = (&self.problem.terms, &self.solution);
        relative_gap(solution.restricted_gap, solution.primal, terms.loss, terms.y)
            <= RESTRICTED_FRACTION * GAP_FRACTION * self.limits.tol
    }

    /// The sources above the limit, those certain to be needed before those that are likely to be, the largest first.
    pub fn violations(&self, hull: &Hull<'_>, outside: Outside<'_>) -> Vec<Source> {
        let (sources, u) = (hull.sources(), &self.solution.witness.u);
        let own: Vec<f64> = sources.iter().map(|source| outside.own_size(source, u)).collect();
        let certain = self.largest_above(&sources, &own);
        if !certain.is_empty() {
            return certain;
        }
        let likely = threads::map(&sources, |source| {
            let is_late = self.problem.control.should_stop();
            if is_late { 0.0 } else { outside.likely_size(source, u, self.limit.sqrt()) }
        });
        self.largest_above(&sources, &likely)
    }

    /// Bounds the complement, which gives the dual objective.
    pub fn bound_complement(&mut self, hull: &Hull<'_>, outside: Outside<'_>) -> Complement {
        let u = &self.solution.witness.u;
        let complement = outside.bound(hull, u, self.square, self.limit, self.max_added());
        self.set_dual(&complement);
        complement
    }

    fn set_dual(&mut self, complement: &Complement) {
        let (terms, u) = (&self.problem.terms, &self.solution.witness.u);
        let square = complement.square.max(self.square);
        let (scale, dual) = best_scale(terms, u, square, 1.0);
        let solution = &mut self.solution;
        solution.witness.u.iter_mut().for_each(|u| *u *= scale);
        (solution.dual, solution.square) = (dual, scale * scale * square);
        solution.n_nodes = complement.n_nodes;
        solution.complete = solution.has_gap(terms, self.limits.tol);
    }

    /// Number of conjunctions that are added in one round.
    fn max_added(&self) -> usize {
        MAX_SOURCES.max(self.hull_size / 4).min(self.limits.max_hull.saturating_sub(self.hull_size))
    }

    /// The solution with its bound, a rough one if it needs no proof; its round and its steps are counted already.
    pub fn into_bounded(mut self, hull: &Hull<'_>, outside: Outside<'_>) -> Solution {
        if self.limits.needs_proof {
            self.bound_complement(hull, outside);
        } else {
            let limit = self.square + 2.0 * ROUGH_GAP * self.solution.primal.abs();
            let complement = outside.bound(hull, &self.solution.witness.u, limit, limit, 0);
            self.set_dual(&complement);
        }
        Solution { n_rounds: 0, n_newton_steps: 0, ..self.solution }
    }

    fn largest_above(&self, sources: &[Source], sizes: &[f64]) -> Vec<Source> {
        let limit = self.limit.sqrt();
        let mut above: Vec<(f64, &Source)> =
            sizes.iter().copied().zip(sources).filter(|(size, _)| *size > limit).collect();
        // Most of the others fall below the limit once the largest are added.
        above.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.conjunction.cmp(&b.1.conjunction)));
        above.truncate(self.max_added());
        above.into_iter().map(|(_, source)| source.clone()).collect()
    }
}

impl Solution {
    /// Whether the gap is within the tolerance.
    pub fn has_gap(&self, terms: &DualTerms<'_>, tol: f64) -> bool {
        relative_gap(self.primal - self.dual, self.primal, terms.loss, terms.y) <= GAP_FRACTION * tol
    }

    /// Whether the gap over the working set is a small part of that to a lower bound, if there is one above 0.
    pub fn is_within(&self, dual: f64) -> bool {
        dual > 0.0 && self.restricted_gap <= GAP_FRACTION * PART_OF_GAP * (self.primal - dual)
    }
}

/// The multipliers of an earlier strength with what was proved of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Proved {
    u: Vec<f64>,
    /// A bound of their squared dual norm.
    square: f64,
    c: f64,
}

impl Proved {
    /// By the solution at strength `c`; `None` if nothing was proved.
    pub fn new(solution: &Solution, c: f64) -> Option<Self> {
        let Solution { witness, square, .. } = solution;
        square.is_finite().then(|| Self { u: witness.u.clone(), square: *square, c })
    }

    /// Gives a solution at strength `c` the lower bound of these multipliers, if it is larger than its own.
    pub fn raise_dual(&self, solution: &mut Solution, terms: &DualTerms<'_>, c: f64, tol: f64) {
        let (scale, dual) = best_scale(terms, &self.u, self.square, c / self.c * (1.0 - f64::EPSILON));
        if dual <= solution.dual {
            return;
        }
        (solution.dual, solution.square) = (dual, scale * scale * self.square);
        solution.witness.u = self.u.iter().map(|u| scale * u).collect();
        solution.complete |= solution.has_gap(terms, tol);
    }
}

/// The factor in [0, `most`] of the multipliers with the largest dual objective, which is concave in it, and that
/// objective; `square` bounds their squared dual norm.
fn best_scale(terms: &DualTerms<'_>, u: &[f64], square: f64, most: f64) -> (f64, f64) {
    let dual = |scale: f64| {
        let scaled: Vec<f64> = u.iter().map(|u| scale * u).collect();
        terms.dual(&scaled) - 0.5 * scale * scale * square
    };
    line_search::maximum(dual, 0.0, most)
}
