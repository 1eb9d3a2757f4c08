//! Pattern models of every family: records in, fitting, predicting, questions.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use thresher::Control;
use thresher::data::rows::{Fold, Records as _};
use thresher::families::graphs::{GraphRecords, Parts};
use thresher::families::itemsets::ItemRecords;
use thresher::families::sequences::SequenceRecords;
use thresher::space::graphs::{Graph, GraphPattern, Matcher};

use crate::errors::to_pyerr;
use crate::families::{self, AnyModel, AnyRecords, AnyTraining, Call, both};
use crate::model::as_matrix;
use crate::problem::{folds_of, levels, numbers};
use crate::run::{budget, parse, predict, run, to_json};

/// Records of numbered labels.
#[pyclass(frozen, module = "thresher._native")]
pub struct Records(Arc<AnyRecords>);

#[pymethods]
impl Records {
    /// Sets of items: the alphabet as a JSON list, where each record begins, its items.
    #[staticmethod]
    fn itemsets(
        py: Python<'_>,
        alphabet: &str,
        starts: PyReadonlyArray1<'_, i64>,
        items: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let alphabet = parse("alphabet", alphabet)?;
        let (starts, items) = (numbers::<usize>(&starts)?, numbers::<u32>(&items)?);
        let records = py.detach(|| ItemRecords::new(alphabet, &starts, &items)).map_err(to_pyerr)?;
        Ok(Self(Arc::new(AnyRecords::Itemsets(records))))
    }

    /// Sequences of events: the alphabet as a JSON list, where each record's events begin, where
    /// each event's items begin, the items.
    #[staticmethod]
    fn sequences(
        py: Python<'_>,
        alphabet: &str,
        records: PyReadonlyArray1<'_, i64>,
        events: PyReadonlyArray1<'_, i64>,
        items: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let alphabet = parse("alphabet", alphabet)?;
        let (starts, events) = (numbers::<usize>(&records)?, numbers::<usize>(&events)?);
        let items = numbers::<u32>(&items)?;
        let records =
            py.detach(|| SequenceRecords::new(alphabet, &starts, &events, &items)).map_err(to_pyerr)?;
        Ok(Self(Arc::new(AnyRecords::Sequences(records))))
    }

    /// Graphs: the alphabet as JSON, where each one's vertices and edges begin, the labels of
    /// the vertices, both ends of each edge (numbered within its graph), the labels of the edges.
    #[staticmethod]
    fn graphs(
        py: Python<'_>,
        alphabet: &str,
        vertices: (PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>),
        edges: (PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>),
    ) -> PyResult<Self> {
        let alphabet = parse("alphabet", alphabet)?;
        let (vertex_starts, vertices) = (numbers::<usize>(&vertices.0)?, numbers::<u32>(&vertices.1)?);
        let (edge_starts, ends, edges) =
            (numbers::<usize>(&edges.0)?, numbers::<u32>(&edges.1)?, numbers::<u32>(&edges.2)?);
        let parts = Parts {
            vertex_starts: &vertex_starts,
            vertices: &vertices,
            edge_starts: &edge_starts,
            ends: &ends,
            edges: &edges,
        };
        let records = py.detach(|| GraphRecords::new(alphabet, parts)).map_err(to_pyerr)?;
        Ok(Self(Arc::new(AnyRecords::Graphs(records))))
    }

    /// Where each graph holds a pattern: for each graph, for each of at most `limit`
    /// occurrences, the vertices in the order of the pattern's.
    fn occurrences(&self, py: Python<'_>, pattern: &str, limit: usize) -> PyResult<Vec<Vec<Vec<u32>>>> {
        let AnyRecords::Graphs(records) = &*self.0 else {
            return Err(PyTypeError::new_err("occurrences are told of graphs alone"));
        };
        let pattern: GraphPattern = parse("pattern", pattern)?;
        let matcher = Matcher::new([&pattern]);
        let of = |graph: &Arc<Graph>| matcher.occurrences(graph, limit).into_iter().flatten().collect();
        Ok(py.detach(|| records.graphs().iter().map(of).collect()))
    }

    /// Number of records.
    fn __len__(&self) -> usize {
        self.0.n_rows()
    }
}

/// Records with their responses, weights and folds.
#[pyclass(frozen, module = "thresher._native")]
pub struct PatternProblem {
    records: Arc<AnyRecords>,
    pub y: Vec<Vec<f64>>,
    pub weights: Option<Vec<f64>>,
    pub folds: Vec<Fold>,
}

#[pymethods]
impl PatternProblem {
    #[new]
    #[pyo3(signature = (records, y, sample_weight=None, folds=None))]
    fn new(
        records: &Records,
        y: PyReadonlyArray2<'_, f64>,
        sample_weight: Option<PyReadonlyArray1<'_, f64>>,
        folds: Option<&Bound<'_, PyList>>,
    ) -> PyResult<Self> {
        let y = y.as_array();
        let folds = folds_of(folds, y.nrows())?;
        let y = y.columns().into_iter().map(|c| c.iter().copied().collect()).collect();
        let weights = sample_weight.map(|w| w.as_array().iter().copied().collect());
        Ok(Self { records: records.0.clone(), y, weights, folds })
    }
}

/// A checked pattern model.
#[pyclass(frozen, module = "thresher._native")]
pub struct PatternModel(AnyModel);

#[pymethods]
impl PatternModel {
    /// Reads a model of a family, named by its format.
    #[staticmethod]
    fn from_json(py: Python<'_>, family: &str, text: &str) -> PyResult<Self> {
        py.detach(|| AnyModel::read(family, text)).map(Self).map_err(to_pyerr)
    }

    /// Writes the selected points, or all.
    #[pyo3(signature = (all_points=false))]
    fn to_json(&self, py: Python<'_>, all_points: bool) -> String {
        py.detach(|| self.0.to_json(all_points))
    }

    /// Predictions, (n, outputs).
    fn decision<'py>(
        &self,
        py: Python<'py>,
        records: &Records,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        both!(AnyModel, &self.0, AnyRecords, &*records.0, |model, records| {
            let decide = |control: &Control| model.decision(records, &points, control);
            let outputs = predict(py, records.n_rows(), decide)?;
            as_matrix(py, records.n_rows(), &outputs)
        })
    }

    /// The records in which each active pattern occurs, output by output.
    fn activations<'py>(
        &self,
        py: Python<'py>,
        records: &Records,
        points: Vec<usize>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<u32>>>> {
        both!(AnyModel, &self.0, AnyRecords, &*records.0, |model, records| {
            let rows = py.detach(|| model.activations(records, &points)).map_err(to_pyerr)?;
            Ok(rows.into_iter().map(|r| PyArray1::from_vec(py, r)).collect())
        })
    }
}

/// The training records of a fit.
#[pyclass(frozen, module = "thresher._native")]
pub struct PatternTraining(AnyTraining);

#[pymethods]
impl PatternTraining {
    /// Why a pattern (JSON) has its weight, or none, as JSON.
    fn price(
        &self,
        py: Python<'_>,
        model: &PatternModel,
        output: usize,
        point: usize,
        pattern: &str,
    ) -> PyResult<String> {
        both!(AnyTraining, &self.0, AnyModel, &model.0, |training, model| {
            let pattern = parse("pattern", pattern)?;
            let control = Control::default();
            let price =
                run(py, 1, &control, None, || training.price(model, output, point, &pattern, &control))?;
            to_json(&price)
        })
    }

    /// Patterns that almost entered, as JSON, in at most some seconds.
    #[allow(clippy::too_many_arguments)]
    fn near_ties(
        &self,
        py: Python<'_>,
        model: &PatternModel,
        output: usize,
        point: usize,
        within: f64,
        limit: usize,
        n_jobs: usize,
        seconds: Option<f64>,
    ) -> PyResult<String> {
        both!(AnyTraining, &self.0, AnyModel, &model.0, |training, model| {
            let control = budget(seconds, None, false);
            let ties = run(py, n_jobs, &control, None, || {
                training.near_ties(model, output, point, within, limit, &control)
            })?;
            to_json(&ties)
        })
    }
}

/// Fits one path an output in a pool of `n_jobs` threads (0: one a core).
#[pyfunction]
#[pyo3(signature = (problem, params, n_jobs=0, classes=None, progress=None, journal=None, searches=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit_patterns(
    py: Python<'_>,
    problem: &PatternProblem,
    params: &str,
    n_jobs: usize,
    classes: Option<&Bound<'_, PyList>>,
    progress: Option<&Bound<'_, PyAny>>,
    journal: Option<PathBuf>,
    searches: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PatternModel, PatternTraining)> {
    let classes = levels(classes)?;
    let call = Call { problem, params, n_jobs, classes, progress, journal, searches };
    let (model, training) = problem.records.fit(py, call)?;
    Ok((PatternModel(model), PatternTraining(training)))
}

/// Searches every pattern anew and returns one fresh certificate an output, as JSON.
#[pyfunction]
#[pyo3(signature = (model, problem, points, params, n_jobs=0))]
pub fn verify_patterns(
    py: Python<'_>,
    model: &PatternModel,
    problem: &PatternProblem,
    points: Vec<usize>,
    params: &str,
    n_jobs: usize,
) -> PyResult<String> {
    let call = Call { problem, params, n_jobs, classes: None, progress: None, journal: None, searches: None };
    to_json(&families::verify(py, &model.0, &problem.records, &points, &call)?)
}
