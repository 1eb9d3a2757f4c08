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
use super::design::SubsetProblem;
use crate::data::expansion::Expansion;
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

#[cfg(test)]
mod tests {
    use super::super::design::Design;
    use super::super::tests::Random;
    use super::*;
    use crate::control::Control;
    use crate::data::numbers::SparseTable;
    use crate::data::sparse::SparseColumns;
    use crate::loss::{Exponential, Logistic, Squared};

    /// The least value of a function of one number with one minimum.
    fn least(mut at: impl FnMut(f64) -> f64) -> f64 {
        let (mut low, mut high) = (-30.0, 30.0);
        for _ in 0..60 {
            let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
            if at(a) < at(b) { high = b } else { low = a }
        }
        at(0.5 * (low + high))
    }

    /// Whether the bound is above half of the least loss over all coefficients and intercepts.
    fn check<L: SelfConcordant>(loss: L, seed: u64) -> bool {
        let mut random = Random(seed);
        let n = 8 + random.below(20);
        let rows: Vec<u32> = (0..n as u32).filter(|_| random.below(5) == 0).take(n / 4).collect();
        let is_binary = random.below(2) == 0;
        let values: Vec<f64> =
            rows.iter().map(|_| if is_binary { 2.0 } else { 1.0 + random.uniform() }).collect();
        let excess = values.clone();
        let starts = vec![0, rows.len()];
        let columns = SparseColumns::new(n, starts, rows.clone(), values).unwrap();
        let table = SparseTable::new(vec!["x".into()], &columns).unwrap();
        let y: Vec<f64> = (0..n).map(|_| if random.below(3) == 0 { 1.0 } else { -1.0 }).collect();
        let weights = (0..n).map(|_| [1.0, 0.5, 2.0][random.below(3)]).collect();
        let design = Design::new(&table, weights, &Control::default()).unwrap();
        let problem = SubsetProblem::new(&design, &y, loss, 0.0, None);
        let f: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mut expansion = Expansion::default();
        problem.expand_loss(&f, &mut expansion);
        let bound = StoredRows::new(&problem, &f, &expansion).bound(&design.columns[0]);
        let mut at = |b: f64, t: f64| {
            let mut moved: Vec<f64> = f.iter().map(|f| f + b).collect();
            rows.iter().zip(&excess).for_each(|(&row, x)| moved[row as usize] += t * x);
            problem.expand_loss(&moved, &mut expansion);
            expansion.value
        };
        let minimum = least(|b| least(|t| at(b, t)));
        assert!(bound <= minimum + 1e-9 * (1.0 + minimum), "seed {seed}: {bound} above {minimum}");
        bound > 0.5 * minimum
    }

    #[test]
    fn the_bound_is_below_the_loss_of_every_coefficient_and_intercept() {
        let n_close: usize = (0..300)
            .map(|seed| [check(Logistic, seed), check(Exponential, seed), check(Squared, seed)])
            .map(|close| close.iter().filter(|close| **close).count())
            .sum();
        assert!(n_close > 300, "{n_close}");
    }
}
