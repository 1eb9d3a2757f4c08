//! Safe screening ([SRF] Algorithm 2). For each lambda one search lists all patterns that the last solution
//! does not exclude by the bounds SS and mSS (see [`crate::space::CorrelationBound`]), whose ball contains the optimal
//! residual. Violators are found on the list, which dynamic screening shortens, and a final search certifies the
//! result over the space.
//!
//! The working set is drawn from the list. If the list would be too long, all violators of that lambda are
//! found by searches. [`super::range_screening`] lists candidates for a range of lambdas in place of one.
//!
//! References: \[SRF\] Kato, Hanada, Takeuchi, "Safe RuleFit".

use super::listed::{self, List, Listed, above, correlations};
use super::{Answer, Cached, MAX_BATCH, Oracle, Query, SpaceSearch, Violator};
use crate::control::Reservation;
use crate::error::Result;
use crate::search::{BufferedCandidate, Limits, collect};
use crate::solve::Outcome;
use crate::solve::restricted::{Restricted, feasible_scale};
use crate::space::{Bound, CorrelationBound, PatternSpace};

/// Maximum number of row indices of a list (800 MB).
const MAX_ROWS: usize = 200_000_000;
/// Row indices of a list for each of the patterns that its search stores.
const ROWS_OF_A_PATTERN: usize = 50;
/// Memory for a row index that the search stores, and a part of a pattern.
const BYTES_OF_A_ROW: u64 = 4 + 224 / ROWS_OF_A_PATTERN as u64;
/// Relative margin of the threshold, so that rounding excludes no pattern.
const ROUNDING: f64 = 1e-9;

/// The list of a lambda, on top of a search of the whole space.
#[derive(Debug)]
pub struct SafeScreening<P, T> {
    search: T,
    /// `None` if it would be too long.
    survivors: Option<List<P>>,
    /// The dual norm of the current residual over the space, if it is known.
    space_norm: Option<f64>,
    /// The same over list and working set.
    list_norm: f64,
    /// Violators on the list that were not returned, because the gap over the list is within the tolerance.
    pending: Vec<Violator<P>>,
}

impl<P, T> SafeScreening<P, T> {
    /// No list yet; certificates come from `search`.
    pub fn new(search: T) -> Self {
        Self { search, survivors: None, space_norm: None, list_norm: 0.0, pending: Vec::new() }
    }
}

impl<S: PatternSpace, T: SpaceSearch<S>> Oracle<S> for SafeScreening<S::Pattern, T> {
    fn lambda_max(&mut self, restricted: &Restricted<'_, S>) -> Result<(f64, u64)> {
        let (norm, nodes) = self.search.lambda_max(restricted)?;
        self.space_norm = Some(norm);
        Ok((norm, nodes))
    }

    fn start(&mut self, restricted: &Restricted<'_, S>, lambda: f64) -> Result<Outcome> {
        self.survivors = None;
        let Some(norm) = self.space_norm else { return Ok(Outcome::default()) };
        let (survivors, nodes) = list(restricted, lambda, norm)?;
        self.survivors = survivors;
        Ok(Outcome { nodes, searches: 1, ..Outcome::default() })
    }

    fn cached_violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Cached<S::Pattern> {
        (self.space_norm, self.list_norm) = (None, query.norm);
        self.pending = Vec::new();
        let Some((survivors, _)) = &mut self.survivors else {
            return Cached { candidates: Vec::new(), is_out_of_memory: false };
        };
        let Query { lambda, primal, norm } = query;
        let Restricted { problem, iterate, .. } = restricted;
        let sums = correlations(survivors, &iterate.residual);
        let threshold = lambda.max(norm);
        let above = above(survivors, &sums, restricted, threshold);
        let selection = self.search.select(restricted, above, threshold, MAX_BATCH);
        self.list_norm = selection.norm.map_or(norm, |n| n.max(norm));
        let scale = feasible_scale(lambda, self.list_norm);
        let radius = radius(restricted, primal, scale);
        let safe = safe_bound(restricted, lambda, radius);
        let mut sum = sums.iter();
        survivors.retain(|s| sum.next().is_none_or(|x| safe.pattern(x * scale, s.weight, s.sign, s.length)));
        let mut candidates = selection.candidates;
        let gap = primal - restricted.dual(lambda, self.list_norm);
        if gap <= problem.gap_target(primal, problem.tol) {
            self.pending = std::mem::take(&mut candidates);
        }
        Cached { candidates, is_out_of_memory: selection.is_out_of_memory }
    }

    fn violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Result<Answer<S::Pattern>> {
        let mut answer = self.search.violators(restricted, Query { norm: self.list_norm, ..query })?;
        answer.dual_norm = answer.dual_norm.max(self.list_norm);
        answer.candidates.append(&mut self.pending);
        self.space_norm = Some(answer.dual_norm);
        Ok(answer)
    }
}

/// Radius of the ball around `scale` times the current residual that contains the optimal residual.
fn radius<S: PatternSpace>(restricted: &Restricted<'_, S>, primal: f64, scale: f64) -> f64 {
    let gap = primal - restricted.problem.risk().dual(&restricted.iterate.residual, scale);
    (2.0 * restricted.problem.loss.curvature_bound() * gap.max(0.0)).sqrt()
}

/// The bound of the patterns that may matter in a ball of residuals.
fn safe_bound<S: PatternSpace>(restricted: &Restricted<'_, S>, lambda: f64, radius: f64) -> CorrelationBound {
    restricted.problem.bound(restricted.penalty.l1_ratio() * lambda * (1.0 - ROUNDING), radius)
}

/// Every pattern that could matter at `lambda`, not excluded by SS or mSS at the current point, where the dual norm
/// over the space is `norm`; `None` if they are too many. And the nodes visited.
fn list<S: PatternSpace>(
    restricted: &Restricted<'_, S>,
    lambda: f64,
    norm: f64,
) -> Result<(Option<List<S::Pattern>>, u64)> {
    let Restricted { problem, control, iterate, .. } = restricted;
    let scale = feasible_scale(lambda, norm);
    let radius = radius(restricted, restricted.primal(lambda), scale);
    let weights = problem.row_weights(iterate.residual.iter().map(|s| s * scale).collect());
    let bound = safe_bound(restricted, lambda, radius);
    let (space, sample_weights, mode) = (problem.space, problem.sample_weights, problem.report_mode());
    let mut reserved = Reservation::new(control);
    let most = reserved.as_many(BYTES_OF_A_ROW, MAX_ROWS);
    let limits = Limits { nodes: u64::MAX >> 1, patterns: most / ROWS_OF_A_PATTERN, rows: most };
    let found = collect(space, &weights, bound, mode, limits, control);
    control.check()?;
    if !found.complete || found.overflowed {
        return Ok((None, found.nodes));
    }
    let survivor = |item: &BufferedCandidate| {
        let rows = found.rows(space, item).0.into_owned();
        let weight = rows.iter().map(|&r| sample_weights[r as usize]).sum();
        Listed { pattern: found.pattern(item), rows, weight, length: item.length, sign: item.sign }
    };
    Ok((listed::list(&found.candidates, most, survivor, control), found.nodes))
}
