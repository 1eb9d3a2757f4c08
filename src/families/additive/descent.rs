//! Block coordinate descent: a block is the step function of one column.
//!
//! objective = loss + lambda0 * jumps + lambda2 * sum of squared jumps + ridge * sum of
//! ridge penalties. A move is made only if the objective falls, so the descent ends. With lambda2 = 0 a block is
//! minimised exactly with the squared loss, and with the exponential loss at the present intercept; with the
//! logistic loss its second-order expansion is.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::cells::Cells;
use super::cost::PieceCost;
use super::predictions::{BinChange, Predictions};
use super::segment::{CostSums, SegmentationParams};
use super::shape::{BinnedColumn, Shape};
use crate::threads;

/// Tolerance and limits of the search at one lambda0.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Smallest gain that counts, relative to the objective.
    pub tolerance: f64,
    /// Maximum number of joint Newton steps after a sweep.
    pub max_joint_steps: usize,
    /// Maximum number of removals tried, cheapest first.
    pub max_removals: usize,
}

/// Maximum number of Newton steps on the values of a column after a block move that overshot.
const MAX_CORRECTIONS: usize = 3;

/// Number of cells above which the proposals for several columns are computed at the same time: below it
/// waking a thread takes as long as a proposal, some tens of microseconds.
const MIN_PARALLEL_CELLS: usize = 4_096;

/// The problem of one response.
#[derive(Debug, Clone)]
pub struct AdditiveProblem<'a> {
    /// The training rows.
    pub cells: &'a Cells,
    /// The columns.
    pub columns: &'a [BinnedColumn],
    /// Penalty on squared jumps.
    pub lambda2: f64,
    /// Penalty on squared values, for a row of weight 1.
    pub ridge: f64,
    /// Minimum weight of a piece.
    pub min_weight: f64,
    /// Maximum number of columns with jumps.
    pub max_columns: usize,
    /// The columns that may have jumps, if others may not.
    pub allowed: Option<Vec<usize>>,
    /// Objective below which gains are measured relative to this value: with separable classes the
    /// objective approaches 0.
    pub objective_floor: f64,
}

impl AdditiveProblem<'_> {
    /// Smallest decrease of the objective that counts.
    pub fn min_gain(&self, effort: Effort, objective: f64) -> f64 {
        effort.tolerance * objective.abs().max(self.objective_floor)
    }

    /// A function of each of some columns, at the same time where that pays.
    pub fn map_columns<T: Send>(&self, columns: &[usize], of: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let is_parallel = self.n_parallel_columns() > 1;
        if is_parallel { threads::map(columns, |&j| of(j)) } else { columns.iter().map(|&j| of(j)).collect() }
    }

    /// Number of columns whose proposals are computed at the same time.
    pub fn n_parallel_columns(&self) -> usize {
        if self.cells.len() < MIN_PARALLEL_CELLS { 1 } else { threads::count() }
    }
}

/// A model with the predictions of all cells.
#[derive(Debug, Clone)]
pub struct AdditiveState<R> {
    /// Intercept.
    pub intercept: f64,
    /// The step function of each column, centred; shared with the states before, since a move changes few of many.
    pub shapes: Vec<Arc<Shape>>,
    /// Columns with jumps.
    active: BTreeSet<usize>,
    /// Predictions of all cells.
    pub predictions: R,
    /// Loss plus penalties without lambda0 * jumps.
    pub smooth_value: f64,
}

impl<R: Predictions> AdditiveState<R> {
    /// The model with the optimal constant.
    pub fn new(problem: &AdditiveProblem<'_>) -> Self {
        Self::of_constant(problem, R::new(problem.cells))
    }

    fn of_constant(problem: &AdditiveProblem<'_>, (intercept, predictions): (f64, R)) -> Self {
        let shapes = problem.columns.iter().map(|a| Arc::new(Shape::zero(a.n_bins))).collect();
        let smooth_value = predictions.loss(problem.cells);
        Self { intercept, shapes, active: BTreeSet::new(), predictions, smooth_value }
    }

    /// The model with the given intercept and functions.
    pub fn from_parts(problem: &AdditiveProblem<'_>, intercept: f64, shapes: &[Arc<Shape>]) -> Self {
        Self::new(problem).moved_to(problem, intercept, shapes)
    }

    /// The same, whose loss has all its digits.
    pub fn exactly_from_parts(problem: &AdditiveProblem<'_>, intercept: f64, shapes: &[Arc<Shape>]) -> Self {
        Self::of_constant(problem, R::new_by_cell(problem.cells)).moved_to(problem, intercept, shapes)
    }

    /// A constant model with the given intercept and functions.
    fn moved_to(self, problem: &AdditiveProblem<'_>, intercept: f64, shapes: &[Arc<Shape>]) -> Self {
        let mut state = self;
        let mut changes = vec![BinChange::shift(intercept - state.intercept)];
        for (j, shape) in shapes.iter().enumerate().filter(|(_, s)| s.n_jumps() > 0) {
            let by_bin = (0..shape.piece_of_bin.len()).map(|b| shape.value_in(b)).collect();
            changes.push(BinChange { column: Some(j), by_bin });
        }
        state.predictions.apply(problem.cells, &changes);
        state.intercept = intercept;
        state.shapes = shapes.to_vec();
        state.active = (0..shapes.len()).filter(|&j| shapes[j].n_jumps() > 0).collect();
        state.update_smooth_value(problem);
        state
    }

    /// Recomputes the objective without lambda0 * jumps.
    fn update_smooth_value(&mut self, problem: &AdditiveProblem<'_>) {
        let penalty = |j: usize| Self::penalty(problem, j, &self.shapes[j]);
        self.smooth_value =
            self.predictions.loss(problem.cells) + self.active_columns().map(penalty).sum::<f64>();
    }

    /// Jumps of all columns.
    pub fn n_jumps(&self) -> usize {
        self.active_columns().map(|j| self.shapes[j].n_jumps()).sum()
    }

    /// Columns with jumps.
    pub fn active_columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.active.iter().copied()
    }

    /// The objective.
    pub fn objective(&self, lambda0: f64) -> f64 {
        self.smooth_value + lambda0 * self.n_jumps() as f64
    }

    /// Penalties of one column without lambda0 * jumps.
    fn penalty(problem: &AdditiveProblem<'_>, column: usize, shape: &Shape) -> f64 {
        let ridge = if problem.ridge > 0.0 {
            R::ridge_penalty(shape, &problem.columns[column].bin_weights)
        } else {
            0.0
        };
        problem.lambda2 * shape.squared_jumps() + problem.ridge * ridge
    }

    /// The state with other functions for some columns; their centres are added to the intercept.
    pub fn with_shapes(&self, problem: &AdditiveProblem<'_>, changes: Vec<(usize, Shape)>) -> Self {
        let mut next = self.clone();
        let changes_by_column: Vec<_> = changes
            .iter()
            .map(|(j, shape)| {
                let by_bin = (0..shape.piece_of_bin.len())
                    .map(|b| shape.value_in(b) - self.shapes[*j].value_in(b))
                    .collect();
                BinChange { column: Some(*j), by_bin }
            })
            .collect();
        next.predictions.apply(problem.cells, &changes_by_column);
        for (j, mut shape) in changes {
            let centre = R::centre(&shape, &problem.columns[j].bin_weights);
            shape.shift(-centre);
            next.intercept += centre;
            if shape.n_jumps() == 0 {
                shape = Shape::zero(shape.piece_of_bin.len());
                next.active.remove(&j);
            } else {
                next.active.insert(j);
            }
            next.shapes[j] = Arc::new(shape);
        }
        next.update_smooth_value(problem);
        next
    }

    /// Cost sums of the bins of a column.
    pub fn bin_sums(&self, problem: &AdditiveProblem<'_>, j: usize) -> Vec<CostSums> {
        let weights = &problem.columns[j].bin_weights;
        self.predictions.bin_sums(problem.cells, j, &self.shapes[j], weights, problem.ridge)
    }

    /// Whether a column has jumps, or one more column may have some.
    pub fn may_have_jumps(&self, problem: &AdditiveProblem<'_>, j: usize) -> bool {
        let is_allowed = problem.allowed.as_ref().is_none_or(|allowed| allowed.contains(&j));
        is_allowed && (self.active.len() < problem.max_columns || self.shapes[j].n_jumps() > 0)
    }

    /// The optimal function of a column and the decrease of the objective, both by the column's cost.
    ///
    /// lambda2 couples neighbouring pieces, which the segmentation cannot represent. It is tried without a penalty
    /// and with a ridge for each piece in its place, the values are optimised under lambda2 afterwards, and the better
    /// function is taken.
    pub fn propose_shape(&self, problem: &AdditiveProblem<'_>, j: usize, lambda0: f64) -> (Shape, f64) {
        self.propose_shape_from(problem, j, &self.bin_sums(problem, j), lambda0)
    }

    /// The same from the cost sums of the column.
    pub fn propose_shape_from(
        &self,
        problem: &AdditiveProblem<'_>,
        j: usize,
        sums: &[CostSums],
        lambda0: f64,
    ) -> (Shape, f64) {
        if self.shapes[j].n_jumps() == 0
            && let Some(constant) = problem.columns[j].constant_if_best(R::cost(), sums, lambda0)
        {
            return constant;
        }
        let lambda2 = problem.lambda2;
        let objective_of = |shape: &Shape| Self::column_objective(problem, shape, sums, lambda0);
        let before = objective_of(&self.shapes[j]);
        let (middle, from_middle) = Self::from_middle(&self.shapes[j], sums);
        let propose = |piece_penalty: CostSums| {
            let params = SegmentationParams {
                lambda0,
                min_weight: problem.min_weight,
                can_share_missing: true,
                piece_penalty,
            };
            let (mut shape, _) = problem.columns[j].best_shape(R::cost(), &from_middle, params);
            if lambda2 > 0.0 {
                shape.values = problem.columns[j].best_values(R::cost(), &shape, &from_middle, lambda2);
            }
            shape.shift(middle);
            let gain = before - objective_of(&shape);
            (shape, gain)
        };
        let plain = propose(CostSums::default());
        if lambda2 <= 0.0 {
            return plain;
        }
        // Two pieces at -v and v have a squared jump of 4 v^2, which is 2 v^2 for each.
        let (a, b) = R::cost().ridge_sums(2.0 * lambda2);
        let shrunk = propose(R::sums_from(middle, CostSums { a, b, weight: 0.0 }));
        if shrunk.1 > plain.1 { shrunk } else { plain }
    }

    /// The middle of the values of a column, and its cost sums for values that are measured from there: the limits of a
    /// classifier's values then leave those of a light piece at one end as much space as the others.
    pub fn from_middle<'s>(shape: &Shape, sums: &'s [CostSums]) -> (f64, Cow<'s, [CostSums]>) {
        let middle = shape.middle();
        if !R::IS_BOUNDED || middle == 0.0 {
            return (0.0, Cow::Borrowed(sums));
        }
        (middle, sums.iter().map(|&bin| R::sums_from(middle, bin)).collect())
    }

    /// The objective of a function of a column, by the column's cost, up to a constant.
    pub fn column_objective(
        problem: &AdditiveProblem<'_>,
        shape: &Shape,
        sums: &[CostSums],
        lambda0: f64,
    ) -> f64 {
        let pieces = shape.cost_sums(sums);
        let costs = pieces.iter().zip(&shape.values).map(|(s, &v)| R::cost().evaluate(s.a, s.b, v));
        costs.sum::<f64>() + lambda0 * shape.n_jumps() as f64 + problem.lambda2 * shape.squared_jumps()
    }

    /// The optimal function of each of some columns and the decrease of the objective, for all of them from the
    /// present state; `None` for a column that may not have jumps.
    pub fn propose_shapes(
        &self,
        problem: &AdditiveProblem<'_>,
        columns: &[usize],
        lambda0: f64,
    ) -> Vec<Option<(Shape, f64)>> {
        problem.map_columns(columns, |j| {
            self.may_have_jumps(problem, j).then(|| self.propose_shape(problem, j, lambda0))
        })
    }

    /// Optimises one column; whether the objective fell.
    pub fn improve_column(
        &mut self,
        problem: &AdditiveProblem<'_>,
        j: usize,
        lambda0: f64,
        effort: Effort,
    ) -> bool {
        let proposal = self.propose_shapes(problem, &[j], lambda0).pop().flatten();
        proposal.is_some_and(|proposal| self.accept_shape(problem, j, proposal, lambda0, effort))
    }

    /// Takes a proposed function of a column if the objective falls; whether it did.
    pub fn accept_shape(
        &mut self,
        problem: &AdditiveProblem<'_>,
        j: usize,
        (shape, gain): (Shape, f64),
        lambda0: f64,
        effort: Effort,
    ) -> bool {
        let now = self.objective(lambda0);
        let min_gain = problem.min_gain(effort, now);
        if gain.is_nan() || gain <= min_gain {
            return false;
        }
        let mut next = self.with_shapes(problem, vec![(j, shape)]);
        for _ in 0..MAX_CORRECTIONS {
            if R::IS_EXACT || next.objective(lambda0) < now - min_gain {
                break;
            }
            let corrected = next.newton_values(problem, j);
            next = next.with_shapes(problem, vec![(j, corrected)]);
        }
        let has_fallen =
            next.objective(lambda0) < now - min_gain && problem.columns[j].allows(&next.shapes[j]);
        if has_fallen {
            *self = next;
        }
        has_fallen
    }

    /// A Newton step on the values of a column's pieces.
    fn newton_values(&self, problem: &AdditiveProblem<'_>, j: usize) -> Shape {
        let mut shape = self.shapes[j].as_ref().clone();
        let sums = self.bin_sums(problem, j);
        let (middle, sums) = Self::from_middle(&shape, &sums);
        shape.values = problem.columns[j].best_values(R::cost(), &shape, &sums, 0.0);
        shape.shift(middle);
        shape
    }
}
