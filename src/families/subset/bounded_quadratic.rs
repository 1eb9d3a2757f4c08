//! Moves under squared loss with bounds: the Gram matrix is constant, so that a refit within the bounds and the gradient
//! after it take no products with rows.

use super::hessian::Hessian;
use super::newton::SupportFit;
use super::search::{Limits, LocalSearch, Move};
use super::vectors::axpy;
use crate::loss::SelfConcordant;

impl<L: SelfConcordant> LocalSearch<'_, L> {
    /// Slope of the objective along the coefficient at position `k`: bounds may leave it one.
    pub(super) fn slope_at(&self, k: usize) -> f64 {
        let j = self.fit.support[k];
        self.problem.ridge[j] * self.fit.w[k] - self.negative_gradient[j]
    }

    /// Change of the objective as the coefficient at position `k` goes to 0, the others fixed.
    fn change_without(&self, k: usize) -> f64 {
        let w = self.fit.w[k];
        0.5 * self.tableau.diagonal[self.fit.support[k]] * w * w - self.slope_at(k) * w
    }

    /// The coefficients after a move, refitted within the bounds, and the change of the objective; `hessian` is that of the
    /// support after it.
    pub(super) fn refit_in_bounds(
        &self,
        proposed: Move,
        hessian: &Hessian,
        mut after: SupportFit,
    ) -> (SupportFit, f64) {
        let (mut w, mut change) = (self.fit.w.clone(), 0.0);
        let mut slopes: Vec<f64> = (0..w.len()).map(|k| self.slope_at(k)).collect();
        let mut entering = proposed.entering.map(|q| -self.negative_gradient[q]);
        if let Some(k) = proposed.leaving {
            change = self.change_without(k);
            let products = &self.gram_columns[&self.fit.support[k]].products;
            slopes.iter_mut().zip(&self.fit.support).for_each(|(slope, &j)| *slope -= w[k] * products[j]);
            entering = entering.zip(proposed.entering).map(|(slope, q)| slope - w[k] * products[q]);
            w.swap_remove(k);
            slopes.swap_remove(k);
        }
        w.extend(entering.map(|_| 0.0));
        slopes.extend(entering);
        // The columns are centred: the intercept stays.
        slopes.insert(0, 0.0);
        let bounds: Vec<_> = after.support.iter().map(|&j| self.problem.interval(j)).collect();
        let step = hessian.step(&slopes, &w, &bounds);
        change += hessian.change(&slopes, &step);
        let to = |((w, step), b): ((&f64, &f64), &(f64, f64))| (w + step).clamp(b.0, b.1);
        after.w = w.iter().zip(&step[1..]).zip(&bounds).map(to).collect();
        (after, change)
    }

    /// Moves the gradient to other coefficients.
    pub(super) fn move_gradient_to(&mut self, after: &SupportFit) {
        let signed = |fit: &SupportFit, sign: f64| -> Vec<(usize, f64)> {
            fit.support.iter().zip(&fit.w).map(|(&j, w)| (j, sign * w)).collect()
        };
        let mut steps = signed(after, 1.0);
        steps.extend(signed(&self.fit, -1.0));
        steps.sort_unstable_by_key(|step| step.0);
        for same in steps.chunk_by(|a, b| a.0 == b.0) {
            let step: f64 = same.iter().map(|step| step.1).sum();
            if step != 0.0 {
                self.cache_gram_column(same[0].0);
                axpy(&mut self.negative_gradient, -step, &self.gram_columns[&same[0].0].products);
            }
        }
    }

    /// The move of single coefficients, the others fixed, that lowers the objective: a removal, or the column of largest
    /// slope among those that do, alone or in the place of position `leaving`; with the coefficients after it.
    pub(super) fn find_quadratic_move(
        &mut self,
        leaving: Option<usize>,
        limits: &Limits,
        columns: &[usize],
    ) -> Option<(Move, SupportFit)> {
        let without = leaving.map_or(0.0, |k| self.change_without(k));
        if leaving.is_some() && without < limits.lambda0 - self.min_gain() {
            return Some(self.apply_move(leaving, None));
        }
        let gone = leaving.map(|k| (self.fit.support[k], self.fit.w[k]));
        gone.iter().for_each(|(j, _)| self.cache_gram_column(*j));
        let shift = gone.map(|(j, w)| (&self.gram_columns[&j].products, w));
        let entry_penalty = if leaving.is_some() { 0.0 } else { limits.lambda0 };
        let most = -entry_penalty - self.min_gain();
        let slope =
            |q: usize| shift.map_or(0.0, |(products, w)| -w * products[q]) - self.negative_gradient[q];
        let candidate = |&q: &usize| {
            let (slope, curvature) = (slope(q), self.tableau.diagonal[q]);
            let (low, high) = self.problem.interval(q);
            let t = (-slope / curvature).clamp(low, high);
            (without + (slope + 0.5 * curvature * t) * t < most).then_some((q, t, slope.abs()))
        };
        let candidates = columns.iter().filter_map(candidate);
        let best = candidates.max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0)));
        best.map(|(q, t, _)| self.apply_move(leaving, Some((q, t))))
    }
}
