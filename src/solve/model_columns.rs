//! The columns of the quadratic model of the loss.
//!
//! Where the curvature of every row changes from point to point, as that of the logistic loss, the inner products of the
//! columns are computed anew each time, and most columns of a working set have no coefficient: those near one that has.
//! The model is therefore over the columns that have a coefficient or violate their condition, and takes in those that come
//! to violate it. On 15,000 rows with 600 coefficients in 1,500 columns that is a quarter of the products.
//!
//! The products under the squared loss are computed once, and those of a piecewise quadratic loss are updated: there, and
//! with groups, whose columns enter together, all columns belong to the model.

use super::column::Column;
use super::restricted::Restricted;
use crate::space::PatternSpace;

/// Number of the worst violators that the model takes in before the next step, and the fraction of all of them where that is
/// more. The products of so many columns take the time of a step, after which most of the others violate nothing.
const MIN_ENTERING: usize = 16;
const ENTERING_DIVISOR: usize = 4;

impl<S: PatternSpace> Restricted<'_, S> {
    /// Whether all columns belong to the model.
    fn models_all(&self) -> bool {
        let loss = self.problem.loss;
        loss.is_quadratic() || loss.is_piecewise() || self.problem.groups.is_some()
    }

    /// The values of the model's columns.
    pub(super) fn of_model<T: Copy>(&self, of_columns: &[T]) -> Vec<T> {
        self.modelled.iter().map(|&k| of_columns[k]).collect()
    }

    /// Sets the coefficients of the model's columns.
    pub(super) fn set_coefficients(&mut self, of_model: &[f64]) {
        self.modelled.iter().zip(of_model).for_each(|(&k, &w)| self.iterate.coefficients[k] = w);
    }

    /// Takes the columns of the working set into the model that belong to it and that it lacks; how many came in.
    pub(super) fn extend_model(&mut self, lambda: f64) -> usize {
        let before = self.modelled.len();
        if self.models_all() {
            self.modelled.extend(before..self.working_set.columns.len());
        } else {
            let mut is_modelled = vec![false; self.working_set.columns.len()];
            self.modelled.iter().for_each(|&k| is_modelled[k] = true);
            let outside = (0..is_modelled.len()).filter(|&k| !is_modelled[k]);
            let mut violators: Vec<(usize, f64)> =
                outside.map(|k| (k, self.score(k))).filter(|(_, score)| *score > lambda).collect();
            violators.sort_by(|a, b| b.1.total_cmp(&a.1));
            violators.truncate(MIN_ENTERING.max(violators.len() / ENTERING_DIVISOR));
            self.modelled.extend(violators.iter().map(|(k, _)| k));
        }
        if self.modelled.len() > before {
            self.gram.extend(&columns_of(&self.working_set.columns, &self.modelled));
        }
        self.modelled.len() - before
    }

    /// Chooses the columns of the model anew; the dense ones always belong to it.
    pub(super) fn choose_model(&mut self, lambda: f64) {
        if self.models_all() {
            return;
        }
        let belongs = |&k: &usize| {
            self.working_set.columns[k].pattern.is_none()
                || self.iterate.coefficients[k] != 0.0
                || self.score(k) > lambda
        };
        self.modelled = (0..self.working_set.columns.len()).filter(belongs).collect();
        self.penalty.collect_active(&self.of_model(&self.iterate.coefficients));
    }

    /// The score of a column; more than lambda violates its condition.
    fn score(&self, k: usize) -> f64 {
        self.working_set.coordinates[k].score(self.iterate.correlations[k])
    }
}

/// The columns of these numbers.
pub(super) fn columns_of<'a, P>(columns: &'a [Column<P>], which: &[usize]) -> Vec<&'a Column<P>> {
    which.iter().map(|&k| &columns[k]).collect()
}
