//! A search over all subtrees of a space, on all threads of the current pool.
//!
//! Each subtree has its own visitor, and their results are merged in the order of the subtrees, so that the
//! result does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::collect::{CandidateBuffer, Collector, Limits, SearchBudget};
use super::goal::Goal;
use super::recall::{self, Recorded};
use super::remote;
use super::visitors::{Candidate, Top};
use crate::control::Control;
use crate::space::{Bound, PatternSpace, ReportMode, RowWeights, Visitor};
use crate::threads;

/// The result of a search.
#[derive(Debug, Clone)]
pub struct SearchResult<P> {
    /// Patterns above the threshold, ordered by [`Candidate::compare`].
    pub candidates: Vec<Candidate<P>>,
    /// Nodes whose bound was evaluated.
    pub nodes: u64,
    /// Whether the whole space was searched before the time was over.
    pub complete: bool,
    /// Whether the search exceeded a limit on its result.
    pub overflowed: bool,
}

impl<P> SearchResult<P> {
    /// Upper bound of |sum| / cost over all patterns: the largest found, else the threshold that
    /// no pattern passed.
    pub fn dual_norm_bound(&self, threshold: f64, residual: &[f64]) -> f64 {
        if !self.complete {
            return trivial_dual_norm(residual);
        }
        self.candidates.first().map_or(threshold, |f| f.score.max(threshold))
    }
}

/// Upper bound of |sum| / cost over all sets of rows.
pub fn trivial_dual_norm(residual: &[f64]) -> f64 {
    let (up, down) = residual.iter().fold((0.0, 0.0), |(u, d), s| (u + s.max(0.0), d - s.min(0.0)));
    f64::max(up, down)
}

/// The `limit` patterns of the largest scores above the threshold, by [`Candidate::compare`]; among siblings
/// that differ in the limits of the last proposition alone, at most one of each sign.
pub fn find_best<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: impl Bound,
    limit: usize,
    control: &Control,
) -> SearchResult<S::Pattern> {
    best_of_each_root(space, weights, bound, limit, limit, control)
}

/// The `limit` patterns of the largest scores above the threshold among the `each` best of every subtree.
pub fn best_of_each_root<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: impl Bound,
    each: usize,
    limit: usize,
    control: &Control,
) -> SearchResult<S::Pattern> {
    let goal = Goal::Best { each, limit };
    let here = |control: &Control| best_of_roots(space, &space.roots(), weights, bound, each, control);
    recall::recalled(control, weights, &bound, goal, || {
        remote::search(space, weights, &bound, goal, control, here, |parts| best_of(parts, limit))
    })
}

/// Results for parts of a space, in the order of the subtrees.
pub(super) struct Parts<T> {
    pub results: Vec<T>,
    /// Whether all are there and complete.
    pub complete: bool,
    /// Whether they exceed a limit together.
    pub overflowed: bool,
}

impl<T: Recorded> Parts<T> {
    fn new(results: Vec<T>, overflowed: bool) -> Self {
        let complete = results.iter().all(Recorded::is_complete);
        Self { results, complete, overflowed }
    }

    /// Nodes of each part.
    pub fn nodes(&self) -> Vec<u64> {
        self.results.iter().map(Recorded::nodes).collect()
    }
}

/// The best `each` of every one of some subtrees.
pub(super) fn best_of_roots<S: PatternSpace>(
    space: &S,
    roots: &[S::Root],
    weights: &RowWeights,
    bound: impl Bound,
    each: usize,
    control: &Control,
) -> Parts<SearchResult<S::Pattern>> {
    let tops = over_roots(space, roots, weights, control, || Top::new(bound, each, control));
    let result = |(top, complete): (Top<'_, S::Pattern, _>, bool)| {
        let Top { candidates, nodes, .. } = top;
        SearchResult { candidates, nodes, complete, overflowed: false }
    };
    Parts::new(tops.into_iter().map(result).collect(), false)
}

/// The best of the results for parts of a space.
pub(super) fn best_of<P: Ord + Send>(parts: Parts<SearchResult<P>>, limit: usize) -> SearchResult<P> {
    let complete = parts.complete;
    let mut best = SearchResult { candidates: Vec::new(), nodes: 0, complete, overflowed: false };
    for part in parts.results {
        best.candidates.extend(part.candidates);
        best.nodes += part.nodes;
    }
    best.candidates.par_sort_by(Candidate::compare);
    best.candidates.truncate(limit);
    best
}

/// All patterns above the threshold according to `report_mode`, without their rows, those with equal rows among them;
/// overflowed if there are more than `limit`.
pub fn enumerate_above<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: impl Bound,
    report_mode: ReportMode,
    limit: usize,
    control: &Control,
) -> SearchResult<S::Pattern> {
    let limits = Limits { rows: 0, ..Limits::of_patterns(limit) };
    let mut search = collect(space, weights, bound, report_mode, limits, control).into_result();
    search.candidates.par_sort_by(Candidate::compare);
    search
}

/// All patterns above the threshold according to `report_mode`; overflowed if they exceed a limit.
pub fn collect<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: impl Bound,
    report_mode: ReportMode,
    limits: Limits,
    control: &Control,
) -> CandidateBuffer<S::Pattern> {
    let goal = Goal::All(limits, report_mode);
    let here = |control: &Control| {
        collect_in_roots(space, &space.roots(), weights, bound, (limits, report_mode), control)
    };
    recall::recalled(control, weights, &bound, goal, || {
        remote::search(space, weights, &bound, goal, control, here, |parts| all_of(parts, limits, control))
    })
}

/// The same in every one of some subtrees.
pub(super) fn collect_in_roots<S: PatternSpace>(
    space: &S,
    roots: &[S::Root],
    weights: &RowWeights,
    bound: impl Bound,
    (limits, report_mode): (Limits, ReportMode),
    control: &Control,
) -> Parts<CandidateBuffer<S::Pattern>> {
    let budget = SearchBudget::new(limits, report_mode);
    let make = || Collector::new(bound, control, &budget);
    let listed = |(walk, finished): (Collector<'_, S::Pattern, _>, bool)| {
        let mut buffer = walk.take();
        buffer.complete = finished || buffer.overflowed;
        buffer
    };
    let walks = over_roots(space, roots, weights, control, make).into_iter().map(listed).collect();
    Parts::new(walks, !budget.enough.load(Ordering::Relaxed))
}

/// The results for parts of a space as one. What was found beyond a limit depends on timing and must not be used.
pub(super) fn all_of<P>(
    parts: Parts<CandidateBuffer<P>>,
    limits: Limits,
    control: &Control,
) -> CandidateBuffer<P> {
    let mut all = CandidateBuffer::join(parts.results);
    all.complete = parts.complete;
    if !parts.overflowed {
        return all;
    }
    let mut none = CandidateBuffer::default();
    (none.nodes, none.complete, none.overflowed) =
        (all.nodes.min(limits.nodes), !control.should_stop(), true);
    none
}

/// Walks each subtree with its own visitor. Returns the visitors in the order of the subtrees, and whether
/// each walk was finished.
pub fn over_roots<S: PatternSpace, V: Visitor<S::Pattern> + Send>(
    space: &S,
    roots: &[S::Root],
    weights: &RowWeights,
    control: &Control,
    make: impl Fn() -> V + Sync,
) -> Vec<(V, bool)> {
    let (over, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let walk = |k: usize| {
        let mut visitor = make();
        if over.load(Ordering::Relaxed) || control.should_stop() {
            over.store(true, Ordering::Relaxed);
            return (visitor, false);
        }
        let finished = space.walk(&roots[k], weights, &mut visitor);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        control.set_status(|| format!("searched {done} of {} subtrees", roots.len()));
        (visitor, finished)
    };
    // The largest subtrees come first, so that all threads end at about the same time.
    threads::map_in_turn(roots.len(), walk)
}

/// The smallest length among the collected patterns of each set of rows.
#[cfg(test)]
pub(crate) fn shortest<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: impl Bound,
    report_mode: ReportMode,
) -> std::collections::BTreeMap<Vec<u32>, usize> {
    let mut least = std::collections::BTreeMap::new();
    let limits = Limits::of_patterns(usize::MAX);
    let all = collect(space, weights, bound, report_mode, limits, &Control::default());
    for item in &all.candidates {
        let rows = all.cached_rows(item).expect("rows at hand").to_vec();
        let length = least.entry(rows).or_insert(item.length);
        *length = item.length.min(*length);
    }
    least
}
