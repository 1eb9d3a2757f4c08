//! Local search over supports: drop, add, swap, until none of them helps (\[FastSparse\] section
//! 4, `TryDeleteOrSwap`).
//!
//! Moves are found on the [`Tableau`], which counts in the refit of all other coefficients. For
//! squared loss without bounds it is exact and the moves are made on it; otherwise each move is
//! checked by a refit, and at the end [`certify`](super::certify) looks for moves of single
//! coefficients that the quadratic model did not see.

use std::collections::BTreeMap;

use super::design::Problem;
use super::newton::{State, refit};
use super::tableau::{Metric, Tableau};
use super::vectors::dot;
use crate::control::Control;
use crate::loss::SelfConcordant;

/// Gains below this share of the loss of the empty model are rounding.
const ROUNDING: f64 = 1e-9;

/// What a model may cost and hold.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Price of a coefficient.
    pub lambda0: f64,
    /// The most coefficients.
    pub most: usize,
    /// The most swaps.
    pub max_swaps: usize,
    /// The most columns tried for each coefficient in the final check.
    pub n_candidates: usize,
}

/// A move: the position that leaves the support, the column that enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Position in the support.
    pub out: Option<usize>,
    /// Column.
    pub enter: Option<usize>,
}

/// A support on its way to a local optimum.
#[derive(Debug)]
pub struct Search<'a, L> {
    /// The problem.
    pub problem: &'a Problem<'a, L>,
    /// The support and its best fit.
    pub state: State,
    /// Loss of the empty model.
    pub null_loss: f64,
    /// Minus the gradient, one a column.
    pub descent: Vec<f64>,
    pub(super) tableau: Tableau,
    pub(super) metric: Metric,
    pub(super) products: BTreeMap<usize, Vec<f64>>,
    /// How often a swap of each column has failed: the priority queue.
    pub failures: Vec<u32>,
    /// Whether no swap of the support as it is helps.
    pub swap_optimal: bool,
    /// Whether the tableau sees none that does.
    pub(super) swap_tried: bool,
    /// Whether the tableau is one of another support.
    pub(super) stale: bool,
    /// Moves since the tableau and its metric were made.
    pub(super) moves: usize,
    /// Swaps made so far.
    pub swaps: u64,
}

impl<'a, L: SelfConcordant> Search<'a, L> {
    /// Starts from the empty support. `least_null_loss`: a loss that is rounding.
    pub fn new(problem: &'a Problem<'a, L>, least_null_loss: f64) -> Self {
        let state = refit(problem, State::default(), 0.0);
        let metric = Metric::new(&state.rows.curvature);
        let tableau = Tableau::new(problem.design, &problem.ridge, &metric);
        let mut search = Self {
            problem,
            null_loss: state.smooth.max(least_null_loss),
            state,
            descent: Vec::new(),
            tableau,
            metric,
            products: BTreeMap::new(),
            failures: vec![0; problem.design.n_columns()],
            swap_optimal: false,
            swap_tried: false,
            stale: false,
            moves: 0,
            swaps: 0,
        };
        search.descend();
        search
    }

    /// Whether the tableau is the objective itself.
    pub(super) fn is_exact(&self) -> bool {
        L::QUADRATIC && self.problem.bounds.is_none()
    }

    /// The least gain that counts.
    pub fn tolerance(&self) -> f64 {
        ROUNDING * self.null_loss
    }

    pub(super) fn descend(&mut self) {
        let u = &self.state.rows.slope;
        self.descent = self.problem.design.columns.iter().map(|x| -dot(x, u)).collect();
    }

    /// Moves until the tableau sees no move that helps, or the time is over.
    pub fn settle(&mut self, limits: &Limits, control: &Control) {
        self.refresh();
        let until = self.swaps.saturating_add(limits.max_swaps as u64);
        let mut moved = false;
        while !control.should_stop()
            && (self.drop_one(limits) || self.add_one(limits) || (self.swaps < until && self.swap_one()))
        {
            moved = true;
        }
        if moved && self.is_exact() {
            self.state = refit(self.problem, self.state.clone(), self.null_loss);
            self.descend();
        }
    }

    /// Settles until no move of single coefficients helps either; false if the time was over.
    pub fn certify(&mut self, limits: &Limits, control: &Control) -> bool {
        let until = self.swaps.saturating_add(limits.max_swaps as u64);
        while !control.should_stop() {
            let left = until.saturating_sub(self.swaps) as usize;
            self.settle(&Limits { max_swaps: left, ..*limits }, control);
            if self.swaps >= until || !self.certified_move(limits, control) {
                break;
            }
        }
        !control.should_stop()
    }

    /// What was known of the support is void.
    pub(super) fn changed(&mut self) {
        (self.swap_optimal, self.swap_tried) = (false, false);
        self.moves += 1;
    }

    /// Goes on from another state.
    pub fn adopt(&mut self, state: State) {
        if state.support != self.state.support {
            self.stale = true;
            self.changed();
        }
        self.state = state;
        self.descend();
    }

    /// The largest gain that the model sees in one more coefficient, and its column.
    pub fn best_addition(&self) -> Option<(usize, f64)> {
        let mut best = None;
        let inside = self.inside();
        for (q, (&c, &d)) in self.descent.iter().zip(&self.tableau.left).enumerate() {
            let gain = 0.5 * c * c / d;
            if !inside[q]
                && best.is_none_or(|(_, g)| gain > g)
                && self.tableau.is_free(q, d)
                && self.problem.allows(q, c)
            {
                best = Some((q, gain));
            }
        }
        best
    }

    /// Which columns are in the support, or constant.
    pub fn inside(&self) -> Vec<bool> {
        let mut inside: Vec<bool> = self.problem.design.scale.iter().map(|s| *s == 0.0).collect();
        self.state.support.iter().for_each(|&j| inside[j] = true);
        inside
    }

    fn drop_one(&mut self, limits: &Limits) -> bool {
        let cost = |k: usize| 0.5 * self.state.w[k] * self.state.w[k] / self.tableau.inverse[k][k];
        let least = (0..self.state.support.len()).min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        let Some(k) = least else { return false };
        let forced = self.state.support.len() > limits.most;
        if !forced && cost(k) > 2.0 * limits.lambda0 + self.tolerance() {
            return false;
        }
        let budget = if forced { f64::INFINITY } else { limits.lambda0 - self.tolerance() };
        self.attempt(Move { out: Some(k), enter: None }, budget)
    }

    fn add_one(&mut self, limits: &Limits) -> bool {
        if self.state.support.len() >= limits.most {
            return false;
        }
        let Some((q, gain)) = self.best_addition() else { return false };
        let least = limits.lambda0 + self.tolerance();
        gain > least && self.attempt(Move { out: None, enter: Some(q) }, -least)
    }

    /// Swaps the coefficient that failed least often and can be swapped with profit.
    fn swap_one(&mut self) -> bool {
        if self.swap_optimal || self.swap_tried {
            return false;
        }
        let inside = self.inside();
        let mut queue: Vec<(u32, usize, usize)> =
            self.state.support.iter().enumerate().map(|(k, &j)| (self.failures[j], j, k)).collect();
        queue.sort_unstable();
        for (_, j, k) in queue {
            let cost = 0.5 * self.state.w[k] * self.state.w[k] / self.tableau.inverse[k][k];
            if let Some((q, gain)) = self.best_substitute(k, &inside)
                && gain - cost > self.tolerance()
                && self.attempt(Move { out: Some(k), enter: Some(q) }, -self.tolerance())
            {
                self.swaps += 1;
                return true;
            }
            self.failures[j] += 1;
        }
        (self.swap_tried, self.swap_optimal) = (true, self.is_exact());
        false
    }

    /// The column that gains most where position `k` is taken out, and its gain.
    fn best_substitute(&self, k: usize, inside: &[bool]) -> Option<(usize, f64)> {
        let pivot = self.tableau.inverse[k][k];
        let ratio = self.state.w[k] / pivot;
        let mut best: Option<(usize, f64)> = None;
        let columns = self.descent.iter().zip(&self.tableau.left).zip(&self.tableau.reduced[k]);
        for (q, ((c, d), g)) in columns.enumerate() {
            let (c, d) = (c + g * ratio, d + g * g / pivot);
            if 0.5 * c * c > best.map_or(0.0, |b| b.1) * d
                && !inside[q]
                && self.tableau.is_free(q, d)
                && self.problem.allows(q, c)
            {
                best = Some((q, 0.5 * c * c / d));
            }
        }
        best
    }
}
