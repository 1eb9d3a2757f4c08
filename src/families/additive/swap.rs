//! Swaps between columns: the removal of a jump, followed by the
//! optimisation of another column (the swaps of [FastSparse] for step functions).

use super::cost::PieceCost;
use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::predictions::Predictions;
use super::segment::CostSums;
use super::shape::Shape;
use crate::control::Control;

/// Second-order expansions see at least this fraction of the gain of a column that takes the place of a good one: with
/// all of it, of rough copies of a column the worse one stayed in 6 % of cards, at up to 15 % of the objective.
const LEAST_SEEN: f64 = 0.5;
/// Maximum number of moves of that column, each with an expansion where the one before ended.
const MAX_MOVES: usize = 3;

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
            let next = self.with_shapes(problem, vec![(column, shape)]);
            if let Some(better) = next.replaced(problem, column, lambda0, now - min_gain, effort) {
                *self = better;
                return true;
            }
        }
        false
    }

    /// The model after a move of the other column with the largest gain, if its objective is then below `target`.
    fn replaced(
        &self,
        problem: &AdditiveProblem<'_>,
        removed_column: usize,
        lambda0: f64,
        target: f64,
        effort: Effort,
    ) -> Option<Self> {
        let others: Vec<usize> = (0..self.shapes.len()).filter(|&k| k != removed_column).collect();
        let proposals = others.iter().zip(self.propose_shapes(problem, &others, lambda0));
        let gains = proposals.filter_map(|(&k, proposal)| Some((k, proposal?.1)));
        let (best, gain) = gains.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let (seen, n_moves) = if R::IS_EXACT { (1.0, 1) } else { (LEAST_SEEN, MAX_MOVES) };
        if gain <= seen * (self.objective(lambda0) - target) {
            return None;
        }
        let mut next = self.clone();
        let is_better =
            (0..n_moves).take_while(|_| next.improve_column(problem, best, lambda0, effort)).count() > 0;
        if is_better {
            next.improve_column(problem, removed_column, lambda0, effort);
        }
        (next.objective(lambda0) < target).then_some(next)
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
        let (middle, sums) = Self::from_middle(shape, sums);
        let mut shape = shape.clone();
        shape.shift(-middle);
        let pooled = shape.cost_sums(&sums);
        let cost = R::cost();
        let evaluate = |s: CostSums, v: f64| cost.evaluate(s.a, s.b, v);
        let mut all: Vec<Removal> = Vec::new();
        for p in 1..shape.values.len() {
            let other = problem.columns[j].neighbour(&shape, p);
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
                merged.values = problem.columns[j].best_values(cost, &merged, &sums, 0.0);
                let before: f64 = pooled.iter().zip(&shape.values).map(|(s, &v)| evaluate(*s, v)).sum();
                let after = curved.objective(cost, &merged.cost_sums(&sums), &merged.values);
                cost_increase = after - before - lambda0;
            }
            merged.shift(middle);
            if problem.columns[j].allows(&merged) {
                all.push(Removal { column: j, shape: merged, cost_increase });
            }
        }
        all
    }
}
