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
//! the space.

use std::borrow::Cow;

use super::flat_lists::{laid_out, spans};
use super::schedule::ScreeningSchedule;
use super::tree_search::TreeSearch;
use super::{Answer, Oracle, Query, Violator};
use crate::data::sums::over_rows;
use crate::error::Result;
use crate::search::Candidate;
use crate::search::{BufferedCandidate, CandidateBuffer, collect_above};
use crate::solve::Problem;
use crate::solve::restricted::Restricted;
use crate::space::{CorrelationBound, Encode, PatternSpace, Sign};
use crate::threads;

/// Maximum number of row indices of a list (24 MB).
const MAX_ROWS: usize = 6_000_000;
/// Maximum number of patterns of a subtree in a list; patterns have several rows each.
const MAX_PATTERNS: usize = MAX_ROWS / 8;
/// Minimum number of candidates for each thread.
const MIN_PER_THREAD: usize = 256;

/// Region of residuals in which a list is valid.
#[derive(Debug, Clone)]
struct Region {
    centre: Vec<f64>,
    radius: f64,
    threshold: f64,
}

impl Region {
    /// Whether every pattern outside the list is at most `threshold` at a residual.
    fn covers(&self, residual: &[f64], sample_weights: &[f64], threshold: f64) -> bool {
        if self.threshold > threshold {
            return false;
        }
        let beyond = (distance(residual, &self.centre, sample_weights) - self.radius).max(0.0);
        self.threshold + beyond * 0.5 * (residual.len() as f64).sqrt() <= threshold
    }
}

/// Distance of two residuals, weighted by 1 / sample weight.
pub fn distance(a: &[f64], b: &[f64], sample_weights: &[f64]) -> f64 {
    over_rows(a.len(), |i| (a[i] - b[i]) * (a[i] - b[i]) / sample_weights[i]).sqrt()
}

#[derive(Debug)]
struct Entry {
    /// First and last + 1 of the pattern's words.
    words: (usize, usize),
    length: usize,
    sign: Sign,
    cost: f64,
    /// First and last + 1 of its row numbers.
    rows: (usize, usize),
}

/// The candidates of a region.
#[derive(Debug)]
struct RangeScreen {
    region: Region,
    entries: Vec<Entry>,
    words: Vec<u32>,
    rows: Vec<u32>,
}

/// Scans a list while it is valid, else searches the space and computes a new list if the schedule says so.
#[derive(Debug)]
pub struct RangeScreening {
    search: TreeSearch,
    screen: Option<RangeScreen>,
    schedule: ScreeningSchedule,
    batch: usize,
}

impl RangeScreening {
    /// Returns at most `batch` violators.
    pub fn new(batch: usize) -> Self {
        let schedule = ScreeningSchedule::default();
        Self { search: TreeSearch::new(batch), screen: None, schedule, batch }
    }

    /// A list around the residuals that the next lambdas are expected to have, and the nodes visited;
    /// `None` if it would be too long or take too many nodes.
    fn make_list<S: PatternSpace>(
        &mut self,
        restricted: &Restricted<'_, S>,
        lambda: f64,
    ) -> Result<Option<(RangeScreen, u64)>> {
        let Restricted { problem, control, iterate, .. } = restricted;
        let (centre, radius) = self.schedule.centre(&iterate.residual);
        let weights = problem.row_weights(centre);
        let bound = problem.bound(self.schedule.range * lambda, radius);
        let max_nodes = self.schedule.max_nodes();
        let listing = collect_above(
            problem.space,
            &weights,
            bound,
            problem.report_mode(),
            MAX_PATTERNS,
            max_nodes,
            control,
        );
        control.check()?;
        let is_usable = !listing.overflowed && listing.complete;
        let screen =
            is_usable.then(|| RangeScreen::new(problem, weights.residual, &listing, bound)).flatten();
        Ok(screen.map(|screen| (screen, listing.nodes)))
    }
}

impl<S: PatternSpace> Oracle<S> for RangeScreening {
    fn violators(&mut self, restricted: &Restricted<'_, S>, query: Query) -> Result<Answer<S::Pattern>> {
        let Restricted { problem, iterate, .. } = restricted;
        let threshold = query.threshold();
        self.screen
            .take_if(|screen| !screen.region.covers(&iterate.residual, problem.sample_weights, threshold));
        if let Some(screen) = &self.screen {
            return Ok(screen.scan(&iterate.residual, threshold, self.batch));
        }
        if self.schedule.is_due() {
            if let Some((screen, nodes)) = self.make_list(restricted, query.lambda)? {
                self.schedule.list_made(nodes, screen.rows.len() * 2 < MAX_ROWS);
                let mut answer = screen.scan(&iterate.residual, threshold, self.batch);
                answer.nodes += nodes;
                self.screen = Some(screen);
                return Ok(answer);
            }
            self.schedule.list_failed();
        }
        let answer = self.search.violators(restricted, query)?;
        self.schedule.searched(answer.nodes);
        Ok(answer)
    }

    fn lambda_max(&mut self, restricted: &Restricted<'_, S>) -> Result<(f64, u64)> {
        self.search.lambda_max(restricted)
    }

    fn finish(&mut self, restricted: &Restricted<'_, S>, lambda: f64) {
        self.schedule.observe(lambda, &restricted.iterate.residual, restricted.problem.sample_weights);
    }
}

impl RangeScreen {
    /// The list of the patterns that a search found; `None` if it is too long.
    fn new<S: PatternSpace>(
        problem: &Problem<'_, S>,
        centre: Vec<f64>,
        listing: &CandidateBuffer<S::Pattern>,
        bound: CorrelationBound,
    ) -> Option<Self> {
        let (space, items) = (problem.space, &listing.candidates);
        let lists: Vec<Cow<'_, [u32]>> = threads::map(items, |item| listing.rows(space, item).0);
        let rows: Vec<&[u32]> = lists.iter().map(|rows| &**rows).collect();
        let words: Vec<&[u32]> = items.iter().map(|item| listing.encoded(item)).collect();
        let (of_rows, of_words) = (spans(&rows), spans(&words));
        if of_rows.last().is_some_and(|&(_, held)| held > MAX_ROWS) {
            return None;
        }
        let entry = |at: usize| {
            let BufferedCandidate { length, sign, .. } = items[at];
            Entry { words: of_words[at], length, sign, cost: bound.cost(length), rows: of_rows[at] }
        };
        Some(Self {
            region: Region { centre, radius: bound.radius, threshold: bound.threshold },
            entries: (0..items.len()).map(entry).collect(),
            words: laid_out(&words, &of_words),
            rows: laid_out(&rows, &of_rows),
        })
    }

    fn pattern<P: Encode>(&self, entry: &Entry) -> P {
        P::decode(&self.words[entry.words.0..entry.words.1])
    }

    fn correlation(&self, entry: &Entry, residual: &[f64]) -> f64 {
        let (from, to) = entry.rows;
        self.rows[from..to].iter().map(|&r| residual[r as usize]).sum()
    }

    /// The violators on the list that exceed the threshold most.
    fn scan<P: Encode + Ord>(&self, residual: &[f64], threshold: f64, batch: usize) -> Answer<P> {
        let score_of = |k: usize| {
            let entry = &self.entries[k];
            let correlation = self.correlation(entry, residual);
            (correlation, entry.sign.signed_correlation(correlation) / entry.cost)
        };
        let scores: Vec<(f64, f64)> = threads::map_range(self.entries.len(), MIN_PER_THREAD, score_of);
        let mut found: Vec<Candidate<P>> = (self.entries.iter().zip(&scores))
            .filter(|(_, (_, score))| *score > threshold)
            .map(|(e, &(correlation, score))| Candidate {
                pattern: self.pattern(e),
                correlation,
                score,
                length: e.length,
                sign: e.sign,
            })
            .collect();
        found.sort_by(Candidate::compare);
        found.truncate(batch);
        Answer {
            dual_norm: found.first().map_or(threshold, |f| f.score.max(threshold)),
            nodes: self.entries.len() as u64,
            candidates: found.into_iter().map(Violator::single).collect(),
            is_out_of_memory: false,
        }
    }
}
