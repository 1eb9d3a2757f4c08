//! The search of the space for single patterns.

use super::{Answer, Oracle, Query, Selection, SpaceSearch, Violator};
use crate::error::Result;
use crate::search::{Candidate, find_best};
use crate::solve::restricted::Restricted;
use crate::space::PatternSpace;

/// Correlation below which a pattern counts as rounding, as a fraction of the norm of the residual.
const MIN_LAMBDA_MAX: f64 = 1e-12;

/// A search for the patterns with the largest excess over the threshold.
#[derive(Debug)]
pub struct TreeSearch {
    batch: usize,
}

impl TreeSearch {
    /// Returns at most `batch` violators.
    pub fn new(batch: usize) -> Self {
        Self { batch }
    }
}

impl<S: PatternSpace> Oracle<S> for TreeSearch {
    fn violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Result<Answer<S::Pattern>> {
        let Restricted { problem, control, iterate, .. } = restricted;
        let threshold = query.threshold();
        let bound = problem.bound(threshold, 0.0);
        let found = find_best(problem.space, &restricted.row_weights(), bound, self.batch, control);
        control.check()?;
        Ok(Answer {
            dual_norm: found.dual_norm_bound(threshold, &iterate.residual),
            nodes: found.nodes,
            candidates: found.candidates.into_iter().map(Violator::single).collect(),
            is_out_of_memory: false,
        })
    }

    fn lambda_max(&mut self, restricted: &Restricted<'_, S>) -> Result<(f64, u64)> {
        let Restricted { problem, control, iterate, .. } = restricted;
        let dense = restricted.dual_norm();
        let size = iterate.residual.iter().map(|s| s.abs()).sum::<f64>().max(f64::MIN_POSITIVE);
        let bound = problem.bound(dense.max(MIN_LAMBDA_MAX * size), 0.0);
        let found = find_best(problem.space, &restricted.row_weights(), bound, 1, control);
        let norm = if found.complete {
            found.candidates.first().map_or(0.0, |f| f.score)
        } else {
            found.dual_norm_bound(bound.threshold, &iterate.residual)
        };
        Ok((norm.max(dense), found.nodes))
    }
}

impl<S: PatternSpace> SpaceSearch<S> for TreeSearch {
    fn select(
        &mut self,
        restricted: &Restricted<'_, S>,
        mut listed: Vec<Candidate<S::Pattern>>,
        threshold: f64,
        batch: usize,
    ) -> Selection<S::Pattern> {
        let norm = listed
            .iter()
            .map(|f| f.score)
            .fold(None, |most: Option<f64>, r| Some(most.map_or(r, |most| most.max(r))));
        listed.retain(|f| f.score > threshold && !restricted.working_set.is_known(&f.pattern));
        listed.sort_by(Candidate::compare);
        listed.truncate(batch);
        let candidates = listed.into_iter().map(Violator::single).collect();
        Selection { candidates, norm, is_out_of_memory: false }
    }
}
