//! A path of models for falling lambda0, each started from the one before.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::backward::SecondPass;
use super::bound::LowerBound;
use super::cells::Cells;
use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::optimise::{BLOCK_MOVES, optimise, optimise_values};
use super::params::{Strength, ValidParams};
use super::predictions::{CellLoss, Predictions};
use super::recorded::RecordedPoint;
use super::shape::{BinnedColumn, Shape};
use crate::control::Control;
use crate::families::l0::Lambda0;
use crate::loss::Task;
use crate::threads;

/// Intermediate values of lambda0 in each decade above the first requested one.
const WARM_UP_POINTS_PER_DECADE: f64 = 2.0;
/// Number of points of an automatic path.
const N_GRID_POINTS: usize = 40;
/// Smallest lambda0 of an automatic path relative to the first (`eps` of scikit-learn's paths).
const MIN_LAMBDA0_RATIO: f64 = 1e-3;

/// Distance of the empty model from the lambda0 at which another one is as good, relative to it.
pub const LAMBDA0_MARGIN: f64 = 1e-6;
/// A limit of jumps is found to this factor in lambda0: six halvings of the half decade between two coarse points.
const MAX_LIMIT_RATIO: f64 = 1.02;
/// Columns of the largest lambda0 between two looks at the clock; the largest of those before makes the others short.
const COLUMNS_AT_A_TIME: usize = 64;

/// Mean loss below which gains are no longer measured relative to the objective: the classes are
/// separated, and the objective approaches 0.
const SEPARATED_MEAN_LOSS: f64 = 1e-6;

/// One model of a path.
#[derive(Debug, Clone)]
pub struct PathPoint {
    /// Penalty on the number of jumps.
    pub lambda0: f64,
    /// Penalties on sizes.
    pub strength: Strength,
    /// Intercept.
    pub intercept: f64,
    /// The step function of each column.
    pub shapes: Vec<Arc<Shape>>,
    /// Loss plus penalties.
    pub objective: f64,
    /// Sum of the losses.
    pub loss: f64,
    /// Objective of the best constant.
    pub null_objective: f64,
    /// Whether the search converged before any limit.
    pub complete: bool,
    /// A lower bound on the objective of every model, where one was computed.
    pub bound: Option<LowerBound>,
}

impl PathPoint {
    /// Number of jumps of all columns.
    pub fn n_jumps(&self) -> usize {
        self.shapes.iter().map(|shape| shape.n_jumps()).sum()
    }
}

/// Builds the problem of one response.
pub fn build_problem<'a>(
    cells: &'a Cells,
    columns: &'a [BinnedColumn],
    params: &ValidParams,
    Strength { lambda2, ridge }: Strength,
) -> AdditiveProblem<'a> {
    let classes = params.loss.task() == Task::Classification;
    AdditiveProblem {
        cells,
        columns,
        lambda2,
        ridge,
        min_weight: params.min_bin_weight,
        max_columns: params.max_columns.unwrap_or(usize::MAX),
        allowed: None,
        objective_floor: if classes { SEPARATED_MEAN_LOSS * cells.weight.iter().sum::<f64>() } else { 0.0 },
    }
}

/// The smallest lambda0 at which no block move adds a jump to the empty model; for the logistic loss by
/// the second-order expansion. After the time limit that of the first columns.
pub fn lambda0_max<L: CellLoss>(_: L, problem: &AdditiveProblem<'_>, control: &Control) -> f64 {
    let empty = AdditiveState::<L::Predictions>::new(problem);
    let (n_columns, mut max_lambda0) = (problem.columns.len(), 0.0);
    for begin in (0..n_columns).step_by(COLUMNS_AT_A_TIME).take_while(|_| !control.should_stop()) {
        let of_columns = threads::map_range(COLUMNS_AT_A_TIME.min(n_columns - begin), 1, |k| {
            column_lambda0_max(&empty, problem, begin + k, max_lambda0)
        });
        max_lambda0 = of_columns.into_iter().fold(max_lambda0, f64::max);
    }
    max_lambda0
}

/// The smallest lambda0, at least `max_lambda0`, at which the block move of one column adds no jump to the empty model.
pub fn column_lambda0_max<R: Predictions>(
    empty: &AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    j: usize,
    mut max_lambda0: f64,
) -> f64 {
    let sums = empty.bin_sums(problem, j);
    // At a lambda0 below the result the gain for each jump exceeds lambda0: the sequence increases,
    // and it ends because a step function has finitely many pieces.
    loop {
        let (shape, gain) = empty.propose_shape_from(problem, j, &sums, max_lambda0);
        let rate = max_lambda0 + gain / shape.n_jumps().max(1) as f64;
        if shape.n_jumps() == 0 || rate <= max_lambda0 * (1.0 + 1e-9) {
            return max_lambda0;
        }
        max_lambda0 = rate;
    }
}

/// The automatic grid: evenly spaced on a logarithmic scale, from just above `max_lambda0`.
pub fn lambda0_grid(max_lambda0: f64) -> Vec<f64> {
    let max_lambda0 = if max_lambda0 > 0.0 { max_lambda0 * (1.0 + LAMBDA0_MARGIN) } else { 1.0 };
    (0..N_GRID_POINTS)
        .map(|k| max_lambda0 * MIN_LAMBDA0_RATIO.powf(k as f64 / (N_GRID_POINTS - 1) as f64))
        .collect()
}

/// Where a walk is with respect to the empty model of an automatic path.
#[derive(Debug, Clone, Copy, PartialEq)]
enum EmptyPoint {
    None,
    Next,
    Passed,
}

/// How far a path has come.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Stage {
    /// Its models are within the limit of jumps.
    Free,
    /// Its models would have more jumps without the limit, and have fewer.
    Limited,
    /// Its last model has as many as it may: smaller values of lambda0 change nothing.
    Settled,
    /// The time is over.
    Interrupted,
}

/// A path that is solved one lambda0 at a time, in falling order, after a coarse path from the empty model.
///
/// An automatic path begins with the empty model itself: where no block move adds a jump to it, a model of
/// many jumps may be better. The second pass moves that point to a lambda0 at which it finds none.
///
/// Where a model would have more than `max_steps` jumps, the point is the best one found with at most as many, with a
/// lambda0 of its own. The path ends with a model of `max_steps` jumps, where smaller values of lambda0 give more.
pub struct PathWalk<'a, L: CellLoss> {
    loss: L,
    problem: AdditiveProblem<'a>,
    effort: Effort,
    /// That at the limit of jumps.
    limited_effort: Effort,
    max_steps: usize,
    state: AdditiveState<L::Predictions>,
    previous_lambda0: Option<f64>,
    empty: EmptyPoint,
    has_point: bool,
    stage: Stage,
}

impl<'a, L: CellLoss> PathWalk<'a, L> {
    /// A walk that begins at the empty model.
    pub fn new(loss: L, problem: AdditiveProblem<'a>, params: &ValidParams) -> Self {
        let effort = Effort {
            tolerance: 1e-7,
            max_joint_steps: 2,
            max_removals: params.max_swaps.unwrap_or(usize::MAX),
        };
        let empty = if params.lambda0 == Lambda0::Auto { EmptyPoint::Next } else { EmptyPoint::None };
        Self {
            loss,
            effort,
            limited_effort: effort,
            max_steps: params.max_steps.unwrap_or(usize::MAX),
            state: AdditiveState::new(&problem),
            problem,
            previous_lambda0: None,
            empty,
            has_point: false,
            stage: Stage::Free,
        }
    }

    /// The same without swaps of jumps or columns but at the limit of jumps.
    #[must_use]
    pub fn without_swaps(mut self) -> Self {
        self.effort.max_removals = 0;
        self
    }

    /// The point at `lambda0`, smaller than those before; `None` after the end of the path.
    pub fn next_point(&mut self, lambda0: f64, control: &Control) -> Option<PathPoint> {
        if matches!(self.stage, Stage::Settled | Stage::Interrupted) {
            return None;
        }
        if self.empty == EmptyPoint::Next {
            self.empty = EmptyPoint::Passed;
            return Some(self.empty_point(lambda0));
        }
        let step = ("point", &[lambda0.to_bits()][..]);
        if let Some((point, stage)) = control.recalled::<(Option<RecordedPoint>, Stage)>(step) {
            self.stage = stage;
            return point.map(|point| self.go_to(point));
        }
        let point = self.solve_next(lambda0, control);
        if !control.should_stop() {
            control.record(step, || (point.as_ref().map(RecordedPoint::new), self.stage));
        }
        point
    }

    /// Whether the last point is the model at all smaller values of lambda0 too.
    pub fn is_settled(&self) -> bool {
        self.stage == Stage::Settled
    }

    /// The model without steps.
    fn empty_point(&self, lambda0: f64) -> PathPoint {
        to_point(&AdditiveState::<L::Predictions>::new(&self.problem), &self.problem, lambda0, true)
    }

    /// Goes on from a point.
    fn go_to(&mut self, point: RecordedPoint) -> PathPoint {
        let point = point.point(&self.problem, self.state.shapes.clone());
        self.state = AdditiveState::from_parts(&self.problem, point.intercept, &point.shapes);
        (self.previous_lambda0, self.has_point) = (Some(point.lambda0), true);
        point
    }

    fn solve_next(&mut self, lambda0: f64, control: &Control) -> Option<PathPoint> {
        if self.stage == Stage::Limited {
            return Some(self.limited_point(lambda0, lambda0, control));
        }
        if self.previous_lambda0.is_none() {
            let max_lambda0 = lambda0_max(self.loss, &self.problem, control);
            self.previous_lambda0 = Some(max_lambda0.max(lambda0));
            for coarse in intermediate_lambdas(max_lambda0, lambda0) {
                if !self.advance(coarse, BLOCK_MOVES, control) {
                    return Some(self.first_limited_point(lambda0, coarse, control));
                }
                if control.should_stop() {
                    return Some(self.interrupted_point(lambda0));
                }
            }
        }
        if !self.advance(lambda0, self.effort, control) {
            if self.has_point && self.state.n_jumps() == self.max_steps {
                self.stage = Stage::Settled;
                return None;
            }
            return Some(self.first_limited_point(lambda0, lambda0, control));
        }
        if control.should_stop() {
            return Some(self.interrupted_point(lambda0));
        }
        optimise_values(&mut self.state, &self.problem, lambda0, control);
        self.has_point = true;
        Some(self.point(lambda0, true))
    }

    /// Solves at `lambda0`; whether the model is within the limit of jumps.
    fn advance(&mut self, lambda0: f64, effort: Effort, control: &Control) -> bool {
        let mut next = self.state.clone();
        optimise(&mut next, &self.problem, lambda0, effort, control);
        if next.n_jumps() > self.max_steps {
            return false;
        }
        (self.state, self.previous_lambda0) = (next, Some(lambda0));
        true
    }

    /// The first point at which the limit of jumps holds; at `beyond` they are more.
    fn first_limited_point(&mut self, asked: f64, mut beyond: f64, control: &Control) -> PathPoint {
        let mut lambda0 = self.previous_lambda0.unwrap_or(beyond);
        while lambda0 > MAX_LIMIT_RATIO * beyond && !control.should_stop() {
            let middle = (lambda0 * beyond).sqrt();
            let end = if self.advance(middle, BLOCK_MOVES, control) { &mut lambda0 } else { &mut beyond };
            *end = middle;
        }
        // Several jumps may come at once.
        if self.state.n_jumps() < self.max_steps {
            lambda0 = beyond;
        }
        self.limited_point(asked, lambda0, control)
    }

    /// The best model found within the limit of jumps, as the point at `lambda0`. It is improved at the lambda0 that was
    /// `asked` for: at its own one more jump may cost more than it gains.
    fn limited_point(&mut self, asked: f64, lambda0: f64, control: &Control) -> PathPoint {
        self.state.improve_within(&self.problem, asked, self.max_steps, self.limited_effort, control);
        optimise_values(&mut self.state, &self.problem, lambda0, control);
        let is_full = self.state.n_jumps() == self.max_steps;
        self.stage = if is_full { Stage::Settled } else { Stage::Limited };
        (self.previous_lambda0, self.has_point) = (Some(lambda0), true);
        self.point(lambda0, !control.should_stop())
    }

    /// The present model as a point. The functions alone decide how the path goes on, so that it can from a recorded one.
    fn point(&mut self, lambda0: f64, complete: bool) -> PathPoint {
        self.state = AdditiveState::from_parts(&self.problem, self.state.intercept, &self.state.shapes);
        point_at(&self.state, &self.problem, lambda0, complete)
    }

    /// Replaces points of the path by better ones from its dense end; an empty first one stays, at a lambda0 at which
    /// none is better.
    pub fn improve_backwards(&self, points: &mut [PathPoint], control: &Control) {
        let (empty, others) =
            points.split_at_mut(usize::from(self.empty != EmptyPoint::None).min(points.len()));
        self.second_pass().improve::<L::Predictions>(others, control);
        empty.iter_mut().for_each(|empty| self.move_empty(empty, others, control));
    }

    /// Moves the empty model to the smallest lambda0 at which no model that is found from some others is better.
    pub fn move_empty(&self, empty: &mut PathPoint, others: &[PathPoint], control: &Control) {
        empty.lambda0 = self.second_pass().empty_lambda0::<L::Predictions>(empty.lambda0, others, control);
    }

    fn second_pass(&self) -> SecondPass<'_> {
        SecondPass { problem: &self.problem, effort: self.effort, max_steps: self.max_steps }
    }

    fn interrupted_point(&mut self, lambda0: f64) -> PathPoint {
        self.stage = Stage::Interrupted;
        to_point(&self.state, &self.problem, lambda0, false)
    }
}

/// Values between `max_lambda0` and `lambda`, both excluded, evenly spaced on a logarithmic scale.
pub fn intermediate_lambdas(max_lambda0: f64, lambda: f64) -> impl Iterator<Item = f64> {
    let count =
        ((max_lambda0 / lambda).log10() * WARM_UP_POINTS_PER_DECADE).ceil().clamp(0.0, 200.0) as usize;
    (1..count).map(move |k| max_lambda0 * (lambda / max_lambda0).powf(k as f64 / count as f64))
}

/// The point of a model, with its objective recomputed from the functions alone.
pub fn to_point<R: Predictions>(
    state: &AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    complete: bool,
) -> PathPoint {
    let fresh = AdditiveState::<R>::exactly_from_parts(problem, state.intercept, &state.shapes);
    point_at(&fresh, problem, lambda0, complete)
}

/// The same of a state that was made from its functions.
fn point_at<R: Predictions>(
    state: &AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    complete: bool,
) -> PathPoint {
    PathPoint {
        lambda0,
        strength: Strength { lambda2: problem.lambda2, ridge: problem.ridge },
        intercept: state.intercept,
        shapes: state.shapes.clone(),
        objective: state.objective(lambda0),
        loss: state.predictions.loss(problem.cells),
        null_objective: R::new_by_cell(problem.cells).1.loss(problem.cells),
        complete,
        bound: None,
    }
}
