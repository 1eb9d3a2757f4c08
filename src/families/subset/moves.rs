//! How a move is judged and made: predicted on the tableau, checked by a refit unless the
//! tableau is exact, and carried over to it.

use super::newton::{State, refit_towards};
use super::search::{Move, Search};
use super::tableau::{Metric, Tableau};
use super::vectors::add;
use crate::loss::SelfConcordant;

/// Floats of remembered inner products (256 MiB).
const REMEMBERED: usize = 1 << 25;
/// Moves after which the tableau is made anew: rounding adds up, and the curvatures of other
/// losses change.
const FRESH: usize = 8;

impl<L: SelfConcordant> Search<'_, L> {
    /// Makes a move if the objective without lambda0 changes by at most `budget`.
    pub(super) fn attempt(&mut self, step: Move, budget: f64) -> bool {
        let (start, change) = self.predicted(step);
        if self.is_exact() {
            if change > budget {
                return false;
            }
            self.sweep(step, true);
            let smooth = self.state.smooth + change;
            self.state = State { smooth, f: std::mem::take(&mut self.state.f), ..start };
        } else {
            let target = self.state.smooth + budget;
            let tried = refit_towards(self.problem, start, self.null_loss, target);
            if tried.smooth > target {
                return false;
            }
            self.accept(step, tried);
            return true;
        }
        self.changed();
        true
    }

    /// Takes over a refitted state that one move led to.
    pub fn accept(&mut self, step: Move, state: State) {
        self.sweep(step, false);
        self.state = state;
        self.descend();
        self.changed();
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

    /// Makes the tableau anew where it is of another support or has moved a lot.
    pub(super) fn refresh(&mut self) {
        let moved = self.moves >= FRESH;
        if !self.stale && !moved {
            return;
        }
        if moved && !L::QUADRATIC {
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
        if moved {
            (self.moves, self.swap_tried) = (0, self.swap_optimal);
        }
    }
}
