//! Searches that other processes share: the space and the query as bytes, subtrees in parts, answers put together again.
//!
//! A part is a range of the subtrees in their order, and the answers are joined in this order, so that the result has the
//! bits of a search here.

mod answer;
mod parts;
mod query;
mod space;

pub use query::RemoteQuery;
pub use space::RemoteSpace;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use self::answer::{Answer, Header};
use self::parts::Expected;
use super::driver::Parts;
use super::goal::Goal;
use super::recall::Recorded;
use crate::control::Control;
use crate::space::{Bound, PatternSpace, RowWeights};
use crate::threads;
use crate::workers::{Job, Scope, Test, Work};

/// Memory of a space that is sent, in units of its bytes: these, those on their way, and the codes that they are made from.
const COPIES: u64 = 3;

/// The result of a search: by `here`, or of the workers of the control, put together by `join`.
///
/// A search that may be small is tried here first. What that finished is kept: the workers search the other subtrees.
pub(super) fn search<S: PatternSpace, T: Recorded>(
    space: &S,
    weights: &RowWeights,
    bound: &impl Bound,
    goal: Goal,
    control: &Control,
    here: impl Fn(&Control) -> Parts<T>,
    join: impl Fn(Parts<T>) -> T,
) -> T {
    let Some(cluster) = control.cluster() else { return join(here(control)) };
    let scope = cluster.scope(control.scope(), || Scope {
        space: space::encoded(space, weights)
            .filter(|bytes| control.reserve(COPIES * bytes.len() as u64))
            .map(Into::into),
        weights: weights.stats.iter().map(|s| s.weight).collect(),
        last: Mutex::default(),
    });
    let Some(bytes) = &scope.space else { return join(here(control)) };
    let patience = cluster.workers.patience();
    let threads = threads::count() as f64;
    let n_roots = space.roots().len();
    let mut expected = Expected::of(scope.last().filter(|last| last.nodes.len() == n_roots), n_roots);
    let (mut n_done, mut answers) = (0, Vec::new());
    if !patience.is_zero() && expected.seconds.is_none_or(|s| s <= patience.as_secs_f64() * threads) {
        let began = Instant::now();
        let mut parts = here(&control.limited(patience));
        let seconds = began.elapsed().as_secs_f64() * threads;
        if parts.complete || parts.overflowed || control.should_stop() {
            if parts.complete {
                scope.took(Work { nodes: parts.nodes(), seconds });
            }
            return join(parts);
        }
        n_done = parts.results.iter().take_while(|result| result.is_complete()).count();
        parts.results.truncate(n_done);
        parts.complete = true;
        answers.push(Some(answer::joined(parts, began, &join)));
        expected = expected.without(n_done, seconds);
    }
    let ends = ends(goal);
    let ended = answers.iter().flatten().any(|answer: &Vec<u8>| ends(answer));
    let parts = expected.parts(n_done, cluster.workers.n_threads());
    let job = Arc::new(Job {
        scope: control.scope(),
        space: bytes.clone(),
        query: query::encoded(weights, bound, goal, &scope.weights),
        answers: Mutex::new(vec![None; parts.len()]),
        parts,
        control: control.clone(),
        ends,
        ended: AtomicBool::new(ended),
    });
    if !job.parts.is_empty() {
        cluster.workers.search(&job);
    }
    answers.append(&mut job.answers.lock().unwrap_or_else(PoisonError::into_inner));
    join(put_together(&answers, &scope, job.ended.load(Ordering::Relaxed)))
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
