//! What a fit learns from.

use super::rows::Fold;
use super::table::{Level, Table};

/// Rows with their responses, weights and folds. Borrowed and not yet checked: every fit checks
/// what it is given.
///
/// ```
/// use thresher::data::dataset::Dataset;
/// use thresher::data::table::{Column, Table};
///
/// let x = Table::new(vec!["x".into()], vec![Column::Numeric(vec![1.0, 2.0])], 2)?;
/// let y = [vec![0.0, 1.0]];
/// let data = Dataset::new(&x, &y).with_weights(&[1.0, 3.0]);
/// assert_eq!(data.weights, Some(&[1.0, 3.0][..]));
/// # Ok::<(), thresher::Error>(())
/// ```
#[derive(Debug)]
pub struct Dataset<'a, X = Table> {
    /// The rows: a table, or records of a pattern family.
    pub x: &'a X,
    /// One response an output, one value a row: numbers for a regression; for a
    /// classification 1 where the row is of the output's class, else -1 (two classes have one
    /// output, 1 for the second class).
    pub y: &'a [Vec<f64>],
    /// One weight a row, >= 0; rows of weight 0 are left out. `None`: all weights are 1.
    pub weights: Option<&'a [f64]>,
    /// Rows to learn from and rows to score on, for cross-validation.
    pub folds: &'a [Fold],
    /// The labels of the classes, written into the model.
    pub classes: Option<&'a [Level]>,
}

impl<X> Clone for Dataset<'_, X> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<X> Copy for Dataset<'_, X> {}

impl<'a, X> Dataset<'a, X> {
    /// Rows and their responses, of equal weight, without folds.
    pub fn new(x: &'a X, y: &'a [Vec<f64>]) -> Self {
        Self { x, y, weights: None, folds: &[], classes: None }
    }

    /// With these weights.
    #[must_use]
    pub fn with_weights(self, weights: &'a [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// With these folds.
    #[must_use]
    pub fn with_folds(self, folds: &'a [Fold]) -> Self {
        Self { folds, ..self }
    }

    /// With the labels of the classes.
    #[must_use]
    pub fn with_classes(self, classes: &'a [Level]) -> Self {
        Self { classes: Some(classes), ..self }
    }
}
