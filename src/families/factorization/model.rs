//! Fitted factorization machines: predictions, interactions.

use super::document::{Machines, Terms};
use super::interactions::{self, Interaction};
use super::machine::Machine;
use super::standardise::standardised;
use crate::control::Control;
use crate::data::sparse::SparseColumns;
use crate::document::{Model, point_at};
use crate::error::{Error, Result};

impl Model<Machines> {
    /// One machine.
    pub(crate) fn machine(&self, output: usize, point: usize) -> Result<Machine> {
        let document = self.document();
        let point = point_at(self.output(output)?, point)?;
        Ok(point.machine(document.features.width(), &document.language))
    }

    /// Predictions at one point of each output, output by output.
    pub fn decision(&self, design: &SparseColumns, points: &[usize]) -> Result<Vec<Vec<f64>>> {
        let document = self.document();
        let (got, width) = (design.n_columns(), document.features.width());
        if got != width {
            return Err(Error::data(format!("{got} columns for a model of {width}")));
        }
        let centers = &document.language.centers;
        let mut design = if centers.is_empty() {
            design.clone()
        } else {
            standardised(design, centers.iter().map(|center| (*center, 1.0)))
        };
        design.push_ones(document.language.ones);
        let machines = self.points(points)?.into_iter();
        let machines = machines.map(|(_, point)| point.machine(width, &document.language));
        Ok(machines.map(|machine| machine.predict(&design)).collect())
    }

    /// The interactions of one machine, those of the largest coefficients of standardised columns first; more than
    /// `limit` are refused.
    pub fn interactions(
        &self,
        output: usize,
        point: usize,
        limit: usize,
        control: &Control,
    ) -> Result<Vec<Interaction>> {
        let Terms { scales, .. } = &self.document().language;
        let owners = self.document().features.owners();
        interactions::list(&self.machine(output, point)?, &owners, scales, limit, control)
    }

    /// How many interactions one machine has, at most `limit`.
    pub fn count(&self, output: usize, point: usize, limit: usize, control: &Control) -> Result<usize> {
        interactions::count(&self.machine(output, point)?, &self.document().features.owners(), limit, control)
    }
}
