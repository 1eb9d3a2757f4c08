//! Models within a limit of jumps, of which a smaller lambda0 gives too many.

use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::predictions::Predictions;
use super::segment::CostSums;
use super::shape::Shape;
use super::swap::Removal;
use crate::control::Control;

/// The lambda0 at which a column has no more jumps than it may have is found to this factor.
const MAX_RATIO: f64 = 1.2;

impl<R: Predictions> AdditiveState<R> {
    /// Makes block moves and exchanges of jumps that keep to `max_jumps` until none lowers the objective.
    pub fn improve_within(
        &mut self,
        problem: &AdditiveProblem<'_>,
        lambda0: f64,
        max_jumps: usize,
        effort: Effort,
        control: &Control,
    ) {
        let columns: Vec<usize> = (0..problem.columns.len()).collect();
        self.fill_up(problem, &columns, lambda0, max_jumps, effort, control);
        if effort.max_removals == 0 {
            return;
        }
        while let Some(better) = self.exchange_jumps(problem, lambda0, max_jumps, effort, control) {
            *self = better;
        }
    }

    /// A better model after the removal of jumps of a column, a move of another column, and whatever is better then.
    fn exchange_jumps(
        &self,
        problem: &AdditiveProblem<'_>,
        lambda0: f64,
        max_jumps: usize,
        effort: Effort,
        control: &Control,
    ) -> Option<Self> {
        let columns: Vec<usize> = (0..problem.columns.len()).collect();
        let now = self.objective(lambda0);
        let target = now - problem.min_gain(effort, now);
        let mut removals: Vec<Removal> =
            self.active_columns().flat_map(|j| self.removals_and_end(problem, j, lambda0)).collect();
        removals.sort_by(|a, b| a.cost_increase.total_cmp(&b.cost_increase));
        removals.into_iter().take_while(|_| !control.should_stop()).find_map(|removal| {
            let others: Vec<usize> = columns.iter().copied().filter(|&k| k != removal.column).collect();
            let mut next = self.with_shapes(problem, vec![(removal.column, removal.shape)]);
            if next.move_best(problem, &others, lambda0, max_jumps, effort) {
                next.fill_up(problem, &columns, lambda0, max_jumps, effort, control);
            }
            (next.objective(lambda0) < target).then_some(next)
        })
    }

    /// The functions of a column without one of its jumps, and without any.
    fn removals_and_end(&self, problem: &AdditiveProblem<'_>, j: usize, lambda0: f64) -> Vec<Removal> {
        let mut removals = self.list_removals(problem, j, lambda0);
        if self.shapes[j].n_jumps() > 1 {
            let sums = self.bin_sums(problem, j);
            let shape = Self::constant(problem, j, &sums);
            let of = |shape: &Shape| Self::column_objective(problem, shape, &sums, lambda0);
            let cost_increase = of(&shape) - of(&self.shapes[j]);
            removals.push(Removal { column: j, shape, cost_increase });
        }
        removals
    }

    /// Makes the best block moves that keep to `max_jumps` until none lowers the objective.
    fn fill_up(
        &mut self,
        problem: &AdditiveProblem<'_>,
        columns: &[usize],
        lambda0: f64,
        max_jumps: usize,
        effort: Effort,
        control: &Control,
    ) {
        while !control.should_stop() && self.move_best(problem, columns, lambda0, max_jumps, effort) {}
    }

    /// Makes the best of the block moves of some columns that keep to `max_jumps`; whether the objective fell.
    fn move_best(
        &mut self,
        problem: &AdditiveProblem<'_>,
        columns: &[usize],
        lambda0: f64,
        max_jumps: usize,
        effort: Effort,
    ) -> bool {
        let n_free = max_jumps.saturating_sub(self.n_jumps());
        let proposals = problem.map_columns(columns, |j| {
            let most = self.shapes[j].n_jumps() + n_free;
            let is_allowed = most > 0 && self.may_have_jumps(problem, j);
            is_allowed.then(|| (j, self.propose_within(problem, j, lambda0, most)))
        });
        let best = proposals.into_iter().flatten().max_by(|(_, (_, p)), (_, (_, q))| p.total_cmp(q));
        best.is_some_and(|(j, proposal)| self.accept_shape(problem, j, proposal, lambda0, effort))
    }

    /// A good function of a column with at most `max_jumps` jumps, and the decrease of the objective.
    ///
    /// It is the optimum at a larger lambda0, or that with too many jumps without the least of them.
    fn propose_within(
        &self,
        problem: &AdditiveProblem<'_>,
        j: usize,
        lambda0: f64,
        max_jumps: usize,
    ) -> (Shape, f64) {
        let sums = self.bin_sums(problem, j);
        let objective_of = |shape: &Shape| Self::column_objective(problem, shape, &sums, lambda0);
        let (mut more, gain) = self.propose_shape_from(problem, j, &sums, lambda0);
        if more.n_jumps() <= max_jumps {
            return (more, gain);
        }
        let before = objective_of(&self.shapes[j]);
        // The optimum has no jump where each costs more than all of them gain.
        let mut fewer = Self::constant(problem, j, &sums);
        let mut beyond = objective_of(&fewer) - objective_of(&more) + lambda0 * (1.0 + more.n_jumps() as f64);
        let mut below = lambda0.max(beyond * f64::EPSILON);
        while beyond > MAX_RATIO * below {
            let middle = (below * beyond).sqrt();
            let (shape, _) = self.propose_shape_from(problem, j, &sums, middle);
            if shape.n_jumps() > max_jumps {
                (more, below) = (shape, middle);
            } else {
                (fewer, beyond) = (shape, middle);
            }
        }
        let pruned = Self::pruned(problem, j, more, &sums, lambda0, max_jumps);
        let best = pruned.filter(|shape| objective_of(shape) < objective_of(&fewer)).unwrap_or(fewer);
        let gain = before - objective_of(&best);
        (best, gain)
    }

    /// The best constant of a column.
    fn constant(problem: &AdditiveProblem<'_>, j: usize, sums: &[CostSums]) -> Shape {
        let mut shape = Shape::zero(problem.columns[j].n_bins);
        shape.values = problem.columns[j].best_values(R::cost(), &shape, sums, 0.0);
        shape
    }

    /// A function without its least jumps, so that `max_jumps` are left.
    fn pruned(
        problem: &AdditiveProblem<'_>,
        j: usize,
        mut shape: Shape,
        sums: &[CostSums],
        lambda0: f64,
        max_jumps: usize,
    ) -> Option<Shape> {
        while shape.n_jumps() > max_jumps {
            let removals = Self::removals_of(problem, j, &shape, sums, lambda0);
            let least = removals.into_iter().min_by(|a, b| a.cost_increase.total_cmp(&b.cost_increase));
            shape = least?.shape;
        }
        Some(shape)
    }
}
