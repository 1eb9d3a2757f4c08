//! Range-based screening: one search lists candidates, and the next searches scan the list in place of the
//! space.
//!
//! A search with radius rho at the residual phi0 and threshold T lists every pattern k with
//!
//! ```text
//! |sum_k phi0| + rho sqrt(C_k - C_k^2 / n)  >  T c_k
//! ```
//!
//! For a residual phi at distance delta of phi0 (norm weighted by 1 / sample weight), any pattern that
//! is not on the list has |`sum_k` phi| <= T `c_k` + max(0, delta - rho) sqrt(n) / 2. While that
//! is at most lambda, all violators are on the list, and a scan of the list is equivalent to a search of
//! the space. Of the list, sorted by the radius rho from which on a pattern is on it, only those of a radius up to delta
//! need be read.
//!
//! On dense data a list for a range of lambdas is too long, and no search prunes much; where the next lambda is far below
//! the current one, a list for a range that ends before it serves no further lambda. There every search lists the
//! patterns around the current residual, up to the radius that a list of a given length has; it serves the other rounds of
//! the same lambda. At the next lambda the list proves nothing, but most violators are on it: it is scanned until
//! no more are found, before the next search, so that about one search for each lambda remains. Box rules of four
//! conditions took 1.5 to 3 searches for each lambda without, a list for a range 2 to 3 times the nodes of a search.

use std::sync::OnceLock;

use num_bigint::BigUint;

use super::range_screen::RangeScreen;
use super::schedule::{MAX_ROWS, Plan, ScreeningSchedule};
use super::tree_search::TreeSearch;
use super::{Answer, Cached, Oracle, Query};
use crate::control::Reservation;
use crate::error::Result;
use crate::search::{Limits, collect};
use crate::solve::restricted::Restricted;
use crate::space::PatternSpace;

/// Row indices that a search stores for each of the list, which has those nearest to the threshold.
const STORED_ROWS: usize = 4;
/// Row indices of a list for each of the patterns that a search stores.
const ROWS_OF_A_PATTERN: usize = 8;
/// Memory for a row index of a list while it is made: those that the search stores and a part of a pattern.
const BYTES_OF_A_ROW: u64 = 4 * (STORED_ROWS as u64 + 1) + 224 / ROWS_OF_A_PATTERN as u64;

/// Scans a list while it is valid, else searches the space and computes a new list if the schedule says so.
#[derive(Debug)]
pub struct RangeScreening {
    search: TreeSearch,
    screen: Option<RangeScreen>,
    /// Memory of the list.
    reserved: Option<Reservation>,
    schedule: ScreeningSchedule,
    batch: usize,
    /// Number of patterns of the space, once it was needed.
    size: OnceLock<BigUint>,
}

impl RangeScreening {
    /// Returns at most `batch` violators.
    pub fn new(batch: usize) -> Self {
        let schedule = ScreeningSchedule::default();
        Self {
            search: TreeSearch::new(batch),
            screen: None,
            reserved: None,
            schedule,
            batch,
            size: OnceLock::new(),
        }
    }

    /// Number of patterns of the space.
    fn size(&self, space: &impl PatternSpace) -> &BigUint {
        self.size.get_or_init(|| space.size())
    }

    /// A planned list, and the nodes visited; `None` if it would take too many nodes, or far too many rows.
    fn make_list<S: PatternSpace>(
        &mut self,
        restricted: &Restricted<'_, S>,
        plan: &Plan,
    ) -> Result<Option<(RangeScreen, u64)>> {
        let Restricted { problem, control, .. } = restricted;
        let mut reserved = Reservation::new(control);
        let max_rows = reserved.as_many(BYTES_OF_A_ROW, MAX_ROWS);
        let weights = problem.row_weights(plan.centre.clone());
        let bound = problem.bound(plan.threshold, plan.radius);
        let limits = Limits {
            nodes: self.schedule.max_nodes(),
            patterns: max_rows / ROWS_OF_A_PATTERN,
            rows: STORED_ROWS * max_rows,
        };
        let listing = collect(problem.space, &weights, bound, problem.report_mode(), limits, control);
        control.check()?;
        if listing.overflowed || !listing.complete {
            return Ok(None);
        }
        let screen = RangeScreen::new(
            problem.space,
            problem.sample_weights,
            weights.residual,
            &listing,
            bound,
            (plan.max_patterns, max_rows),
        );
        drop(reserved);
        let mut reserved = Reservation::new(control);
        let is_granted = reserved.grow(screen.bytes());
        self.reserved = Some(reserved);
        Ok(is_granted.then_some((screen, listing.nodes)))
    }

    /// The violators by a search that makes a list; `None` if there is no list, or if it had to leave out so much that it
    /// does not cover the residual.
    fn listed<S: PatternSpace>(
        &mut self,
        restricted: &Restricted<'_, S>,
        query: Query,
        is_local: bool,
    ) -> Result<Option<Answer<S::Pattern>>> {
        let Restricted { problem, iterate, .. } = restricted;
        let threshold = query.threshold();
        let plan = self.schedule.plan(&iterate.residual, query.lambda, is_local);
        (self.screen, self.reserved) = (None, None);
        let Some((screen, nodes)) = self.make_list(restricted, &plan)? else {
            self.schedule.list_failed(is_local);
            return Ok(None);
        };
        let (patterns, rows) = (screen.len(), screen.n_row_indices());
        let is_cut = screen.radius() < plan.radius;
        let screen = self.screen.insert(screen);
        let answer = screen.violators(&iterate.residual, problem.sample_weights, threshold, self.batch);
        match &answer {
            Some(answer) if is_local => {
                let is_small = patterns < plan.max_patterns / 4 && rows < MAX_ROWS / 4;
                let gap = query.primal - restricted.dual(query.lambda, answer.dual_norm);
                let lacked = gap > problem.gap_target(query.primal, problem.tol);
                let is_dense = self.schedule.is_dense(self.size(problem.space));
                self.schedule.local_list_made(nodes, is_dense, is_cut, lacked.then_some(is_small));
            }
            Some(_) if !is_cut => self.schedule.list_made(nodes, rows * 2 < MAX_ROWS),
            _ => self.schedule.list_failed(is_local),
        }
        Ok(answer.map(|answer| Answer { nodes: answer.nodes + nodes, ..answer }))
    }
}

impl<S: PatternSpace> Oracle<S> for RangeScreening {
    fn violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Result<Answer<S::Pattern>> {
        let Restricted { problem, iterate, .. } = restricted;
        let screen = self.screen.as_ref();
        if let Some(answer) = screen.and_then(|s| {
            s.violators(&iterate.residual, problem.sample_weights, query.threshold(), self.batch)
        }) {
            return Ok(answer);
        }
        let is_local = self.schedule.is_local(self.size(problem.space));
        if self.schedule.is_due(is_local)
            && let Some(answer) = self.listed(restricted, query, is_local)?
        {
            return Ok(answer);
        }
        let answer = self.search.violators(restricted, query)?;
        self.schedule.searched(answer.nodes);
        Ok(answer)
    }

    /// Most violators are on the last list, although it does not cover the residual.
    fn cached_violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Cached<S::Pattern> {
        let threshold = query.threshold();
        let mut cached = Cached { candidates: Vec::new(), is_out_of_memory: false };
        let Restricted { problem, iterate, .. } = restricted;
        if let Some(screen) = &self.screen
            && screen.distance_covered(&iterate.residual, problem.sample_weights, threshold).is_none()
        {
            let answer = screen.scan(screen.len(), &iterate.residual, threshold, self.batch);
            let gap = query.primal - restricted.dual(query.lambda, answer.dual_norm);
            if gap > problem.gap_target(query.primal, problem.tol) {
                cached.candidates = answer.candidates;
            }
        }
        cached
    }

    fn lambda_max(&mut self, restricted: &Restricted<'_, S>) -> Result<(f64, u64)> {
        self.search.lambda_max(restricted)
    }

    fn finish(&mut self, restricted: &Restricted<'_, S>, lambda: f64) {
        self.schedule.observe(lambda, &restricted.iterate.residual, restricted.problem.sample_weights);
    }
}
