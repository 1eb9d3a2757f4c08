//! Parameters of an additive fit, and the check that each is within its range.

use serde::{Deserialize, Serialize};

use crate::data::bins::BinRule;
use crate::data::trend::Trend;
use crate::error::{Error, Result};
use crate::families::check_penalties;
use crate::families::l0::{L0Loss, Lambda0, Select};

/// Parameters of an additive fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The loss; it determines the task.
    pub loss: L0Loss,
    /// Penalties on the number of jumps; `Auto` is a logarithmic grid from the smallest that gives the
    /// empty model.
    pub lambda0: Lambda0,
    /// Penalties on squared jumps, >= 0.
    pub lambda2: Vec<f64>,
    /// Penalties on squared values, for a row of weight 1, >= 0. Each of them has a path with each `lambda2`.
    pub ridge: Vec<f64>,
    /// How the model is selected.
    pub select: Select,
    /// How numeric columns are binned.
    pub bins: BinRule,
    /// Special codes of each column, numbers that stand for something else; an empty list: no column has any.
    pub special_codes: Vec<Vec<f64>>,
    /// Columns without a function, by index.
    pub exclude: Vec<usize>,
    /// Trend of each column.
    pub monotonic_cst: Option<Vec<Trend>>,
    /// Maximum number of jumps; the path ends where its models would have more.
    pub max_steps: Option<usize>,
    /// Maximum number of columns with jumps.
    pub max_columns: Option<usize>,
    /// Minimum weight of the rows of a piece.
    pub min_bin_weight: f64,
    /// Relative gap at which the branch and bound of the selected model ends; `None`: the bound without branching.
    pub gap_tol: Option<f64>,
    /// Maximum number of removals tried in each round at one lambda0; `None`: all. With 0 neither columns nor steps are
    /// exchanged within `max_columns` and `max_steps`.
    pub max_swaps: Option<usize>,
    /// Time limit in seconds.
    pub time_limit: Option<f64>,
    /// Memory limit in bytes.
    pub memory_limit: Option<u64>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            loss: L0Loss::Squared,
            lambda0: Lambda0::Auto,
            lambda2: vec![0.0],
            ridge: vec![0.0],
            select: Select::Cv { one_standard_error: false },
            bins: BinRule::Midpoints,
            special_codes: Vec::new(),
            exclude: Vec::new(),
            monotonic_cst: None,
            max_steps: None,
            max_columns: None,
            min_bin_weight: 0.0,
            gap_tol: None,
            max_swaps: Some(3),
            time_limit: None,
            memory_limit: None,
        }
    }
}

/// Checked parameters; read-only.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidParams(Params);

impl std::ops::Deref for ValidParams {
    type Target = Params;

    fn deref(&self) -> &Params {
        &self.0
    }
}

/// The penalties on sizes along one path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// Penalty on squared jumps.
    pub lambda2: f64,
    /// Penalty on squared values, for a row of weight 1.
    pub ridge: f64,
}

impl ValidParams {
    /// Trend of a column.
    pub fn trend(&self, column: usize) -> Trend {
        self.monotonic_cst.as_ref().map_or(Trend::Free, |trends| trends[column])
    }

    /// The penalties of each path.
    pub fn strengths(&self) -> Vec<Strength> {
        let of = |&ridge: &f64| self.lambda2.iter().map(move |&lambda2| Strength { lambda2, ridge });
        self.ridge.iter().flat_map(of).collect()
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
        check_penalties("ridge", &p.ridge)?;
        check_penalties("min_bin_weight", &[p.min_bin_weight])?;
        if let Some(gap_tol) = p.gap_tol {
            check_penalties("gap_tol", &[gap_tol])?;
            if p.ridge.contains(&0.0) {
                let message =
                    format!("got {gap_tol} without a ridge: a lower bound needs one; give ridge > 0");
                return Err(Error::parameter("gap_tol", message));
            }
        }
        Ok(Self(p))
    }
}
