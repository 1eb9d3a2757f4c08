//! What a fit learns from: checked rows, and those held out for early stopping.

use std::borrow::Cow;

use super::params::Params;
use super::standardise::Standardisation;
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::one_hot::OneHot;
use crate::data::rows::{Fold, check_response, positive_rows};
use crate::data::sparse::SparseColumns;
use crate::error::{Error, Result};
use crate::loss::{SmoothLoss, Task};

/// Some rows of a data set.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) design: SparseColumns,
    pub(super) y: Vec<Vec<f64>>,
    /// `None`: all 1.
    pub(super) weights: Option<Vec<f64>>,
    pub(super) units: Standardisation,
}

impl Rows {
    /// Sum of the weights.
    pub(super) fn total(&self) -> f64 {
        self.weights.as_ref().map_or(self.design.n_rows() as f64, |w| w.iter().sum())
    }

    fn take(&self, rows: &[u32]) -> Self {
        Self {
            design: self.design.take(rows),
            y: self.y.iter().map(|y| pick(y, rows)).collect(),
            weights: self.weights.as_ref().map(|weights| pick(weights, rows)),
            units: self.units.clone(),
        }
    }
}

/// The values of some rows.
fn pick(values: &[f64], rows: &[u32]) -> Vec<f64> {
    rows.iter().map(|&r| values[r as usize]).collect()
}

/// Checks all rows and leaves out those of weight 0. The standardised rows to learn from, those held out by the first fold
/// where a fit stops early, and the folds by the rows that are left. `units` are those of a fit that goes on.
pub(super) fn training_rows(
    data: &Dataset<'_, OneHot>,
    task: Task,
    params: &Params,
    units: Option<&Standardisation>,
    control: &Control,
) -> Result<(Rows, Option<Rows>, Vec<Fold>)> {
    let (n, d) = (data.x.n_rows(), data.x.columns.n_columns());
    if n == 0 || d == 0 || data.y.is_empty() {
        return Err(Error::data(format!("got {n} rows, {d} columns and {} responses", data.y.len())));
    }
    data.y.iter().try_for_each(|y| {
        control.require_time("rows were checked")?;
        check_response(y, n, task)
    })?;
    if !fits(params.loss, task) {
        return Err(Error::parameter("loss", format!("{:?} is for numbers, not for classes", params.loss)));
    }
    let ones = vec![1.0; n];
    let weights = data.weights.unwrap_or(&ones);
    let (positive, folds) = positive_rows(weights, n, data.folds)?;
    let has_all = positive.len() == n;
    let columns =
        if has_all { Cow::Borrowed(&data.x.columns) } else { Cow::Owned(data.x.columns.take(&positive)) };
    let y: Vec<Vec<f64>> = data.y.iter().map(|y| pick(y, &positive)).collect();
    let weights = pick(weights, &positive);
    let weights = weights.iter().any(|w| *w != 1.0).then_some(weights);
    let fresh = || Standardisation::of(&columns, &y, weights.as_deref(), task, params);
    let units = units.map_or_else(fresh, |units| Ok(units.clone()))?;
    control.require_time("rows were checked")?;
    let mut rows = Rows { design: units.design(&columns), y: units.targets(&y), weights, units };
    rows.design.push_ones(params.dummies());
    if params.patience.is_none() {
        return Ok((rows, None, folds));
    }
    let Some(fold) = folds.first() else {
        return Err(Error::parameter("folds", "got none; patience watches the test rows of the first"));
    };
    let (train, test) = split(&rows, fold)?;
    Ok((train, Some(test), folds))
}

/// The rows to learn from and those held out of each fold, in the units of all rows.
pub(super) fn fold_rows(rows: &Rows, folds: &[Fold], control: &Control) -> Result<Vec<(Rows, Rows)>> {
    let rows_of = |fold| {
        control.require_time("a fold was split")?;
        split(rows, fold)
    };
    folds.iter().map(rows_of).collect()
}

/// The rows of a fold.
fn split(rows: &Rows, fold: &Fold) -> Result<(Rows, Rows)> {
    let (train, test) = (rows.take(&fold.train), rows.take(&fold.test));
    if train.design.n_rows() == 0 || test.design.n_rows() == 0 {
        let message = "a fold has no row of positive weight to learn from or to validate on";
        return Err(Error::parameter("folds", message));
    }
    Ok((train, test))
}

/// Whether a loss can be that of a task: its own, or least squares on -1 and 1.
pub(super) fn fits(loss: SmoothLoss, task: Task) -> bool {
    loss.task() == task || loss == SmoothLoss::Squared
}
