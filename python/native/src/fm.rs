//! Factorization machines: data, fitting, predicting.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyList;
use thresher::Control;
use thresher::data::dataset::Dataset;
use thresher::data::one_hot::OneHot;
use thresher::families::Predicts;
use thresher::families::factorization::{self as fm, Params, Progress};

use crate::errors::to_pyerr;
use crate::model::{as_matrix, rows_of};
use crate::problem::{folds_of, levels, sparse_columns, table};
use crate::run::{self, budget, parse, run, with_journal};

/// Columns of a table or of a sparse matrix.
#[pyclass(frozen, module = "thresher._native")]
pub struct FmData(OneHot);

#[pymethods]
impl FmData {
    /// Columns of a table.
    #[staticmethod]
    fn of_table(
        py: Python<'_>,
        columns: &Bound<'_, PyList>,
        names: Vec<String>,
        n_rows: usize,
    ) -> PyResult<Self> {
        let table = table(columns, names, n_rows)?;
        py.detach(|| OneHot::of_table(&table)).map(Self).map_err(to_pyerr)
    }

    /// Compressed columns.
    #[staticmethod]
    fn of_sparse(
        n_rows: usize,
        starts: PyReadonlyArray1<'_, i64>,
        rows: PyReadonlyArray1<'_, i32>,
        values: PyReadonlyArray1<'_, f64>,
        names: Vec<String>,
    ) -> PyResult<Self> {
        let columns = sparse_columns(n_rows, &starts, &rows, &values)?;
        OneHot::of_sparse(names, columns).map(Self).map_err(to_pyerr)
    }

    /// Number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.0.n_rows()
    }
}

/// A checked model document, and what a stochastic fit goes on from.
#[pyclass(frozen, module = "thresher._native")]
pub struct FmModel(fm::FmModel, Vec<Option<Progress>>);

impl FmModel {
    fn predict<'py, R: Sync>(
        &self,
        py: Python<'py>,
        rows: &R,
        n_rows: usize,
        points: &[usize],
    ) -> PyResult<Bound<'py, PyArray2<f64>>>
    where
        fm::Machines: Predicts<R>,
    {
        let outputs = run::predict(py, n_rows, |control| self.0.decision(rows, points, control))?;
        as_matrix(py, n_rows, &outputs)
    }
}

/// Weights, weights for standardised columns, numbers of components, columns.
type Listed<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>, Vec<Vec<u32>>);

#[pymethods]
impl FmModel {
    /// Reads a model.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        py.detach(|| fm::FmModel::from_json(text)).map(|m| Self(m, Vec::new())).map_err(to_pyerr)
    }

    /// Writes all points.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_json(true))
    }

    /// Predictions for a table, (n, outputs).
    fn decision<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyList>,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let names: Vec<String> =
            self.0.document().features.0.iter().map(|input| input.name.clone()).collect();
        let table = rows_of(columns, &names)?;
        self.predict(py, &table, table.n_rows(), &points)
    }

    /// Predictions for compressed columns, (n, outputs).
    fn decision_sparse<'py>(
        &self,
        py: Python<'py>,
        n_rows: usize,
        starts: PyReadonlyArray1<'py, i64>,
        rows: PyReadonlyArray1<'py, i32>,
        values: PyReadonlyArray1<'py, f64>,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let design = sparse_columns(n_rows, &starts, &rows, &values)?;
        self.predict(py, &design, n_rows, &points)
    }

    /// The interactions, the strongest of standardised columns first.
    fn interactions<'py>(
        &self,
        py: Python<'py>,
        output: usize,
        point: usize,
        limit: usize,
    ) -> PyResult<Listed<'py>> {
        let control = Control::default();
        let found = run(py, 1, &control, None, || self.0.interactions(output, point, limit, &control))?;
        let weights = PyArray1::from_iter(py, found.iter().map(|i| i.weight));
        let standardised = PyArray1::from_iter(py, found.iter().map(|i| i.standardised));
        let components = PyArray1::from_iter(py, found.iter().map(|i| i.components as u64));
        Ok((weights, standardised, components, found.into_iter().map(|i| i.columns).collect()))
    }

    /// How many interactions there are, at most `limit`.
    fn count(&self, py: Python<'_>, output: usize, point: usize, limit: usize) -> PyResult<usize> {
        let control = Control::default();
        run(py, 1, &control, None, || self.0.count(output, point, limit, &control))
    }
}

/// Fits one machine an output and strength in a pool of `n_jobs` threads (0: one a core), with the results of steps in a
/// journal.
#[pyfunction]
#[pyo3(signature = (
    data, y, params, sample_weight=None, folds=None, start=None, n_jobs=0, classes=None, progress=None, journal=None
))]
#[allow(clippy::too_many_arguments)]
pub fn fit_fm(
    py: Python<'_>,
    data: &FmData,
    y: PyReadonlyArray2<'_, f64>,
    params: &str,
    sample_weight: Option<PyReadonlyArray1<'_, f64>>,
    folds: Option<&Bound<'_, PyList>>,
    start: Option<&FmModel>,
    n_jobs: usize,
    classes: Option<&Bound<'_, PyList>>,
    progress: Option<&Bound<'_, PyAny>>,
    journal: Option<PathBuf>,
) -> PyResult<FmModel> {
    let params: Params = parse("params", params)?;
    let y: Vec<Vec<f64>> = y.as_array().columns().into_iter().map(|c| c.iter().copied().collect()).collect();
    let weights: Option<Vec<f64>> = sample_weight.map(|w| w.as_array().iter().copied().collect());
    let folds = folds_of(folds, data.0.n_rows())?;
    let classes = levels(classes)?;
    let control = budget(params.time_limit, params.memory_limit, progress.is_some());
    let control = with_journal(control, journal.as_deref()).map_err(to_pyerr)?;
    let fitted = run(py, n_jobs, &control, progress, || {
        let (weights, classes) = (weights.as_deref(), classes.as_deref());
        let data = Dataset { weights, classes, ..Dataset::new(&data.0, &y).with_folds(&folds) };
        match start {
            Some(start) => fm::fit_from(&data, (&start.0, &start.1), params, &control),
            None => fm::fit(&data, params, &control),
        }
    })?;
    Ok(FmModel(fitted.model, fitted.training))
}
