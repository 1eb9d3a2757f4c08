//! The proof that a support is swap 1-OPT (\[FastSparse\] section 2): with all other coefficients
//! as they are, no coefficient can be dropped, added or swapped for another with profit.
//!
//! For each coefficient taken out, one pass over the columns gives every candidate's slope and
//! curvature; convexity and the cuts rule out nearly all, a line search decides the rest. Candidates
//! come in the order of |slope| (orthogonal matching pursuit).

use super::cuts::Touch;
use super::design::Expansion;
use super::line::Line;
use super::newton::{State, refit};
use super::search::{Limits, Move, Search};
use super::vectors::{add, slope_and_curvature};
use crate::control::Control;
use crate::loss::Loss;

impl<L: Loss> Search<'_, L> {
    /// Makes the first move of single coefficients that helps; false if there is none.
    pub(super) fn certified_move(&mut self, limits: &Limits, control: &Control) -> bool {
        if L::QUADRATIC && self.problem.bounds.is_none() {
            return false;
        }
        let inside = self.inside();
        let room = self.state.support.len() < limits.most;
        if room && let Some((step, start)) = self.better(None, limits, &inside) {
            self.take(step, start);
            return true;
        }
        if self.swap_optimal && !self.can_drop(limits) {
            return false;
        }
        let mut queue: Vec<usize> = (0..self.state.support.len()).collect();
        queue.sort_by_key(|&k| (self.failures[self.state.support[k]], self.state.support[k]));
        for k in queue {
            if control.is_over() {
                return false;
            }
            if let Some((step, start)) = self.better(Some(k), limits, &inside) {
                self.swaps += u64::from(step.enter.is_some());
                self.take(step, start);
                return true;
            }
            self.failures[self.state.support[k]] += 1;
        }
        self.swap_optimal = true;
        false
    }

    fn take(&mut self, step: Move, start: State) {
        let state = refit(self.problem, start, self.unit);
        self.accept(step, state);
    }

    /// Predictions and ridge without the coefficient at position `out`.
    fn without(&self, out: Option<usize>) -> (Vec<f64>, f64) {
        let mut base = self.state.f.clone();
        let mut constant = self.state.smooth - self.state.rows.value;
        if let Some(k) = out {
            let (j, w) = (self.state.support[k], self.state.w[k]);
            add(&mut base, -w, &self.problem.design.columns[j]);
            constant -= 0.5 * self.problem.ridge[j] * w * w;
        }
        (base, constant)
    }

    /// Whether some coefficient costs more than it saves, the others as they are.
    fn can_drop(&self, limits: &Limits) -> bool {
        let mut rows = Expansion::default();
        (0..self.state.support.len()).any(|k| {
            let (base, constant) = self.without(Some(k));
            self.problem.expand(&base, &mut rows);
            rows.value + constant < self.state.smooth + limits.lambda0 - self.tolerance()
        })
    }

    /// The move that takes position `out` out and gives a column its coefficient.
    fn moved(&self, out: Option<usize>, enter: Option<(usize, f64)>) -> (Move, State) {
        let State { support, w, intercept, .. } = &self.state;
        let (mut support, mut w) = (support.clone(), w.clone());
        if let Some(k) = out {
            support.swap_remove(k);
            w.swap_remove(k);
        }
        if let Some((q, t)) = enter {
            support.push(q);
            w.push(t);
        }
        let start = State { support, w, intercept: *intercept, ..State::default() };
        (Move { out, enter: enter.map(|q| q.0) }, start)
    }

    /// A move without the coefficient at position `out` that lowers the objective, and the
    /// coefficients that do.
    fn better(&self, out: Option<usize>, limits: &Limits, inside: &[bool]) -> Option<(Move, State)> {
        let problem = self.problem;
        let (base, constant) = self.without(out);
        let mut rows = Expansion::default();
        problem.expand(&base, &mut rows);
        let zero = rows.value + constant;
        if out.is_some() && zero < self.state.smooth + limits.lambda0 - self.tolerance() {
            return Some(self.moved(out, None));
        }
        let price = if out.is_some() { 0.0 } else { limits.lambda0 };
        let target = self.state.smooth - price - self.tolerance();
        // F(w - w_k e_k + t e_q) >= F(w) - w_k F_k(w) + t F_q(w): with F_k(w) = 0 no swap helps whose
        // coefficient goes up the slope at w.
        let convex = out.is_some_and(|k| {
            let (j, w) = (self.state.support[k], self.state.w[k]);
            w * (problem.ridge[j] * w - self.descent[j]) <= self.tolerance()
        });
        let mut candidates: Vec<(usize, Touch, f64)> = Vec::new();
        for q in (0..problem.design.n_columns()).filter(|&q| !inside[q]) {
            let x = &problem.design.columns[q];
            let (slope, curvature) = slope_and_curvature(x, &rows.slope, &rows.curvature);
            let curvature = curvature + problem.ridge[q];
            let touch = Touch { x: 0.0, value: zero, slope };
            let line = Line { problem, base: &base, column: q, constant };
            let wrong_way = convex && slope * self.descent[q] >= 0.0;
            if !wrong_way
                && problem.allows(q, -slope)
                && !line.is_hopeless(touch, curvature, &rows.curvature, target)
            {
                candidates.push((q, touch, curvature));
            }
        }
        candidates.sort_by(|a, b| b.1.slope.abs().total_cmp(&a.1.slope.abs()).then(a.0.cmp(&b.0)));
        candidates.truncate(limits.n_candidates);
        candidates.into_iter().find_map(|(column, touch, curvature)| {
            let line = Line { problem, base: &base, column, constant };
            line.below(touch, curvature, target).map(|t| self.moved(out, Some((column, t))))
        })
    }
}
