//! Predictions: the same two calls for every model.

use crate::control::Control;
use crate::document::{Model, Schema};
use crate::error::Result;

/// A family that predicts from rows of a type.
///
/// A rule, item-set, subsequence, subgraph, step or hierarchy model sums the coefficients of what occurs in a row, a
/// linear model or a factorization machine computes it from the row's numbers. Columns of a table have the names and the order of
/// training; levels and labels are compared by value, whatever their numbers. A level that no training row had fails in a
/// model that tests the level of its column, and a label that no training record had is in no pattern.
pub trait Predicts<R>: Schema {
    /// [`Model::decision`] of the family.
    fn decide(model: &Model<Self>, rows: &R, points: &[usize], control: &Control) -> Result<Vec<Vec<f64>>>;
}

impl<S: Schema> Model<S> {
    /// Decision values of the selected solutions: a list for each output, with a number for each row.
    pub fn predict<R>(&self, rows: &R) -> Result<Vec<Vec<f64>>>
    where
        S: Predicts<R>,
    {
        self.decision(rows, &self.selected_points(), &Control::default())
    }

    /// Decision values of one solution of the path of each output, by its index; `control` may cancel.
    pub fn decision<R>(&self, rows: &R, points: &[usize], control: &Control) -> Result<Vec<Vec<f64>>>
    where
        S: Predicts<R>,
    {
        S::decide(self, rows, points, control)
    }
}
