//! Fitted factorization machines: predictions, interactions.

use super::FmModel;
use super::document::{Machines, PointDoc, Terms};
use super::interactions::{self, Interaction};
use super::machine::Machine;
use super::standardise::standardised;
use crate::control::Control;
use crate::data::sparse::SparseColumns;
use crate::data::table::Table;
use crate::document::point_at;
use crate::error::{Error, Result};
use crate::families::Predicts;

/// Numbers that are missing fail; a category that is missing or that no training row had takes part in no interaction.
impl Predicts<Table> for Machines {
    fn decide(model: &FmModel, table: &Table, points: &[usize], control: &Control) -> Result<Vec<Vec<f64>>> {
        model.decision(&model.document().features.encode(table)?, points, control)
    }
}

/// The columns are those of training, in their order.
impl Predicts<SparseColumns> for Machines {
    fn decide(
        model: &FmModel,
        columns: &SparseColumns,
        points: &[usize],
        control: &Control,
    ) -> Result<Vec<Vec<f64>>> {
        let document = model.document();
        let (got, width) = (columns.n_columns(), document.features.width());
        if got != width {
            return Err(Error::data(format!("{got} columns for a model of {width}")));
        }
        let centers = &document.language.centers;
        let mut design = if centers.is_empty() {
            columns.clone()
        } else {
            standardised(columns, centers.iter().map(|center| (*center, 1.0)))
        };
        design.push_ones(document.language.ones);
        let predict = |(_, point): (_, &PointDoc)| {
            let machine = point.machine(width, &document.language);
            machine.predict_until(&design, || control.is_cancelled()).ok_or(Error::Cancelled)
        };
        model.points(points)?.into_iter().map(predict).collect()
    }
}

impl FmModel {
    /// One machine.
    pub(crate) fn machine(&self, output: usize, point: usize) -> Result<Machine> {
        let document = self.document();
        let point = point_at(self.output(output)?, point)?;
        Ok(point.machine(document.features.width(), &document.language))
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
