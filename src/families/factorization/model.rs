//! Fitted factorization machines: predictions, interactions, where a fit goes on.

use super::design::Design;
use super::document::{Document, check_document, refuse};
use super::fit::Start;
use super::input::owners;
use super::interactions::{self, Interaction};
use super::machine::{Factor, Machine};
use super::stochastic::Progress;
use crate::control::Control;
use crate::data::bounded::Object;
use crate::error::{Error, Result};

/// A factorization machine whose document has been checked.
#[derive(Debug, Clone, PartialEq)]
pub struct FmModel {
    document: Document,
    /// Of a stochastic fit, output by output: what it goes on from. Not written.
    progress: Vec<Option<Progress>>,
}

impl TryFrom<Document> for FmModel {
    type Error = Error;

    fn try_from(document: Document) -> Result<Self> {
        check_document(&document)?;
        Ok(Self { document, progress: Vec::new() })
    }
}

impl FmModel {
    /// Reads a model; anything but a whole and consistent document of this version is an
    /// [`Error::Format`].
    pub fn from_json(text: &str) -> Result<Self> {
        let read = serde_json::from_str::<Object<Document>>(text);
        let Object(document) = read.map_err(|e| refuse(format!("{e:.200}")))?;
        Self::try_from(document)
    }

    /// The model as one line of JSON, with all its machines.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.document).unwrap_or_default()
    }

    /// The checked document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The model with what its fit has learned beside the machines.
    pub(crate) fn with_progress(self, progress: Vec<Option<Progress>>) -> Self {
        Self { progress, ..self }
    }

    /// Where a fit goes on: the selected machine of an output.
    pub(crate) fn start(&self, output: usize) -> Result<Start> {
        let machine = self.machine(output, self.document.outputs[output].selected)?;
        Ok(Start { machine, progress: self.progress.get(output).cloned().flatten() })
    }

    /// One machine.
    pub(crate) fn machine(&self, output: usize, point: usize) -> Result<Machine> {
        let outputs = &self.document.outputs;
        let found = outputs.get(output).and_then(|o| Some((o, o.points.get(point)?)));
        let Some((output, point)) = found else {
            return Err(Error::parameter(
                "points",
                format!("the model has no point {point} of output {output}"),
            ));
        };
        let (width, rank) = (self.document.width(), output.signs.len());
        let mut machine = Machine {
            bias: point.intercept,
            linear: vec![0.0; if self.document.linear { width } else { 0 }],
            signs: output.signs.iter().map(|&s| f64::from(s)).collect(),
            factors: Vec::new(),
        };
        point.coef.iter().for_each(|&(j, w)| machine.linear[j] = w);
        for (entries, &order) in point.factors.iter().zip(&self.document.orders) {
            let mut p = vec![0.0; (width + self.document.ones) * rank];
            entries.iter().for_each(|&(j, s, value)| p[j * rank + s] = value);
            machine.factors.push(Factor { order, p });
        }
        Ok(machine)
    }

    /// Predictions at one point of each output, output by output.
    pub fn decision(&self, design: &Design, points: &[usize]) -> Result<Vec<Vec<f64>>> {
        let width = self.document.width();
        if design.n_columns() != width {
            let got = design.n_columns();
            return Err(Error::data(format!("{got} columns for a model of {width}")));
        }
        if points.len() != self.document.outputs.len() {
            let (got, expected) = (points.len(), self.document.outputs.len());
            return Err(Error::parameter("points", format!("got {got}, the model has {expected} outputs")));
        }
        let mut design = design.clone();
        design.push_ones(self.document.ones);
        let predict = |(output, &point)| Ok(self.machine(output, point)?.predict(&design));
        points.iter().enumerate().map(predict).collect()
    }

    /// The interactions of one machine, the strongest first; more than `limit` are refused.
    pub fn interactions(
        &self,
        output: usize,
        point: usize,
        limit: usize,
        control: &Control,
    ) -> Result<Vec<Interaction>> {
        interactions::list(&self.machine(output, point)?, &owners(&self.document.features), limit, control)
    }

    /// How many interactions one machine has, at most `limit`.
    pub fn count(&self, output: usize, point: usize, limit: usize, control: &Control) -> Result<usize> {
        interactions::count(&self.machine(output, point)?, &owners(&self.document.features), limit, control)
    }
}
