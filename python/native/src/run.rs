//! Long work off the main thread: the calling thread releases the GIL, looks for signals
//! and hands progress to Python until the work is done.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use thresher::{Control, Error, Journal, Result};

use crate::errors::to_pyerr;

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(50);

/// Runs `work` in a pool of `threads` (0: one a core), cancelling it through the control when
/// a signal handler or the progress callback raises. The pool is the call's own, so that a
/// forked child never meets a dead one.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    control: &Control,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    let pool = thresher::thread_pool(threads).map_err(to_pyerr)?;
    thread::scope(|scope| {
        // Dropped at the end, also by a panic: that ends the wait at once.
        let (working, mut done) = mpsc::channel::<()>();
        let work = move || {
            let _working = working;
            pool.install(work)
        };
        let worker = thread::Builder::new().spawn_scoped(scope, work).map_err(no_thread)?;
        let mut raised = None;
        loop {
            let done = &mut done;
            let heard = py.detach(move || done.recv_timeout(POLL));
            let finished = heard == Err(RecvTimeoutError::Disconnected);
            if raised.is_none()
                && let Err(error) = py.check_signals().and_then(|()| drain_progress(control, progress))
            {
                control.cancel();
                raised = Some(error);
            }
            if finished {
                break;
            }
        }
        let result = py.detach(|| worker.join());
        if let Some(error) = raised {
            return Err(error);
        }
        match result {
            Ok(result) => result.map_err(to_pyerr),
            Err(_) => Err(PyRuntimeError::new_err(
                "the search ended by an internal error; please report it with the data",
            )),
        }
    })
}

/// Number of rows from which on predictions may take long; the thread that listens takes as long as those of some hundred.
const MANY_ROWS: usize = 10_000;

/// Runs predictions of so many rows, which Ctrl-C ends if they are many.
pub fn predict<T: Send>(
    py: Python<'_>,
    n_rows: usize,
    work: impl FnOnce(&Control) -> Result<T> + Send,
) -> PyResult<T> {
    let control = Control::default();
    if n_rows < MANY_ROWS {
        return py.detach(|| work(&control)).map_err(to_pyerr);
    }
    run(py, 1, &control, None, || work(&control))
}

/// The error where the system gives no thread.
fn no_thread(error: std::io::Error) -> PyErr {
    to_pyerr(Error::Threads(format!("no thread could be started: {error}; raise the limit of the process")))
}

/// Hands the progress reported since the last call to Python, and asks whether to go on: the answer no is an exception.
fn drain_progress(control: &Control, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    for step in control.drain() {
        progress.call1((step.stage, step.step, step.of, step.message))?;
    }
    match control.take_status() {
        Some(status) => progress.call1((None::<&str>, 0, 0, status))?,
        None => progress.call0()?,
    };
    Ok(())
}

/// A control with the budgets of a fit, in seconds and bytes; it listens where progress is told.
pub fn budget(time_limit: Option<f64>, memory_limit: Option<u64>, listening: bool) -> Control {
    let time = time_limit.and_then(|t| Duration::try_from_secs_f64(t).ok());
    let control = Control::new(time, memory_limit);
    if listening { control.listening() } else { control }
}

/// The control with the journal of a file, if one is named.
pub fn with_journal(control: Control, path: Option<&Path>) -> Result<Control> {
    Ok(match path {
        Some(path) => control.with_journal(Journal::open(path)?),
        None => control,
    })
}

/// Serialises an answer.
pub fn to_json<T: serde::Serialize>(answer: &T) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|e| to_pyerr(Error::Format(e.to_string())))
}

/// A parameter's text as JSON.
pub fn parse<T: serde::de::DeserializeOwned>(name: &'static str, text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|e| to_pyerr(Error::parameter(name, e.to_string())))
}
