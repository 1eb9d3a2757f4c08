//! Searches that other processes share: what they get, and the object in Python that hands it out.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use thresher::search::{RemoteQuery, RemoteSpace};
use thresher::{Control, Job, Workers};

use crate::errors::to_pyerr;

/// A space whose parts a process searches for another one.
#[pyclass(frozen, module = "thresher._native")]
pub struct SearchSpace(RemoteSpace);

#[pymethods]
impl SearchSpace {
    #[new]
    fn new(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        py.detach(|| RemoteSpace::from_bytes(data)).map(Self).map_err(to_pyerr)
    }

    /// The answer to a part of a query, the subtrees from `first` to `last - 1`, for at most some seconds.
    #[pyo3(signature = (query, first, last, seconds=None))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        query: &SearchQuery,
        first: usize,
        last: usize,
        seconds: Option<f64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let found =
            py.detach(|| thresher::thread_pool(1)?.install(|| self.0.search(&query.0, (first, last), time)));
        found.map(|answer| PyBytes::new(py, &answer)).map_err(to_pyerr)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (py.get_type::<Self>(), (PyBytes::new(py, &py.detach(|| self.0.to_bytes())),))
    }

    fn __sizeof__(&self) -> usize {
        self.0.bytes()
    }
}

/// The residuals and the threshold of a search.
#[pyclass(frozen, module = "thresher._native")]
pub struct SearchQuery(RemoteQuery);

#[pymethods]
impl SearchQuery {
    #[new]
    fn new(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        py.detach(|| RemoteQuery::from_bytes(data)).map(Self).map_err(to_pyerr)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (py.get_type::<Self>(), (PyBytes::new(py, &py.detach(|| self.0.to_bytes())),))
    }

    fn __sizeof__(&self) -> usize {
        self.0.bytes()
    }
}

/// One search of a fit.
#[pyclass(frozen, module = "thresher._native")]
pub struct SearchJob(Arc<Job>);

#[pymethods]
impl SearchJob {
    /// Number of the space, which all searches of it have.
    #[getter]
    fn scope(&self) -> u64 {
        self.0.scope
    }

    /// First and last + 1 of the subtrees of each part.
    #[getter]
    fn parts(&self) -> Vec<(usize, usize)> {
        self.0.parts.clone()
    }

    /// What is left of the time, in seconds.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.0.time_left().map(|time| time.as_secs_f64())
    }

    /// The space.
    fn space(&self, py: Python<'_>) -> PyResult<SearchSpace> {
        SearchSpace::new(py, &self.0.space)
    }

    /// What is searched for.
    fn query(&self, py: Python<'_>) -> PyResult<SearchQuery> {
        SearchQuery::new(py, &self.0.query)
    }

    /// Takes the answer to a part.
    fn take(&self, part: usize, answer: Vec<u8>) {
        self.0.take(part, answer);
    }

    /// Whether answers are still of use.
    fn goes_on(&self) -> bool {
        self.0.goes_on()
    }
}

/// The object in Python that hands out searches, and the exception that it raised.
#[derive(Debug)]
pub struct Searches {
    object: Py<PyAny>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Searches {
    /// The control whose searches an object hands out, if there is one, and where its exception will be.
    pub fn of(control: Control, object: Option<&Bound<'_, PyAny>>) -> (Control, Arc<Mutex<Option<PyErr>>>) {
        let raised = Arc::default();
        let Some(object) = object else { return (control, raised) };
        let searches = Self { object: object.clone().unbind(), raised: Arc::clone(&raised) };
        (control.with_workers(Box::new(searches)), raised)
    }

    /// The answer of a method, or of none where it raises.
    fn call<T>(&self, method: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        Python::attach(|py| match method(self.object.bind(py)) {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                None
            }
        })
    }
}

impl Workers for Searches {
    fn n_threads(&self) -> usize {
        self.call(|object| object.call_method0("n_threads")?.extract()).unwrap_or(1)
    }

    fn patience(&self) -> Duration {
        let seconds: Option<f64> = self.call(|object| object.getattr("patience")?.extract());
        seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or_default()
    }

    fn search(&self, job: &Arc<Job>) {
        let job_in_python = SearchJob(Arc::clone(job));
        if self.call(|object| object.call_method1("search", (job_in_python,)).map(drop)).is_none() {
            job.cancel();
        }
    }
}

/// The result of a fit; where the object raised, its exception.
pub fn or_raised<T>(result: PyResult<T>, raised: &Mutex<Option<PyErr>>) -> PyResult<T> {
    match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => result,
    }
}
