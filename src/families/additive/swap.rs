//! Swaps between columns: the removal of a jump, followed by the
//! optimisation of another column (the swaps of [FastSparse] for step functions).

use super::cost::PieceCost;
use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::predictions::Predictions;
use super::segment::CostSums;
use super::shape::Shape;
use crate::control::Control;

/// A function with a jump less, and the increase of the objective by the column's cost.
pub struct Removal {
    pub column: usize,
    pub shape: Shape,
    pub cost_increase: f64,
}

impl<R: Predictions> AdditiveState<R> {
    /// Tries the cheapest removals, each with a replacement; whether the objective fell.
    pub fn try_removals(
        &mut self,
        problem: &AdditiveProblem<'_>,
        lambda0: f64,
        effort: Effort,
        control: &Control,
    ) -> bool {
        let mut removals: Vec<Removal> =
            self.active_columns().flat_map(|j| self.list_removals(problem, j, lambda0)).collect();
        removals.sort_by(|a, b| a.cost_increase.total_cmp(&b.cost_increase));
        removals.truncate(effort.max_removals);
        let now = self.objective(lambda0);
        let min_gain = problem.min_gain(effort, now);
        for Removal { column, shape, .. } in removals {
            if control.should_stop() {
                return false;
            }
            let mut next = self.with_shapes(problem, vec![(column, shape)]);
            next.improve_after_removal(problem, column, lambda0, now - min_gain, effort);
            if next.objective(lambda0) < now - min_gain {
                *self = next;
                return true;
            }
        }
        false
    }

    /// Optimises the column with the largest predicted gain after a removal, if that gain suffices to get
    /// below `target`, and then the column of the removal.
    fn improve_after_removal(
        &mut self,
        problem: &AdditiveProblem<'_>,
        removed_column: usize,
        lambda0: f64,
        target: f64,
        effort: Effort,
    ) {
        let mut best = (f64::NEG_INFINITY, removed_column);
        let others: Vec<usize> = (0..self.shapes.len()).filter(|&k| k != removed_column).collect();
        for (&k, proposal) in others.iter().zip(self.propose_shapes(problem, &others, lambda0)) {
            if let Some((_, gain)) = proposal.filter(|(_, gain)| *gain > best.0) {
                best = (gain, k);
            }
        }
        if self.objective(lambda0) - best.0 < target && self.improve_column(problem, best.1, lambda0, effort)
        {
            self.improve_column(problem, removed_column, lambda0, effort);
        }
    }

    /// The functions of a column without one of its jumps.
    pub fn list_removals(&self, problem: &AdditiveProblem<'_>, j: usize, lambda0: f64) -> Vec<Removal> {
        Self::removals_of(problem, j, &self.shapes[j], &self.bin_sums(problem, j), lambda0)
    }

    /// A function of a column without one of its jumps, in each way.
    pub fn removals_of(
        problem: &AdditiveProblem<'_>,
        j: usize,
        shape: &Shape,
        sums: &[CostSums],
        lambda0: f64,
    ) -> Vec<Removal> {
        let pooled = shape.cost_sums(sums);
        let cost = R::cost();
        let evaluate = |s: CostSums, v: f64| cost.evaluate(s.a, s.b, v);
        let mut all: Vec<Removal> = Vec::new();
        for p in 1..shape.values.len() {
            let other = problem.columns[j].neighbour(shape, p);
            let mut both = pooled[other];
            both += pooled[p];
            let separate_cost =
                evaluate(pooled[other], shape.values[other]) + evaluate(pooled[p], shape.values[p]);
            let mut merged = shape.clone();
            merged.values[other] = cost.minimiser(both.a, both.b);
            merged.values.remove(p);
            for q in &mut merged.piece_of_bin {
                *q = if *q as usize == p { other as u16 } else { *q };
                *q -= u16::from(*q as usize > p);
            }
            let mut cost_increase = cost.minimum(both.a, both.b) - separate_cost - lambda0;
            if let Some(curved) = problem.columns[j].curved_pieces(&merged, 0.0) {
                merged.values = problem.columns[j].best_values(cost, &merged, sums, 0.0);
                let before: f64 = pooled.iter().zip(&shape.values).map(|(s, &v)| evaluate(*s, v)).sum();
                let after = curved.objective(cost, &merged.cost_sums(sums), &merged.values);
                cost_increase = after - before - lambda0;
            }
            if problem.columns[j].allows(&merged) {
                all.push(Removal { column: j, shape: merged, cost_increase });
            }
        }
        all
    }
}
