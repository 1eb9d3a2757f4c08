//! The proof that a support is swap 1-OPT (\[FastSparse\] section 2): with all other coefficients
//! as they are, no coefficient can be dropped, added or swapped for another with profit.
//!
//! For each coefficient taken out, one pass over the columns gives their mixed derivatives with it,
//! and a cut around the best fit rules out most columns. A second pass gives slope and curvature of
//! the others without that coefficient; cuts rule out nearly all, a line search decides the rest.
//! Candidates come in the order of |slope| (orthogonal matching pursuit).

use super::cuts::{Side, Touch, swap_loses};
use super::design::{Expansion, Problem};
use super::line::Line;
use super::newton::{State, refit};
use super::search::{Limits, Move, Search};
use super::vectors::{add, dot, slope_and_curvature};
use crate::control::Control;
use crate::loss::SelfConcordant;

impl<L: SelfConcordant> Search<'_, L> {
    /// Makes the first move of single coefficients that helps; false if there is none.
    pub(super) fn certified_move(&mut self, limits: &Limits, control: &Control) -> bool {
        if L::QUADRATIC && self.problem.bounds.is_none() {
            return false;
        }
        let inside = self.inside();
        let outside: Vec<usize> = (0..inside.len()).filter(|&q| !inside[q]).collect();
        let room = self.state.support.len() < limits.most;
        if room && let Some((step, start)) = self.better(None, limits, &outside) {
            self.take(step, start);
            return true;
        }
        if self.swap_optimal && !self.can_drop(limits) {
            return false;
        }
        let sides = self.sides();
        let mut queue: Vec<usize> = (0..self.state.support.len()).collect();
        queue.sort_by_key(|&k| (self.failures[self.state.support[k]], self.state.support[k]));
        for k in queue {
            if control.should_stop() {
                return false;
            }
            if let Some((step, start)) = self.better(Some(k), limits, &self.rivals(k, &sides, &outside)) {
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
        let state = refit(self.problem, start, self.null_loss);
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

    /// Every column as seen from the best fit.
    fn sides(&self) -> Vec<Side> {
        let Problem { design, ridge, .. } = self.problem;
        let State { rows, .. } = &self.state;
        let side = |(q, x): (usize, &Vec<f64>)| Side {
            curvature: slope_and_curvature(x, &rows.slope, &rows.curvature).1 + ridge[q],
            reach: if L::QUADRATIC { 0.0 } else { design.reach[q] },
        };
        design.columns.iter().enumerate().map(side).collect()
    }

    /// Whether the objective does not fall, at first, as the coefficient at position `k` goes to 0.
    fn is_uphill(&self, k: usize) -> bool {
        let (j, w) = (self.state.support[k], self.state.w[k]);
        w * (self.problem.ridge[j] * w - self.descent[j]) <= self.tolerance()
    }

    /// Those of `columns` that may take the place of the coefficient at position `k`.
    fn rivals(&self, k: usize, sides: &[Side], columns: &[usize]) -> Vec<usize> {
        let design = self.problem.design;
        let (j, w) = (self.state.support[k], self.state.w[k]);
        if !self.is_uphill(k) {
            return columns.to_vec();
        }
        let weighted: Vec<f64> =
            design.columns[j].iter().zip(&self.state.rows.curvature).map(|(x, h)| x * h).collect();
        let may_win = |&q: &usize| {
            let cross = dot(&design.columns[q], &weighted);
            !swap_loses(w, sides[j], -self.descent[q], sides[q], cross)
        };
        columns.iter().copied().filter(may_win).collect()
    }

    /// A move without the coefficient at position `out`, with one of `columns` in its place, that lowers
    /// the objective, and the coefficients that do.
    fn better(&self, out: Option<usize>, limits: &Limits, columns: &[usize]) -> Option<(Move, State)> {
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
        let convex = out.is_some_and(|k| self.is_uphill(k));
        let mut candidates: Vec<(usize, Touch, f64)> = Vec::new();
        for &q in columns {
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
