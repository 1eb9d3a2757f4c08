//! The binding between the core and the Python package: conversions, errors, threads,
//! Ctrl-C. No mathematics.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// What Python calls takes its arguments by value.
#![allow(clippy::needless_pass_by_value)]

mod additive;
mod errors;
mod families;
mod graphs;
mod l0;
mod model;
mod patterns;
mod problem;
mod run;

use pyo3::prelude::*;

/// The native part of thresher.
#[pymodule(gil_used = false)]
mod _native {
    use std::sync::Arc;
    use std::time::Duration;

    use pyo3::prelude::*;
    use pyo3::types::{PyDict, PyList};
    use rayon::prelude::*;
    use thresher::rules::{self, Params};
    use thresher::{Control, Error};

    #[pymodule_export]
    use crate::additive::{AdditiveModel, fit_additive};
    #[pymodule_export]
    use crate::errors::{CertificateError, FormatError};
    #[pymodule_export]
    use crate::graphs::{pattern_of_graph, pattern_text, read_graphs, write_graphs};
    #[pymodule_export]
    use crate::l0::{LinearModel, fit_linear};
    #[pymodule_export]
    use crate::model::{Model, Training};
    #[pymodule_export]
    use crate::patterns::{
        PatternModel, PatternProblem, PatternTraining, Records, fit_patterns, verify_patterns,
    };
    #[pymodule_export]
    use crate::problem::Problem;

    use crate::errors::raise;
    use crate::problem::level;
    use crate::run::{parse, run};

    /// A control with the budgets of the parameters.
    fn control(params: &Params, listening: bool) -> Control {
        let time = params.time_limit.and_then(|t| Duration::try_from_secs_f64(t).ok());
        let control = Control::new(time, params.memory_limit);
        if listening { control.listening() } else { control }
    }

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
        let classes =
            classes.map(|c| c.iter().map(|l| level(&l)).collect::<PyResult<Vec<_>>>()).transpose()?;
        let controls: Vec<Control> = problems.iter().map(|_| control(&params, progress.is_some())).collect();
        let inputs: Vec<&Problem> = problems.iter().map(|p| &**p).collect();
        let fitted = run(py, n_jobs, &controls, progress, || {
            inputs
                .par_iter()
                .zip(&controls)
                .with_max_len(1)
                .map(|(p, control)| {
                    rules::fit(
                        &p.table,
                        &p.y,
                        p.weights.as_deref(),
                        &p.folds,
                        params.clone(),
                        classes.clone(),
                        control,
                    )
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
        let controls = [control(&params, false)];
        let certificates = run(py, n_jobs, &controls, None, || {
            thresher::certificate::verify(
                &model.0,
                &problem.table,
                &problem.y,
                problem.weights.as_deref(),
                &points,
                params,
                &controls[0],
            )
        })?;
        serde_json::to_string(&certificates).map_err(|e| raise(Error::Format(e.to_string())))
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
