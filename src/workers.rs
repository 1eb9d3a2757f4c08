//! Searches that other processes share, on this machine or on others.
//!
//! A search goes through subtrees that do not depend on each other. The workers get the space once, and for each search its
//! query, 8 bytes for a row (16 where the weights of the rows change). Each answers for some of the subtrees.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::control::Control;

/// Processes that search.
pub trait Workers: Debug + Send + Sync {
    /// Number of threads of all of them at present.
    fn n_threads(&self) -> usize;

    /// How long a search is tried in this process first: it may end before others would have begun.
    fn patience(&self) -> Duration;

    /// Has all parts of a job answered; returns as soon as there are all answers, or once [`Job::goes_on`] is false.
    /// Where that fails, it calls [`Job::cancel`] and keeps the reason.
    fn search(&self, job: &Arc<Job>);
}

/// A test of an answer.
pub(crate) type Test = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// One search.
pub struct Job {
    /// Number of the space, which all searches of it have.
    pub scope: u64,
    /// The space, see [`RemoteSpace`](crate::search::RemoteSpace).
    pub space: Arc<Vec<u8>>,
    /// What is searched for, see [`RemoteQuery`](crate::search::RemoteQuery).
    pub query: Vec<u8>,
    /// The first and the last + 1 of the subtrees of each part.
    pub parts: Vec<(usize, usize)>,
    pub(crate) control: Control,
    /// Whether an answer makes the others superfluous.
    pub(crate) ends: Test,
    pub(crate) ended: AtomicBool,
    pub(crate) answers: Mutex<Vec<Option<Vec<u8>>>>,
}

impl Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("scope", &self.scope).field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl Job {
    /// Takes the answer to a part.
    pub fn take(&self, part: usize, answer: Vec<u8>) {
        if (self.ends)(&answer) {
            self.ended.store(true, Ordering::Relaxed);
        }
        let done = {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(place) = answers.get_mut(part) {
                *place = Some(answer);
            }
            answers.iter().filter(|answer| answer.is_some()).count()
        };
        self.control.set_status(|| format!("searched {done} of {} parts on workers", self.parts.len()));
    }

    /// Whether answers are still of use.
    pub fn goes_on(&self) -> bool {
        !self.ended.load(Ordering::Relaxed) && !self.control.should_stop()
    }

    /// What is left of the time.
    pub fn time_left(&self) -> Option<Duration> {
        self.control.time_left()
    }

    /// Ends the whole computation.
    pub fn cancel(&self) {
        self.control.cancel();
    }
}

/// The workers of a computation, and what they have of it.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub workers: Box<dyn Workers>,
    scopes: Mutex<HashMap<u64, Arc<Scope>>>,
}

/// What the searches of one space share.
#[derive(Debug)]
pub(crate) struct Scope {
    /// The space with the weights of its rows; `None` where it cannot be sent, or memory is too small for that.
    pub space: Option<Arc<Vec<u8>>>,
    /// The weights that were sent with it.
    pub weights: Vec<f64>,
    /// How long the last search took.
    pub last: Mutex<Option<Work>>,
}

/// What a search took.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    /// Nodes of each subtree.
    pub nodes: Vec<u64>,
    /// Seconds of all threads together.
    pub seconds: f64,
}

impl Cluster {
    pub fn new(workers: Box<dyn Workers>) -> Self {
        Self { workers, scopes: Mutex::default() }
    }

    /// The scope of a number, which `make` makes for its first search.
    pub fn scope(&self, number: u64, make: impl FnOnce() -> Scope) -> Arc<Scope> {
        let mut scopes = self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        scopes.entry(number).or_insert_with(|| Arc::new(make())).clone()
    }
}

impl Scope {
    pub fn last(&self) -> Option<Work> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn took(&self, work: Work) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
    }
}
