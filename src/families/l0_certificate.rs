//! Certificates of models with an L0 penalty: an objective and a lower bound, computed anew.

use serde::Serialize;

use crate::error::{Error, Result};

/// Largest difference between a number of the model and the same number computed anew, relative to the loss.
const TOLERANCE: f64 = 1e-7;

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

/// The error of a model that is not what the fit on these rows with these parameters gives.
pub(crate) fn refusal(output: usize, complaint: &str) -> Error {
    Error::Certificate(format!("output {output}: {complaint}; it was fitted on other data or edited"))
}
