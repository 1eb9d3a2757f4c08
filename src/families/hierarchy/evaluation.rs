//! What a point of the solver proves: its objective, its gap over the working set, and bounds of the sources of the
//! complement.
//!
//! Bounds of all that the working set leaves out ([`super::complement`]) take most of the time of a fit, the largest terms
//! near a source ([`DescendantSums::lower_bound`]) next to none. The complement is therefore bounded once the working set
//! contains all sources whose lower bound exceeds the limit, and the gap over it is small enough for a proof.

use serde::{Deserialize, Serialize};

use super::complement::{Complement, bound_complement};
use super::hull::{Hull, Source};
use super::newton::{InnerMaximum, SaddlePoint, SaddleProblem};
use super::outside::Outside;
use super::solver::{Solution, SolverLimits};
use super::sums::DescendantSums;
use super::terms::{DualTerms, balance_multipliers};
use crate::threads;
use crate::verify::relative_gap;

/// Maximum number of sources added in one round to a small working set; to a large one a quarter of its
/// size.
pub const MAX_SOURCES: usize = 16;
/// Fraction of the tolerance used by the solver; the rest is left for trimming.
pub const GAP_FRACTION: f64 = 0.5;
/// Part of that fraction for the working set; the rest is left for the sources.
const RESTRICTED_FRACTION: f64 = 0.5;
/// Relative gap over a full working set at which it is asked whether a proof is in sight: more digits do not change that.
const HOPELESS_TOL: f64 = 1e-3;
/// Relative gap, below which no proof can be, from which it is not.
const HOPELESS_GAP: f64 = 0.1;
/// Number of steps of the search for the best factor of the multipliers; each leaves two thirds of the
/// interval.
const SCALE_STEPS: usize = 40;

/// A point with its objective, and the sources of the complement until they are bounded.
pub struct Evaluation<'a> {
    /// The solution; its dual objective is 0 until the sources are bounded.
    pub solution: Solution,
    problem: &'a SaddleProblem<'a>,
    limits: SolverLimits,
    sources: Vec<Source>,
    hull_size: usize,
    /// Square of a bound of the dual norm over the working set.
    square: f64,
    /// The bound of a source that leaves a sufficient gap.
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
        let sources = hull.sources();
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
            extension: Vec::new(),
            n_sources: 0,
            n_rounds: 1,
        };
        Self { solution, problem, limits, sources, hull_size: hull.len(), square, limit }
    }

    /// Whether bounds of the sources within the limit would prove the gap.
    pub fn is_provable(&self) -> bool {
        self.has_restricted_gap(self.limits.tol)
    }

    /// Whether the gap over the working set leaves enough of this tolerance for the sources.
    pub fn has_restricted_gap(&self, tol: f64) -> bool {
        let (terms, solution) = (&self.problem.terms, &self.solution);
        relative_gap(solution.restricted_gap, solution.primal, terms.loss, terms.y)
            <= RESTRICTED_FRACTION * GAP_FRACTION * tol
    }

    /// The sources with the largest lower bounds among those above the limit, as far as the time allows.
    pub fn certain_violations(&self, hull: &Hull<'_>, sums: &DescendantSums<'_>) -> Vec<Source> {
        let u = &self.solution.witness.u;
        let own = self.sources.iter().map(|s| sums.squared_term(&s.conjunction, &s.rows, u));
        let violations = self.largest_above(&own.collect::<Vec<_>>());
        if !violations.is_empty() {
            return violations;
        }
        self.largest_above(&self.lower_bounds(hull, sums))
    }

    /// Lower bounds of the sources, as far as the time allows.
    fn lower_bounds(&self, hull: &Hull<'_>, sums: &DescendantSums<'_>) -> Vec<f64> {
        let (outside, u) = (Outside::new(hull, sums.a), &self.solution.witness.u);
        threads::map(&self.sources, |source| {
            let is_late = self.problem.control.should_stop();
            if is_late { 0.0 } else { sums.lower_bound(&outside, source, u) }
        })
    }

    /// Whether a working set that cannot grow is too small for a proof worth the time that it takes to bound the complement: what
    /// single terms below the sources alone leave of the dual objective is a large gap.
    pub fn is_hopeless(&self, hull: &Hull<'_>, sums: &DescendantSums<'_>) -> bool {
        if !self.has_restricted_gap(self.limits.tol.max(HOPELESS_TOL)) {
            return false;
        }
        let (terms, primal, u) = (&self.problem.terms, self.solution.primal, &self.solution.witness.u);
        let square = self.lower_bounds(hull, sums).into_iter().fold(self.square, f64::max);
        let (_, dual) = best_scale(terms, u, square, 1.0);
        relative_gap(primal - dual, primal, terms.loss, terms.y) > HOPELESS_GAP
    }

    /// Bounds the complement, which gives the dual objective.
    pub fn bound_complement(&mut self, hull: &Hull<'_>, sums: &DescendantSums<'_>) -> Complement {
        let (terms, u) = (&self.problem.terms, &self.solution.witness.u);
        let mut complement = bound_complement(
            hull,
            std::mem::take(&mut self.sources),
            sums,
            u,
            self.limit,
            self.limits.max_hull,
        );
        let square = complement.square.max(self.square);
        let (scale, dual) = best_scale(terms, u, square, 1.0);
        let solution = &mut self.solution;
        solution.witness.u.iter_mut().for_each(|u| *u *= scale);
        solution.extension = std::mem::take(&mut complement.extension);
        (solution.dual, solution.square) = (dual, scale * scale * square);
        solution.n_sources = complement.n_sources;
        solution.complete = solution.has_gap(terms, self.limits.tol);
        complement
    }

    /// The solution with its bound; its round and its steps are counted already, its sources are not.
    pub fn into_bounded(mut self, hull: &Hull<'_>, sums: &DescendantSums<'_>) -> Solution {
        self.bound_complement(hull, sums);
        Solution { n_rounds: 0, n_newton_steps: 0, ..self.solution }
    }

    fn largest_above(&self, bounds: &[f64]) -> Vec<Source> {
        let mut above: Vec<(f64, &Source)> =
            bounds.iter().copied().zip(&self.sources).filter(|(bound, _)| *bound > self.limit).collect();
        // Most of the others fall below the limit once those with the largest bounds are added.
        above.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.conjunction.cmp(&b.1.conjunction)));
        above.truncate(MAX_SOURCES.max(self.hull_size / 4));
        above.into_iter().map(|(_, source)| source.clone()).collect()
    }
}

impl Solution {
    /// Whether the gap is within the tolerance.
    pub fn has_gap(&self, terms: &DualTerms<'_>, tol: f64) -> bool {
        relative_gap(self.primal - self.dual, self.primal, terms.loss, terms.y) <= GAP_FRACTION * tol
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

/// The factor in (0, `most`] of the multipliers with the largest dual objective, which is concave in it, and that
/// objective; `square` bounds their squared dual norm.
fn best_scale(terms: &DualTerms<'_>, u: &[f64], square: f64, most: f64) -> (f64, f64) {
    let dual = |scale: f64| {
        let scaled: Vec<f64> = u.iter().map(|u| scale * u).collect();
        terms.dual(&scaled) - 0.5 * scale * scale * square
    };
    let (mut low, mut high) = (0.0, most);
    for _ in 0..SCALE_STEPS {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if dual(left) < dual(right) { low = left } else { high = right }
    }
    let middle = 0.5 * (low + high);
    let (inside, at_most) = (dual(middle), dual(most));
    if inside > at_most { (middle, inside) } else { (most, at_most) }
}
