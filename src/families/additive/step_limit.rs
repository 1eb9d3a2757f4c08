//! Models within a limit of jumps, of which a smaller lambda0 gives too many.

use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::predictions::Predictions;
use super::segment::CostSums;
use super::shape::Shape;
use super::swap::Removal;
use crate::control::Control;

/// The lambda0 at which a column has no more jumps than it may have is found to this factor.
const MAX_RATIO: f64 = 1.2;
/// At first the move after a removal gains at least this fraction of what the removal costs, or the exchange is given up;
/// then exchanges whose later moves bring more are tried too. All of them at once take 1.6 to 5 times as long.
const LEAST_OF_COST: [f64; 2] = [0.5, 0.0];

/// What a search within a limit of jumps looks for.
#[derive(Debug, Clone, Copy)]
pub struct StepLimit {
    /// Penalty on the number of jumps, at which models are compared.
    pub lambda0: f64,
    /// Maximum number of jumps.
    pub max_jumps: usize,
    /// A larger lambda0, at which a model has about as many.
    pub limiting_lambda0: f64,
}

/// A function of a column, and the decrease of the objective.
struct Move {
    column: usize,
    shape: Shape,
    gain: f64,
}

/// A column whose best function has too many jumps.
struct Excessive {
    column: usize,
    sums: Vec<CostSums>,
    shape: Shape,
    /// Maximum number of jumps.
    most: usize,
    /// An upper bound of the decrease of the objective by a function with at most as many.
    bound: f64,
}

impl<R: Predictions> AdditiveState<R> {
    /// Makes block moves and exchanges of jumps that keep to the limit until none lowers the objective.
    pub fn improve_within(
        &mut self,
        problem: &AdditiveProblem<'_>,
        limit: StepLimit,
        effort: Effort,
        control: &Control,
    ) {
        self.fill_up(problem, limit, effort, control);
        if effort.max_removals == 0 {
            return;
        }
        for least_of_cost in LEAST_OF_COST {
            while let Some(better) = self.exchange_jumps(problem, limit, least_of_cost, effort, control) {
                *self = better;
            }
        }
    }

    /// A better model after the removal of jumps of a column, a move of another column, and whatever is better then.
    fn exchange_jumps(
        &self,
        problem: &AdditiveProblem<'_>,
        limit: StepLimit,
        least_of_cost: f64,
        effort: Effort,
        control: &Control,
    ) -> Option<Self> {
        let now = self.objective(limit.lambda0);
        let target = now - problem.min_gain(effort, now);
        let mut removals: Vec<Removal> =
            self.active_columns().flat_map(|j| self.removals_and_end(problem, j, limit.lambda0)).collect();
        removals.sort_by(|a, b| a.cost_increase.total_cmp(&b.cost_increase));
        removals.into_iter().take_while(|_| !control.should_stop()).find_map(|removal| {
            let others: Vec<usize> = (0..problem.columns.len()).filter(|&k| k != removal.column).collect();
            let mut next = self.with_shapes(problem, vec![(removal.column, removal.shape)]);
            let least_gain = least_of_cost * (next.objective(limit.lambda0) - target);
            if next.move_best(problem, &others, limit, least_gain, effort) {
                next.fill_up(problem, limit, effort, control);
            }
            (next.objective(limit.lambda0) < target).then_some(next)
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

    /// Makes the best block moves that keep to the limit until none lowers the objective.
    fn fill_up(
        &mut self,
        problem: &AdditiveProblem<'_>,
        limit: StepLimit,
        effort: Effort,
        control: &Control,
    ) {
        let columns: Vec<usize> = (0..problem.columns.len()).collect();
        while !control.should_stop() && self.move_best(problem, &columns, limit, 0.0, effort) {}
    }

    /// Makes the best of the block moves of some columns that keep to the limit, if it gains more than `least_gain`;
    /// whether the objective fell.
    ///
    /// A column whose best function has too many jumps is searched only where a bound leaves it a chance.
    fn move_best(
        &mut self,
        problem: &AdditiveProblem<'_>,
        columns: &[usize],
        limit: StepLimit,
        least_gain: f64,
        effort: Effort,
    ) -> bool {
        let n_free = limit.max_jumps.saturating_sub(self.n_jumps());
        let proposals = problem.map_columns(columns, |j| {
            let most = self.shapes[j].n_jumps() + n_free;
            (most > 0 && self.may_have_jumps(problem, j)).then(|| {
                let sums = self.bin_sums(problem, j);
                let (shape, gain) = self.propose_shape_from(problem, j, &sums, limit.lambda0);
                Excessive { column: j, sums, shape, most, bound: gain }
            })
        });
        let (within, mut excessive): (Vec<_>, Vec<_>) =
            proposals.into_iter().flatten().partition(|found| found.shape.n_jumps() <= found.most);
        let moves = within.into_iter().map(|Excessive { column, shape, bound, .. }| Move {
            column,
            shape,
            gain: bound,
        });
        let mut best = moves.max_by(|a, b| a.gain.total_cmp(&b.gain));
        excessive.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        for one in excessive {
            let least = best.as_ref().map_or(least_gain, |best| best.gain.max(least_gain));
            best = self.propose_within(problem, one, limit, least).or(best);
        }
        let Some(Move { column, shape, gain }) = best.filter(|best| best.gain > least_gain) else {
            return false;
        };
        self.accept_shape(problem, column, (shape, gain), limit.lambda0, effort)
    }

    /// A good function of a column within its limit, if it gains more than `least`.
    ///
    /// It is the optimum at a larger lambda0, or that with too many jumps without the least of them. The optimum at each
    /// lambda0 that is tried bounds the gain of all functions within the limit (Lagrange's relaxation of the limit).
    fn propose_within(
        &self,
        problem: &AdditiveProblem<'_>,
        Excessive { column: j, sums, shape: mut more, most, bound }: Excessive,
        limit: StepLimit,
        least: f64,
    ) -> Option<Move> {
        if bound <= least {
            return None;
        }
        let lambda0 = limit.lambda0;
        let objective_of = |shape: &Shape| Self::column_objective(problem, shape, &sums, lambda0);
        let before = objective_of(&self.shapes[j]);
        // The optimum has no jump where each costs more than all of them gain.
        let mut fewer = Self::constant(problem, j, &sums);
        let mut beyond = objective_of(&fewer) - objective_of(&more) + lambda0 * (1.0 + more.n_jumps() as f64);
        let mut below = lambda0.max(beyond * f64::EPSILON);
        let mut middle = limit.limiting_lambda0;
        while beyond > MAX_RATIO * below {
            if middle <= below || middle >= beyond {
                middle = (below * beyond).sqrt();
            }
            let (shape, _) = self.propose_shape_from(problem, j, &sums, middle);
            let excess = shape.n_jumps() as f64 - most as f64;
            if before - objective_of(&shape) - (middle - lambda0) * excess <= least {
                return None;
            }
            let end = if excess > 0.0 { (&mut more, &mut below) } else { (&mut fewer, &mut beyond) };
            (*end.0, *end.1) = (shape, middle);
        }
        let pruned = Self::pruned(problem, j, more, &sums, lambda0, most);
        let shape = pruned.filter(|shape| objective_of(shape) < objective_of(&fewer)).unwrap_or(fewer);
        let gain = before - objective_of(&shape);
        (gain > least).then_some(Move { column: j, shape, gain })
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
