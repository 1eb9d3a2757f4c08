//! Columns with mean 0 and variance 1, and the problem in their units.
//!
//! The intercept is free, so centring changes nothing; scaling turns lambda2 into one ridge a
//! column. Both keep the sums well conditioned whatever the columns' units.

use super::vectors::dot;
use crate::data::sums::PART;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result};
use crate::loss::SelfConcordant;

/// Interval of a coefficient; holds 0.
pub type Bound = (f64, f64);

/// The columns of the rows of one fit.
#[derive(Debug)]
pub struct Design {
    /// Standardised columns; all 0 where the column is constant.
    pub columns: Vec<Vec<f64>>,
    /// Weighted means.
    pub center: Vec<f64>,
    /// Weighted standard deviations; 0 where the column is constant.
    pub scale: Vec<f64>,
    /// Largest |value| of each standardised column.
    pub reach: Vec<f64>,
    /// Sum of the weights.
    pub total: f64,
    /// Row weights, > 0.
    pub weights: Vec<f64>,
}

/// Numbers of a column; categories and missing values are refused.
pub(super) fn numbers(table: &Table, j: usize) -> Result<&[f64]> {
    let name = &table.names()[j];
    let Column::Numeric(values) = &table.columns()[j] else {
        return Err(Error::data(format!("column '{name}' holds categories; a linear model needs numbers")));
    };
    match values.iter().position(|v| v.is_nan()) {
        Some(row) => Err(Error::data(format!(
            "column '{name}' is missing (NaN) in row {row}; a linear model has no term for that: fill it in, \
             or use L0AdditiveClassifier or L0AdditiveRegressor, where missing is a bin of its own"
        ))),
        None => Ok(values),
    }
}

impl Design {
    /// Standardises the columns of a table whose rows have positive weights.
    pub fn new(table: &Table, weights: Vec<f64>) -> Result<Self> {
        let total: f64 = weights.iter().sum();
        let p = table.n_features();
        let mut design = Self {
            columns: Vec::with_capacity(p),
            center: vec![0.0; p],
            scale: vec![0.0; p],
            reach: vec![0.0; p],
            total,
            weights,
        };
        for j in 0..p {
            let values = numbers(table, j)?;
            let largest = values.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
            let unit = if largest > 0.0 { largest } else { 1.0 };
            // In units of the largest value, so that no square overflows.
            let mut x: Vec<f64> = values.iter().map(|v| v / unit).collect();
            let mean = dot(&x, &design.weights) / total;
            x.iter_mut().for_each(|x| *x -= mean);
            let variance = x.iter().zip(&design.weights).map(|(x, w)| w * x * x).sum::<f64>() / total;
            let constant = values.iter().all(|v| *v == values[0]);
            let deviation = if constant { 0.0 } else { variance.sqrt() };
            // Differences this far below the values are their rounding.
            if deviation > 1e-13 {
                x.iter_mut().for_each(|x| *x /= deviation);
                design.scale[j] = deviation * unit;
            } else {
                x.fill(0.0);
            }
            design.center[j] = mean * unit;
            design.reach[j] = x.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
            design.columns.push(x);
        }
        Ok(design)
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.weights.len()
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }
}

/// Ridge that keeps an optimum where a loss has none (separable classes), relative to the sum of
/// the weights: too small to be seen in a model that has one.
const FLOOR: f64 = 1e-8;

/// One response on a design.
#[derive(Debug)]
pub struct Problem<'a, L> {
    /// The columns.
    pub design: &'a Design,
    /// Responses.
    pub y: &'a [f64],
    /// The loss.
    pub loss: L,
    /// Second derivative of the ridge penalty in each standardised coefficient.
    pub ridge: Vec<f64>,
    /// The same for the intercept.
    pub floor: f64,
    /// Bounds of the standardised coefficients; `None`: all free.
    pub bounds: Option<Vec<Bound>>,
}

impl<'a, L: SelfConcordant> Problem<'a, L> {
    /// A problem with `lambda2` and `bounds` in the user's units.
    pub fn new(design: &'a Design, y: &'a [f64], loss: L, lambda2: f64, bounds: Option<&[Bound]>) -> Self {
        let floor = if L::QUADRATIC { 0.0 } else { FLOOR * design.total };
        let ridge = |s: &f64| floor + if *s > 0.0 { (2.0 * lambda2 / (s * s)).min(1e200) } else { 0.0 };
        let scaled =
            |(b, s): (&Bound, &f64)| (b.0 * s.max(f64::MIN_POSITIVE), b.1 * s.max(f64::MIN_POSITIVE));
        Self {
            design,
            y,
            loss,
            ridge: design.scale.iter().map(ridge).collect(),
            floor,
            bounds: bounds.map(|b| b.iter().zip(&design.scale).map(scaled).collect()),
        }
    }

    /// Bounds of one coefficient.
    pub fn bound(&self, j: usize) -> Bound {
        self.bounds.as_ref().map_or((f64::NEG_INFINITY, f64::INFINITY), |b| b[j])
    }

    /// Whether a move of coefficient `j` from 0 in the direction of `sign` is allowed.
    pub fn allows(&self, j: usize, sign: f64) -> bool {
        let (low, high) = self.bound(j);
        if sign > 0.0 { high > 0.0 } else { low < 0.0 }
    }

    /// Weighted losses summed, with their slopes and curvatures row by row.
    pub fn expand(&self, f: &[f64], rows: &mut Expansion) {
        let n = f.len();
        rows.slope.resize(n, 0.0);
        rows.curvature.resize(n, 0.0);
        let (mut value, mut values) = (0.0, [0.0; LANES]);
        let (weights, y) = (&self.design.weights[..n], &self.y[..n]);
        let mut start = 0;
        while start < n {
            let end = (start + LANES).min(n);
            for (l, i) in (start..end).enumerate() {
                let [v, s, c] = self.loss.expansion(y[i], f[i]);
                values[l] += weights[i] * v;
                rows.slope[i] = weights[i] * s;
                rows.curvature[i] = weights[i] * c;
            }
            start = end;
            // In parts: the rounding of a long sum of equal losses all goes one way.
            if start % PART == 0 {
                value += std::mem::take(&mut values).iter().sum::<f64>();
            }
        }
        rows.value = value + values.iter().sum::<f64>();
    }
}

/// Rows that are summed side by side.
pub const LANES: usize = 8;

/// The weighted loss around predictions.
#[derive(Debug, Clone, Default)]
pub struct Expansion {
    /// Sum of the losses.
    pub value: f64,
    /// Slope of each row's loss.
    pub slope: Vec<f64>,
    /// Its curvature.
    pub curvature: Vec<f64>,
}
