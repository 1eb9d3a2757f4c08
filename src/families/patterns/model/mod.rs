//! Fitted pattern models: versioned documents in and out, predictions.

mod check;
mod wire;

pub use wire::{Document, OutputDoc, PatternDoc, PointDoc, VERSION};

use super::Family;
use crate::data::rows::Records;
use crate::document::read;
use crate::error::{Error, Result};

/// A fitted pattern model: a [`Document`] of which everything has been checked. It cannot be
/// changed, so it stays checked.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternModel<F: Family> {
    document: Document<F>,
}

impl<F: Family> TryFrom<Document<F>> for PatternModel<F> {
    type Error = Error;

    fn try_from(document: Document<F>) -> Result<Self> {
        check::document(&document).map_err(|complaint| read::complain(&complaint))?;
        Ok(Self { document })
    }
}

impl<F: Family> PatternModel<F> {
    /// Reads a model; anything but a whole and consistent document of this family and version
    /// is an [`Error::Format`] that says where and what to do.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::try_from(read::document::<Document<F>>(text, F::FORMAT, VERSION)?)
    }

    /// The model as one line of JSON: with the whole path, or with the selected points
    /// alone and the patterns they use.
    pub fn to_json(&self, all_points: bool) -> String {
        // Checked documents hold no map and no number that JSON lacks: nothing can fail.
        let text = |document: &Document<F>| serde_json::to_string(document).unwrap_or_default();
        if all_points {
            return text(&self.document);
        }
        let outputs = self.document.outputs.iter().map(OutputDoc::only_selected).collect();
        text(&Document { outputs, ..self.document.clone() })
    }

    /// The checked document.
    pub fn document(&self) -> &Document<F> {
        &self.document
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
    fn points(&self, points: &[usize]) -> Result<Vec<(&OutputDoc<F>, &PointDoc)>> {
        let outputs = &self.document.outputs;
        if points.len() != outputs.len() {
            return Err(Error::parameter(
                "points",
                format!("got {} path points for {} outputs; give one each", points.len(), outputs.len()),
            ));
        }
        let find = |(output, &point): (&'_ OutputDoc<F>, &usize)| -> Result<usize> {
            let n = output.points.len();
            let wrong = || Error::parameter("points", format!("got path point {point}, the path has {n}"));
            (point < n).then_some(point).ok_or_else(wrong)
        };
        let places = outputs.iter().zip(points).map(find).collect::<Result<Vec<usize>>>()?;
        Ok(outputs.iter().zip(places).map(|(output, at)| (output, &output.points[at])).collect())
    }

    /// Decision values of the chosen point of each output, one a record. The order of terms
    /// is fixed, so a record's value does not depend on the others.
    pub fn decision(&self, records: &F::Records, points: &[usize]) -> Result<Vec<Vec<f64>>> {
        let one = |(output, point): (&OutputDoc<F>, &PointDoc)| {
            let mut sums = vec![point.intercept; records.n_rows()];
            for (rows, &(_, coef)) in self.holding(output, point, records).iter().zip(&point.patterns) {
                rows.iter().for_each(|&r| sums[r as usize] += coef);
            }
            sums
        };
        Ok(self.points(points)?.into_iter().map(one).collect())
    }

    /// Records in which each active pattern occurs, output by output in the order of the
    /// point's patterns.
    pub fn activations(&self, records: &F::Records, points: &[usize]) -> Result<Vec<Vec<u32>>> {
        let points = self.points(points)?.into_iter();
        Ok(points.flat_map(|(output, point)| self.holding(output, point, records)).collect())
    }

    /// Records in which each pattern of a point occurs.
    fn holding(&self, output: &OutputDoc<F>, point: &PointDoc, records: &F::Records) -> Vec<Vec<u32>> {
        let patterns: Vec<&F::Pattern> =
            point.patterns.iter().map(|&(k, _)| &output.patterns[k].pattern).collect();
        F::holding(&patterns, &self.document.language, records)
    }
}

impl<F: Family> OutputDoc<F> {
    /// The selected point with the patterns it uses; scores of other points go.
    fn only_selected(&self) -> Self {
        let mut point = self.points[self.selected].clone();
        let patterns = point.patterns.iter().map(|&(k, _)| self.patterns[k].clone()).collect();
        for (place, (k, _)) in point.patterns.iter_mut().enumerate() {
            *k = place;
        }
        let criterion = self.criterion.clone().map(|mut criterion| {
            criterion.values = vec![criterion.values[self.selected]];
            criterion
        });
        Self { patterns, selected: 0, points: vec![point], cv: self.cv.clone(), criterion }
    }
}
