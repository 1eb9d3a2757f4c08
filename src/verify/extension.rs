//! One more column of 0 and 1 beside others: a lower bound of the minimum, that of the squared loss without signs.
//!
//! With A the matrix of the second derivatives at the minimum over the others, b those of the column x with them, and c the
//! sum of the residuals in its rows,
//!
//! ```text
//! minimum with x = minimum - c^2 / (2 h),    h = sum_i v_i x_i (1 + 2 ridge) - b' A^-1 b
//! ```
//!
//! Thousands of columns are tried in the place of a term; a minimum by Newton's method takes some hundred times as long.

use super::ridge::{Minimum, RidgeProblem, SignedColumn};
use crate::error::Result;
use crate::linalg::{UpdatableCholesky, dot};
use crate::loss::SmoothLoss;

/// Part of a column's own second derivative below which rounding may have taken what is left beside the others.
const MIN_REST: f64 = 1e-7;
/// Rounding of the bound, relative to its parts.
const ROUNDING: f64 = 1e-9;

/// The columns beside which others are tried, and their minimum without signs.
pub(crate) struct Extension<'a> {
    problem: &'a RidgeProblem<'a>,
    /// The columns, and the intercept.
    columns: Vec<Vec<f64>>,
    hessian: UpdatableCholesky,
    minimum: Minimum,
}

impl<'a> Extension<'a> {
    /// `None` for other losses, columns that are linearly dependent, and where the minimum is not found.
    pub fn new(problem: &'a RidgeProblem<'a>, others: &[&SignedColumn]) -> Result<Option<Self>> {
        if problem.loss != SmoothLoss::Squared {
            return Ok(None);
        }
        let free: Vec<SignedColumn> =
            others.iter().map(|c| SignedColumn { values: c.values.clone(), sign: 0.0 }).collect();
        let Some(minimum) = problem.minimum(&free.iter().collect::<Vec<_>>())? else { return Ok(None) };
        let mut columns: Vec<Vec<f64>> = free.into_iter().map(|c| c.values).collect();
        columns.push(vec![1.0; problem.y.len()]);
        let mut hessian = UpdatableCholesky::default();
        for (k, column) in columns.iter().enumerate() {
            let weighted: Vec<f64> = column.iter().zip(problem.sample_weights).map(|(x, v)| x * v).collect();
            let cross: Vec<f64> = columns[..k].iter().map(|other| dot(other, &weighted)).collect();
            let ridge = if k < others.len() { 2.0 * problem.ridge } else { 0.0 };
            if hessian.push(&cross, (1.0 + ridge) * dot(column, &weighted)).is_err() {
                return Ok(None);
            }
        }
        Ok(Some(Self { problem, columns, hessian, minimum }))
    }

    /// A lower bound of the minimum with the column that is 1 in some rows.
    pub fn lower_bound(&self, rows: &[u32]) -> f64 {
        let rows = || rows.iter().map(|&row| row as usize);
        let v = self.problem.sample_weights;
        let own = (1.0 + 2.0 * self.problem.ridge) * rows().map(|i| v[i]).sum::<f64>();
        let b: Vec<f64> = self.columns.iter().map(|x| rows().map(|i| v[i] * x[i]).sum()).collect();
        let rest = own - dot(&b, &self.hessian.solve(&b));
        if rest <= MIN_REST * own {
            return f64::NEG_INFINITY;
        }
        let c: f64 = rows().map(|i| self.minimum.residual[i]).sum();
        let decrease = c * c / (2.0 * rest);
        self.minimum.objective - decrease - ROUNDING * (self.minimum.objective + decrease)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::control::Control;

    proptest! {
        #[test]
        fn it_is_the_minimum_without_signs(
            rows in prop::collection::vec((-2.0..2.0f64, 0.1..3.0f64, any::<[bool; 4]>()), 8..60),
            ridge in 0.001..0.5f64,
            signs in prop::array::uniform4(-1..2i8),
        ) {
            let (y, rest): (Vec<f64>, Vec<_>) = rows.iter().map(|row| (row.0, (row.1, row.2))).unzip();
            let (weights, _): (Vec<f64>, Vec<[bool; 4]>) = rest.into_iter().unzip();
            let control = Control::default();
            let problem =
                RidgeProblem { loss: SmoothLoss::Squared, y: &y, sample_weights: &weights, ridge, control: &control };
            let column = |k: usize, sign: f64| SignedColumn {
                values: rows.iter().map(|row| f64::from(u8::from(row.2[k]))).collect(),
                sign,
            };
            let signed: Vec<SignedColumn> = (0..4).map(|k| column(k, f64::from(signs[k]))).collect();
            let free: Vec<SignedColumn> = (0..4).map(|k| column(k, 0.0)).collect();
            let minimum = |columns: &[SignedColumn]| {
                problem.minimum(&columns.iter().collect::<Vec<_>>()).unwrap().unwrap().objective
            };
            let extension = Extension::new(&problem, &signed[..3].iter().collect::<Vec<_>>()).unwrap();
            let added: Vec<u32> = (0..).zip(&rows).filter(|(_, row)| row.2[3]).map(|(i, _)| i).collect();
            if let Some(bound) = extension.map(|extension| extension.lower_bound(&added)) {
                prop_assert!(bound <= minimum(&signed) && bound <= minimum(&free));
                let null: f64 = y.iter().zip(&weights).map(|(y, v)| 0.5 * v * y * y).sum();
                prop_assert!(bound == f64::NEG_INFINITY || bound >= minimum(&free) - 1e-8 * null);
            }
        }
    }
}
