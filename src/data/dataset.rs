//! Training data of a fit.

use std::collections::HashSet;

use super::bins::LevelKey;
use super::rows::Fold;
use super::table::{Level, Table};
use crate::error::{Error, Result};
use crate::loss::Task;

/// Rows with their responses, weights and folds. Borrowed and not checked; every fit checks its data.
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
    /// Responses by output and row: numbers for a regression; for a classification 1 if the row is of the
    /// class of the output, else -1 (two classes have one output, with 1 for the second class).
    pub y: &'a [Vec<f64>],
    /// Weight of each row, >= 0; rows of weight 0 are dropped. `None`: all weights are 1.
    pub weights: Option<&'a [f64]>,
    /// Folds of a cross-validation.
    pub folds: &'a [Fold],
    /// Labels of the classes, stored in the model.
    pub classes: Option<&'a [Level]>,
}

impl<X> Clone for Dataset<'_, X> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<X> Copy for Dataset<'_, X> {}

impl<'a, X> Dataset<'a, X> {
    /// Rows and their responses, with equal weights and without folds.
    pub fn new(x: &'a X, y: &'a [Vec<f64>]) -> Self {
        Self { x, y, weights: None, folds: &[], classes: None }
    }

    /// The data with weights.
    #[must_use]
    pub fn with_weights(self, weights: &'a [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// The data with folds.
    #[must_use]
    pub fn with_folds(self, folds: &'a [Fold]) -> Self {
        Self { folds, ..self }
    }

    /// The data with labels of the classes.
    #[must_use]
    pub fn with_classes(self, classes: &'a [Level]) -> Self {
        Self { classes: Some(classes), ..self }
    }
    /// Fails unless the classes are those of a task with so many responses.
    pub(crate) fn check_classes(&self, task: Task) -> Result<()> {
        check_classes(task, self.classes, self.y.len()).map_err(Error::Data)
    }
}

/// Explains what is wrong with the classes of a task with some outputs.
pub(crate) fn check_classes(
    task: Task,
    classes: Option<&[Level]>,
    n_outputs: usize,
) -> std::result::Result<(), String> {
    let Some(classes) = classes else { return Ok(()) };
    if task == Task::Regression {
        return Err("a regression has no classes".into());
    }
    let distinct: HashSet<LevelKey<'_>> = classes.iter().map(LevelKey::from).collect();
    let is_finite = |level: &Level| !matches!(level, Level::Float(x) if !x.is_finite());
    if classes.len() < 2 || distinct.len() < classes.len() || !classes.iter().all(is_finite) {
        return Err("classes must be at least two, distinct and finite".into());
    }
    let expected = if classes.len() == 2 { 1 } else { classes.len() };
    if n_outputs != expected {
        return Err(format!("{} classes need {expected} outputs, got {n_outputs}", classes.len()));
    }
    Ok(())
}
