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
//!
//! [`branch`] splits the models into those with a jump at a cut and those without one, and bounds each part: its
//! segmentations obey these rules.

mod ascent;
mod branch;
mod candidate;
mod dual_loss;
mod dual_value;
pub(super) mod hyperbolic;
mod incumbent;
mod newton;
mod relaxation;

pub use branch::BranchParams;
pub use dual_loss::DualLoss;

use serde::{Deserialize, Serialize};

use self::ascent::{Ascent, Goal};
use self::branch::{BranchAndBound, bound_shapes};
use super::cut_rules::CutRule;
use super::descent::AdditiveProblem;
use super::path::PathPoint;
use super::shape::{BinnedColumn, Shape};
use crate::control::Control;
use crate::families::l0_tree::PreorderTree;

/// A lower bound on the objective of every model of a problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LowerBound {
    /// The bound.
    pub dual: f64,
    /// The functions at whose predictions the bound of the root is taken, one for each column.
    pub shapes: Vec<Shape>,
    /// The tree of a branch and bound, empty if there was none; its least leaf has the bound.
    pub tree: PreorderTree<CutRule, Vec<Shape>>,
    /// Whether the time sufficed.
    pub complete: bool,
}

/// The best lower bound of `max_rounds` rounds, the first one at the predictions of a model; `None` without a
/// penalty that bounds every column, and without time.
pub fn lower_bound<L: DualLoss>(
    _: L,
    problem: &AdditiveProblem<'_>,
    point: &PathPoint,
    max_rounds: usize,
    control: &Control,
) -> Option<LowerBound> {
    let root = root::<L>(problem, point, max_rounds, control)?;
    let (shapes, tree, complete) = (bound_shapes(problem, &root), Vec::new(), !control.should_stop());
    // Losses and penalties are at least 0.
    Some(LowerBound { dual: root.dual.max(0.0), shapes, tree, complete })
}

/// The lower bound of a branch and bound after `max_rounds` rounds at the root, and a better model if it found one.
pub fn branch_and_bound<L: DualLoss>(
    loss: L,
    problem: &AdditiveProblem<'_>,
    point: &PathPoint,
    max_rounds: usize,
    params: BranchParams,
    control: &Control,
) -> Option<(LowerBound, Option<PathPoint>)> {
    let root = root::<L>(problem, point, max_rounds, control)?;
    let (shapes, is_late) = (bound_shapes(problem, &root), control.should_stop());
    let mut search = BranchAndBound::<L>::new(problem, point, root, params, control);
    let complete = search.run(control) && !is_late;
    let (tree, dual, better) = search.finish(point.complete);
    let bound = LowerBound { dual: dual.max(0.0), shapes, tree, complete };
    // Without branching the bound at the better model may be the best one.
    let at_better = better.as_ref().filter(|_| bound.tree.is_empty());
    let other = at_better.and_then(|better| lower_bound(loss, problem, better, 0, control));
    let best = other.filter(|other| other.dual > bound.dual).unwrap_or(bound);
    Some((best, better))
}

/// The bound of all models; `None` if no penalty bounds every column, or the time is over before there is one.
fn root<'a, L: DualLoss>(
    problem: &'a AdditiveProblem<'a>,
    point: &PathPoint,
    max_rounds: usize,
    control: &Control,
) -> Option<Ascent<'a>> {
    if !has_bound(problem) {
        return None;
    }
    let mut root = Ascent::new::<L>(problem, point, control);
    if root.dual == f64::NEG_INFINITY && control.should_stop() {
        return None;
    }
    let max_rounds = if problem.ridge > 0.0 { max_rounds } else { 0 };
    root.run::<L>(Goal { target: point.objective, tolerance: 0.0, max_rounds }, control);
    Some(root)
}

/// Whether the penalties bound the gain of every column.
pub fn has_bound(problem: &AdditiveProblem<'_>) -> bool {
    problem.ridge > 0.0 || (problem.lambda2 > 0.0 && problem.columns.iter().all(BinnedColumn::is_ordered))
}

#[cfg(test)]
mod tests;
