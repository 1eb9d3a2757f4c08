//! The same problem with few rows, for the squared loss.
//!
//! The loss depends on the rows only through the products of the columns with each other and with the response. With
//! R'R the products of the p centred columns and R'z those with the response,
//!
//! ```text
//! sum_i v_i (y_i - b - x_i'w)^2 / 2  =  |z - R w|^2 / 2 + rest     at the best intercept b
//! ```
//!
//! The rows of R and z stand with both signs and weights of 1/2, so that the best intercept is 0. Of columns that depend on
//! each other R has those of a basis; the others are the same combinations of them.

use super::super::column::StandardColumn;
use super::super::design::{Design, SubsetProblem};
use super::super::vectors::axpy;
use super::FEW_COLUMNS;
use super::dependence::Dependence;
use super::relaxation::Relaxed;
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::linalg::dot;
use crate::loss::SelfConcordant;

/// Rows for each column from which on fewer rows are worth their products.
const MIN_ROWS: usize = 4;
/// Smallest part of a column, as a fraction of its squared length, that no others explain: products of columns have half
/// of the digits.
const MIN_OWN_PART: f64 = 1e-6;

/// Rows of equal products.
pub struct ReducedRows {
    design: Design,
    y: Vec<f64>,
    /// The loss that no coefficients explain.
    pub rest: f64,
}

impl ReducedRows {
    /// The rows of a problem of squared loss; `None` if the loss is another one, the columns are many or nearly depend on each
    /// other, or the rows are few.
    pub fn new<L: SelfConcordant>(problem: &SubsetProblem<'_, L>, control: &Control) -> Option<Self> {
        let design = problem.design;
        let active: Vec<usize> = (0..design.n_columns()).filter(|&j| design.scale[j] > 0.0).collect();
        let p = active.len();
        if !L::QUADRATIC || p == 0 || p > FEW_COLUMNS || design.n_rows() < MIN_ROWS * p {
            return None;
        }
        let Dependence { basis, coordinates, factor } = Dependence::new(design, &active, control)?;
        let r = basis.len();
        // Column k of R is row k of its transpose.
        let of_basis: Vec<&[f64]> = (0..r).map(|k| factor.row(k)).collect();
        if of_basis.iter().enumerate().any(|(k, row)| row[k].powi(2) < MIN_OWN_PART * dot(row, row)) {
            return None;
        }
        let columns: Vec<_> = basis.iter().map(|&j| design.columns[j].to_dense()).collect();
        // The best constant has the slopes of the centred response.
        let Relaxed { mut f, expansion: Expansion { slope, .. }, .. } = Relaxed::empty(problem);
        let of_response: Vec<f64> = columns.iter().map(|x| -dot(x, &slope)).collect();
        let z = factor.forward(&of_response);
        for (x, w) in columns.iter().zip(factor.backward(z.clone())) {
            axpy(&mut f, w, x);
        }
        let mut at_best = Expansion::default();
        problem.expand_loss(&f, &mut at_best);
        let both_signs = |values: Vec<f64>| -> Vec<f64> {
            let negative: Vec<f64> = values.iter().map(|x| -x).collect();
            [values, negative].concat()
        };
        let mut reduced = vec![StandardColumn::Dense(vec![0.0; 2 * r]); design.n_columns()];
        for (j, of_column) in coordinates {
            let mut column = vec![0.0; r];
            of_basis.iter().zip(of_column).for_each(|(row, t)| axpy(&mut column, t, row));
            reduced[j] = StandardColumn::Dense(both_signs(column));
        }
        let design = Design::of_standardised(reduced, design, vec![0.5; 2 * r]);
        Some(Self { design, y: both_signs(z), rest: at_best.value })
    }

    /// The problem over these rows.
    pub fn problem<'a, L: SelfConcordant>(&'a self, whole: &SubsetProblem<'_, L>) -> SubsetProblem<'a, L> {
        SubsetProblem {
            design: &self.design,
            y: &self.y,
            loss: whole.loss,
            lambda2: whole.lambda2,
            ridge: whole.ridge.clone(),
            bounds: whole.bounds.clone(),
        }
    }
}
