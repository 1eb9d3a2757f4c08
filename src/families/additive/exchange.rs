//! Exchanges of whole columns, where a model may have no more columns than it has.
//!
//! A jump that is removed makes room for another column only if it was the last of its own. Of cards of 1 to 3 of 6 to
//! 8 columns two thirds were worse than with another set of columns before, by 4 % of the objective on average, and a
//! quarter with exchanges, by .7 % (benches/record/2026-11-27-card-limits.md); the three best replacements of each column
//! in place of one do not change that.

use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::optimise::{BLOCK_MOVES, sweep_columns};
use super::predictions::Predictions;
use super::shape::Shape;
use crate::control::Control;

impl<R: Predictions> AdditiveState<R> {
    /// Tries in the place of each column the other of the largest gain, if the model has as many as it may have; whether
    /// the objective fell.
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
        for j in used {
            let without = self.with_shapes(problem, vec![(j, Shape::zero(problem.columns[j].n_bins))]);
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
            if next.objective(lambda0) < target {
                *self = next;
                return true;
            }
        }
        false
    }
}
