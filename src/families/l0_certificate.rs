//! Certificates of models with an L0 penalty: an objective and a lower bound, computed anew.

use serde::Serialize;

use crate::error::Result;
use crate::verify::refusal;

/// Largest difference between a number of the model and the same number computed anew, relative to the loss.
pub(crate) const TOLERANCE: f64 = 1e-7;

/// The objective of one output and a lower bound on the objective of every model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct L0Certificate {
    /// Penalty on the number of coefficients or jumps.
    pub lambda0: f64,
    /// Objective of the model.
    pub objective: f64,
    /// Lower bound on the objective of every model; `None` if no penalty gives one.
    pub bound: Option<DualDoc>,
    /// Objective of the best constant.
    pub null_objective: f64,
    /// Whether the search ended by itself.
    pub complete: bool,
    /// Time of the verification in seconds.
    pub seconds: f64,
}

/// A lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DualDoc {
    /// The bound.
    pub dual: f64,
    /// Number of nodes of the branch and bound; 1 without one.
    pub n_nodes: usize,
}

/// Rounding of a prediction, relative to the largest response or term: some sums and products.
pub(crate) const PREDICTION_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// What the rounding of predictions changes of an objective. Rounding by r changes the squared loss S of rows of weight W by
/// at most `W r (sqrt(2 S / W) + r)`. `largest` is the size of the largest response or term of a prediction.
pub(crate) fn objective_rounding(objective: f64, largest: f64, weights: &[f64]) -> f64 {
    let (rounded, total) = (PREDICTION_ROUNDING * largest, weights.iter().sum::<f64>());
    total * rounded * ((2.0 * objective / total).sqrt() + rounded)
}

/// The scale on which sums of losses are compared: the objective `size`, and more where predictions far from 0 are rounded.
pub(crate) fn comparison_scale(size: f64, largest: f64, weights: &[f64]) -> f64 {
    size + objective_rounding(size, largest, weights) / TOLERANCE
}

/// The largest size of some numbers.
pub(crate) fn largest_of(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// Fails if a claim (its name, the number of the model, the number computed anew) is wrong on the given scale.
pub(crate) fn compare(output: usize, claims: &[(&str, f64, f64)], scale: f64) -> Result<()> {
    let is_wrong = |&&(_, claimed, found): &&(&str, f64, f64)| {
        let difference = (claimed - found).abs();
        difference.is_nan() || difference > TOLERANCE * scale
    };
    match claims.iter().find(is_wrong) {
        None => Ok(()),
        Some((what, claimed, found)) => {
            let complaint = format!("the {what} is {found} on these rows, the model claims {claimed}");
            Err(refusal(output, &complaint))
        }
    }
}

/// Fails if a model without terms is not the best constant.
pub(crate) fn check_constant(
    output: usize,
    n_nonzero: usize,
    (objective, null_objective): (f64, f64),
    scale: f64,
) -> Result<()> {
    if n_nonzero > 0 || objective <= null_objective + TOLERANCE * scale {
        return Ok(());
    }
    let complaint =
        format!("its constant has the objective {objective}, the best constant has {null_objective}");
    Err(refusal(output, &complaint))
}

/// The claims of a tree of lower bounds about its leaves: the bound of each, as the model has it and computed anew.
pub(crate) fn leaf_claims(leaves: &[(f64, f64)], objective: f64) -> Vec<(&'static str, f64, f64)> {
    leaves.iter().map(|&(claimed, found)| ("lower bound of a leaf", claimed, found.min(objective))).collect()
}

/// Fails unless a ridge penalty is one of those that the parameters allow.
pub(crate) fn check_lambda2(output: usize, lambda2: f64, allowed: &[f64]) -> Result<()> {
    if allowed.contains(&lambda2) {
        return Ok(());
    }
    Err(refusal(output, &format!("its lambda2 is {lambda2}, the parameters have {allowed:?}")))
}
