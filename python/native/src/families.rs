//! The families of patterns, as one enum for each kind of object.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use thresher::data::dataset::Dataset;
use thresher::data::rows::Records;
use thresher::data::table::Level;
use thresher::families::convex::{FamilyParams, Options};
use thresher::families::{graphs, itemsets, sequences};
use thresher::{Certificate, Control, Error};

use crate::errors::to_pyerr;
use crate::patterns::PatternProblem;
use crate::run::{budget, parse, run, with_journal};
use crate::searches::{Searches, or_raised};

/// One enum over the families for each kind of object, and a way to take it apart.
macro_rules! families {
    ($($name:ident: $module:ident :: $records:ident, $model:ident = $format:literal),*) => {
        /// Records of some family.
        pub enum AnyRecords { $($name($module::$records)),* }
        /// A model of some family.
        pub enum AnyModel { $($name($module::$model)),* }
        /// Training records of some family.
        pub enum AnyTraining { $($name(Box<$module::Training>)),* }

        /// `$value` and `$other` of the same family, as `$a` and `$b`.
        macro_rules! both {
            ($one:ty, $value:expr, $two:ty, $other:expr, |$a:ident, $b:ident| $body:expr) => {{
                type One = $one;
                type Two = $two;
                match ($value, $other) {
                    $((One::$name($a), Two::$name($b)) => $body,)*
                    _ => Err(crate::families::other_family()),
                }
            }};
        }

        pub(crate) use both;

        impl AnyModel {
            pub fn read(family: &str, text: &str) -> thresher::Result<Self> {
                match family {
                    $($format => $module::$model::from_json(text).map(Self::$name),)*
                    _ => Err(Error::Format(format!("format is {family:?}, which is no family of patterns"))),
                }
            }

            pub fn to_json(&self, all_points: bool) -> String {
                match self { $(Self::$name(model) => model.to_json(all_points)),* }
            }
        }

        impl AnyRecords {
            pub fn n_rows(&self) -> usize {
                match self { $(Self::$name(records) => records.n_rows()),* }
            }

            /// Fits in the pool and the worker thread of `run`.
            pub fn fit(&self, py: Python<'_>, call: Call<'_, '_>) -> PyResult<(AnyModel, AnyTraining)> {
                match self {
                    $(Self::$name(records) => {
                        let params: $module::Params = parse("params", call.params)?;
                        let (data, control) = (call.dataset(records), call.control(params.options())?);
                        let (control, raised) = Searches::of(control, call.searches);
                        let fitted = run(py, call.n_jobs, &control, call.progress, || {
                            $module::fit(&data, params, &control)
                        });
                        let fitted = or_raised(fitted, &raised)?;
                        Ok((AnyModel::$name(fitted.model), AnyTraining::$name(Box::new(fitted.training))))
                    })*
                }
            }
        }

        /// Searches every pattern anew.
        pub fn verify(
            py: Python<'_>,
            model: &AnyModel,
            records: &AnyRecords,
            points: &[usize],
            call: &Call<'_, '_>,
        ) -> PyResult<Vec<Certificate>> {
            match (model, records) {
                $((AnyModel::$name(model), AnyRecords::$name(records)) => {
                    let params: $module::Params = parse("params", call.params)?;
                    let (data, control) = (call.dataset(records), call.control(params.options())?);
                    run(py, call.n_jobs, &control, None, || {
                        $module::verify(model, &data, points, &params, &control)
                    })
                })*
                _ => Err(other_family()),
            }
        }
    };
}

families!(
    Itemsets: itemsets::ItemRecords, ItemsetModel = "thresher.itemsets",
    Sequences: sequences::SequenceRecords, SequenceModel = "thresher.sequences",
    Graphs: graphs::GraphRecords, GraphModel = "thresher.graphs"
);

/// A model of one family and records of another.
pub fn other_family() -> PyErr {
    PyTypeError::new_err("the model and the records are of different families")
}

/// What a fit or a verification is called with, apart from the records.
pub struct Call<'a, 'py> {
    pub problem: &'a PatternProblem,
    pub params: &'a str,
    pub n_jobs: usize,
    pub classes: Option<Vec<Level>>,
    pub progress: Option<&'a Bound<'py, PyAny>>,
    /// File of the results of searches.
    pub journal: Option<PathBuf>,
    /// Object that hands searches out.
    pub searches: Option<&'a Bound<'py, PyAny>>,
}

impl Call<'_, '_> {
    fn control(&self, options: &Options) -> PyResult<Control> {
        let control = budget(options.time_limit, options.memory_limit, self.progress.is_some());
        with_journal(control, self.journal.as_deref()).map_err(to_pyerr)
    }

    fn dataset<'d, R>(&'d self, records: &'d R) -> Dataset<'d, R> {
        let PatternProblem { y, weights, folds, .. } = self.problem;
        let (weights, classes) = (weights.as_deref(), self.classes.as_deref());
        Dataset { weights, classes, ..Dataset::new(records, y).with_folds(folds) }
    }
}
