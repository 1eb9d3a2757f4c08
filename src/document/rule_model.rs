//! A rule model that has been checked.

use super::wire::{Document, FORMAT, OutputDoc, PointDoc, VERSION};
use super::{check, read};
use crate::error::{Error, Result};

/// A fitted rule model: a [`Document`] whose every index, number and condition has been
/// checked. It cannot be changed, so it stays checked.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleModel {
    document: Document,
}

impl TryFrom<Document> for RuleModel {
    type Error = Error;

    /// Checks everything a prediction or a report relies on: format and version, indices
    /// in range, finite numbers, conditions on distinct features of the right kind.
    fn try_from(document: Document) -> Result<Self> {
        check::document(&document).map_err(|complaint| read::complain(&complaint))?;
        Ok(Self { document })
    }
}

impl RuleModel {
    /// Reads a model; anything but a whole and consistent document of this version is an
    /// [`Error::Format`] that says where and what to do.
    ///
    /// An estimator saved by the Python package is read as the model that it holds.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::try_from(read::document::<Document>(text, FORMAT, VERSION)?)
    }

    /// The model as one line of JSON: with the whole path, or with the selected points
    /// alone and the rules they use.
    pub fn to_json(&self, all_points: bool) -> String {
        // Checked documents hold no map and no number that JSON lacks: nothing can fail.
        let text = |document: &Document| serde_json::to_string(document).unwrap_or_default();
        if all_points { text(&self.document) } else { text(&self.selected().document) }
    }

    /// The model with its selected points alone, renumbered.
    #[must_use]
    pub fn selected(&self) -> Self {
        let outputs = self.document.outputs.iter().map(OutputDoc::only_selected).collect();
        let Document { format, version, library, task, loss, classes, features, n_candidates, .. } =
            &self.document;
        Self {
            document: Document {
                format: format.clone(),
                version: *version,
                library: library.clone(),
                task: *task,
                loss: *loss,
                classes: classes.clone(),
                features: features.clone(),
                n_candidates: n_candidates.clone(),
                outputs,
            },
        }
    }

    /// The checked document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The document itself, to be changed and checked again.
    pub fn into_document(self) -> Document {
        self.document
    }

    /// Number of outputs.
    pub fn n_outputs(&self) -> usize {
        self.document.outputs.len()
    }

    /// The selected point of each output.
    pub fn selected_points(&self) -> Vec<usize> {
        self.document.outputs.iter().map(|output| output.selected).collect()
    }

    /// Looks up one point of each output.
    pub(super) fn points(&self, points: &[usize]) -> Result<Vec<(&OutputDoc, &PointDoc)>> {
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
        let mut found = Vec::with_capacity(points.len());
        for (output, &point) in outputs.iter().zip(points) {
            let n_points = output.points.len();
            found.push((
                output,
                output.points.get(point).ok_or_else(|| {
                    Error::parameter("points", format!("got path point {point}, the path has {n_points}"))
                })?,
            ));
        }
        Ok(found)
    }
}

impl OutputDoc {
    /// The selected point with the rules it uses; scores of other points go.
    fn only_selected(&self) -> Self {
        let mut point = self.points[self.selected].clone();
        let rules = point.rules.iter().map(|&(rule, _)| self.rules[rule].clone()).collect();
        for (place, (rule, _)) in point.rules.iter_mut().enumerate() {
            *rule = place;
        }
        let criterion = self.criterion.clone().map(|mut criterion| {
            criterion.values = vec![criterion.values[self.selected]];
            criterion
        });
        Self { rules, selected: 0, points: vec![point], cv: self.cv.clone(), criterion }
    }
}
