//! A path of models for falling lambda0, each started from the one before.

use super::bound::LowerBound;
use super::cells::Cells;
use super::descent::{AdditiveProblem, AdditiveState, Effort};
use super::params::{Strength, ValidParams};
use super::predictions::{CellLoss, Predictions};
use super::shape::{BinnedColumn, Shape};
use crate::control::Control;
use crate::loss::Task;

/// Maximum number of rounds of block moves, removals and joint steps at one lambda0.
const MAX_ROUNDS: usize = 50;
/// Maximum number of sweeps over the columns in one round.
const MAX_SWEEPS: usize = 100;
/// Intermediate values of lambda0 in each decade above the first requested one.
const WARM_UP_POINTS_PER_DECADE: f64 = 2.0;
/// Block moves alone, for intermediate values of lambda0.
const WARM_UP_EFFORT: Effort = Effort { tolerance: 1e-6, max_joint_steps: 0, max_removals: 0 };
/// Number of points of an automatic path.
const N_GRID_POINTS: usize = 40;
/// Smallest lambda0 of an automatic path relative to the first (`eps` of scikit-learn's paths).
const MIN_LAMBDA0_RATIO: f64 = 1e-3;

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
    pub shapes: Vec<Shape>,
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
        self.shapes.iter().map(Shape::n_jumps).sum()
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
        objective_floor: if classes { SEPARATED_MEAN_LOSS * cells.weight.iter().sum::<f64>() } else { 0.0 },
    }
}

/// The smallest lambda0 at which no block move adds a jump to the empty model; for the logistic loss by
/// the second-order expansion.
pub fn lambda0_max<L: CellLoss>(_: L, problem: &AdditiveProblem<'_>) -> f64 {
    let empty = AdditiveState::<L::Predictions>::new(problem);
    let mut max_lambda0: f64 = 0.0;
    for j in 0..problem.columns.len() {
        let sums = empty.bin_sums(problem, j);
        // At a lambda0 below the result the gain for each jump exceeds lambda0: the sequence increases,
        // and it ends because a step function has finitely many pieces.
        loop {
            let (shape, gain) = empty.propose_shape_from(problem, j, &sums, max_lambda0);
            let rate = max_lambda0 + gain / shape.n_jumps().max(1) as f64;
            if shape.n_jumps() == 0 || rate <= max_lambda0 * (1.0 + 1e-9) {
                break;
            }
            max_lambda0 = rate;
        }
    }
    max_lambda0
}

/// The automatic grid: evenly spaced on a logarithmic scale, from just above `max_lambda0`.
pub fn lambda0_grid(max_lambda0: f64) -> Vec<f64> {
    let max_lambda0 = if max_lambda0 > 0.0 { max_lambda0 * (1.0 + 1e-6) } else { 1.0 };
    (0..N_GRID_POINTS)
        .map(|k| max_lambda0 * MIN_LAMBDA0_RATIO.powf(k as f64 / (N_GRID_POINTS - 1) as f64))
        .collect()
}

/// Solves for each of `lambdas`, in falling order, after a coarse path from the empty model.
///
/// The path ends before a model with more than `max_steps` jumps. If the coarse path exceeds that limit,
/// the last model before it is the only point, with its own lambda0.
pub fn fit_path<L: CellLoss>(
    loss: L,
    problem: &AdditiveProblem<'_>,
    lambdas: &[f64],
    params: &ValidParams,
    control: &Control,
    on_point: impl Fn(&PathPoint, usize),
) -> Vec<PathPoint> {
    let fine =
        Effort { tolerance: 1e-7, max_joint_steps: 2, max_removals: params.max_swaps.unwrap_or(usize::MAX) };
    let max_lambda0 = lambda0_max(loss, problem);
    let mut state = AdditiveState::<L::Predictions>::new(problem);
    let mut points: Vec<PathPoint> = Vec::new();
    let mut path_lambdas: Vec<(f64, bool)> =
        intermediate_lambdas(max_lambda0, lambdas[0]).map(|l| (l, false)).collect();
    path_lambdas.extend(lambdas.iter().map(|&l| (l, true)));
    let mut previous_lambda0 = max_lambda0.max(lambdas[0]);
    for (lambda0, is_requested) in path_lambdas {
        let mut next = state.clone();
        optimise(&mut next, problem, lambda0, if is_requested { fine } else { WARM_UP_EFFORT }, control);
        if params.max_steps.is_some_and(|most| next.n_jumps() > most) {
            if points.is_empty() {
                optimise_values(&mut state, problem, previous_lambda0, fine);
                points.push(to_point(&state, problem, previous_lambda0, true));
            }
            break;
        }
        (state, previous_lambda0) = (next, lambda0);
        let is_interrupted = control.should_stop();
        if is_requested || is_interrupted {
            let solved = to_point(&state, problem, lambda0, !is_interrupted);
            on_point(&solved, points.len() + 1);
            points.push(solved);
        }
        if is_interrupted {
            break;
        }
    }
    points
}

/// Values between `max_lambda0` and `lambda`, both excluded, evenly spaced on a logarithmic scale.
fn intermediate_lambdas(max_lambda0: f64, lambda: f64) -> impl Iterator<Item = f64> {
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
    let fresh = AdditiveState::<R>::from_parts(problem, state.intercept, &state.shapes);
    PathPoint {
        lambda0,
        strength: Strength { lambda2: problem.lambda2, ridge: problem.ridge },
        intercept: state.intercept,
        shapes: state.shapes.clone(),
        objective: fresh.objective(lambda0),
        loss: fresh.predictions.loss(problem.cells),
        null_objective: AdditiveState::<R>::new(problem).smooth_value,
        complete,
        bound: None,
    }
}

/// Makes block moves, removals and joint steps until none lowers the objective or the time is over.
pub fn optimise<R: Predictions>(
    state: &mut AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    effort: Effort,
    control: &Control,
) {
    let mut has_joint_step = false;
    for _ in 0..MAX_ROUNDS {
        let has_moved = sweep_columns(state, problem, lambda0, effort, control);
        if control.should_stop() || (has_joint_step && !has_moved) {
            break;
        }
        // Joint steps come last, because a later change of the jumps would undo them.
        if state.try_removals(problem, lambda0, effort, control) {
            has_joint_step = false;
            continue;
        }
        has_joint_step = state.take_joint_steps(problem, lambda0, effort);
        if !has_joint_step {
            break;
        }
    }
}

/// Takes joint steps alone, with the jumps fixed.
pub fn optimise_values<R: Predictions>(
    state: &mut AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    effort: Effort,
) {
    for _ in 0..MAX_ROUNDS {
        if !state.take_joint_steps(problem, lambda0, effort) {
            break;
        }
    }
}

/// Optimises the columns in turn until none changes; whether any did.
fn sweep_columns<R: Predictions>(
    state: &mut AdditiveState<R>,
    problem: &AdditiveProblem<'_>,
    lambda0: f64,
    effort: Effort,
    control: &Control,
) -> bool {
    let columns = problem.columns.len();
    let (mut has_any_moved, mut n_unchanged) = (false, 0);
    for j in (0..columns).cycle().take(MAX_SWEEPS * columns) {
        if n_unchanged == columns || control.should_stop() {
            break;
        }
        let has_moved = state.improve_column(problem, j, lambda0, effort);
        n_unchanged = if has_moved { 0 } else { n_unchanged + 1 };
        has_any_moved |= has_moved;
    }
    has_any_moved
}
