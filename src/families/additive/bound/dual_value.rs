//! D(theta) at the predictions of some functions, and the segmentations with the largest gains.

use super::super::cut_rules::ColumnRules;
use super::super::descent::AdditiveProblem;
use super::super::predictions::{BinChange, Predictions};
use super::super::segment::{CostSums, SegmentationParams};
use super::super::shape::{BinnedColumn, Shape};
use super::DualLoss;
use super::relaxation::predictions;
use crate::control::Control;
use crate::data::sums::{over_rows, total};
use crate::linalg::root::{LOGIT_STEP, Slope, seek_zero};
use crate::threads;

/// Sum of the slopes relative to the sum of their absolute values below which the intercept counts as optimal.
/// The rest is removed to second order.
const INTERCEPT_TOLERANCE: f64 = 1e-8;
/// Largest change of the intercept to which the slopes of a bounded loss may be extrapolated: below 1 they
/// keep their signs.
const MAX_CORRECTION: f64 = 0.5;

/// D(theta) and the segmentation of the largest gain of each column.
pub struct DualValue {
    /// D.
    pub objective: f64,
    /// The segmentations; none if there is no bound.
    pub shapes: Vec<Shape>,
}

impl DualValue {
    /// D of the problem with rules for cuts, at the predictions of some functions; -infinity if no finite
    /// intercept is optimal or the time ends, infinity if no model obeys the rules.
    pub fn at<L: DualLoss>(
        problem: &AdditiveProblem<'_>,
        rules: &[ColumnRules],
        intercept: f64,
        functions: &[Vec<f64>],
        lambda0: f64,
        control: &Control,
    ) -> Self {
        let none = Self { objective: f64::NEG_INFINITY, shapes: Vec::new() };
        let constant = L::Predictions::new_by_cell(problem.cells);
        let start = predictions::<L>(problem, constant, intercept, functions);
        let Some(theta) = dual_point::<L>(problem, start) else { return none };
        let of_column = |j: usize| {
            let is_in_time = !control.should_stop();
            is_in_time.then(|| column_gain::<L>(problem, j, &rules[j], &theta, lambda0))
        };
        let of_columns: Option<Vec<(f64, Shape)>> =
            threads::map_range(problem.columns.len(), 1, of_column).into_iter().collect();
        let Some(of_columns) = of_columns else { return none };
        let (gains, shapes): (Vec<f64>, Vec<Shape>) = of_columns.into_iter().unzip();
        let gain = total_gain(&gains, rules, problem.max_columns);
        if gain == f64::NEG_INFINITY {
            return Self { objective: f64::INFINITY, shapes: Vec::new() };
        }
        let objective = L::dual_loss(problem.cells, &theta) - gain;
        Self { objective: if objective.is_nan() { f64::NEG_INFINITY } else { objective }, shapes }
    }
}

/// The largest sum of the gains of at most `max_columns` columns, all of those with required jumps among them;
/// -infinity if they are too many.
fn total_gain(gains: &[f64], rules: &[ColumnRules], max_columns: usize) -> f64 {
    let is_required = |j: &usize| rules[*j].n_jumps() > 0;
    let (required, others): (Vec<usize>, Vec<usize>) = (0..gains.len()).partition(is_required);
    let Some(n_others) = max_columns.checked_sub(required.len()) else { return f64::NEG_INFINITY };
    let mut optional: Vec<f64> = others.into_iter().map(|j| gains[j].max(0.0)).collect();
    optional.sort_by(|a, b| b.total_cmp(a));
    required.into_iter().map(|j| gains[j]).sum::<f64>() + optional.into_iter().take(n_others).sum::<f64>()
}

/// The slopes of the losses at the given predictions with the optimal intercept; they sum to 0. `None` if
/// no finite intercept is optimal.
fn dual_point<L: DualLoss>(
    problem: &AdditiveProblem<'_>,
    mut predictions: L::Predictions,
) -> Option<Vec<f64>> {
    let cells = problem.cells;
    let (mut before, mut theta, mut curvature) = (0.0, Vec::new(), Vec::new());
    let at = |shift: f64| {
        predictions.apply(cells, &[BinChange::shift(shift - before)]);
        before = shift;
        (theta, curvature) = predictions.derivatives(cells);
        let size = over_rows(theta.len(), |i| theta[i].abs());
        Slope { value: total(&theta), size, derivative: total(&curvature) }
    };
    let longest = if L::Predictions::IS_BOUNDED { LOGIT_STEP } else { f64::INFINITY };
    seek_zero(at, INTERCEPT_TOLERANCE, longest);
    // What is left is removed in proportion to the curvature, which keeps theta in the domain of the dual.
    let step = total(&theta) / total(&curvature);
    let is_in_domain = !L::Predictions::IS_BOUNDED || step.abs() <= MAX_CORRECTION;
    if !(step.is_finite() && is_in_domain) {
        return None;
    }
    theta.iter_mut().zip(&curvature).for_each(|(t, h)| *t -= step * h);
    Some(theta)
}

/// The gain of a column and the best segmentation under the ridge.
fn column_gain<L: DualLoss>(
    problem: &AdditiveProblem<'_>,
    j: usize,
    rules: &ColumnRules,
    theta: &[f64],
    lambda0: f64,
) -> (f64, Shape) {
    let column = &problem.columns[j];
    // 0 without a sign where a bin has no rows.
    let sums = problem.cells.sum_by_bin(j, column.n_bins, theta);
    let sums: Vec<f64> = sums.into_iter().map(|sum| 0.0 - sum).collect();
    let (mut gain, mut best) = (f64::INFINITY, Shape::zero(column.n_bins));
    if problem.ridge > 0.0 {
        let (shape, objective) = best_segmentation::<L>(problem, column, rules, &sums, lambda0);
        (gain, best) = (-objective, shape);
    }
    if problem.lambda2 > 0.0 && column.is_ordered() {
        gain = gain.min(jump_gain(column, rules, &sums, problem.lambda2, lambda0));
    }
    (gain, best)
}

/// The segmentation with the largest gain under the ridge, and the gain with its sign reversed.
fn best_segmentation<L: DualLoss>(
    problem: &AdditiveProblem<'_>,
    column: &BinnedColumn,
    rules: &ColumnRules,
    sums: &[f64],
    lambda0: f64,
) -> (Shape, f64) {
    let bin = |(&w, &g): (&f64, &f64)| CostSums { a: 2.0 * problem.ridge * w, b: g, weight: w };
    let bins: Vec<CostSums> = column.bin_weights.iter().zip(sums).map(bin).collect();
    let min_weight = if column.is_nominal { 0.0 } else { problem.min_weight };
    let piece_penalty = CostSums::default();
    let params = SegmentationParams { lambda0, min_weight, can_share_missing: true, piece_penalty };
    column.best_shape_with_rules(L::ridge_cost(), &bins, params, rules)
}

/// The gain of an ordered column under the penalty on squared jumps alone.
fn jump_gain(column: &BinnedColumn, rules: &ColumnRules, sums: &[f64], lambda2: f64, lambda0: f64) -> f64 {
    let (mut above, mut gain) = (0.0, 0.0);
    for (bin, g) in sums.iter().enumerate().skip(1).rev() {
        above += g;
        let of_jump = above * above / (4.0 * lambda2) - lambda0;
        let is_allowed = column.trend.allows_jump(above);
        if rules.has_jump(bin) {
            gain += of_jump;
        } else if is_allowed && !rules.has_no_jump(bin) {
            gain += of_jump.max(0.0);
        }
    }
    gain
}
