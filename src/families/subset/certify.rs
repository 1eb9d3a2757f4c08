//! Check that a support is swap 1-OPT (\[FastSparse\] section 2): with all other coefficients fixed,
//! no drop, addition or swap of a single coefficient lowers the objective. An addition moves the intercept too
//! ([`profile`](super::profile)).
//!
//! For each coefficient that might leave, a first pass over the columns computes mixed second
//! derivatives, and a cut at the best fit excludes most columns. A second pass computes slope and
//! curvature of the remaining columns without that coefficient; cuts exclude most of them, bounds of sparse columns
//! ([`stored_rows`](super::stored_rows)) and limits by single rows ([`row_limits`](super::row_limits)) others, and line
//! searches decide the rest, in order of |slope| (orthogonal matching pursuit).

use super::column::StandardColumn;
use super::coordinate::{CoordinateObjective, CoordinatePoint};
use super::cuts::{CoordinateCurvature, is_swap_excluded};
use super::design::SubsetProblem;
use super::newton::{SupportFit, refit};
use super::profile::{Profile, RowExpansions};
use super::row_limits::RowLimits;
use super::search::{Limits, LocalSearch, Move};
use super::stored_rows::StoredRows;
use crate::control::Control;
use crate::data::expansion::Expansion;
use crate::loss::SelfConcordant;

impl<L: SelfConcordant> LocalSearch<'_, L> {
    /// Makes the first move of single coefficients that lowers the objective; false if there is none.
    pub(super) fn make_single_coefficient_move(&mut self, limits: &Limits, control: &Control) -> bool {
        if L::QUADRATIC && self.problem.bounds.is_none() {
            return false;
        }
        let is_excluded = self.excluded_columns();
        let outside: Vec<usize> = (0..is_excluded.len()).filter(|&q| !is_excluded[q]).collect();
        let may_grow = self.fit.support.len() < limits.max_support;
        if may_grow && let Some((proposed, start)) = self.find_improving_move(None, limits, &outside, control)
        {
            self.refit_and_accept(proposed, start, control);
            return true;
        }
        if self.is_swap_optimal && !self.can_drop(limits) {
            return false;
        }
        let coordinate_curvatures = if L::QUADRATIC { Vec::new() } else { self.coordinate_curvatures() };
        for k in 0..self.fit.support.len() {
            if control.should_stop() {
                return false;
            }
            let candidates = self.swap_candidates(k, &coordinate_curvatures, &outside);
            if let Some((proposed, start)) = self.find_improving_move(Some(k), limits, &candidates, control) {
                self.n_swaps += u64::from(proposed.entering.is_some());
                self.refit_and_accept(proposed, start, control);
                return true;
            }
        }
        self.is_swap_optimal = !control.should_stop();
        false
    }

    fn refit_and_accept(&mut self, proposed: Move, start: SupportFit, control: &Control) {
        if L::QUADRATIC {
            self.try_move(proposed, f64::INFINITY, control);
        } else {
            let fit = refit(self.problem, start, self.null_loss, control);
            self.accept(proposed, fit);
        }
    }

    /// Predictions and ridge penalty without the coefficient at position `leaving`.
    fn predictions_without(&self, leaving: Option<usize>) -> (Vec<f64>, f64) {
        let mut offset = self.fit.f.clone();
        let mut other_ridge = self.fit.smooth_value - self.fit.expansion.value;
        if let Some(k) = leaving {
            let (j, w) = (self.fit.support[k], self.fit.w[k]);
            self.problem.design.columns[j].add_to(&mut offset, -w);
            other_ridge -= 0.5 * self.problem.ridge[j] * w * w;
        }
        (offset, other_ridge)
    }

    /// Whether dropping some coefficient lowers the objective, the others fixed.
    fn can_drop(&mut self, limits: &Limits) -> bool {
        if L::QUADRATIC {
            return (0..self.fit.support.len())
                .any(|k| self.find_quadratic_move(Some(k), limits, &[]).is_some());
        }
        let mut expansion = Expansion::default();
        (0..self.fit.support.len()).any(|k| {
            let (offset, other_ridge) = self.predictions_without(Some(k));
            self.problem.expand_loss(&offset, &mut expansion);
            expansion.value + other_ridge < self.fit.smooth_value + limits.lambda0 - self.min_gain()
        })
    }

    /// The move and the coefficients after it: position `leaving` removed, a column added with its value.
    pub(super) fn apply_move(
        &self,
        leaving: Option<usize>,
        entering: Option<(usize, f64)>,
    ) -> (Move, SupportFit) {
        let SupportFit { support, w, intercept, .. } = &self.fit;
        let (mut support, mut w) = (support.clone(), w.clone());
        if let Some(k) = leaving {
            support.swap_remove(k);
            w.swap_remove(k);
        }
        if let Some((q, t)) = entering {
            support.push(q);
            w.push(t);
        }
        let start = SupportFit { support, w, intercept: *intercept, ..SupportFit::default() };
        (Move { leaving, entering: entering.map(|q| q.0) }, start)
    }

    /// Curvature of the objective along every column at the best fit.
    fn coordinate_curvatures(&self) -> Vec<CoordinateCurvature> {
        let SubsetProblem { design, ridge, .. } = self.problem;
        let SupportFit { expansion, .. } = &self.fit;
        let (u, h) = (design.summed(&expansion.slope), design.summed(&expansion.curvature));
        let coordinate_curvature = |(q, x): (usize, &StandardColumn)| CoordinateCurvature {
            curvature: x.slope_and_curvature(u, h).1 + ridge[q],
            max_abs: self.problem.max_abs(q),
        };
        design.columns.iter().enumerate().map(coordinate_curvature).collect()
    }

    /// The columns that no cut excludes in place of the coefficient at position `k`.
    fn swap_candidates(
        &self,
        k: usize,
        coordinate_curvatures: &[CoordinateCurvature],
        columns: &[usize],
    ) -> Vec<usize> {
        if L::QUADRATIC {
            return columns.to_vec();
        }
        let SubsetProblem { design, ridge, .. } = self.problem;
        let (j, w) = (self.fit.support[k], self.fit.w[k]);
        // The cut takes it that the objective does not fall, to first order, as the coefficient goes to 0. Bounds
        // may leave it a slope.
        if w * (ridge[j] * w - self.negative_gradient[j]) > self.min_gain() {
            return columns.to_vec();
        }
        let weighted: Vec<f64> = design.columns[j]
            .to_dense()
            .iter()
            .zip(&self.fit.expansion.curvature)
            .map(|(x, h)| x * h)
            .collect();
        let weighted = design.summed(&weighted);
        let may_improve = |&q: &usize| {
            let cross = design.columns[q].dot(weighted);
            !is_swap_excluded(
                w,
                coordinate_curvatures[j],
                -self.negative_gradient[q],
                coordinate_curvatures[q],
                cross,
            )
        };
        columns.iter().copied().filter(may_improve).collect()
    }

    /// A move that removes position `leaving`, adds one of `columns`, or both, and lowers the objective;
    /// with the coefficients after it. `None` also if the time is over.
    fn find_improving_move(
        &mut self,
        leaving: Option<usize>,
        limits: &Limits,
        columns: &[usize],
        control: &Control,
    ) -> Option<(Move, SupportFit)> {
        if L::QUADRATIC {
            return self.find_quadratic_move(leaving, limits, columns);
        }
        self.find_move_on_rows(leaving, limits, columns, control)
    }

    /// The same from products with the rows.
    pub(super) fn find_move_on_rows(
        &self,
        leaving: Option<usize>,
        limits: &Limits,
        columns: &[usize],
        control: &Control,
    ) -> Option<(Move, SupportFit)> {
        let problem = self.problem;
        let (offset, other_ridge) = self.predictions_without(leaving);
        let mut expansion = Expansion::default();
        problem.expand_loss(&offset, &mut expansion);
        let zero = expansion.value + other_ridge;
        if leaving.is_some() && zero < self.fit.smooth_value + limits.lambda0 - self.min_gain() {
            return Some(self.apply_move(leaving, None));
        }
        let entry_penalty = if leaving.is_some() { 0.0 } else { limits.lambda0 };
        let target = self.fit.smooth_value - entry_penalty - self.min_gain();
        // No loss is negative.
        if target <= other_ridge {
            return None;
        }
        let rows = RowExpansions::new(problem, &expansion);
        let is_addition = leaving.is_none();
        let stored_rows = StoredRows::new(problem, &offset, &expansion);
        let mut candidates: Vec<(usize, CoordinatePoint)> = Vec::new();
        for &q in columns {
            if stored_rows.bound(&problem.design.columns[q]) + other_ridge >= target {
                continue;
            }
            let zero = if is_addition {
                rows.profile_point(problem, q, (0.0, 0.0), other_ridge)
            } else {
                rows.coordinate_point(problem, q, other_ridge)
            };
            if problem.allows_sign(q, -zero.tangent.slope) && !zero.excludes(target) {
                candidates.push((q, zero));
            }
        }
        let size = |(_, zero): &(usize, CoordinatePoint)| zero.tangent.slope.abs();
        candidates.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.0.cmp(&b.0)));
        candidates.truncate(limits.n_candidates);
        // With its intercept fixed, a row alone may exclude a column.
        let most = target - other_ridge;
        let row_limits = if is_addition { None } else { RowLimits::new(problem, &offset, most) };
        let is_beyond = |q: usize, limits: &RowLimits| {
            !limits.allow(&problem.design.columns[q].to_dense(), problem.interval(q))
        };
        let mut in_time = candidates.into_iter().take_while(|_| !control.should_stop());
        in_time.find_map(|(column, zero)| {
            if row_limits.as_ref().is_some_and(|limits| is_beyond(column, limits)) {
                return None;
            }
            let found = if is_addition {
                Profile::new(problem, &offset, column, other_ridge).find_below(zero, target)
            } else {
                CoordinateObjective { problem, offset: &offset, column, other_ridge }.find_below(zero, target)
            };
            found.map(|point| {
                let (proposed, mut start) = self.apply_move(leaving, Some((column, point.tangent.x)));
                start.intercept += point.intercept.0;
                (proposed, start)
            })
        })
    }
}
