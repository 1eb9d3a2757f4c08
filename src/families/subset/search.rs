//! Local search over supports: drops, additions and swaps until none lowers the objective
//! (\[FastSparse\] section 4, `TryDeleteOrSwap`); of a model that is asked for also swaps of two columns for two others
//! ([`pair_swap`](super::pair_swap)).
//!
//! Moves are found on the [`Tableau`], which includes the refit of all other coefficients. For the
//! squared loss without bounds the tableau is exact and moves are made on it; with bounds a refit on its Gram
//! matrix checks each move ([`bounded_quadratic`](super::bounded_quadratic)). For other losses a refit on the rows
//! does, which begins with that matrix ([`hessian`](super::hessian)), and [`certify`](super::certify) finally searches
//! for moves of single coefficients that the quadratic model missed. Each move lowers the objective by at least
//! [`LocalSearch::min_gain`], so the search ends.

use std::collections::{BTreeMap, BTreeSet};

use super::design::SubsetProblem;
use super::newton::{SupportFit, refit, refit_towards};
use super::tableau::{CentredGram, GramColumn, Tableau};
use crate::control::Control;
use crate::loss::SelfConcordant;

/// Smallest gain that counts, relative to the loss of the empty model; smaller ones may be rounding.
const RELATIVE_MIN_GAIN: f64 = 1e-9;

/// The penalty and the limits of a search.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Penalty on the number of coefficients.
    pub lambda0: f64,
    /// Maximum number of coefficients.
    pub max_support: usize,
    /// Maximum number of swaps.
    pub max_swaps: usize,
    /// Maximum number of columns tried in place of each coefficient in the final check.
    pub n_candidates: usize,
}

/// A change of the support: a drop, an addition, or both (a swap).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Position in the support of the column that leaves.
    pub leaving: Option<usize>,
    /// Column that enters.
    pub entering: Option<usize>,
}

/// The state of a local search.
#[derive(Debug)]
pub struct LocalSearch<'a, L> {
    /// The problem.
    pub problem: &'a SubsetProblem<'a, L>,
    /// The support and its optimal coefficients.
    pub fit: SupportFit,
    /// Loss of the empty model.
    pub null_loss: f64,
    /// Negative gradient of the loss, by column.
    pub negative_gradient: Vec<f64>,
    pub(super) tableau: Tableau,
    pub(super) gram: CentredGram,
    pub(super) gram_columns: BTreeMap<usize, GramColumn>,
    /// Whether no swap of the present support lowers the objective.
    pub is_swap_optimal: bool,
    /// Whether no swap lowers the objective of the quadratic model.
    pub(super) is_swap_optimal_on_tableau: bool,
    /// Supports of which no exchange of two columns for two others lowers the objective.
    pub(super) pair_optimal: BTreeSet<Vec<usize>>,
    /// Whether the tableau is of another support.
    pub(super) is_stale: bool,
    /// Moves since the tableau and its Gram matrix were computed.
    pub(super) n_moves: usize,
    /// Swaps made so far.
    pub n_swaps: u64,
}

impl<'a, L: SelfConcordant> LocalSearch<'a, L> {
    /// Starts from the empty support. A null loss below `min_null_loss` is rounding.
    pub fn new(problem: &'a SubsetProblem<'a, L>, min_null_loss: f64) -> Self {
        let fit = refit(problem, SupportFit::default(), 0.0, &Control::default());
        let gram = CentredGram::new(&fit.expansion.curvature);
        let tableau = Tableau::new(problem.design, &problem.ridge, &gram);
        let mut search = Self {
            problem,
            null_loss: fit.smooth_value.max(min_null_loss),
            fit,
            negative_gradient: Vec::new(),
            tableau,
            gram,
            gram_columns: BTreeMap::new(),
            is_swap_optimal: false,
            is_swap_optimal_on_tableau: false,
            pair_optimal: BTreeSet::new(),
            is_stale: false,
            n_moves: 0,
            n_swaps: 0,
        };
        search.update_gradient();
        search
    }

    /// Whether the quadratic model of the tableau is the objective.
    pub(super) fn is_exact(&self) -> bool {
        L::QUADRATIC && self.problem.bounds.is_none()
    }

    /// Smallest decrease of the objective that counts.
    pub fn min_gain(&self) -> f64 {
        RELATIVE_MIN_GAIN * self.null_loss
    }

    pub(super) fn update_gradient(&mut self) {
        let design = self.problem.design;
        let u = design.summed(&self.fit.expansion.slope);
        self.negative_gradient = design.columns.iter().map(|x| -x.dot(u)).collect();
    }

    /// Makes moves until none lowers the quadratic model, or the time is over.
    pub fn run_on_tableau(&mut self, limits: &Limits, control: &Control) {
        if self.make_moves(limits, control) && L::QUADRATIC {
            self.refit_on_rows(control);
        }
    }

    /// Makes moves until none lowers the quadratic model; whether there was one.
    fn make_moves(&mut self, limits: &Limits, control: &Control) -> bool {
        self.rebuild_stale_tableau(control);
        let until = self.n_swaps.saturating_add(limits.max_swaps as u64);
        let mut has_moved = false;
        while !control.should_stop()
            && (self.drop_one(limits, control)
                || self.add_one(limits, control)
                || (self.n_swaps < until && self.swap_one(control)))
        {
            has_moved = true;
        }
        has_moved
    }

    /// Refits after moves under squared loss, which take no rows.
    fn refit_on_rows(&mut self, control: &Control) {
        let near = self.cached_hessian(&self.fit.support);
        self.fit =
            refit_towards(self.problem, self.fit.clone(), near, self.null_loss, f64::INFINITY, control);
        self.update_gradient();
    }

    /// Makes moves until no move of single coefficients lowers the objective either; false if the time
    /// was over before.
    pub fn run_to_swap_optimum(&mut self, limits: &Limits, control: &Control) -> bool {
        let until = self.n_swaps.saturating_add(limits.max_swaps as u64);
        let mut needs_refit = false;
        while !control.should_stop() {
            let remaining = until.saturating_sub(self.n_swaps) as usize;
            needs_refit |= self.make_moves(&Limits { max_swaps: remaining, ..*limits }, control);
            let may_swap = self.n_swaps < until;
            if !(may_swap && (self.make_single_coefficient_move(limits, control) || self.swap_two(control))) {
                break;
            }
            needs_refit = true;
        }
        if needs_refit && L::QUADRATIC {
            self.refit_on_rows(control);
        }
        !control.should_stop()
    }

    /// Invalidates what is known of the previous support.
    pub(super) fn mark_support_changed(&mut self) {
        (self.is_swap_optimal, self.is_swap_optimal_on_tableau) = (false, false);
        self.n_moves += 1;
    }

    /// Continues from another support and its coefficients.
    pub fn restart_from(&mut self, fit: SupportFit) {
        if fit.support != self.fit.support {
            self.is_stale = true;
            self.mark_support_changed();
        }
        self.fit = fit;
        self.update_gradient();
    }

    /// The column whose addition lowers the quadratic model most, and by how much.
    pub fn best_addition(&self) -> Option<(usize, f64)> {
        let mut best = None;
        let is_excluded = self.excluded_columns();
        for (q, (&c, &d)) in self.negative_gradient.iter().zip(&self.tableau.residual_curvature).enumerate() {
            let gain = 0.5 * c * c / d;
            if !is_excluded[q]
                && best.is_none_or(|(_, g)| gain > g)
                && self.tableau.is_independent(q, d)
                && self.problem.allows_sign(q, c)
            {
                best = Some((q, gain));
            }
        }
        best
    }

    /// Whether each column is in the support or constant.
    pub fn excluded_columns(&self) -> Vec<bool> {
        let mut is_excluded: Vec<bool> = self.problem.design.scale.iter().map(|s| *s == 0.0).collect();
        self.fit.support.iter().for_each(|&j| is_excluded[j] = true);
        is_excluded
    }

    fn drop_one(&mut self, limits: &Limits, control: &Control) -> bool {
        let cost = |k: usize| 0.5 * self.fit.w[k] * self.fit.w[k] / self.tableau.inverse[k][k];
        let cheapest = (0..self.fit.support.len()).min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        let Some(k) = cheapest else { return false };
        let is_forced = self.fit.support.len() > limits.max_support;
        if !is_forced && cost(k) > 2.0 * limits.lambda0 + self.min_gain() {
            return false;
        }
        let max_increase = if is_forced { f64::INFINITY } else { limits.lambda0 - self.min_gain() };
        self.try_move(Move { leaving: Some(k), entering: None }, max_increase, control)
    }

    fn add_one(&mut self, limits: &Limits, control: &Control) -> bool {
        if self.fit.support.len() >= limits.max_support {
            return false;
        }
        let Some((q, gain)) = self.best_addition() else { return false };
        let required = limits.lambda0 + self.min_gain();
        gain > required && self.try_move(Move { leaving: None, entering: Some(q) }, -required, control)
    }

    /// Makes the first swap that lowers the objective, in order of the support.
    fn swap_one(&mut self, control: &Control) -> bool {
        if self.is_swap_optimal || self.is_swap_optimal_on_tableau {
            return false;
        }
        let is_excluded = self.excluded_columns();
        for k in 0..self.fit.support.len() {
            if control.should_stop() {
                return false;
            }
            let cost =
                0.5 * self.fit.w[k] * self.fit.w[k] / self.tableau.inverse[k][k] + self.cost_of_slope(k);
            if let Some((q, gain)) = self.best_substitute(k, &is_excluded)
                && gain - cost > self.min_gain()
                && self.try_move(Move { leaving: Some(k), entering: Some(q) }, -self.min_gain(), control)
            {
                self.n_swaps += 1;
                return true;
            }
        }
        (self.is_swap_optimal_on_tableau, self.is_swap_optimal) = (true, self.is_exact());
        false
    }

    /// What the slope of a coefficient at a bound adds to the cost of its removal. The tableau takes the slopes of the support
    /// for 0. A quadratic model less the slopes at bounds is below the objective within the bounds, so that its changes
    /// with this are bounds of the true ones.
    fn cost_of_slope(&self, k: usize) -> f64 {
        if self.problem.bounds.is_none() { 0.0 } else { (-self.slope_at(k) * self.fit.w[k]).max(0.0) }
    }

    /// The column whose addition gains most after the removal of position `k`, and that gain.
    fn best_substitute(&self, k: usize, is_excluded: &[bool]) -> Option<(usize, f64)> {
        let pivot = self.tableau.inverse[k][k];
        let ratio = self.fit.w[k] / pivot;
        let mut best: Option<(usize, f64)> = None;
        let columns = self
            .negative_gradient
            .iter()
            .zip(&self.tableau.residual_curvature)
            .zip(&self.tableau.projections[k]);
        for (q, ((c, d), g)) in columns.enumerate() {
            let (c, d) = (c + g * ratio, d + g * g / pivot);
            if 0.5 * c * c > best.map_or(0.0, |b| b.1) * d
                && !is_excluded[q]
                && self.tableau.is_independent(q, d)
                && self.problem.allows_sign(q, c)
            {
                best = Some((q, 0.5 * c * c / d));
            }
        }
        best
    }
}
