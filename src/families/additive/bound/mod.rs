//! A lower bound on the objective of every model of the problem: weak duality.
//!
//! Let theta be the slopes of the losses at any predictions whose intercept is optimal, so that they sum
//! to 0, and g the sums of -theta over the rows of each bin of a column. Then the objective of every model is
//! at least
//!
//! ```text
//! D(theta) = sum_i min over f of (loss_i(f) - theta_i f)  -  sum_j gain_j
//! gain_j   = max over segmentations of  sum over pieces S of (max over v of g_S v - ridge W_S v^2)
//!            - lambda0 (pieces - 1)
//! ```
//!
//! with W the weight of the rows. For a penalty v^2 the inner maximum is `g_S^2 / (4 ridge W_S)`, and a gain is
//! found by the segmentation of the fit, which knows missing values, categories, monotonicity and minimum
//! weights. For categories the minimum weight is dropped, because the segmentation is exact without it only.
//! With at most k columns only the k largest gains count.
//!
//! Every theta gives a bound. The first one is that of the model itself; [`relaxation`] then moves theta towards the
//! best one.
//!
//! The penalty lambda2 on squared jumps alone gives, in an ordered column without missing values,
//!
//! ```text
//! gain_j = sum over cuts t of max(0, G_t^2 / (4 lambda2) - lambda0),   G_t = sum of g above t,
//! ```
//!
//! because a jump d at t adds d `G_t`. With both penalties each gain is an upper bound, and the smaller one is
//! used. Without any there is no bound.

mod dual_loss;
pub(super) mod hyperbolic;
mod newton;
mod relaxation;

pub use dual_loss::DualLoss;

use self::relaxation::{Relaxation, predictions};
use super::bin_sums::sum_by_bin;
use super::cells::Cells;
use super::descent::AdditiveProblem;
use super::path::PathPoint;
use super::predictions::Predictions;
use super::segment::{CostSums, SegmentationParams};
use super::shape::{BinnedColumn, Shape};
use crate::control::Control;

/// Maximum number of Newton steps to the optimal intercept.
const MAX_INTERCEPT_STEPS: usize = 30;
/// Sum of the slopes relative to the sum of their absolute values below which the intercept counts as optimal.
/// The rest is removed to second order.
const INTERCEPT_TOLERANCE: f64 = 1e-8;
/// Largest change of the intercept to which the slopes of a bounded loss may be extrapolated: below 1 they
/// keep their signs.
const MAX_CORRECTION: f64 = 0.5;
/// Weight of the best functions so far in those at which the next bound is taken. Newton steps alone oscillate.
const INERTIA: f64 = 0.6;
/// Difference between the relaxation and the bound, relative to the objective, at which the bound is the best.
const RELAXATION_TOLERANCE: f64 = 1e-4;

/// A lower bound on the objective of every model of a problem.
#[derive(Debug, Clone)]
pub struct LowerBound {
    /// The bound.
    pub dual: f64,
    /// The functions at whose predictions the bound is taken, one for each column.
    pub shapes: Vec<Shape>,
}

/// The best lower bound of `max_rounds` rounds, the first one at the predictions of a model; `None` without a
/// penalty that bounds every column.
pub fn lower_bound<L: DualLoss>(
    _: L,
    problem: &AdditiveProblem<'_>,
    point: &PathPoint,
    max_rounds: usize,
    control: &Control,
) -> Option<LowerBound> {
    if !has_bound(problem) {
        return None;
    }
    let mut relaxation = Relaxation::new(problem, point);
    let mut functions = relaxation.functions();
    let mut best = DualValue::at::<L>(problem, relaxation.intercept(), &functions, point.lambda0);
    relaxation.add(std::mem::take(&mut best.shapes));
    let n_rounds = if problem.ridge > 0.0 { max_rounds } else { 0 };
    for _ in 0..n_rounds {
        let relaxed = if control.should_stop() { None } else { relaxation.improve::<L>() };
        let Some(relaxed) = relaxed else { break };
        let mixed = mix(&functions, &relaxation.functions());
        let found = DualValue::at::<L>(problem, relaxation.intercept(), &mixed, point.lambda0);
        relaxation.add(found.shapes);
        if found.objective > best.objective {
            best.objective = found.objective;
            functions = mixed;
        }
        if relaxed - best.objective <= RELAXATION_TOLERANCE * point.objective.abs() {
            break;
        }
    }
    let shapes = problem.columns.iter().zip(&functions).map(|(c, f)| c.shape_of(f)).collect();
    // Losses and penalties are at least 0.
    Some(LowerBound { dual: best.objective.max(0.0), shapes })
}

/// The best functions so far moved towards others.
fn mix(best: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let value = |(b, o): (&f64, &f64)| INERTIA * b + (1.0 - INERTIA) * o;
    let function = |(b, o): (&Vec<f64>, &Vec<f64>)| b.iter().zip(o).map(value).collect();
    best.iter().zip(other).map(function).collect()
}

/// D(theta) and the segmentation of the largest gain of each column.
struct DualValue {
    objective: f64,
    shapes: Vec<Shape>,
}

impl DualValue {
    /// D at the predictions of some functions; -infinity if no finite intercept is optimal.
    fn at<L: DualLoss>(
        problem: &AdditiveProblem<'_>,
        intercept: f64,
        functions: &[Vec<f64>],
        lambda0: f64,
    ) -> Self {
        let start = predictions::<L>(problem, intercept, functions);
        let Some(theta) = dual_point::<L>(problem, start) else {
            return Self { objective: f64::NEG_INFINITY, shapes: Vec::new() };
        };
        let columns = 0..problem.columns.len();
        let (mut gains, shapes): (Vec<f64>, Vec<Shape>) =
            columns.map(|j| column_gain::<L>(problem, j, &theta, lambda0)).unzip();
        gains.sort_by(|a, b| b.total_cmp(a));
        let gain = gains.iter().take(problem.max_columns).sum::<f64>();
        let objective = L::dual_loss(problem.cells, &theta) - gain;
        Self { objective: if objective.is_nan() { f64::NEG_INFINITY } else { objective }, shapes }
    }
}

/// Whether the penalties bound the gain of every column.
fn has_bound(problem: &AdditiveProblem<'_>) -> bool {
    problem.ridge > 0.0 || (problem.lambda2 > 0.0 && problem.columns.iter().all(BinnedColumn::is_ordered))
}

/// The slopes of the losses at the given predictions with the optimal intercept; they sum to 0. `None` if
/// no finite intercept is optimal.
fn dual_point<L: DualLoss>(
    problem: &AdditiveProblem<'_>,
    mut predictions: L::Predictions,
) -> Option<Vec<f64>> {
    let cells = problem.cells;
    for _ in 0..MAX_INTERCEPT_STEPS {
        let (slope, curvature) = predictions.derivatives(cells);
        let (sum, size) = (slope.iter().sum::<f64>(), slope.iter().map(|t| t.abs()).sum::<f64>());
        let step = sum / curvature.iter().sum::<f64>();
        if sum.abs() <= INTERCEPT_TOLERANCE * size || !step.is_finite() {
            break;
        }
        predictions.apply(cells, &[(&cells.codes[0], vec![-step; problem.columns[0].n_bins])]);
    }
    let (mut theta, curvature) = predictions.derivatives(cells);
    // What is left is removed in proportion to the curvature, which keeps theta in the domain of the dual.
    let step = theta.iter().sum::<f64>() / curvature.iter().sum::<f64>();
    let is_in_domain = !L::Predictions::IS_BOUNDED || step.abs() <= MAX_CORRECTION;
    if !(step.is_finite() && is_in_domain) {
        return None;
    }
    theta.iter_mut().zip(&curvature).for_each(|(t, h)| *t -= step * h);
    Some(theta)
}

/// The gain of a column, at least 0, and the best segmentation under the ridge.
fn column_gain<L: DualLoss>(
    problem: &AdditiveProblem<'_>,
    j: usize,
    theta: &[f64],
    lambda0: f64,
) -> (f64, Shape) {
    let column = &problem.columns[j];
    let sums = negative_bin_sums(problem.cells, j, column.n_bins, theta);
    let (mut gain, mut best) = (f64::INFINITY, Shape::zero(column.n_bins));
    if problem.ridge > 0.0 {
        let (shape, objective) = best_segmentation::<L>(problem, column, &sums, lambda0);
        (gain, best) = (-objective, shape);
    }
    if problem.lambda2 > 0.0 && column.is_ordered() {
        gain = gain.min(jump_gain(column, &sums, problem.lambda2, lambda0));
    }
    (gain.max(0.0), best)
}

/// Sums of -theta over the rows of each bin.
fn negative_bin_sums(cells: &Cells, j: usize, n_bins: usize, theta: &[f64]) -> Vec<f64> {
    let codes = &cells.codes[j][..theta.len()];
    let sums = sum_by_bin(theta.len(), n_bins, |i| (codes[i] as usize, [-theta[i]]));
    sums.into_iter().map(|[g]| g).collect()
}

/// The segmentation with the largest gain under the ridge, and the gain with its sign reversed.
fn best_segmentation<L: DualLoss>(
    problem: &AdditiveProblem<'_>,
    column: &BinnedColumn,
    sums: &[f64],
    lambda0: f64,
) -> (Shape, f64) {
    let bin = |(&w, &g): (&f64, &f64)| CostSums { a: 2.0 * problem.ridge * w, b: g, weight: w };
    let bins: Vec<CostSums> = column.bin_weights.iter().zip(sums).map(bin).collect();
    let min_weight = if column.is_nominal { 0.0 } else { problem.min_weight };
    let prior = CostSums::default();
    let params = SegmentationParams { lambda0, min_weight, can_share_missing: true, prior };
    column.best_shape(L::ridge_cost(), &bins, params)
}

/// The gain of an ordered column under the penalty on squared jumps alone.
fn jump_gain(column: &BinnedColumn, sums: &[f64], lambda2: f64, lambda0: f64) -> f64 {
    let (mut above, mut gain) = (0.0, 0.0);
    for g in sums.iter().skip(1).rev() {
        above += g;
        let is_allowed = f64::from(column.monotonic_cst) * above >= 0.0;
        if is_allowed {
            gain += (above * above / (4.0 * lambda2) - lambda0).max(0.0);
        }
    }
    gain
}

#[cfg(test)]
mod tests;
