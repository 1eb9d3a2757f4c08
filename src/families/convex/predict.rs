//! Predictions, and the terms of a model.

use super::Family;
use crate::control::Control;
use crate::document::{Model, TermDoc};
use crate::error::Result;
use crate::families::Predicts;

/// A term with its coefficient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActiveTerm<'a, T> {
    /// The rule, item-set, ...
    pub pattern: &'a T,
    /// Its coefficient.
    pub coef: f64,
    /// Number of training rows in which it occurs.
    pub n_rows: u64,
    /// Their fraction of the training weight.
    pub support: f64,
    /// Its entry in the document: other forms, rows of each class.
    pub entry: &'a TermDoc<T>,
}

/// Intercept + sum of coef * x over linear terms + sum of the coefficients of the terms that occur in the row.
impl<F: Family> Predicts<F::Records> for F {
    fn decide(
        model: &Model<F>,
        records: &F::Records,
        points: &[usize],
        control: &Control,
    ) -> Result<Vec<Vec<f64>>> {
        let records = F::aligned(records, &model.document().features)?;
        F::decision(model.document(), &model.points(points)?, &records, control)
    }
}

impl<F: Family> Model<F> {
    /// The rows on which each active term holds, one ascending list a term, outputs in order; at
    /// one point of each output.
    pub fn activations(&self, records: &F::Records, points: &[usize]) -> Result<Vec<Vec<u32>>> {
        let points = self.points(points)?;
        let records = F::aligned(records, &self.document().features)?;
        let one = |&(output, point)| F::holding(self.document(), output, point, &records);
        let lists: Vec<Vec<Vec<u32>>> = points.iter().map(one).collect::<Result<_>>()?;
        Ok(lists.into_iter().flatten().collect())
    }

    /// The terms of an output at its selected point, in the order of their patterns.
    pub fn terms(&self, output: usize) -> Result<impl ExactSizeIterator<Item = ActiveTerm<'_, F::Term>>> {
        let output = self.output(output)?;
        Ok(output.active(&output.points[output.selected]).map(|(entry, coef)| ActiveTerm {
            pattern: &entry.pattern,
            coef,
            n_rows: entry.n_rows,
            support: entry.support,
            entry,
        }))
    }
}
