//! Moves of the local search: prediction on the tableau, a refit unless the tableau is exact, and the
//! update of the tableau.

use super::hessian::Hessian;
use super::newton::{SupportFit, refit_towards};
use super::search::{LocalSearch, Move};
use super::tableau::{CentredGram, GramColumn, Tableau};
use super::vectors::axpy;
use crate::control::Control;
use crate::linalg::SIDE_BY_SIDE;
use crate::loss::SelfConcordant;

/// Maximum number of cached entries of the Gram matrix (64 MiB): the paths of all folds are in memory together.
const MAX_CACHED_FLOATS: usize = 1 << 23;
/// Moves after which the tableau is rebuilt: rounding errors accumulate, and the row curvatures of
/// non-quadratic losses change.
const MAX_MOVES_BEFORE_REBUILD: usize = 8;

impl<L: SelfConcordant> LocalSearch<'_, L> {
    /// Makes a move if it raises the objective without lambda0 by at most `max_increase`; whether it did.
    pub(super) fn try_move(&mut self, proposed: Move, max_increase: f64, control: &Control) -> bool {
        let (mut start, mut change) = self.predict_move(proposed);
        let near = if self.is_exact() { None } else { self.cached_hessian(&start.support) };
        let is_bounded = self.problem.bounds.is_some();
        if let (true, Some(hessian)) = (L::QUADRATIC && is_bounded, &near) {
            (start, change) = self.refit_in_bounds(proposed, hessian, start);
        } else if !self.is_exact() {
            let target = self.fit.smooth_value + max_increase;
            let refitted = refit_towards(self.problem, start, near, self.null_loss, target, control);
            if refitted.smooth_value > target {
                return false;
            }
            self.accept(proposed, refitted);
            return true;
        }
        if change > max_increase {
            return false;
        }
        self.pivot_tableau(proposed, !is_bounded);
        if is_bounded {
            self.move_gradient_to(&start);
        }
        let smooth_value = self.fit.smooth_value + change;
        self.fit = SupportFit { smooth_value, f: std::mem::take(&mut self.fit.f), ..start };
        self.mark_support_changed();
        true
    }

    /// Makes a move with the refitted coefficients after it.
    pub fn accept(&mut self, proposed: Move, fit: SupportFit) {
        self.pivot_tableau(proposed, false);
        self.fit = fit;
        self.update_gradient();
        self.mark_support_changed();
    }

    /// The coefficients after a move and the change of the objective, both of the quadratic model.
    fn predict_move(&self, proposed: Move) -> (SupportFit, f64) {
        let SupportFit { support, w, intercept, .. } = &self.fit;
        let mut start = SupportFit {
            support: support.clone(),
            w: w.clone(),
            intercept: *intercept,
            ..SupportFit::default()
        };
        let mut change = 0.0;
        let mut direction: Vec<f64> = Vec::new();
        let (mut c, mut d) = (0.0, 1.0);
        if let Some(q) = proposed.entering {
            direction = self.tableau.projections.iter().map(|column| column[q]).collect();
            (c, d) = (self.negative_gradient[q], self.tableau.residual_curvature[q]);
        }
        if let Some(k) = proposed.leaving {
            let (row, pivot) = (&self.tableau.inverse[k], self.tableau.inverse[k][k]);
            change += 0.5 * w[k] * w[k] / pivot;
            axpy(&mut start.w, -w[k] / pivot, row);
            if proposed.entering.is_some() {
                let g = direction[k];
                c += g * w[k] / pivot;
                d += g * g / pivot;
                axpy(&mut direction, -g / pivot, row);
                direction.swap_remove(k);
            }
            start.support.swap_remove(k);
            start.w.swap_remove(k);
        }
        if let Some(q) = proposed.entering {
            let t = c / d;
            change -= 0.5 * c * t;
            axpy(&mut start.w, -t, &direction);
            start.support.push(q);
            start.w.push(t);
        }
        (start, change)
    }

    /// Updates the tableau for a move and, if `updates_gradient`, the gradient of the quadratic model.
    fn pivot_tableau(&mut self, proposed: Move, updates_gradient: bool) {
        let mut support = self.fit.support.clone();
        let mut removed = None;
        if let Some(k) = proposed.leaving {
            let ratio = self.fit.w[k] / self.tableau.inverse[k][k];
            if updates_gradient {
                axpy(&mut self.negative_gradient, ratio, &self.tableau.projections[k]);
            }
            removed = Some(support.swap_remove(k));
            self.tableau.leave(k, self.fit.support[k]);
        }
        if let Some(q) = proposed.entering {
            debug_assert!(self.tableau.residual_curvature[q] > 0.0 && removed != Some(q));
            self.cache_gram_column(q);
            self.tableau.enter(q, &support, &self.gram_columns[&q].products);
            if updates_gradient && let Some(projection) = self.tableau.projections.last() {
                let c = self.negative_gradient[q];
                axpy(&mut self.negative_gradient, -c, projection);
            }
        }
    }

    /// Computes the column of the Gram matrix unless it is cached.
    pub(super) fn cache_gram_column(&mut self, q: usize) {
        if !self.gram_columns.contains_key(&q) {
            self.make_room(1);
            let column = self.gram.column(self.problem.design, q);
            self.gram_columns.insert(q, column);
        }
    }

    /// Computes some columns of the Gram matrix that are not cached, of the support from position `k` on.
    fn cache_gram_columns(&mut self, k: usize) {
        let is_missing = |q: &usize| !self.gram_columns.contains_key(q);
        let missing: Vec<usize> =
            self.fit.support[k..].iter().copied().filter(is_missing).take(SIDE_BY_SIDE).collect();
        if let Ok(missing) = <[usize; SIDE_BY_SIDE]>::try_from(missing) {
            self.make_room(SIDE_BY_SIDE);
            let columns = self.gram.columns(self.problem.design, missing);
            self.gram_columns.extend(missing.into_iter().zip(columns));
        }
    }

    fn make_room(&mut self, n_columns: usize) {
        if (self.gram_columns.len() + n_columns) * self.negative_gradient.len() > MAX_CACHED_FLOATS {
            self.gram_columns.clear();
        }
    }

    /// The Hessian of a support from the cached columns of the Gram matrix; `None` if two of them are missing.
    pub(super) fn cached_hessian(&self, support: &[usize]) -> Option<Hessian> {
        let design = self.problem.design;
        let columns: Vec<Option<&GramColumn>> = support.iter().map(|q| self.gram_columns.get(q)).collect();
        if columns.iter().filter(|column| column.is_none()).count() > 1 {
            return None;
        }
        let mean = |(column, &q): (Option<&GramColumn>, &usize)| {
            column.map_or_else(|| self.gram.mean(design, q), |column| column.mean)
        };
        let means: Vec<f64> = columns.iter().copied().zip(support).map(mean).collect();
        let entry = |a: usize, b: usize| {
            let (i, j) = (support[a], support[b]);
            match (columns[a], columns[b]) {
                _ if a == b => self.tableau.diagonal[i],
                (Some(column), _) => column.products[j],
                (None, column) => column.map_or(0.0, |column| column.products[i]),
            }
        };
        let size = 0..support.len();
        let gram: Vec<Vec<f64>> = size.clone().map(|a| size.clone().map(|b| entry(a, b)).collect()).collect();
        Some(Hessian::of_centred(self.gram.total_weight(), &means, &gram))
    }

    /// Rebuilds the tableau if it is of another support or has been updated too often.
    pub(super) fn rebuild_stale_tableau(&mut self, control: &Control) {
        let needs_update = self.n_moves >= MAX_MOVES_BEFORE_REBUILD;
        if !self.is_stale && !needs_update || control.should_stop() {
            return;
        }
        if needs_update && !L::QUADRATIC {
            self.gram = CentredGram::new(&self.fit.expansion.curvature);
            self.gram_columns.clear();
        }
        self.tableau = Tableau::new(self.problem.design, &self.problem.ridge, &self.gram);
        for k in 0..self.fit.support.len() {
            // A column takes a product with every other one.
            if control.should_stop() {
                self.is_stale = true;
                return;
            }
            let q = self.fit.support[k];
            if !self.gram_columns.contains_key(&q) {
                self.cache_gram_columns(k);
            }
            self.cache_gram_column(q);
            self.tableau.enter(q, &self.fit.support[..k], &self.gram_columns[&q].products);
        }
        self.is_stale = false;
        if needs_update {
            (self.n_moves, self.is_swap_optimal_on_tableau) = (0, self.is_swap_optimal);
        }
    }
}
