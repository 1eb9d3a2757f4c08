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

mod ascent;
mod dual_loss;
mod dual_value;
pub(super) mod hyperbolic;
mod newton;
mod relaxation;

pub use dual_loss::DualLoss;

use self::ascent::Ascent;
use super::descent::AdditiveProblem;
use super::path::PathPoint;
use super::shape::{BinnedColumn, Shape};
use crate::control::Control;

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
    let mut ascent = Ascent::new::<L>(problem, point);
    let n_rounds = if problem.ridge > 0.0 { max_rounds } else { 0 };
    ascent.run::<L>(point.objective, n_rounds, control);
    let shapes = problem.columns.iter().zip(&ascent.functions).map(|(c, f)| c.shape_of(f)).collect();
    // Losses and penalties are at least 0.
    Some(LowerBound { dual: ascent.dual.max(0.0), shapes })
}

/// Whether the penalties bound the gain of every column.
fn has_bound(problem: &AdditiveProblem<'_>) -> bool {
    problem.ridge > 0.0 || (problem.lambda2 > 0.0 && problem.columns.iter().all(BinnedColumn::is_ordered))
}

#[cfg(test)]
mod tests;
