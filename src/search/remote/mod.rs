//! Searches that other processes share: the space and the query as bytes, subtrees in parts, answers put together again.
//!
//! A part is a range of the subtrees in their order, and the answers are joined in this order, so that the result has the
//! bits of a search here. Parts have about equal work, if that of a subtree is what it took in the last search of the
//! space: residuals change little from one to the next.

mod answer;
mod query;
mod space;

pub use query::RemoteQuery;
pub use space::RemoteSpace;

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use self::answer::{Answer, Header};
use super::driver::Walked;
use super::goal::Goal;
use super::recall::Recorded;
use crate::control::Control;
use crate::space::{Bound, PatternSpace, RowWeights};
use crate::threads;
use crate::workers::{Cluster, Job, Scope, Test, Work};

/// Parts for each thread of the workers: the last one to end keeps the others waiting for about one part.
const PARTS_OF_A_THREAD: usize = 4;
/// Seconds of a part, if subtrees allow. Each takes Dask 5 ms; workers finish what they began when a fit is interrupted.
const SECONDS_OF_A_PART: RangeInclusive<f64> = 0.05..=1.0;

/// Memory of a space that is sent, in units of its bytes: these, those on their way, and the codes that they are made from.
const COPIES: u64 = 3;

/// The results for the parts of a space.
pub(super) struct Parts<T> {
    /// In the order of the subtrees.
    pub results: Vec<T>,
    /// Whether all are there and complete.
    pub complete: bool,
    /// Whether they exceed a limit together.
    pub overflowed: bool,
}

/// The result of a search: by `here`, or of the workers of the control, put together by `join`.
pub(super) fn search<S: PatternSpace, T: Recorded>(
    space: &S,
    weights: &RowWeights,
    bound: &impl Bound,
    goal: Goal,
    control: &Control,
    here: impl Fn(&Control) -> Walked<T>,
    join: impl FnOnce(Parts<T>) -> T,
) -> T {
    let Some(cluster) = control.cluster() else { return here(control).0 };
    let scope = cluster.scope(control.scope(), || Scope {
        space: space::encoded(space, weights)
            .filter(|bytes| control.reserve(COPIES * bytes.len() as u64))
            .map(Into::into),
        weights: weights.stats.iter().map(|s| s.weight).collect(),
        last: Mutex::default(),
    });
    let Some(bytes) = &scope.space else { return here(control).0 };
    let patience = cluster.workers.patience();
    let threads = threads::count() as f64;
    let last = scope.last();
    let is_small = |last: &Work| last.seconds <= patience.as_secs_f64() * threads;
    if !patience.is_zero() && last.as_ref().is_none_or(is_small) {
        let began = Instant::now();
        let (result, nodes) = here(&control.limited(patience));
        if result.is_complete() || control.should_stop() {
            scope.took(Work { nodes, seconds: began.elapsed().as_secs_f64() * threads });
            return result;
        }
    }
    let parts = parts(space.roots().len(), last, cluster);
    let job = Arc::new(Job {
        scope: control.scope(),
        space: bytes.clone(),
        query: query::encoded(weights, bound, goal, &scope.weights),
        answers: Mutex::new(vec![None; parts.len()]),
        parts,
        control: control.clone(),
        ends: ends(goal),
        ended: AtomicBool::new(false),
    });
    cluster.workers.search(&job);
    let answers = std::mem::take(&mut *job.answers.lock().unwrap_or_else(PoisonError::into_inner));
    join(put_together(&answers, &scope, job.ended.load(Ordering::Relaxed)))
}

/// Ranges of `n_roots` subtrees.
fn parts(n_roots: usize, last: Option<Work>, cluster: &Cluster) -> Vec<(usize, usize)> {
    let known = last.filter(|last| last.nodes.len() == n_roots);
    let count = PARTS_OF_A_THREAD * cluster.workers.n_threads().max(1);
    let count = known.as_ref().map_or(count, |last| {
        let of = |seconds: f64| (last.seconds / seconds) as usize;
        count.clamp(of(*SECONDS_OF_A_PART.end()), of(*SECONDS_OF_A_PART.start()).max(1))
    });
    let work = known.map_or_else(|| vec![0; n_roots], |last| last.nodes);
    of_equal_work(&work, count)
}

/// At most `count` ranges of about equal work, a little more than 0 for each subtree.
fn of_equal_work(work: &[u64], count: usize) -> Vec<(usize, usize)> {
    let total: f64 = work.iter().map(|&nodes| nodes as f64 + 1.0).sum();
    let (mut ranges, mut from, mut sum) = (Vec::new(), 0, 0.0);
    for (k, &nodes) in work.iter().enumerate() {
        sum += nodes as f64 + 1.0;
        // The end of this subtree is nearer to the end of the range than that of the next one.
        let next = work.get(k + 1).map_or(0.0, |&nodes| nodes as f64 + 1.0);
        if k + 1 == work.len() || sum + 0.5 * next >= total * (ranges.len() + 1) as f64 / count as f64 {
            ranges.push((from, k + 1));
            from = k + 1;
        }
    }
    ranges
}

/// Whether an answer shows, with those before it, that a limit is exceeded.
fn ends(goal: Goal) -> Test {
    let Goal::All(limits, _) = goal else { return Box::new(|_| false) };
    let limits = [limits.nodes, limits.patterns as u64, limits.rows as u64];
    let used = [const { AtomicU64::new(0) }; 3];
    Box::new(move |answer| {
        let Some(header) = Header::read(answer) else { return false };
        let exceeded = used.iter().zip(header.used).zip(limits).map(|((used, more), limit)| {
            let before = used.fetch_add(more, Ordering::Relaxed);
            before.saturating_add(more) > limit
        });
        exceeded.fold(header.overflowed, |any, one| any | one)
    })
}

/// The parts that were answered; the space remembers what they took.
fn put_together<T: Recorded>(answers: &[Option<Vec<u8>>], scope: &Scope, overflowed: bool) -> Parts<T> {
    let mut parts = Parts { results: Vec::new(), complete: true, overflowed };
    let mut work = Work { nodes: Vec::new(), seconds: 0.0 };
    for answer in answers {
        let Some(answer) = answer.as_ref().and_then(|bytes| Answer::<T>::read(bytes)) else {
            parts.complete = false;
            continue;
        };
        parts.complete &= answer.header.complete;
        work.nodes.extend(answer.header.nodes);
        work.seconds += answer.header.seconds;
        parts.results.push(answer.result);
    }
    // What was cut short says little of the next.
    if parts.complete {
        scope.took(work);
    }
    parts
}

#[cfg(test)]
mod tests;
