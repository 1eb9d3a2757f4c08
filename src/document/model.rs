//! A checked document.

use super::{Document, Path, Schema, VERSION, check, read};
use crate::error::{Error, Result};

/// A fitted model: a [`Document`] of which everything has been checked, down to each term. It
/// cannot be changed, so it stays checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Model<S: Schema> {
    document: Document<S>,
}

impl<S: Schema> TryFrom<Document<S>> for Model<S> {
    type Error = Error;

    /// Checks everything a prediction or a report relies on: format and version, indices
    /// in range, finite numbers, terms that fit the features.
    fn try_from(document: Document<S>) -> Result<Self> {
        check::document(&document).map_err(|complaint| read::format_error(&complaint))?;
        Ok(Self { document })
    }
}

impl<S: Schema> Model<S> {
    /// Reads a model; anything but a whole and consistent document of this family and version
    /// is an [`Error::Format`] that says where and what to do.
    ///
    /// An estimator saved by the Python package is read as the model that it holds.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::try_from(read::document::<Document<S>>(text, S::FORMAT, VERSION)?)
    }

    /// The model as one line of JSON: with the whole path, or with the selected points
    /// alone and the terms they use.
    pub fn to_json(&self, all_points: bool) -> String {
        // Checked documents hold no map and no number that JSON lacks: nothing can fail.
        let text = |document: &Document<S>| serde_json::to_string(document).unwrap_or_default();
        if all_points { text(&self.document) } else { text(&self.selected().document) }
    }

    /// The model with its selected points alone, renumbered.
    #[must_use]
    pub fn selected(&self) -> Self {
        let mut document = Document { outputs: Vec::new(), ..self.document.clone() };
        document.outputs = self.document.outputs.iter().map(Path::only_selected).collect();
        Self { document }
    }

    /// The checked document.
    pub fn document(&self) -> &Document<S> {
        &self.document
    }

    /// The document itself, to be changed and checked again.
    pub fn into_document(self) -> Document<S> {
        self.document
    }

    /// Number of outputs.
    pub fn n_outputs(&self) -> usize {
        self.document.outputs.len()
    }

    /// The selected point of each output.
    pub fn selected_points(&self) -> Vec<usize> {
        self.document.outputs.iter().map(Path::selected).collect()
    }

    /// One output.
    pub fn output(&self, output: usize) -> Result<&S::Output> {
        let n = self.n_outputs();
        let wrong = || Error::parameter("output", format!("got output {output}, the model has {n}"));
        self.document.outputs.get(output).ok_or_else(wrong)
    }

    /// One point of each output.
    pub fn points(&self, points: &[usize]) -> Result<Vec<(&S::Output, &PointOf<S>)>> {
        let outputs = &self.document.outputs;
        if points.len() != outputs.len() {
            return Err(Error::parameter(
                "points",
                format!(
                    "got {} path points, the model has {} outputs; give one each",
                    points.len(),
                    outputs.len()
                ),
            ));
        }
        outputs.iter().zip(points).map(|(output, &point)| Ok((output, point_at(output, point)?))).collect()
    }
}

type PointOf<S> = <<S as Schema>::Output as Path>::Point;

/// A point of a path.
pub(crate) fn point_at<P: Path>(output: &P, point: usize) -> Result<&P::Point> {
    let n = output.points().len();
    let wrong = || Error::parameter("points", format!("got path point {point}, the path has {n}"));
    output.points().get(point).ok_or_else(wrong)
}
