//! Fitted linear models: the document as it is written, its checks, predictions.

use serde::{Deserialize, Serialize};

use super::design::numbers;
use crate::data::bounded::{self, Object};
use crate::data::table::{Level, Table};
use crate::document::check;
use crate::document::classes;
use crate::error::{Error, Result};
use crate::families::l0::L0Loss;
use crate::families::l0::choice::CvDoc;
use crate::loss::Task;

/// The document's name.
pub const FORMAT: &str = "thresher.linear";
/// The document's version; a program reads this one only.
pub const VERSION: u32 = 1;

const MANY: usize = 1 << 16;
const TEXT: usize = usize::MAX;

/// A best-subset model as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the library that fitted the model.
    pub library: String,
    /// What the model predicts.
    pub task: Task,
    /// The loss it was fitted with.
    pub loss: L0Loss,
    /// The classes, where labels are known: two for one output, else one an output.
    #[serde(with = "classes")]
    pub classes: Option<Vec<Level>>,
    /// The columns' names.
    #[serde(deserialize_with = "bounded::list::<TEXT, _, _>")]
    pub features: Vec<String>,
    /// One path an output; a classifier of two classes has one.
    #[serde(deserialize_with = "bounded::objects::<MANY, _, _>")]
    pub outputs: Vec<OutputDoc>,
}

/// The path of one output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputDoc {
    /// The point to predict with: an index into `points`.
    pub selected: usize,
    /// Solutions: for each lambda2 in turn, in the order in which they were solved.
    #[serde(deserialize_with = "bounded::objects::<TEXT, _, _>")]
    pub points: Vec<PointDoc>,
    /// Held-out scores of the first points, if they were cross-validated.
    #[serde(deserialize_with = "bounded::nullable")]
    pub cv: Option<Box<CvDoc>>,
}

/// One solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Price of a coefficient.
    pub lambda0: f64,
    /// Ridge penalty.
    pub lambda2: f64,
    /// Sum of the losses and both penalties.
    pub objective: f64,
    /// Sum of the losses alone.
    pub loss: f64,
    /// Intercept.
    pub intercept: f64,
    /// Feature and coefficient, by ascending feature; no coefficient is 0.
    #[serde(deserialize_with = "bounded::list::<TEXT, _, _>")]
    pub coef: Vec<(usize, f64)>,
    /// Whether the search ended by itself, not by a limit.
    pub complete: bool,
    /// Whether it separates the classes, so that without a ridge the loss has no minimum.
    pub separated: bool,
    /// Swaps made up to here.
    pub swaps: u64,
}

/// A linear model whose document has been checked.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    document: Document,
}

fn refuse(what: impl Into<String>) -> Error {
    Error::Format(what.into())
}

impl TryFrom<Document> for LinearModel {
    type Error = Error;

    fn try_from(document: Document) -> Result<Self> {
        if document.format != FORMAT || document.version != VERSION {
            let (format, version) = (&document.format, document.version);
            return Err(refuse(format!(
                "got {format:.40?} of version {version}, expected {FORMAT:?} of version {VERSION}"
            )));
        }
        if document.loss.task() != document.task {
            return Err(refuse("the loss is not one of the task"));
        }
        check::classes(document.task, document.classes.as_deref(), document.outputs.len())
            .map_err(Error::Format)?;
        document.outputs.iter().try_for_each(|o| check_output(o, document.features.len()))?;
        Ok(Self { document })
    }
}

fn check_output(output: &OutputDoc, features: usize) -> Result<()> {
    if output.selected >= output.points.len() {
        return Err(refuse(format!("point {} of {} is selected", output.selected, output.points.len())));
    }
    if let Some(cv) = &output.cv
        && (cv.mean.len() != cv.se.len() || !cv.mean.iter().chain(&cv.se).all(|x| x.is_finite()))
    {
        return Err(refuse("held-out scores must be finite, a mean and an error each"));
    }
    for point in &output.points {
        let PointDoc { lambda0, lambda2, objective, loss, intercept, coef, .. } = point;
        let values = coef.iter().map(|c| c.1).chain([*lambda0, *lambda2, *objective, *loss, *intercept]);
        if !values.into_iter().all(f64::is_finite) {
            return Err(refuse("every number must be finite"));
        }
        if !coef.is_sorted_by(|a, b| a.0 < b.0) || coef.last().is_some_and(|c| c.0 >= features) {
            return Err(refuse(format!("coefficients must be of ascending features below {features}")));
        }
    }
    Ok(())
}

impl LinearModel {
    /// Reads a model; anything but a whole and consistent document of this version is an
    /// [`Error::Format`].
    pub fn from_json(text: &str) -> Result<Self> {
        let read = serde_json::from_str::<Object<Document>>(text);
        let Object(document) = read.map_err(|e| refuse(format!("{e:.200}")))?;
        Self::try_from(document)
    }

    /// The model as one line of JSON, with all points of its paths.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.document).unwrap_or_default()
    }

    /// The checked document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Predictions at one point of each output, output by output.
    pub fn decision(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<f64>>> {
        let Document { features, outputs, .. } = &self.document;
        if table.n_features() != features.len() {
            let (got, expected) = (table.n_features(), features.len());
            return Err(Error::data(format!("{got} columns for a model of {expected} features")));
        }
        if points.len() != outputs.len() {
            let (got, expected) = (points.len(), outputs.len());
            return Err(Error::parameter("points", format!("got {got}, the model has {expected} outputs")));
        }
        let columns: Vec<&[f64]> = (0..features.len()).map(|j| numbers(table, j)).collect::<Result<_>>()?;
        let predict = |(output, &point): (&OutputDoc, &usize)| {
            let point = output.points.get(point).ok_or_else(|| {
                Error::parameter("points", format!("got {point}, the path has {}", output.points.len()))
            })?;
            let mut f = vec![point.intercept; table.n_rows()];
            for &(j, w) in &point.coef {
                super::vectors::add(&mut f, w, columns[j]);
            }
            Ok(f)
        };
        outputs.iter().zip(points).map(predict).collect()
    }
}
