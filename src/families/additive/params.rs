//! Parameters of an additive fit, and the check that each is within its range.

use serde::{Deserialize, Serialize};

use crate::data::bins::BinRule;
use crate::error::{Error, Result};
use crate::families::l0::{L0Loss, Lambda0, Select, check_penalties};

/// Parameters of an additive fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The loss.
    pub loss: L0Loss,
    /// Prices of a jump; `Auto` is a log grid from the smallest that empties the model.
    pub lambda0: Lambda0,
    /// Penalties on squared jumps, >= 0.
    pub lambda2: Vec<f64>,
    /// Which point is the model.
    pub select: Select,
    /// Where numeric columns may be cut.
    pub bins: BinRule,
    /// -1, 0 or +1 a feature.
    pub monotone: Option<Vec<i8>>,
    /// The path ends before a model with more jumps.
    pub max_steps: Option<usize>,
    /// The most columns in use.
    pub max_columns: Option<usize>,
    /// Least weight of the rows of a piece.
    pub min_bin_weight: f64,
    /// Penalty on squared values, per weight of the rows.
    pub ridge: f64,
    /// Removals tried at each lambda0; `None`: all.
    pub max_swaps: Option<usize>,
    /// Seconds.
    pub time_limit: Option<f64>,
    /// Bytes.
    pub memory_limit: Option<u64>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            loss: L0Loss::Squared,
            lambda0: Lambda0::Auto,
            lambda2: vec![0.0],
            select: Select::Cv { one_standard_error: false },
            bins: BinRule::Midpoints,
            monotone: None,
            max_steps: None,
            max_columns: None,
            min_bin_weight: 0.0,
            ridge: 0.0,
            max_swaps: Some(3),
            time_limit: None,
            memory_limit: None,
        }
    }
}

/// Parameters that have been checked; read-only.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidParams(Params);

impl std::ops::Deref for ValidParams {
    type Target = Params;

    fn deref(&self) -> &Params {
        &self.0
    }
}

impl TryFrom<Params> for ValidParams {
    type Error = Error;

    fn try_from(p: Params) -> Result<Self> {
        match &p.lambda0 {
            Lambda0::Auto => {}
            Lambda0::Values { values } => {
                check_penalties("lambda0", values)?;
                if values.contains(&0.0) {
                    let message = "got 0, at which every bin is a step; give numbers > 0";
                    return Err(Error::parameter("lambda0", message));
                }
            }
            Lambda0::Cardinality => {
                let message =
                    "an additive model has a path over prices of a jump only; limit it with max_steps";
                return Err(Error::parameter("lambda0", message));
            }
        }
        check_penalties("lambda2", &p.lambda2)?;
        check_penalties("ridge", &[p.ridge])?;
        check_penalties("min_bin_weight", &[p.min_bin_weight])?;
        if let Some(bad) = p.monotone.iter().flatten().find(|m| !(-1..=1).contains(*m)) {
            let message = format!("got {bad}; give -1 (falls), 0 (free) or 1 (rises) for each feature");
            return Err(Error::parameter("monotone", message));
        }
        Ok(Self(p))
    }
}
