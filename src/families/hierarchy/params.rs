//! Parameters of a hierarchical fit, checked.

use serde::{Deserialize, Serialize};

use super::HierarchyLoss;
use crate::data::bins::BinRule;
use crate::error::{Error, Result};

/// Which point of the path is the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Select {
    /// Least mean held-out score.
    Cv {
        /// The largest alpha within one standard error of it.
        one_standard_error: bool,
        /// What is averaged over the rows held out.
        scoring: Scoring,
    },
    /// The last.
    Last,
}

/// What a held-out row costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    /// The loss of the fit.
    Loss,
    /// 1 where the class is wrong.
    Error,
}

/// How the problem over a working set is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Newton's method with barriers.
    Newton,
    /// Mirror descent on the shares, \[HKL-REL\] section 4.
    MirrorDescent,
}

/// Values of C = 1 / (alpha n), n the sum of the weights, that a path has where no alpha is given: those
/// of \[HKL-REL\] section 5.
pub const GRID: [f64; 7] = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];

/// Parameters of a hierarchical fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The loss; it says what is predicted.
    pub loss: HierarchyLoss,
    /// Order of the norm over descendants, in (1, 2]; 2 selects whole hulls.
    pub rho: f64,
    /// Growth of the weights with depth, > 1.
    pub depth_base: f64,
    /// Penalty strengths alpha; `None`: those of [`GRID`].
    pub alphas: Option<Vec<f64>>,
    /// Which point is the model.
    pub select: Select,
    /// How numeric columns are cut.
    pub bins: BinRule,
    /// Solver over a working set.
    pub strategy: Strategy,
    /// The relative duality gap to reach over the whole lattice.
    pub tol: f64,
    /// The most conjunctions in the working set.
    pub max_hull: usize,
    /// Seconds.
    pub time_limit: Option<f64>,
    /// Bytes.
    pub memory_limit: Option<u64>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            loss: HierarchyLoss::Hinge,
            rho: 1.1,
            depth_base: 2.0,
            alphas: None,
            select: Select::Last,
            bins: BinRule::Uniform { n: 4 },
            strategy: Strategy::Newton,
            tol: 1e-6,
            max_hull: 500,
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

fn positive(name: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::parameter(name, format!("got {value}; give a finite number > 0")))
}

/// One strength of the penalty in both scales.
#[derive(Debug, Clone, Copy)]
pub struct Strength {
    /// Of the penalty beside the mean loss.
    pub alpha: f64,
    /// Of the summed loss beside the penalty, as in the papers: 1 / (alpha n).
    pub c: f64,
}

impl Strength {
    /// An alpha, for weights with this sum.
    pub fn new(alpha: f64, total: f64) -> Self {
        Self { alpha, c: 1.0 / (alpha * total) }
    }
}

impl ValidParams {
    /// The path's strengths, alpha falling, for weights with this sum.
    pub fn strengths(&self, total: f64) -> Vec<Strength> {
        match &self.0.alphas {
            None => GRID.iter().map(|&c| Strength { alpha: 1.0 / (c * total), c }).collect(),
            Some(alphas) => alphas.iter().map(|&alpha| Strength::new(alpha, total)).collect(),
        }
    }
}

impl TryFrom<Params> for ValidParams {
    type Error = Error;

    fn try_from(mut p: Params) -> Result<Self> {
        if !(p.rho > 1.0 && p.rho <= 2.0) {
            return Err(Error::parameter("rho", format!("got {}; give a number > 1 and <= 2", p.rho)));
        }
        if !(p.depth_base > 1.0 && p.depth_base <= 100.0) {
            let message = format!("got {}; give a number > 1 and <= 100", p.depth_base);
            return Err(Error::parameter("depth_base", message));
        }
        if let Some(alphas) = &mut p.alphas {
            if alphas.is_empty() {
                return Err(Error::parameter("alpha", "got an empty list; give at least one number > 0"));
            }
            alphas.iter().try_for_each(|&alpha| positive("alpha", alpha))?;
            alphas.sort_by(|a, b| b.total_cmp(a));
            alphas.dedup();
        }
        p.time_limit.map_or(Ok(()), |t| positive("time_limit", t))?;
        if !(p.tol > 0.0 && p.tol < 1.0) {
            return Err(Error::parameter("tol", format!("got {}; give a number between 0 and 1", p.tol)));
        }
        if p.max_hull < 1 {
            return Err(Error::parameter("max_hull", "got 0; give a whole number >= 1"));
        }
        if let BinRule::Uniform { n: 0 } = p.bins {
            return Err(Error::parameter("n_cuts", "got 0; give a whole number >= 1"));
        }
        let error = matches!(p.select, Select::Cv { scoring: Scoring::Error, .. });
        if error && p.loss == HierarchyLoss::Squared {
            return Err(Error::parameter("scoring", "got 'error' for numbers; give 'loss'"));
        }
        Ok(Self(p))
    }
}
