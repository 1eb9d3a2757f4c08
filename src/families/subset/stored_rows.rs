//! A lower bound of the objective with a sparse column, from the rows that it stores and those that it does not.
//!
//! A coefficient t shifts all rows that are not stored by the same number. The losses of these are at least their minimum
//! over all shifts, as if each column had an intercept of its own; so are those of the stored rows where their values are
//! equal, as of a column of 0 and 1, and otherwise at least 0. Each minimum has the cut of one direction in which no
//! prediction changes by more than 1, where the cut of the column itself has the largest standardised value: it excludes
//! nothing of a column of few entries. For 3,000 rows and 10,000 columns the fit with the cuts of columns alone took 9.5 CPU
//! seconds, nearly all of it line searches over all rows.

use super::column::StandardColumn;
use super::cuts::{RELATIVE_ROUNDING, Tangent, self_concordant_cut};
use super::design::{Expansion, SubsetProblem};
use crate::loss::SelfConcordant;

/// The losses of the rows at some predictions, and their sums.
pub(super) struct StoredRows<'a> {
    expansion: &'a Expansion,
    losses: Vec<f64>,
    total: Sums,
    /// By how much a shift of 1 changes a prediction, for the cut; 0 for the squared loss.
    max_abs: f64,
}

/// Sums of losses and their derivatives over some rows.
#[derive(Clone, Copy, Default)]
struct Sums {
    loss: f64,
    slope: f64,
    curvature: f64,
}

impl Sums {
    /// The least sum of the losses when all predictions of the rows change by the same number.
    fn least(self, max_abs: f64) -> f64 {
        let tangent = Tangent { x: 0.0, value: self.loss, slope: self.slope };
        self_concordant_cut(tangent, self.curvature, max_abs).max(0.0)
    }
}

impl<'a> StoredRows<'a> {
    /// The rows of a problem at some predictions, with the loss there.
    pub(super) fn new<L: SelfConcordant>(
        problem: &SubsetProblem<'_, L>,
        predictions: &[f64],
        expansion: &'a Expansion,
    ) -> Self {
        let rows = problem.y.iter().zip(predictions).zip(&problem.design.weights);
        let losses = rows.map(|((&y, &f), weight)| weight * problem.loss.value(y, f)).collect();
        let Expansion { value, slope, curvature } = expansion;
        let total = Sums { loss: *value, slope: slope.iter().sum(), curvature: curvature.iter().sum() };
        Self { expansion, losses, total, max_abs: if L::QUADRATIC { 0.0 } else { 1.0 } }
    }

    /// A number that the summed loss exceeds at every coefficient of a column and every intercept; 0 for a dense column.
    pub(super) fn bound(&self, column: &StandardColumn) -> f64 {
        let StandardColumn::Sparse { rows, excess, .. } = column else { return 0.0 };
        let mut stored = Sums::default();
        for &row in rows {
            let row = row as usize;
            stored.loss += self.losses[row];
            stored.slope += self.expansion.slope[row];
            stored.curvature += self.expansion.curvature[row];
        }
        let others = Sums {
            loss: self.total.loss - stored.loss,
            slope: self.total.slope - stored.slope,
            curvature: self.total.curvature - stored.curvature,
        };
        let has_one_value = excess.iter().all(|x| *x == excess[0]);
        let of_stored = if has_one_value { stored.least(self.max_abs) } else { 0.0 };
        others.least(self.max_abs) + of_stored - 2.0 * RELATIVE_ROUNDING * self.total.loss
    }
}
