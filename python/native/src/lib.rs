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
mod table_models;

use pyo3::prelude::*;

/// The native part of thresher.
#[pymodule(gil_used = false)]
mod _native {
    use std::sync::Arc;

    use pyo3::prelude::*;
    use pyo3::types::{PyDict, PyList};
    use rayon::prelude::*;
    use thresher::Control;
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
    use crate::table_models::{
        AdditiveModel, HierarchyModel, LinearModel, fit_additive, fit_hierarchy, fit_linear,
        fit_linear_sparse, verify_additive, verify_hierarchy, verify_linear, verify_linear_sparse,
    };

    use crate::errors::to_pyerr;
    use crate::problem::levels;
    use crate::run::{budget, parse, run, to_json};

    /// Number of strengths that hierarchies compare unless others are given.
    #[pymodule_export]
    const N_DEFAULT_ALPHAS: usize = thresher::families::hierarchy::DEFAULT_C_GRID.len();

    /// Fits each problem; all in one pool of `n_jobs` threads (0: one a core).
    #[pyfunction]
    #[pyo3(signature = (problems, params, n_jobs=0, classes=None, progress=None))]
    fn fit(
        py: Python<'_>,
        problems: Vec<PyRef<'_, Problem>>,
        params: &str,
        n_jobs: usize,
        classes: Option<&Bound<'_, PyList>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<(Model, Training)>> {
        let params: Params = parse("params", params)?;
        let classes = levels(classes)?;
        let control = |_| budget(params.time_limit, params.memory_limit, progress.is_some());
        let controls: Vec<Control> = problems.iter().map(control).collect();
        let inputs: Vec<&Problem> = problems.iter().map(|p| &**p).collect();
        let fitted = run(py, n_jobs, &controls, progress, || {
            inputs
                .par_iter()
                .zip(&controls)
                .with_max_len(1)
                .map(|(p, control)| {
                    let data = Dataset { classes: classes.as_deref(), ..p.0.dataset() };
                    rules::fit(&data, params.clone(), control)
                })
                .collect::<thresher::Result<Vec<_>>>()
        })?;
        Ok(fitted.into_iter().map(|f| (Model(Arc::new(f.model)), Training(Arc::new(f.training)))).collect())
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
        let controls = [budget(params.time_limit, params.memory_limit, false)];
        let certificates = run(py, n_jobs, &controls, None, || {
            rules::verify(&model.0, &problem.0.dataset(), &points, params, &controls[0])
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
