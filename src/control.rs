//! What a caller can say to a long computation, and hear from it: cancel, a time and
//! a memory budget, progress.
//!
//! A fit that runs out of budget returns its best model with its true gap; only a
//! cancelled one returns nothing.

use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::journal::{Journal, Key};
use crate::threads;
use crate::workers::{Cluster, Workers};

/// One step of a long computation, in words a person can read.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Which part of the work:
    ///
    /// - `"cross-validation"`: strengths (or sizes of a model, or numbers of components) are compared on the folds;
    /// - `"path"`: models on all rows, one a step;
    /// - `"epochs"`: passes of a factorization machine over the data;
    /// - `"bisection"`: machines that [`Strength::Interactions`](crate::families::factorization::Strength::Interactions)
    ///   tries, each with epochs of its own.
    pub stage: &'static str,
    /// Steps done, counted from 1. Several outputs, and the machines of a bisection, begin again at 1.
    pub step: usize,
    /// The most steps that there may be: a stage can end before.
    pub of: usize,
    /// What was found in this step.
    pub message: String,
}

/// The time by which the preparation of a fit may exceed its time budget: rows that are prepared quickly give a
/// model, if only a constant, under every limit.
const GRACE: Duration = Duration::from_millis(100);

/// Cancel, budgets and progress of one computation; shared by all its threads.
///
/// Its clock starts in [`Control::new`]. A fit takes the smaller of its limits and of those of its parameters, whose clock
/// starts with the fit, and gives back the memory that it has counted. A control that was cancelled stays so. A clone is the
/// same control: keep one to cancel, or to listen, from another thread.
#[derive(Debug, Clone)]
pub struct Control {
    started: Instant,
    time: Option<Span>,
    is_quiet: bool,
    memory: Arc<Memory>,
    shared: Arc<Shared>,
    journal: Option<Arc<Journal>>,
    cluster: Option<Arc<Cluster>>,
    /// Which rows a part of the computation has, see [`Control::within`].
    scope: u64,
}

/// When the time of a computation, or of a part of it, begins and ends.
#[derive(Debug, Clone, Copy)]
struct Span {
    begin: Instant,
    end: Instant,
}

/// The memory of a computation, in bytes.
#[derive(Debug)]
struct Memory {
    limit: Option<u64>,
    used: AtomicU64,
}

/// What all parts of a computation share.
#[derive(Debug)]
struct Shared {
    cancelled: AtomicBool,
    listening: AtomicBool,
    queue: Mutex<Vec<Progress>>,
    status: Mutex<Option<String>>,
}

impl Default for Control {
    fn default() -> Self {
        Self::new(None, None)
    }
}

impl Control {
    /// A control with a time budget and a memory budget in bytes, both optional. The clock starts now.
    ///
    /// A fit that is out of time returns its best model so far, whose `complete` is false; where there is none yet, it fails
    /// with [`Error::Time`]. Rows that the memory does not hold are an [`Error::Memory`].
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Self {
        let started = Instant::now();
        Self {
            started,
            time: time.and_then(|t| started.checked_add(t)).map(|end| Span { begin: started, end }),
            is_quiet: false,
            memory: Arc::new(Memory { limit: memory, used: AtomicU64::new(0) }),
            shared: Arc::new(Shared {
                cancelled: AtomicBool::new(false),
                listening: AtomicBool::new(false),
                queue: Mutex::new(Vec::new()),
                status: Mutex::new(None),
            }),
            journal: None,
            cluster: None,
            scope: 0,
        }
    }

    /// Reads the results of finished steps from a journal, and adds those that it lacks. The journal has to be that of the
    /// same fit, see [`Journal`].
    #[must_use]
    pub fn with_journal(self, journal: Journal) -> Self {
        Self { journal: Some(Arc::new(journal)), ..self }
    }

    /// The journal, if there is one.
    pub(crate) fn journal(&self) -> Option<&Journal> {
        self.journal.as_deref()
    }

    /// Has other processes search.
    #[must_use]
    pub fn with_workers(self, workers: Box<dyn Workers>) -> Self {
        Self { cluster: Some(Arc::new(Cluster::new(workers))), ..self }
    }

    /// The other processes, if there are any.
    pub(crate) fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_deref()
    }

    /// The control of a part, such as the fit of a fold, whose searches and steps are others than those of the whole and
    /// of other parts.
    pub(crate) fn within(&self, part: usize) -> Self {
        self.told_apart(std::iter::once(part as u64))
    }

    /// The control of a computation whose searches and steps are others than those with other numbers.
    pub(crate) fn told_apart(&self, numbers: impl IntoIterator<Item = u64>) -> Self {
        let mut key = Key::new();
        std::iter::once(self.scope).chain(numbers).for_each(|number| key.add(number));
        Self { scope: key.first(), ..self.clone() }
    }

    /// The control of a computation whose steps in a journal are those of the same rows.
    pub(crate) fn of_rows(&self, rows: &impl Hash) -> Self {
        let mut key = Key::new();
        if self.journal.is_some() {
            rows.hash(&mut key);
        }
        self.told_apart([key.first()])
    }

    /// A number that tells the part from others.
    pub(crate) fn scope(&self) -> u64 {
        self.scope
    }

    /// Keeps progress for [`Control::drain`], which has to be called now and then: until it is, the list grows. Without this
    /// progress is thrown away.
    #[must_use]
    pub fn listening(self) -> Self {
        self.shared.listening.store(true, Ordering::Relaxed);
        self
    }

    /// The control of a part of the computation that ends once a fraction of the time budget is used up.
    pub(crate) fn until(&self, fraction: f64) -> Self {
        self.part(|Span { begin, .. }| begin, fraction)
    }

    /// The control of a part of the computation that has the first fraction of the time that is left.
    pub(crate) fn first(&self, fraction: f64) -> Self {
        self.part(|_| Instant::now(), fraction)
    }

    /// The control of a part that has a fraction of the time between its beginning and the end.
    fn part(&self, begin: impl FnOnce(Span) -> Instant, fraction: f64) -> Self {
        let time = self.time.map(|whole| {
            let begin = begin(whole);
            let length = whole.end.saturating_duration_since(begin).mul_f64(fraction.clamp(0.0, 1.0));
            Span { begin, end: begin.checked_add(length).map_or(whole.end, |end| end.min(whole.end)) }
        });
        Self { time, ..self.clone() }
    }

    /// The control of a part of the computation that ends after a time.
    pub(crate) fn limited(&self, time: Duration) -> Self {
        let now = Instant::now();
        let own = now.checked_add(time).map(|end| Span { begin: now, end });
        let time = match (self.time, own) {
            (Some(whole), Some(own)) => Some(Span { end: whole.end.min(own.end), ..whole }),
            (whole, own) => whole.or(own),
        };
        Self { time, ..self.clone() }
    }

    /// The control of a fit with limits of its own, in seconds and bytes.
    pub(crate) fn of_fit(&self, time_limit: Option<f64>, memory_limit: Option<u64>) -> Result<Self> {
        if let Some(seconds) = time_limit.filter(|seconds| !(seconds.is_finite() && *seconds > 0.0)) {
            return Err(Error::parameter("time_limit", format!("got {seconds}; give a finite number > 0")));
        }
        let time = time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let limited = time.map_or_else(|| self.clone(), |time| self.limited(time));
        let limit = self.memory.limit.into_iter().chain(memory_limit).min();
        let used = AtomicU64::new(self.memory.used.load(Ordering::Relaxed));
        Ok(Self { memory: Arc::new(Memory { limit, used }), ..limited })
    }

    /// The same after a time has passed.
    #[cfg(test)]
    pub(crate) fn after(&self, time: Duration) -> Self {
        let earlier = |at: Instant| at.checked_sub(time).expect("a clock that has run for so long");
        let moved = self.time.map(|Span { begin, end }| Span { begin: earlier(begin), end: earlier(end) });
        Self { time: moved, ..self.clone() }
    }

    /// What is left of the time budget.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.time.map(|time| time.end.saturating_duration_since(Instant::now()))
    }

    /// The control of a part of the computation whose progress nobody hears of.
    pub(crate) fn quiet(self) -> Self {
        Self { is_quiet: true, ..self }
    }

    /// Whether someone hears of the progress.
    fn is_heard(&self) -> bool {
        !self.is_quiet && self.shared.listening.load(Ordering::Relaxed)
    }

    /// Asks the computation to stop as soon as it can, with [`Error::Cancelled`]. Any thread may call it, on a clone.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Relaxed)
    }

    /// Fails when the caller asked to stop, or when the journal cannot be written.
    pub fn check(&self) -> Result<()> {
        self.journal().map_or(Ok(()), Journal::check)?;
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Whether the search should wind down: cancelled, or the time is over.
    pub fn should_stop(&self) -> bool {
        self.is_cancelled() || self.is_out_of_time()
    }

    /// Whether the time budget is used up.
    pub fn is_out_of_time(&self) -> bool {
        self.time.is_some_and(|time| Instant::now() >= time.end)
    }

    /// Fails when the caller asked to stop, or when there is no model to return and the time has been over for a while.
    pub(crate) fn require_time(&self, doing: &str) -> Result<()> {
        self.check()?;
        if self.time.is_some_and(|time| Instant::now() > time.end + GRACE) {
            return Err(Error::Time(format!("the time was over while {doing}; give more, or less data")));
        }
        Ok(())
    }

    /// Time since the computation began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The fraction of the time budget that is used up, of that of a part in a part; 0 without a budget.
    pub fn elapsed_fraction(&self) -> f64 {
        self.time.map_or(0.0, |Span { begin, end }| {
            begin.elapsed().as_secs_f64() / (end - begin).as_secs_f64().max(1e-9)
        })
    }

    /// Whether `bytes` more fit into the memory budget; if so they count as taken.
    pub fn reserve(&self, bytes: u64) -> bool {
        let before = self.memory.used.fetch_add(bytes, Ordering::Relaxed);
        if self.memory.limit.is_some_and(|limit| before.saturating_add(bytes) > limit) {
            self.memory.used.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// Gives back what [`Control::reserve`] took.
    pub fn release(&self, bytes: u64) {
        self.memory.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// What is left of the memory budget for each thread, in bytes.
    pub(crate) fn memory_for_a_thread(&self) -> Option<u64> {
        let left = |limit: u64| limit.saturating_sub(self.memory.used.load(Ordering::Relaxed));
        self.memory.limit.map(|limit| left(limit) / threads::count() as u64)
    }

    /// The memory budget, in bytes.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory.limit
    }

    /// Tells the caller about a step; the message is only made when someone listens.
    pub fn report(&self, stage: &'static str, step: usize, of: usize, message: impl FnOnce() -> String) {
        if self.is_heard()
            && let Ok(mut queue) = self.shared.queue.lock()
        {
            queue.push(Progress { stage, step, of, message: message() });
        }
    }

    /// Tells how far a step is that may take long; the message is only made when someone listens.
    pub fn set_status(&self, message: impl FnOnce() -> String) {
        if self.is_heard()
            && let Ok(mut status) = self.shared.status.lock()
        {
            *status = Some(message());
        }
    }

    /// Takes the last status since the last call, if there is one.
    pub fn take_status(&self) -> Option<String> {
        self.shared.status.lock().ok()?.take()
    }

    /// Takes the progress reported since the last call, the oldest first. Any thread may call it while a fit runs, on a clone.
    pub fn drain(&self) -> Vec<Progress> {
        self.shared.queue.lock().map(|mut q| std::mem::take(&mut *q)).unwrap_or_default()
    }
}

/// Memory that is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    control: Control,
    bytes: u64,
}

impl Reservation {
    /// Nothing yet.
    pub fn new(control: &Control) -> Self {
        Self { control: control.clone(), bytes: 0 }
    }

    /// Reserves more; false, and nothing reserved, if the budget does not allow it.
    pub fn grow(&mut self, bytes: u64) -> bool {
        let granted = self.control.reserve(bytes);
        if granted {
            self.bytes += bytes;
        }
        granted
    }

    /// Reserves as many items of some bytes each as the budget allows, at most `most` and by halves less; returns their number.
    pub fn as_many(&mut self, bytes: u64, mut most: usize) -> usize {
        while !self.grow(most as u64 * bytes) {
            most /= 2;
        }
        most
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.control.release(self.bytes);
    }
}
