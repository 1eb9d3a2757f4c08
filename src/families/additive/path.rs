//! A path of models for falling lambda0, each from the last.

use super::cells::Cells;
use super::descent::{Effort, Problem, State};
use super::params::ValidParams;
use super::response::{CellLoss, Response};
use super::shape::{Axis, Shape};
use crate::control::Control;
use crate::loss::Task;

/// Rounds of block moves, joint steps and swaps at one lambda0.
const ROUNDS: usize = 50;
/// Sweeps over the columns in one round.
const SWEEPS: usize = 100;
/// Points a decade on the way to the first lambda0 asked for.
const WAY_POINTS: f64 = 2.0;
/// On the way, block moves alone.
const ROUGH: Effort = Effort { tolerance: 1e-6, polish: 0, swaps: 0 };
/// Points of an automatic path, and the last as a share of the first.
const POINTS: usize = 40;
const RATIO: f64 = 1e-3;

/// Loss of a unit of weight below which classes count as separated.
const FLOOR: f64 = 1e-6;

/// One model of a path.
#[derive(Debug, Clone)]
pub struct Point {
    /// Price of a jump.
    pub lambda0: f64,
    /// Penalty on squared jumps.
    pub lambda2: f64,
    /// The constant.
    pub intercept: f64,
    /// One step function a column.
    pub shapes: Vec<Shape>,
    /// Loss + penalties.
    pub objective: f64,
    /// Sum of the losses.
    pub loss: f64,
    /// Whether the search ended by itself.
    pub complete: bool,
}

impl Point {
    /// Jumps of all columns.
    pub fn jumps(&self) -> usize {
        self.shapes.iter().map(Shape::jumps).sum()
    }
}

/// The problem of one response under some parameters.
pub fn problem<'a>(cells: &'a Cells, axes: &'a [Axis], params: &ValidParams, lambda2: f64) -> Problem<'a> {
    let classes = params.loss.task() == Task::Classification;
    Problem {
        cells,
        axes,
        lambda2,
        ridge: params.ridge,
        min_weight: params.min_bin_weight,
        max_columns: params.max_columns.unwrap_or(usize::MAX),
        floor: if classes { FLOOR * cells.weight.iter().sum::<f64>() } else { 0.0 },
    }
}

/// The smallest lambda0 at which no block move puts a jump into the empty model (for the
/// logistic loss: by the price of the first Newton step).
pub fn lambda0_max<L: CellLoss>(_: L, problem: &Problem<'_>) -> f64 {
    let empty = State::<L::Response>::new(problem);
    let mut top: f64 = 0.0;
    for j in 0..problem.axes.len() {
        let sums = empty.sums(problem, j);
        // The gain per jump at a price below it is above that price: the sequence rises.
        loop {
            let (shape, gain) = empty.proposal_on(problem, j, &sums, top);
            let rate = top + gain / shape.jumps().max(1) as f64;
            if shape.jumps() == 0 || rate <= top * (1.0 + 1e-9) {
                break;
            }
            top = rate;
        }
    }
    top
}

/// The automatic grid: evenly on a log scale from just above the smallest empty model's.
pub fn grid(top: f64) -> Vec<f64> {
    let top = if top > 0.0 { top * (1.0 + 1e-6) } else { 1.0 };
    (0..POINTS).map(|k| top * RATIO.powf(k as f64 / (POINTS - 1) as f64)).collect()
}

/// Solves for each of `lambdas` (falling), by way of a coarse path from the empty model.
///
/// The path ends before a model with more than `max_steps` jumps; if that is on the way to
/// the first lambda0, the last model before it is the only point, with its own lambda0.
pub fn walk<L: CellLoss>(
    loss: L,
    problem: &Problem<'_>,
    lambdas: &[f64],
    params: &ValidParams,
    control: &Control,
    each: impl Fn(&Point, usize),
) -> Vec<Point> {
    let fine = Effort { tolerance: 1e-7, polish: 2, swaps: params.max_swaps.unwrap_or(usize::MAX) };
    let top = lambda0_max(loss, problem);
    let mut state = State::<L::Response>::new(problem);
    let mut points: Vec<Point> = Vec::new();
    let mut steps: Vec<(f64, bool)> = way(top, lambdas[0]).map(|l| (l, false)).collect();
    steps.extend(lambdas.iter().map(|&l| (l, true)));
    let mut before = top.max(lambdas[0]);
    for (lambda0, shown) in steps {
        let mut next = state.clone();
        settle(&mut next, problem, lambda0, if shown { fine } else { ROUGH }, control);
        if params.max_steps.is_some_and(|most| next.jumps() > most) {
            if points.is_empty() {
                settle_values(&mut state, problem, before, fine);
                points.push(point(&state, problem, before, true));
            }
            break;
        }
        (state, before) = (next, lambda0);
        let late = control.should_stop();
        if shown || late {
            let solved = point(&state, problem, lambda0, !late);
            each(&solved, points.len() + 1);
            points.push(solved);
        }
        if late {
            break;
        }
    }
    points
}

/// The way from `top` to `lambda`, both left out.
fn way(top: f64, lambda: f64) -> impl Iterator<Item = f64> {
    let count = ((top / lambda).log10() * WAY_POINTS).ceil().clamp(0.0, 200.0) as usize;
    (1..count).map(move |k| top * (lambda / top).powf(k as f64 / count as f64))
}

/// A model with its objective, computed afresh from the model alone.
fn point<R: Response>(state: &State<R>, problem: &Problem<'_>, lambda0: f64, complete: bool) -> Point {
    let fresh = State::<R>::of(problem, state.intercept, &state.shapes);
    Point {
        lambda0,
        lambda2: problem.lambda2,
        intercept: state.intercept,
        shapes: state.shapes.clone(),
        objective: fresh.objective(lambda0),
        loss: fresh.response.loss(problem.cells),
        complete,
    }
}

/// Block moves, swaps and joint steps until nothing improves or the time is over.
pub fn settle<R: Response>(
    state: &mut State<R>,
    problem: &Problem<'_>,
    lambda0: f64,
    effort: Effort,
    control: &Control,
) {
    let mut polished = false;
    for _ in 0..ROUNDS {
        let moved = sweep(state, problem, lambda0, effort, control);
        if control.should_stop() || (polished && !moved) {
            break;
        }
        // Joint steps come last: on jumps that are still to change they are lost.
        if state.swap(problem, lambda0, effort, control) {
            polished = false;
            continue;
        }
        polished = state.polish(problem, lambda0, effort);
        if !polished {
            break;
        }
    }
}

/// Joint steps alone: the jumps stay.
fn settle_values<R: Response>(state: &mut State<R>, problem: &Problem<'_>, lambda0: f64, effort: Effort) {
    for _ in 0..ROUNDS {
        if !state.polish(problem, lambda0, effort) {
            break;
        }
    }
}

/// Goes round the columns until none of them moves; whether any did.
fn sweep<R: Response>(
    state: &mut State<R>,
    problem: &Problem<'_>,
    lambda0: f64,
    effort: Effort,
    control: &Control,
) -> bool {
    let columns = problem.axes.len();
    let (mut any, mut still) = (false, 0);
    for j in (0..columns).cycle().take(SWEEPS * columns) {
        if still == columns || control.should_stop() {
            break;
        }
        let moved = state.improve(problem, j, lambda0, effort);
        still = if moved { 0 } else { still + 1 };
        any |= moved;
    }
    any
}
