//! The binding between the core and the Python package: conversions, errors, threads,
//! Ctrl-C. No mathematics.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// What Python calls takes its arguments by value.
#![allow(clippy::needless_pass_by_value)]

mod coded;
mod errors;
mod families;
mod fm;
mod graphs;
mod model;
mod patterns;
mod problem;
mod run;
mod searches;
mod table_models;

use pyo3::prelude::*;

/// The native part of thresher.
#[pymodule(gil_used = false)]
mod _native {
    use std::path::PathBuf;
    use std::sync::Arc;

    use pyo3::prelude::*;
    use pyo3::types::{PyDict, PyList};
    use thresher::data::dataset::Dataset;
    use thresher::families::rules::{self, Params};

    #[pymodule_export]
    use crate::coded::{CodedColumn, ColumnCoder};
    #[pymodule_export]
    use crate::errors::{CertificateError, FormatError};
    #[pymodule_export]
    use crate::fm::{FmData, FmModel, fit_fm};
    #[pymodule_export]
    use crate::graphs::{pattern_of_graph, pattern_text, read_graphs, write_graphs};
    #[pymodule_export]
    use crate::model::{Model, Training};
    #[pymodule_export]
    use crate::patterns::{
        PatternModel, PatternProblem, PatternTraining, Records, fit_patterns, verify_patterns,
    };
    #[pymodule_export]
    use crate::problem::{Problem, SparseProblem};
    #[pymodule_export]
    use crate::searches::{SearchJob, SearchQuery, SearchSpace};
    #[pymodule_export]
    use crate::table_models::{
        AdditiveModel, HierarchyModel, LinearModel, fit_additive, fit_hierarchy, fit_linear,
        fit_linear_sparse, verify_additive, verify_hierarchy, verify_linear, verify_linear_sparse,
    };

    use crate::errors::to_pyerr;
    use crate::problem::levels;
    use crate::run::{budget, parse, run, to_json, with_journal};
    use crate::searches::{Searches, or_raised};

    /// Number of strengths that the cross-validation of hierarchies compares unless others are given.
    #[pymodule_export]
    const N_HIERARCHY_STRENGTHS: usize = thresher::families::hierarchy::N_COMPARED;

    /// Number of strengths that the cross-validation of a factorization machine compares at most.
    #[pymodule_export]
    const N_MACHINE_STRENGTHS: usize = thresher::families::factorization::N_STRENGTHS;

    /// The usual ridge penalty of the factors of a factorization machine.
    #[pymodule_export]
    const FACTOR_RIDGE: f64 = thresher::families::factorization::FACTOR_RIDGE;

    /// Fits a problem in a pool of `n_jobs` threads (0: one a core), with the results of searches in a journal, and with an
    /// object that hands searches out.
    #[pyfunction]
    #[pyo3(signature = (problem, params, n_jobs=0, classes=None, progress=None, journal=None, searches=None))]
    #[allow(clippy::too_many_arguments)]
    fn fit(
        py: Python<'_>,
        problem: &Problem,
        params: &str,
        n_jobs: usize,
        classes: Option<&Bound<'_, PyList>>,
        progress: Option<&Bound<'_, PyAny>>,
        journal: Option<PathBuf>,
        searches: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Model, Training)> {
        let params: Params = parse("params", params)?;
        let classes = levels(classes)?;
        let control = budget(params.time_limit, params.memory_limit, progress.is_some());
        let control = with_journal(control, journal.as_deref()).map_err(to_pyerr)?;
        let (control, raised) = Searches::of(control, searches);
        let data = Dataset { classes: classes.as_deref(), ..problem.0.dataset() };
        let fitted = run(py, n_jobs, &control, progress, || rules::fit(&data, params, &control));
        let fitted = or_raised(fitted, &raised)?;
        Ok((Model(Arc::new(fitted.model)), Training(Arc::new(fitted.training))))
    }

    /// Searches the whole space anew and returns one fresh certificate an output, as JSON.
    #[pyfunction]
    #[pyo3(signature = (model, problem, points, params, n_jobs=0))]
    fn verify(
        py: Python<'_>,
        model: &Model,
        problem: &Problem,
        points: Vec<usize>,
        params: &str,
        n_jobs: usize,
    ) -> PyResult<String> {
        let params: Params = parse("params", params)?;
        let control = budget(params.time_limit, params.memory_limit, false);
        let certificates = run(py, n_jobs, &control, None, || {
            rules::verify(&model.0, &problem.0.dataset(), &points, &params, &control)
        })?;
        to_json(&certificates)
    }

    /// The other entries of a saved estimator as an object, and the text of its document; None where there is none.
    #[pyfunction]
    fn split_model(text: &str) -> PyResult<(String, Option<&str>)> {
        thresher::document::split_model(text).map_err(to_pyerr)
    }

    /// Versions and what the machine offers.
    #[pyfunction]
    fn info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let info = PyDict::new(py);
        info.set_item("version", env!("CARGO_PKG_VERSION"))?;
        info.set_item("threads", std::thread::available_parallelism().map_or(1, usize::from))?;
        info.set_item("os", std::env::consts::OS)?;
        info.set_item("arch", std::env::consts::ARCH)?;
        Ok(info)
    }
}
