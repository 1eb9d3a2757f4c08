//! A fitted model and its training rows, as Python objects.

use std::sync::Arc;

use numpy::{Element, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use thresher::data::table::Table;
use thresher::families::rules::{self, Rule, RuleModel};
use thresher::{Control, Error};

use crate::errors::to_pyerr;
use crate::problem::table;
use crate::run::{budget, parse, predict, run, to_json};

/// A checked model document.
#[pyclass(frozen, module = "thresher._native")]
pub struct Model(pub Arc<RuleModel>);

/// A table of a model's features, with as many rows as its first column has.
pub fn rows_of(columns: &Bound<'_, PyList>, names: &[String]) -> PyResult<Table> {
    if names.len() != columns.len() {
        return Err(to_pyerr(Error::data(format!(
            "{} columns for a model of {} features",
            columns.len(),
            names.len()
        ))));
    }
    let n_rows = match columns.iter().next() {
        Some(first) => match first.cast::<PyTuple>() {
            Ok(pair) => pair.get_item(0)?.len()?,
            Err(_) => first.len()?,
        },
        None => 0,
    };
    table(columns, names.to_vec(), n_rows)
}

/// Outputs as the columns of a matrix.
pub fn as_matrix<'py, T: Element + Copy>(
    py: Python<'py>,
    n_rows: usize,
    outputs: &[Vec<T>],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let array = PyArray2::<T>::zeros(py, [n_rows, outputs.len()], false);
    if array.is_empty() {
        return Ok(array);
    }
    let mut view = array.try_readwrite()?;
    for (j, output) in outputs.iter().enumerate() {
        view.as_array_mut().column_mut(j).iter_mut().zip(output).for_each(|(to, &from)| *to = from);
    }
    drop(view);
    Ok(array)
}

/// Lists of rows as the columns of a 0/1 matrix.
pub fn as_indicators<'py>(
    py: Python<'py>,
    n_rows: usize,
    columns: &[Vec<u32>],
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let array = PyArray2::<bool>::zeros(py, [n_rows, columns.len()], false);
    // An array without elements may have strides that no view of it allows.
    if array.is_empty() {
        return Ok(array);
    }
    let mut view = array.try_readwrite()?;
    let mut matrix = view.as_array_mut();
    for (j, rows) in columns.iter().enumerate() {
        rows.iter().for_each(|&row| matrix[[row as usize, j]] = true);
    }
    drop(view);
    Ok(array)
}

#[pymethods]
impl Model {
    /// Reads a model.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        py.detach(|| RuleModel::from_json(text)).map(|m| Self(Arc::new(m))).map_err(to_pyerr)
    }

    /// Writes the selected points, or all.
    #[pyo3(signature = (all_points=false))]
    fn to_json(&self, py: Python<'_>, all_points: bool) -> String {
        py.detach(|| self.0.to_json(all_points))
    }

    /// Number of outputs.
    #[getter]
    fn n_outputs(&self) -> usize {
        self.0.n_outputs()
    }

    /// Predictions, (n, `n_outputs`).
    fn decision<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyList>,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let table = rows_of(columns, self.0.document().features.names())?;
        let decide = |control: &Control| self.0.decision(&table, &points, control);
        let outputs = predict(py, table.n_rows(), decide)?;
        as_matrix(py, table.n_rows(), &outputs)
    }

    /// Which active rules hold, (n, rules of all outputs in order).
    fn activations<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyList>,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let table = rows_of(columns, self.0.document().features.names())?;
        let rules = py.detach(|| self.0.activations(&table, &points)).map_err(to_pyerr)?;
        as_indicators(py, table.n_rows(), &rules)
    }
}

/// The training rows of a fit.
#[pyclass(frozen, module = "thresher._native")]
pub struct Training(pub Arc<rules::Training>);

#[pymethods]
impl Training {
    /// Why a rule (JSON conditions) has its weight, or none, as JSON.
    fn price(
        &self,
        py: Python<'_>,
        model: &Model,
        output: usize,
        point: usize,
        conditions: &str,
    ) -> PyResult<String> {
        let rule: Rule = parse("rule", conditions)?;
        let control = Control::default();
        let price = run(py, 1, &control, None, || self.0.price(&model.0, output, point, &rule, &control))?;
        to_json(&price)
    }

    /// Rules that almost entered, as JSON, in at most some seconds.
    #[allow(clippy::too_many_arguments)]
    fn near_ties(
        &self,
        py: Python<'_>,
        model: &Model,
        output: usize,
        point: usize,
        within: f64,
        limit: usize,
        n_jobs: usize,
        seconds: Option<f64>,
    ) -> PyResult<String> {
        let control = budget(seconds, None, false);
        let ties = run(py, n_jobs, &control, None, || {
            self.0.near_ties(&model.0, output, point, within, limit, &control)
        })?;
        to_json(&ties)
    }
}
