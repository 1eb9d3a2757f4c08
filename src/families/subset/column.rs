//! A standardised column, dense or sparse: mean 0, variance 1.
//!
//! A standardised sparse column has one value in all rows that it does not store. With the sum of u over the rows, its
//! product with u takes only the rows that it stores.

use std::borrow::Cow;

use super::vectors::{axpy, slope_and_curvature};
use crate::data::numbers::NumberColumn;
use crate::linalg::{SIDE_BY_SIDE, dot, dots};

/// A standardised column; 0 where it is constant.
#[derive(Debug, Clone)]
pub enum StandardColumn {
    /// One value a row.
    Dense(Vec<f64>),
    /// One value in all rows but some.
    Sparse {
        /// Number of rows.
        n_rows: usize,
        /// The value of the rows that are not stored.
        background: f64,
        /// Rows, ascending.
        rows: Vec<u32>,
        /// Their values less `background`.
        excess: Vec<f64>,
    },
}

/// Numbers by row with their sum, see [`Design::summed`](super::design::Design::summed).
#[derive(Debug, Clone, Copy)]
pub struct Summed<'a> {
    /// The numbers.
    pub values: &'a [f64],
    /// Their sum; 0 if all columns are dense.
    pub sum: f64,
}

impl StandardColumn {
    /// Whether it stores some rows only.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse { .. })
    }

    /// Largest |value|.
    pub fn max_abs(&self) -> f64 {
        let most = |most: f64, x: f64| most.max(x.abs());
        match self {
            Self::Dense(x) => x.iter().copied().fold(0.0, most),
            Self::Sparse { background, excess, .. } => {
                excess.iter().map(|x| background + x).fold(background.abs(), most)
            }
        }
    }

    /// Sum of `x u`.
    pub fn dot(&self, u: Summed<'_>) -> f64 {
        match self {
            Self::Dense(x) => dot(x, u.values),
            Self::Sparse { background, rows, excess, .. } => {
                let stored = rows.iter().zip(excess).map(|(&r, x)| x * u.values[r as usize]);
                background * u.sum + stored.sum::<f64>()
            }
        }
    }

    /// Sums of `x u` for several u.
    pub fn dots(&self, u: &[Summed<'_>; SIDE_BY_SIDE]) -> [f64; SIDE_BY_SIDE] {
        match self {
            Self::Dense(x) => dots(x, u.map(|u| u.values)),
            Self::Sparse { .. } => u.map(|u| self.dot(u)),
        }
    }

    /// Sums of `x u` and of `x^2 h`.
    pub fn slope_and_curvature(&self, u: Summed<'_>, h: Summed<'_>) -> (f64, f64) {
        match self {
            Self::Dense(x) => slope_and_curvature(x, u.values, h.values),
            Self::Sparse { background, rows, excess, .. } => {
                let (mut slope, mut curvature) = (background * u.sum, background * background * h.sum);
                for (&r, x) in rows.iter().zip(excess) {
                    slope += x * u.values[r as usize];
                    curvature += x * (2.0 * background + x) * h.values[r as usize];
                }
                (slope, curvature.max(0.0))
            }
        }
    }

    /// `to += factor * x`.
    pub fn add_to(&self, to: &mut [f64], factor: f64) {
        match self {
            Self::Dense(x) => axpy(to, factor, x),
            Self::Sparse { background, rows, excess, .. } => {
                let shift = factor * background;
                to.iter_mut().for_each(|t| *t += shift);
                rows.iter().zip(excess).for_each(|(&r, x)| to[r as usize] += factor * x);
            }
        }
    }

    /// One value a row.
    pub fn to_dense(&self) -> Cow<'_, [f64]> {
        match self {
            Self::Dense(x) => Cow::Borrowed(x),
            Self::Sparse { n_rows, .. } => {
                let mut dense = vec![0.0; *n_rows];
                self.add_to(&mut dense, 1.0);
                Cow::Owned(dense)
            }
        }
    }
}

/// A standardised column with what was subtracted and divided by.
pub struct Standardised {
    /// The column.
    pub column: StandardColumn,
    /// Weighted mean of the values.
    pub mean: f64,
    /// Their weighted standard deviation; 0 if they are constant.
    pub scale: f64,
}

/// A column whose standard deviation is below this fraction of its largest value counts as constant:
/// the rounding of its mean is of that size.
const MIN_RELATIVE_DEVIATION: f64 = 1e-13;

/// A column with more entries than this fraction of the rows is stored dense: a product with a dense one runs four
/// rows at a time.
const MAX_DENSITY: f64 = 0.25;

impl Standardised {
    /// Standardises a column.
    pub fn new(column: NumberColumn<'_>, weights: &[f64], total_weight: f64) -> Self {
        match column {
            NumberColumn::Sparse { n_rows, rows, values }
                if rows.len() as f64 <= MAX_DENSITY * n_rows as f64 =>
            {
                Self::sparse((n_rows, rows, values), weights, total_weight)
            }
            column => Self::dense(&column.to_dense(), weights, total_weight),
        }
    }

    fn dense(values: &[f64], weights: &[f64], total_weight: f64) -> Self {
        let unit = unit_of(values);
        let mut x: Vec<f64> = values.iter().map(|v| v / unit).collect();
        let mut mean = 0.0;
        // The second time for the rounding of a mean that is large beside the deviations.
        for _ in 0..2 {
            let rest = dot(&x, weights) / total_weight;
            x.iter_mut().for_each(|x| *x -= rest);
            mean += rest;
        }
        let variance = x.iter().zip(weights).map(|(x, w)| w * x * x).sum::<f64>() / total_weight;
        let is_constant = values.iter().all(|v| *v == values[0]);
        let deviation = if is_constant { 0.0 } else { variance.sqrt() };
        let mut scale = 0.0;
        if deviation > MIN_RELATIVE_DEVIATION {
            x.iter_mut().for_each(|x| *x /= deviation);
            scale = deviation * unit;
        } else {
            x.fill(0.0);
        }
        Self { column: StandardColumn::Dense(x), mean: mean * unit, scale }
    }

    fn sparse((n_rows, rows, values): (usize, &[u32], &[f64]), weights: &[f64], total_weight: f64) -> Self {
        let unit = unit_of(values);
        let entries = || rows.iter().zip(values).map(|(&r, v)| (weights[r as usize], v / unit));
        let mean = entries().map(|(w, x)| w * x).sum::<f64>() / total_weight;
        let stored: f64 = entries().map(|(w, _)| w).sum();
        let squares: f64 = entries().map(|(w, x)| w * (x - mean) * (x - mean)).sum();
        // Rounding of the weights may leave less than none.
        let variance = (squares + (total_weight - stored).max(0.0) * mean * mean) / total_weight;
        let deviation = variance.sqrt();
        if deviation <= MIN_RELATIVE_DEVIATION {
            let column =
                StandardColumn::Sparse { n_rows, background: 0.0, rows: Vec::new(), excess: Vec::new() };
            return Self { column, mean: mean * unit, scale: 0.0 };
        }
        let excess = values.iter().map(|v| v / unit / deviation).collect();
        let column =
            StandardColumn::Sparse { n_rows, background: -mean / deviation, rows: rows.to_vec(), excess };
        Self { column, mean: mean * unit, scale: deviation * unit }
    }
}

/// The power of two near the largest value: values are divided by it, so that squares do not overflow, and keep every
/// digit.
fn unit_of(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
    if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 }
}
