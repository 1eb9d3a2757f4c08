//! The families of patterns, as one enum for each kind of object.

use pyo3::prelude::*;
use thresher::Error;
use thresher::data::rows::Records;
use thresher::data::table::Level;
use thresher::families::patterns::graphs::Graphs;
use thresher::families::patterns::itemsets::Itemsets;
use thresher::families::patterns::sequences::Sequences;
use thresher::families::patterns::{self, Family, Params};

use crate::patterns::PatternProblem;
use crate::run::{budget, parse, run};

/// One enum over the families for each kind of object, and a way to take it apart.
macro_rules! families {
    ($($name:ident: $family:ty = $format:literal),*) => {
        /// Records of some family.
        pub enum AnyRecords { $($name(<$family as Family>::Records)),* }
        /// A model of some family.
        pub enum AnyModel { $($name(patterns::PatternModel<$family>)),* }
        /// Training records of some family.
        pub enum AnyTraining { $($name(Box<patterns::Training<$family>>)),* }

        /// `$value` and `$other` of the same family, as `$a` and `$b`.
        macro_rules! both {
            ($one:ty, $value:expr, $two:ty, $other:expr, |$a:ident, $b:ident| $body:expr) => {{
                type One = $one;
                type Two = $two;
                match ($value, $other) {
                    $((One::$name($a), Two::$name($b)) => $body,)*
                    _ => Err(pyo3::exceptions::PyTypeError::new_err("the model and the records are of different families")),
                }
            }};
        }

        pub(crate) use both;

        impl AnyModel {
            pub fn read(family: &str, text: &str) -> thresher::Result<Self> {
                match family {
                    $($format => patterns::PatternModel::from_json(text).map(Self::$name),)*
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
                        let fitted = call.fit::<$family>(py, records)?;
                        Ok((AnyModel::$name(fitted.model), AnyTraining::$name(Box::new(fitted.training))))
                    })*
                }
            }
        }
    };
}

families!(
    Itemsets: Itemsets = "thresher.itemsets",
    Sequences: Sequences = "thresher.sequences",
    Graphs: Graphs = "thresher.graphs"
);

/// What a fit is called with, apart from the records.
pub struct Call<'a, 'py> {
    pub problem: &'a PatternProblem,
    pub params: &'a str,
    pub n_jobs: usize,
    pub classes: Option<Vec<Level>>,
    pub progress: Option<&'a Bound<'py, PyAny>>,
}

impl Call<'_, '_> {
    fn fit<F: Family>(self, py: Python<'_>, records: &F::Records) -> PyResult<patterns::Fitted<F>> {
        let params: Params<F> = parse("params", self.params)?;
        let controls = [budget(params.fit.time_limit, params.fit.memory_limit, self.progress.is_some())];
        let PatternProblem { y, weights, folds, .. } = self.problem;
        run(py, self.n_jobs, &controls, self.progress, || {
            patterns::fit(records, y, weights.as_deref(), folds, params, self.classes, &controls[0])
        })
    }
}
