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
//!
//! That equal machine adds up products of two centers, which cancel. A column whose center is far from 0 beside its
//! scale is therefore written less its center, a short number near its mean ([`Terms::centers`]): the difference of
//! a value and a number of its size has no rounding.
//!
//! [`Terms::centers`]: super::document::Terms::centers

use super::fit::OUT_OF_RANGE;
use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::params::Params;
use crate::data::sparse::SparseColumns;
use crate::error::{Error, Result};
use crate::loss::{SmoothLoss, Task};

/// The least mean of a column, in standard deviations, that is written with a machine: products of two smaller ones
/// cancel, which costs the square of this times 2^-53 of their digits, here one part in ten billions.
const FAR: f64 = 1e3;
/// The mean of a target in standard deviations beyond which what is left of it is rounding.
const MAX_TARGET_MEAN: f64 = 1e12;
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

    /// The centers of the columns that are written less them, of the others 0; none if all are 0.
    pub(super) fn centers(&self) -> Vec<f64> {
        let centers: Vec<f64> = (0..self.columns.len()).map(|j| self.written_center(j)).collect();
        if centers.iter().all(|center| *center == 0.0) { Vec::new() } else { centers }
    }

    /// The columns in their units.
    pub(super) fn design(&self, design: &SparseColumns) -> SparseColumns {
        standardised(design, self.columns.iter().copied())
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
        let by = |j| self.written_center(j) - self.columns[j].0;
        machine.shift(&(0..self.columns.len()).map(by).collect::<Vec<_>>());
        machine
    }

    /// The reverse of [`Self::restore`], of a machine that is written with some centers, or none.
    pub(super) fn standardise(&self, mut machine: Machine, centers: &[f64], output: usize) -> Machine {
        let by = |(j, (center, _)): (usize, &(f64, f64))| center - centers.get(j).unwrap_or(&0.0);
        machine.shift(&self.columns.iter().enumerate().map(by).collect::<Vec<_>>());
        machine.scale_columns(|j| self.scale(j));
        machine.scale_values(1.0 / self.targets[output]);
        machine
    }

    /// 1 for a column of ones.
    fn scale(&self, column: usize) -> f64 {
        self.columns.get(column).map_or(1.0, |(_, scale)| *scale)
    }

    fn written_center(&self, column: usize) -> f64 {
        let (center, scale) = self.columns[column];
        if is_far(center, scale) { center } else { 0.0 }
    }
}

/// Columns less their centers, divided by their scales.
pub(super) fn standardised(
    design: &SparseColumns,
    columns: impl Iterator<Item = (f64, f64)>,
) -> SparseColumns {
    let mut scaled = SparseColumns::empty(design.n_rows());
    for (j, (center, scale)) in columns.enumerate() {
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

/// Whether a column is written less its center.
fn is_far(center: f64, scale: f64) -> bool {
    center.abs() >= FAR * scale
}

/// Scale of a target by the weights and values of its entries: what an intercept leaves of it.
fn target_scale(entries: &[(f64, f64)], total: f64, has_intercept: bool) -> f64 {
    let (center, spread) = moments(entries, total);
    if !has_intercept {
        return clamped(spread.hypot(center));
    }
    // What is left of a constant is rounding.
    if spread * MAX_TARGET_MEAN <= center.abs() { 1.0 } else { clamped(spread) }
}

/// Center and scale of a column by the weights and values of its entries other than 0; `total` is the weight of all rows.
fn center_and_scale(entries: &[(f64, f64)], total: f64, has_centers: bool) -> Result<(f64, f64)> {
    let Some(&(_, first)) = entries.first() else { return Ok((0.0, 1.0)) };
    let weight: f64 = entries.iter().map(|(w, _)| w).sum();
    let is_dense = 2.0 * weight > total && entries.iter().any(|(_, x)| *x != first);
    if has_centers && is_dense {
        let (mut center, mut spread) = moments(entries, total);
        if is_far(center, spread) {
            (center, spread) = far_moments(entries, total, first);
        }
        if (1.0 / MAX_SCALE..MAX_SCALE).contains(&spread) {
            return Ok((center, spread));
        }
    }
    let (center, spread) = moments(entries, weight);
    let scale = spread.hypot(center);
    if !(1.0 / MAX_SCALE..=MAX_SCALE).contains(&scale) {
        return Err(Error::data(OUT_OF_RANGE));
    }
    Ok((0.0, scale))
}

/// Mean and standard deviation of some entries, and of zeros up to a weight of `total`.
fn moments(entries: &[(f64, f64)], total: f64) -> (f64, f64) {
    let size = entries.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
    if size == 0.0 {
        return (0.0, 0.0);
    }
    let mean = entries.iter().map(|(w, x)| w * (x / size)).sum::<f64>() / total;
    let (mut squares, mut weight) = (0.0, 0.0);
    for (w, x) in entries {
        let by = x / size - mean;
        squares += w * by * by;
        weight += w;
    }
    squares += (total - weight).max(0.0) * mean * mean;
    (size * mean, size * (squares / total).sqrt())
}

/// A short number near the mean of a column far from 0, and the standard deviation, from the differences from one of its
/// values: these have no rounding.
fn far_moments(entries: &[(f64, f64)], total: f64, value: f64) -> (f64, f64) {
    let mut differences: Vec<(f64, f64)> = entries.iter().map(|(w, x)| (*w, x - value)).collect();
    let weight: f64 = entries.iter().map(|(w, _)| w).sum();
    if weight < total {
        differences.push((total - weight, -value));
    }
    let (mean, spread) = moments(&differences, total);
    (rounded(value + mean, spread), spread)
}

/// A number to a hundredth of a spread or a little less, with as few decimal digits.
fn rounded(x: f64, spread: f64) -> f64 {
    let n_decimals = 2 - spread.log10().floor().clamp(-400.0, 400.0) as i32;
    let unit = 10f64.powi(n_decimals.abs());
    if n_decimals > 0 { (x * unit).round() / unit } else { (x / unit).round() * unit }
}

/// A scale in the range of scales.
fn clamped(scale: f64) -> f64 {
    if scale == 0.0 { 1.0 } else { scale.clamp(1.0 / MAX_SCALE, MAX_SCALE) }
}
