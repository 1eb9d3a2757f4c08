//! Exchanges of whole columns, where a model may have no more columns than it has.
//!
//! A jump that is removed makes room for another column only if it was the last of its own. Of cards of 1 to 3 of 6 to
//! 8 columns two thirds were worse than with another set of columns before, by 4 % of the objective on average. With
//! exchanges that begin at the functions of the columns that stay a quarter was, by .6 % and up to 13 %, half of them
//! with the best set of columns but worse functions. With a path of its own for each set an eighth is, by .2 % and up to
//! 5 %, in 1.4 times the time (benches/record/2026-11-28-card-limits.md).

use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::optimise::{BLOCK_MOVES, sweep_columns};
use super::path::{column_lambda0_max, intermediate_lambdas};
use super::predictions::Predictions;
use super::shape::Shape;
use crate::control::Control;

impl<R: Predictions> AdditiveState<R> {
    /// Tries its own columns from the empty model, and in the place of each the other of the largest gain, if the model
    /// has as many as it may have; whether the objective fell.
    pub fn try_exchanges(
        &mut self,
        problem: &AdditiveProblem<'_>,
        lambda0: f64,
        effort: Effort,
        control: &Control,
    ) -> bool {
        let used: Vec<usize> = self.active_columns().collect();
        if effort.max_removals == 0 || used.len() < problem.max_columns {
            return false;
        }
        let others: Vec<usize> = (0..problem.columns.len()).filter(|j| !used.contains(j)).collect();
        let now = self.objective(lambda0);
        let target = now - problem.min_gain(effort, now);
        let this = self.clone();
        let mut take = |next: Self| {
            let is_better = next.objective(lambda0) < target && !control.should_stop();
            if is_better {
                *self = next;
            }
            is_better
        };
        if take(Self::of_columns(problem, used.clone(), lambda0, control)) {
            return true;
        }
        for &j in &used {
            let without = this.with_shapes(problem, vec![(j, Shape::zero(problem.columns[j].n_bins))]);
            let proposals = without.propose_shapes(problem, &others, lambda0);
            let replacements = others.iter().zip(proposals).filter_map(|(&k, proposal)| Some((k, proposal?)));
            let Some((k, proposal)) = replacements.max_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b)) else {
                continue;
            };
            if control.should_stop() {
                return false;
            }
            let mut next = without;
            if next.accept_shape(problem, k, proposal, lambda0, BLOCK_MOVES) {
                sweep_columns(&mut next, problem, lambda0, BLOCK_MOVES, control);
            }
            if take(next) {
                return true;
            }
            let columns = used.iter().copied().filter(|&own| own != j).chain([k]).collect();
            if take(Self::of_columns(problem, columns, lambda0, control)) {
                return true;
            }
        }
        false
    }

    /// The model of some columns, found on a path from the empty one.
    fn of_columns(
        problem: &AdditiveProblem<'_>,
        columns: Vec<usize>,
        lambda0: f64,
        control: &Control,
    ) -> Self {
        let mut state = Self::new(problem);
        let largest =
            columns.iter().map(|&j| column_lambda0_max(&state, problem, j, 0.0)).fold(lambda0, f64::max);
        let alone = AdditiveProblem { allowed: Some(columns), ..problem.clone() };
        for lambda0 in intermediate_lambdas(largest, lambda0).chain([lambda0]) {
            sweep_columns(&mut state, &alone, lambda0, BLOCK_MOVES, control);
        }
        state
    }
}
