//! Standardised columns and targets, and machines in their units and in those of the user.
//!
//! The penalties compare entries of different columns, so they are those of columns of comparable sizes:
//!
//! ```text
//! x' = (x - center) / scale,    y' = y / target
//! ```
//!
//! A dense column is scaled by its standard deviation about its mean. One that is mostly 0, or takes a single other
//! value, keeps its zeros: its center is 0 and its scale the root mean square of the other values, 1 for an
//! indicator. A center has an equal machine in the user's units only if all interactions are pairs and there are
//! a linear term and an intercept (see [`Machine::shift`]); without these all centers are 0.

use super::fit::OUT_OF_RANGE;
use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::params::Params;
use crate::data::sparse::SparseColumns;
use crate::error::{Error, Result};
use crate::loss::{SmoothLoss, Task};

/// Means of a column, in standard deviations, that are subtracted: products of two centers cancel when a machine
/// is written, which costs the square of this times 2^-53 of their digits, here one part in a million.
const MAX_CENTER: f64 = 1e5;
/// Scales lie between this and its inverse: their sixth power, the largest order, is a number.
const MAX_SCALE: f64 = 1e50;

/// The centers and scales of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Standardisation {
    /// Center and scale of each column.
    columns: Vec<(f64, f64)>,
    /// Scale of each target.
    targets: Vec<f64>,
}

impl Standardisation {
    /// That of some rows with their weights.
    pub(super) fn of(
        design: &SparseColumns,
        y: &[Vec<f64>],
        weights: Option<&[f64]>,
        task: Task,
        params: &Params,
    ) -> Result<Self> {
        if !params.standardize {
            return Ok(Self { columns: vec![(0.0, 1.0); design.n_columns()], targets: vec![1.0; y.len()] });
        }
        let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
        let total: f64 = (0..design.n_rows()).map(weight).sum();
        let has_centers = params.orders() == [Some(2)]
            && params.dummies() == 0
            && params.fit_linear
            && params.fit_intercept;
        let column = |j| {
            let (rows, x) = design.column(j);
            let entries: Vec<(f64, f64)> =
                rows.iter().zip(x).map(|(&r, &x)| (weight(r as usize), x)).collect();
            center_and_scale(&entries, total, has_centers)
        };
        // The all-subsets model times a number is no such model.
        let is_scaled = task == Task::Regression && params.order.is_some();
        let target = |y: &Vec<f64>| {
            let entries: Vec<(f64, f64)> = y.iter().enumerate().map(|(row, &y)| (weight(row), y)).collect();
            target_scale(&entries, total, params.fit_intercept)
        };
        Ok(Self {
            columns: (0..design.n_columns()).map(column).collect::<Result<_>>()?,
            targets: y.iter().map(|y| if is_scaled { target(y) } else { 1.0 }).collect(),
        })
    }

    /// The scale of a target.
    pub(super) fn target(&self, output: usize) -> f64 {
        self.targets[output]
    }

    /// The scales of the columns; none if all are 1.
    pub(super) fn scales(&self) -> Vec<f64> {
        let scales: Vec<f64> = self.columns.iter().map(|(_, scale)| *scale).collect();
        if scales.iter().all(|scale| *scale == 1.0) { Vec::new() } else { scales }
    }

    /// The columns in their units.
    pub(super) fn design(&self, design: &SparseColumns) -> SparseColumns {
        let mut scaled = SparseColumns::empty(design.n_rows());
        for (j, &(center, scale)) in self.columns.iter().enumerate() {
            let (rows, x) = design.column(j);
            let entries = rows.iter().copied().zip(x.iter().copied());
            if center == 0.0 {
                scaled.push(entries.map(|(row, x)| (row, x / scale)));
                continue;
            }
            let mut dense = vec![-center / scale; design.n_rows()];
            entries.for_each(|(row, x)| dense[row as usize] = (x - center) / scale);
            scaled.push((0..).zip(dense));
        }
        scaled
    }

    /// The targets in their units.
    pub(super) fn targets(&self, y: &[Vec<f64>]) -> Vec<Vec<f64>> {
        y.iter().zip(&self.targets).map(|(y, scale)| y.iter().map(|y| y / scale).collect()).collect()
    }

    /// The loss of a target in its unit, whose values are those of the user's over the square of the scale.
    pub(super) fn loss(&self, loss: SmoothLoss, output: usize) -> SmoothLoss {
        match loss {
            SmoothLoss::Huber { delta } => SmoothLoss::Huber { delta: delta / self.targets[output] },
            other => other,
        }
    }

    /// A machine of standardised columns and target in the user's units.
    pub(super) fn restore(&self, mut machine: Machine, output: usize) -> Machine {
        machine.scale_values(self.targets[output]);
        machine.scale_columns(|j| 1.0 / self.scale(j));
        machine.shift(&self.columns.iter().map(|(center, _)| -center).collect::<Vec<_>>());
        machine
    }

    /// The reverse of [`Self::restore`].
    pub(super) fn standardise(&self, mut machine: Machine, output: usize) -> Machine {
        machine.shift(&self.columns.iter().map(|(center, _)| *center).collect::<Vec<_>>());
        machine.scale_columns(|j| self.scale(j));
        machine.scale_values(1.0 / self.targets[output]);
        machine
    }

    /// 1 for a column of ones.
    fn scale(&self, column: usize) -> f64 {
        self.columns.get(column).map_or(1.0, |(_, scale)| *scale)
    }
}

/// Scale of a target by the weights and values of its entries: what an intercept leaves of it.
fn target_scale(entries: &[(f64, f64)], total: f64, has_intercept: bool) -> f64 {
    let (center, spread) = moments(entries, total);
    if !has_intercept {
        return clamped(spread.hypot(center));
    }
    // What is left of a constant is rounding.
    if spread * MAX_CENTER <= center.abs() { 1.0 } else { clamped(spread) }
}

/// Center and scale of a column by the weights and values of its entries; `total` is the weight of all rows.
fn center_and_scale(entries: &[(f64, f64)], total: f64, has_centers: bool) -> Result<(f64, f64)> {
    let mut present = entries.iter().filter(|(w, x)| *w > 0.0 && *x != 0.0);
    let Some(&(_, first)) = present.next() else { return Ok((0.0, 1.0)) };
    let weight: f64 = entries.iter().filter(|(_, x)| *x != 0.0).map(|(w, _)| w).sum();
    let is_dense = 2.0 * weight > total && present.any(|(_, x)| *x != first);
    if has_centers && is_dense {
        let (center, spread) = moments(entries, total);
        if center.abs() < MAX_CENTER * spread && (1.0 / MAX_SCALE..MAX_SCALE).contains(&spread) {
            return Ok((center, clamped(spread)));
        }
    }
    let (center, spread) = moments(entries, weight);
    let scale = spread.hypot(center);
    if scale > MAX_SCALE {
        return Err(Error::data(OUT_OF_RANGE));
    }
    Ok((0.0, clamped(scale)))
}

/// Mean and standard deviation of some entries, and of zeros up to a weight of `total`.
fn moments(entries: &[(f64, f64)], total: f64) -> (f64, f64) {
    let sized = || entries.iter().filter(|(w, _)| *w > 0.0);
    let size = sized().map(|(_, x)| x.abs()).fold(0.0, f64::max);
    if size == 0.0 {
        return (0.0, 0.0);
    }
    let mean = sized().map(|(w, x)| w * (x / size)).sum::<f64>() / total;
    let (mut squares, mut weight) = (0.0, 0.0);
    for (w, x) in sized() {
        let by = x / size - mean;
        squares += w * by * by;
        weight += w;
    }
    squares += (total - weight).max(0.0) * mean * mean;
    (size * mean, size * (squares / total).sqrt())
}

/// A scale in the range of scales.
fn clamped(scale: f64) -> f64 {
    if scale == 0.0 { 1.0 } else { scale.clamp(1.0 / MAX_SCALE, MAX_SCALE) }
}
