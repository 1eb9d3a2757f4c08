//! Additive, hierarchical and best-subset models: fitting, predicting, proving.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;
use thresher::Control;
use thresher::data::dataset::Dataset;
use thresher::data::numbers::SparseTable;
use thresher::families::{additive, hierarchy, subset};

use crate::errors::to_pyerr;
use crate::model::{as_matrix, rows_of};
use crate::problem::{Problem, SparseProblem, levels, sparse_columns};
use crate::run::{budget, parse, predict, run, to_json, with_journal};

/// The class of a family's models (`$names`: the features of a model; then methods of the class alone).
macro_rules! table_model {
    ($family:ident::$class:ident, |$model:ident| $names:expr, { $($methods:tt)* }) => {
        /// A checked model document.
        #[pyclass(frozen, module = "thresher._native")]
        pub struct $class(Arc<$family::$class>);

        #[pymethods]
        impl $class {
            /// Reads a model.
            #[staticmethod]
            fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
                py.detach(|| $family::$class::from_json(text)).map(|m| Self(Arc::new(m))).map_err(to_pyerr)
            }

            /// Writes all points.
            fn to_json(&self, py: Python<'_>) -> String {
                py.detach(|| self.0.to_json(true))
            }

            /// Predictions, (n, outputs).
            fn decision<'py>(
                &self,
                py: Python<'py>,
                columns: &Bound<'py, PyList>,
                points: Vec<usize>,
            ) -> PyResult<Bound<'py, PyArray2<f64>>> {
                let $model = &self.0;
                let table = rows_of(columns, $names)?;
                let decide = |control: &Control| self.0.decision(&table, &points, control);
                let outputs = predict(py, table.n_rows(), decide)?;
                as_matrix(py, table.n_rows(), &outputs)
            }

            $($methods)*
        }
    };
}

/// The function that fits a model of a family to the data of a problem.
macro_rules! fit_function {
    ($fit:ident, $family:ident::$class:ident, $problem:ty) => {
        /// Fits the paths of each output in a pool of `n_jobs` threads (0: one a core), with the results of steps in a
        /// journal.
        #[pyfunction]
        #[pyo3(signature = (problem, params, n_jobs=0, classes=None, progress=None, journal=None))]
        pub fn $fit(
            py: Python<'_>,
            problem: &$problem,
            params: &str,
            n_jobs: usize,
            classes: Option<&Bound<'_, PyList>>,
            progress: Option<&Bound<'_, PyAny>>,
            journal: Option<PathBuf>,
        ) -> PyResult<$class> {
            let params: $family::Params = parse("params", params)?;
            let classes = levels(classes)?;
            let control = budget(params.time_limit, params.memory_limit, progress.is_some());
            let control = with_journal(control, journal.as_deref()).map_err(to_pyerr)?;
            let fitted = run(py, n_jobs, &control, progress, || {
                let data = Dataset { classes: classes.as_deref(), ..problem.0.dataset() };
                $family::fit(&data, params, &control)
            })?;
            Ok($class(Arc::new(fitted.model)))
        }
    };
}

table_model!(subset::LinearModel, |model| &model.document().features, {
    /// Predictions of the rows of a sparse matrix by columns, (n, outputs).
    fn decision_sparse<'py>(
        &self,
        py: Python<'py>,
        n_rows: usize,
        starts: PyReadonlyArray1<'_, i64>,
        rows: PyReadonlyArray1<'_, i32>,
        values: PyReadonlyArray1<'_, f64>,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let columns = sparse_columns(n_rows, &starts, &rows, &values)?;
        let names = self.0.document().features.clone();
        let table = SparseTable::new(names, &columns).map_err(to_pyerr)?;
        let decide = |control: &Control| self.0.decision(&table, &points, control);
        let outputs = predict(py, n_rows, decide)?;
        as_matrix(py, n_rows, &outputs)
    }
});
fit_function!(fit_linear, subset::LinearModel, Problem);
fit_function!(fit_linear_sparse, subset::LinearModel, SparseProblem);

table_model!(additive::AdditiveModel, |model| model.document().features.names(), {
    /// What each column adds, (n, columns) for each output.
    fn contributions<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyList>,
        points: Vec<usize>,
    ) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        let table = rows_of(columns, self.0.document().features.names())?;
        let outputs = py.detach(|| self.0.contributions(&table, &points)).map_err(to_pyerr)?;
        outputs.iter().map(|parts| as_matrix(py, table.n_rows(), parts)).collect()
    }
});

fit_function!(fit_additive, additive::AdditiveModel, Problem);

table_model!(hierarchy::HierarchyModel, |model| model.document().features.names(), {
    /// Which rules of the points hold, (n, rules of all outputs in order).
    fn activations<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyList>,
        points: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let table = rows_of(columns, self.0.document().features.names())?;
        let rules = py.detach(|| self.0.activations(&table, &points)).map_err(to_pyerr)?;
        as_matrix(py, table.n_rows(), &rules)
    }
});

fit_function!(fit_hierarchy, hierarchy::HierarchyModel, Problem);

/// The function that verifies a model of a family.
macro_rules! verification {
    ($(#[$doc:meta])* $verify:ident, $family:ident::$class:ident, $problem:ty) => {
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (model, problem, points, params, n_jobs=0))]
        pub fn $verify(
            py: Python<'_>,
            model: &$class,
            problem: &$problem,
            points: Vec<usize>,
            params: &str,
            n_jobs: usize,
        ) -> PyResult<String> {
            let params: $family::Params = parse("params", params)?;
            let control = budget(params.time_limit, params.memory_limit, false);
            let certificates = run(py, n_jobs, &control, None, || {
                $family::verify(&model.0, &problem.0.dataset(), &points, &params, &control)
            })?;
            to_json(&certificates)
        }
    };
}

verification!(
    /// Computes objective and lower bound anew and returns one certificate an output, as JSON.
    verify_additive,
    additive::AdditiveModel,
    Problem
);

verification!(
    /// Computes objective and lower bound anew and returns one certificate an output, as JSON.
    verify_linear,
    subset::LinearModel,
    Problem
);

verification!(
    /// As `verify_linear`, on a sparse table.
    verify_linear_sparse,
    subset::LinearModel,
    SparseProblem
);

verification!(
    /// Solves anew and returns one fresh certificate an output, as JSON.
    verify_hierarchy,
    hierarchy::HierarchyModel,
    Problem
);
