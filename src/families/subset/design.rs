//! Standardised columns (mean 0, variance 1) and the problem in their units.
//!
//! The intercept is not penalised, so centring leaves the problem unchanged; scaling turns lambda2
//! into a ridge strength for each column. Both keep the sums well conditioned.

use super::column::{StandardColumn, Standardised, Summed};
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::data::numbers::NumberTable;
use crate::error::Result;
use crate::loss::SelfConcordant;

/// Lower and upper bound of a coefficient, with 0 between them.
pub type Interval = (f64, f64);

/// The standardised design matrix of one fit.
#[derive(Debug)]
pub struct Design {
    /// Standardised columns; 0 where the column is constant.
    pub columns: Vec<StandardColumn>,
    /// Weighted mean of each column.
    pub mean: Vec<f64>,
    /// Weighted standard deviation of each column; 0 where it is constant.
    pub scale: Vec<f64>,
    /// Largest |value| of each standardised column.
    pub max_abs: Vec<f64>,
    /// Sum of the weights.
    pub total_weight: f64,
    /// Row weights, > 0.
    pub weights: Vec<f64>,
    /// Whether a column is sparse.
    is_sparse: bool,
}

impl Design {
    /// Standardises the columns of a table whose rows have positive weights.
    pub fn new(table: &impl NumberTable, weights: Vec<f64>, control: &Control) -> Result<Self> {
        let total_weight: f64 = weights.iter().sum();
        let columns = table.columns()?;
        let p = columns.len();
        let mut design = Self {
            columns: Vec::with_capacity(p),
            mean: vec![0.0; p],
            scale: vec![0.0; p],
            max_abs: vec![0.0; p],
            total_weight,
            weights,
            is_sparse: false,
        };
        for (j, column) in columns.into_iter().enumerate() {
            control.require_time("columns were standardised")?;
            let Standardised { column, mean, scale } =
                Standardised::new(column, &design.weights, total_weight);
            (design.mean[j], design.scale[j]) = (mean, scale);
            design.max_abs[j] = column.max_abs();
            design.is_sparse |= column.is_sparse();
            design.columns.push(column);
        }
        Ok(design)
    }

    /// Columns that are standardised in other rows, with the scales of a design of those.
    pub fn of_standardised(columns: Vec<StandardColumn>, of: &Self, weights: Vec<f64>) -> Self {
        Self {
            max_abs: columns.iter().map(StandardColumn::max_abs).collect(),
            is_sparse: columns.iter().any(StandardColumn::is_sparse),
            columns,
            mean: of.mean.clone(),
            scale: of.scale.clone(),
            total_weight: weights.iter().sum(),
            weights,
        }
    }

    /// Numbers by row with their sum, for products with columns.
    pub fn summed<'a>(&self, values: &'a [f64]) -> Summed<'a> {
        // Only sparse columns need the sum.
        Summed { values, sum: if self.is_sparse { values.iter().sum() } else { 0.0 } }
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

/// Ridge strength, relative to twice the weight of the rarer class, with which the optimum exists for separable classes
/// where `lambda2` is 0. It changes the objective by about 1e-8 times a squared coefficient for each unit of that.
const STABILISING_RIDGE: f64 = 1e-8;

/// Largest ridge of a standardised column: its products with slopes stay finite.
const MAX_RIDGE: f64 = 1e200;

/// Second derivative of the ridge penalty with respect to the coefficient of a standardised column of this scale; 0 for
/// a constant column.
pub fn standardised_ridge(lambda2: f64, scale: f64) -> f64 {
    // The square of a small scale is 0.
    if lambda2 > 0.0 && scale > 0.0 { (2.0 * lambda2 / (scale * scale)).min(MAX_RIDGE) } else { 0.0 }
}

/// The problem of one response: loss, ridge penalty and bounds.
#[derive(Debug)]
pub struct SubsetProblem<'a, L> {
    /// The columns.
    pub design: &'a Design,
    /// Responses.
    pub y: &'a [f64],
    /// The loss.
    pub loss: L,
    /// Ridge penalty on the coefficients in the units of the original columns.
    pub lambda2: f64,
    /// Second derivative of the ridge penalty with respect to each standardised coefficient.
    pub ridge: Vec<f64>,
    /// Bounds of the standardised coefficients; `None`: no bounds.
    pub bounds: Option<Vec<Interval>>,
}

/// Twice the weight of the rarer class, or the whole of a single one: of balanced classes the sum of the weights.
fn paired_weight(design: &Design, y: &[f64]) -> f64 {
    let of_class = |is_positive: bool| -> f64 {
        design.weights.iter().zip(y).filter(|(_, y)| (**y > 0.0) == is_positive).map(|(w, _)| w).sum()
    };
    let rarer = of_class(true).min(of_class(false));
    if rarer > 0.0 { 2.0 * rarer } else { design.total_weight }
}

impl<'a, L: SelfConcordant> SubsetProblem<'a, L> {
    /// Builds a problem from `lambda2` and `bounds` in the units of the original columns.
    pub fn new(design: &'a Design, y: &'a [f64], loss: L, lambda2: f64, bounds: Option<&[Interval]>) -> Self {
        let needs_stabiliser = !L::QUADRATIC && lambda2 == 0.0;
        let stabiliser = if needs_stabiliser { STABILISING_RIDGE * paired_weight(design, y) } else { 0.0 };
        let ridge = |s: &f64| stabiliser + standardised_ridge(lambda2, *s);
        let scaled =
            |(b, s): (&Interval, &f64)| (b.0 * s.max(f64::MIN_POSITIVE), b.1 * s.max(f64::MIN_POSITIVE));
        Self {
            design,
            y,
            loss,
            lambda2,
            ridge: design.scale.iter().map(ridge).collect(),
            bounds: bounds.map(|b| b.iter().zip(&design.scale).map(scaled).collect()),
        }
    }

    /// Lower and upper bound of one standardised coefficient.
    pub fn interval(&self, j: usize) -> Interval {
        self.bounds.as_ref().map_or((f64::NEG_INFINITY, f64::INFINITY), |b| b[j])
    }

    /// Whether the bounds of coefficient `j` allow values with the given sign.
    pub fn allows_sign(&self, j: usize, sign: f64) -> bool {
        let (low, high) = self.interval(j);
        if sign > 0.0 { high > 0.0 } else { low < 0.0 }
    }

    /// Largest |value| of a column for a cut ([`cuts`](super::cuts)): 0 for the squared loss.
    pub fn max_abs(&self, j: usize) -> f64 {
        if L::QUADRATIC { 0.0 } else { self.design.max_abs[j] }
    }

    /// Computes the weighted loss at predictions `f`: its sum, and the first and second derivatives of
    /// each row.
    pub fn expand_loss(&self, f: &[f64], expansion: &mut Expansion) {
        expansion.expand(self.loss, self.y, &self.design.weights, f);
    }
}
