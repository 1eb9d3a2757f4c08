//! Local search over supports: drop, add, swap, until none of them helps ([FastSparse] section
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
use super::vectors::{add, dot};
use crate::control::Control;
use crate::loss::Loss;

/// Gains below this share of the loss of the empty model are rounding.
const ROUNDING: f64 = 1e-9;
/// Floats of remembered inner products (256 MiB).
const REMEMBERED: usize = 1 << 25;

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
    pub unit: f64,
    /// Minus the gradient, one a column.
    pub descent: Vec<f64>,
    tableau: Tableau,
    metric: Metric,
    products: BTreeMap<usize, Vec<f64>>,
    /// How often a swap of each column has failed: the priority queue.
    pub failures: Vec<u32>,
    /// Whether no swap of the support as it is helps.
    pub swap_optimal: bool,
    /// Whether the tableau was made at another support.
    stale: bool,
    /// Swaps made so far.
    pub swaps: u64,
}

impl<'a, L: Loss> Search<'a, L> {
    /// Starts from the empty support. `least_unit`: a loss that is rounding.
    pub fn new(problem: &'a Problem<'a, L>, least_unit: f64) -> Self {
        let state = refit(problem, State::default(), 0.0);
        let metric = Metric::new(&state.rows.curvature);
        let tableau = Tableau::new(problem.design, &problem.ridge, &metric);
        let mut search = Self {
            problem,
            unit: state.smooth.max(least_unit),
            state,
            descent: Vec::new(),
            tableau,
            metric,
            products: BTreeMap::new(),
            failures: vec![0; problem.design.n_columns()],
            swap_optimal: false,
            stale: false,
            swaps: 0,
        };
        search.descend();
        search
    }

    /// Whether the tableau is the objective itself.
    fn is_exact(&self) -> bool {
        L::QUADRATIC && self.problem.bounds.is_none()
    }

    /// The least gain that counts.
    pub fn tolerance(&self) -> f64 {
        ROUNDING * self.unit
    }

    fn descend(&mut self) {
        let u = &self.state.rows.slope;
        self.descent = self.problem.design.columns.iter().map(|x| -dot(x, u)).collect();
    }

    /// Moves until no move helps; false if the time ran out first.
    pub fn settle(&mut self, limits: &Limits, control: &Control) -> bool {
        self.refresh();
        let until = self.swaps.saturating_add(limits.max_swaps as u64);
        let optimal = loop {
            if control.is_over() {
                break false;
            }
            if self.drop_one(limits) || self.add_one(limits) {
                continue;
            }
            if self.swaps >= until {
                break true;
            }
            if self.swap_one() || self.certified_move(limits, control) {
                continue;
            }
            break !control.is_over();
        };
        if self.is_exact() {
            self.state = refit(self.problem, self.state.clone(), self.unit);
            self.descend();
        }
        optimal
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
        if self.swap_optimal {
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
        self.swap_optimal = self.is_exact();
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

    /// Makes a move if the objective without lambda0 changes by at most `budget`.
    fn attempt(&mut self, step: Move, budget: f64) -> bool {
        let (start, change) = self.predicted(step);
        if self.is_exact() {
            if change > budget {
                return false;
            }
            self.sweep(step, true);
            let smooth = self.state.smooth + change;
            self.state = State { smooth, f: std::mem::take(&mut self.state.f), ..start };
        } else {
            let tried = refit(self.problem, start, self.unit);
            if tried.smooth > self.state.smooth + budget {
                return false;
            }
            self.accept(step, tried);
        }
        self.swap_optimal = false;
        self.stale = true;
        true
    }

    /// Takes over a refitted state that one move led to.
    pub fn accept(&mut self, step: Move, state: State) {
        self.sweep(step, false);
        self.state = state;
        self.descend();
        self.swap_optimal = false;
        self.stale = true;
    }

    /// The coefficients after a move by the model, and the change of the objective.
    fn predicted(&self, step: Move) -> (State, f64) {
        let State { support, w, intercept, .. } = &self.state;
        let mut start =
            State { support: support.clone(), w: w.clone(), intercept: *intercept, ..State::default() };
        let mut change = 0.0;
        let mut direction: Vec<f64> = Vec::new();
        let (mut c, mut d) = (0.0, 1.0);
        if let Some(q) = step.enter {
            direction = self.tableau.reduced.iter().map(|column| column[q]).collect();
            (c, d) = (self.descent[q], self.tableau.left[q]);
        }
        if let Some(k) = step.out {
            let (row, pivot) = (&self.tableau.inverse[k], self.tableau.inverse[k][k]);
            change += 0.5 * w[k] * w[k] / pivot;
            add(&mut start.w, -w[k] / pivot, row);
            if step.enter.is_some() {
                let g = direction[k];
                c += g * w[k] / pivot;
                d += g * g / pivot;
                add(&mut direction, -g / pivot, row);
                direction.swap_remove(k);
            }
            start.support.swap_remove(k);
            start.w.swap_remove(k);
        }
        if let Some(q) = step.enter {
            let t = c / d;
            change -= 0.5 * c * t;
            add(&mut start.w, -t, &direction);
            start.support.push(q);
            start.w.push(t);
        }
        (start, change)
    }

    /// Moves columns in the tableau; `follow`: the gradient moves with them.
    fn sweep(&mut self, step: Move, follow: bool) {
        let mut support = self.state.support.clone();
        let mut taken = None;
        if let Some(k) = step.out {
            let ratio = self.state.w[k] / self.tableau.inverse[k][k];
            if follow {
                add(&mut self.descent, ratio, &self.tableau.reduced[k]);
            }
            taken = Some(support.swap_remove(k));
            self.tableau.leave(k, self.state.support[k]);
        }
        if let Some(q) = step.enter {
            let left = self.tableau.left[q];
            self.remember(q);
            self.tableau.enter(q, &support, &self.products[&q]);
            if follow && let Some(reduced) = self.tableau.reduced.last() {
                let c = self.descent[q];
                add(&mut self.descent, -c, reduced);
            }
            debug_assert!(left > 0.0 && taken != Some(q));
        }
    }

    /// Inner products of a column are there.
    fn remember(&mut self, q: usize) {
        if !self.products.contains_key(&q) {
            if (self.products.len() + 1) * self.descent.len() > REMEMBERED {
                self.products.clear();
            }
            let products = self.metric.products(self.problem.design, q);
            self.products.insert(q, products);
        }
    }

    /// Makes the tableau anew where the support has moved since: rounding adds up, and the
    /// curvatures of other losses change.
    fn refresh(&mut self) {
        if !self.stale {
            return;
        }
        if !L::QUADRATIC {
            self.metric = Metric::new(&self.state.rows.curvature);
            self.products.clear();
        }
        self.tableau = Tableau::new(self.problem.design, &self.problem.ridge, &self.metric);
        for k in 0..self.state.support.len() {
            let q = self.state.support[k];
            self.remember(q);
            self.tableau.enter(q, &self.state.support[..k], &self.products[&q]);
        }
        self.stale = false;
    }
}
