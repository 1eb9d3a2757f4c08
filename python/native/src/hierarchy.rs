//! Hierarchical rule ensembles: fitting, predicting, proving.

use std::sync::Arc;
use std::time::Duration;

use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;
use thresher::hierarchy::{self, Params};
use thresher::{Control, Error};

use crate::errors::raise;
use crate::model::{as_matrix, rows_of};
use crate::problem::{Problem, level};
use crate::run::{parse, run};

/// A checked model document.
#[pyclass(frozen, module = "thresher._native")]
pub struct HierarchyModel(Arc<hierarchy::HierarchyModel>);

#[pymethods]
impl HierarchyModel {
    /// Reads a model.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        py.detach(|| hierarchy::HierarchyModel::from_json(text)).map(|m| Self(Arc::new(m))).map_err(raise)
    }

    /// Writes all points.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_json())
    }

    /// Predictions, (n, outputs).
    fn decision<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyList>,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let table = rows_of(columns, self.0.document().features.names())?;
        let outputs = py.detach(|| self.0.decision(&table, &points)).map_err(raise)?;
        as_matrix(py, table.n_rows(), &outputs)
    }

    /// Which rules of the points hold, (n, rules of all outputs in order).
    fn activations<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyList>,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let table = rows_of(columns, self.0.document().features.names())?;
        let rules = py.detach(|| self.0.activations(&table, &points)).map_err(raise)?;
        let array = PyArray2::<bool>::zeros(py, [table.n_rows(), rules.len()], false);
        let mut view = array.try_readwrite()?;
        for (j, rule) in rules.iter().enumerate() {
            view.as_array_mut().column_mut(j).iter_mut().zip(rule).for_each(|(to, &from)| *to = from);
        }
        drop(view);
        Ok(array)
    }
}

/// A control with the budgets of the parameters.
fn control(params: &Params, listening: bool) -> Control {
    let time = params.time_limit.and_then(|t| Duration::try_from_secs_f64(t).ok());
    let control = Control::new(time, params.memory_limit);
    if listening { control.listening() } else { control }
}

/// Fits one path an output in a pool of `n_jobs` threads (0: one a core).
#[pyfunction]
#[pyo3(signature = (problem, params, n_jobs=0, classes=None, progress=None))]
pub fn fit_hierarchy(
    py: Python<'_>,
    problem: &Problem,
    params: &str,
    n_jobs: usize,
    classes: Option<&Bound<'_, PyList>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<HierarchyModel> {
    let params: Params = parse("params", params)?;
    let classes = classes.map(|c| c.iter().map(|l| level(&l)).collect::<PyResult<Vec<_>>>()).transpose()?;
    let controls = [control(&params, progress.is_some())];
    let model = run(py, n_jobs, &controls, progress, || {
        let weights = problem.weights.as_deref();
        hierarchy::fit(&problem.table, &problem.y, weights, &problem.folds, params, classes, &controls[0])
    })?;
    Ok(HierarchyModel(Arc::new(model)))
}

/// Solves anew and returns one fresh certificate an output, as JSON.
#[pyfunction]
#[pyo3(signature = (model, problem, points, params, n_jobs=0))]
pub fn verify_hierarchy(
    py: Python<'_>,
    model: &HierarchyModel,
    problem: &Problem,
    points: Vec<usize>,
    params: &str,
    n_jobs: usize,
) -> PyResult<String> {
    let params: Params = parse("params", params)?;
    let controls = [control(&params, false)];
    let certificates = run(py, n_jobs, &controls, None, || {
        let weights = problem.weights.as_deref();
        hierarchy::verify(&model.0, &problem.table, &problem.y, weights, &points, params, &controls[0])
    })?;
    serde_json::to_string(&certificates).map_err(|e| raise(Error::Format(e.to_string())))
}
