//! Moves that no single column can make: take a jump, or a whole column, out and re-optimise
//! another column in its place (the cross-column form of [FastSparse]'s swaps).

use super::cost::Cost;
use super::descent::{Effort, Problem, State, pooled};
use super::response::Response;
use super::segment::Sums;
use super::shape::Shape;
use crate::control::Control;

/// A function with less in it, and what its column's price loses.
struct Removal {
    column: usize,
    shape: Shape,
    price: f64,
}

impl<R: Response> State<R> {
    /// Tries the cheapest removals; whether a swap or a removal lowered the objective.
    pub fn swap(&mut self, problem: &Problem<'_>, lambda0: f64, effort: Effort, control: &Control) -> bool {
        let mut removals: Vec<Removal> =
            self.active().flat_map(|j| self.removals(problem, j, lambda0)).collect();
        removals.sort_by(|a, b| a.price.total_cmp(&b.price));
        removals.truncate(effort.swaps);
        let now = self.objective(lambda0);
        let least = problem.least(effort, now);
        for Removal { column, shape, .. } in removals {
            if control.should_stop() {
                return false;
            }
            let mut next = self.replaced(problem, vec![(column, shape)]);
            next.refill(problem, column, lambda0, now - least, effort);
            if next.objective(lambda0) < now - least {
                *self = next;
                return true;
            }
        }
        false
    }

    /// Re-optimises the column that promises most in place of what was taken out, if that
    /// promises to get below `goal`.
    fn refill(&mut self, problem: &Problem<'_>, taken: usize, lambda0: f64, goal: f64, effort: Effort) {
        let full = self.active().count() >= problem.max_columns;
        let mut best = (f64::NEG_INFINITY, taken);
        for k in (0..self.shapes.len()).filter(|&k| k != taken) {
            if full && self.shapes[k].jumps() == 0 {
                continue;
            }
            let gain = self.proposal(problem, k, lambda0).1;
            if gain > best.0 {
                best = (gain, k);
            }
        }
        if self.objective(lambda0) - best.0 < goal && self.improve(problem, best.1, lambda0, effort) {
            self.improve(problem, taken, lambda0, effort);
        }
    }

    /// A column without all of its jumps, and without each of them.
    fn removals(&self, problem: &Problem<'_>, j: usize, lambda0: f64) -> Vec<Removal> {
        let (shape, sums) = (&self.shapes[j], self.sums(problem, j));
        let pooled = pooled(shape, &sums);
        let cost = R::cost();
        let at = |s: Sums, v: f64| cost.at(s.a, s.b, v);
        let mut all: Vec<Removal> = Vec::new();
        for p in 1..shape.values.len() {
            let mut both = pooled[p - 1];
            both += pooled[p];
            let apart = at(pooled[p - 1], shape.values[p - 1]) + at(pooled[p], shape.values[p]);
            let mut merged = shape.clone();
            merged.values[p - 1] = cost.value(both.a, both.b);
            merged.values.remove(p);
            merged.piece.iter_mut().filter(|q| **q as usize >= p).for_each(|q| *q -= 1);
            let price = cost.least(both.a, both.b) - apart - lambda0;
            if problem.axes[j].allows(&merged) {
                all.push(Removal { column: j, shape: merged, price });
            }
        }
        if shape.jumps() > 1 {
            let now: f64 = pooled.iter().zip(&shape.values).map(|(&s, &v)| at(s, v)).sum();
            let mut whole = Sums::default();
            pooled.iter().for_each(|&s| whole += s);
            let price = cost.least(whole.a, whole.b) - now - lambda0 * shape.jumps() as f64;
            let empty =
                Shape { piece: vec![0; shape.piece.len()], values: vec![cost.value(whole.a, whole.b)] };
            all.push(Removal { column: j, shape: empty, price });
        }
        all
    }
}
