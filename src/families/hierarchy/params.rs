//! Parameters of a hierarchical fit, checked.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::HierarchyLoss;
use super::norm::NormParams;
use crate::data::bins::BinRule;
use crate::error::{Error, Result};

/// How the model is selected among the points of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Select {
    /// Smallest mean held-out score.
    Cv {
        /// Whether to take the largest alpha within one standard error of it.
        one_standard_error: bool,
        /// The score of a held-out row.
        scoring: Scoring,
    },
    /// The last point.
    Last,
}

/// The score of a held-out row; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scoring {
    /// The loss of the fit.
    Loss,
    /// Classification error: 1 if the predicted class is wrong.
    Error,
}

/// Solver of the problem over a working set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Strategy {
    /// Newton's method with logarithmic barriers.
    Newton,
    /// Mirror descent on the kernel weights, \[HKL-REL\] section 4.
    MirrorDescent,
}

/// Values of C = 1 / (alpha n), n the sum of the weights, of a path without given alphas: the grid of
/// \[HKL-REL\] section 5.
pub const DEFAULT_C_GRID: [f64; 7] = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];

/// A smaller C that the folds compare first: a squared norm leaves small coefficients at every strength, and at this one the
/// model without any is proven to the default tolerance.
const C_WITHOUT_TERMS: f64 = 1e-6;

/// How many strengths folds compare unless others are given.
pub const N_COMPARED: usize = 1 + DEFAULT_C_GRID.len();

/// Parameters of a hierarchical fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The loss; it determines the task.
    pub loss: HierarchyLoss,
    /// Order rho of the norm over descendants, in (1, 2]; 2 selects a conjunction only with all its subsets.
    pub rho: f64,
    /// Base a of the penalty weights a^|v|, > 1.
    pub depth_base: f64,
    /// Regularisation strengths alpha; `None`: those of [`DEFAULT_C_GRID`].
    pub alphas: Option<Vec<f64>>,
    /// How the model is selected.
    pub select: Select,
    /// How numeric columns are binned.
    pub bins: BinRule,
    /// Solver over a working set.
    pub strategy: Strategy,
    /// Tolerance of the relative duality gap over the lattice.
    pub tol: f64,
    /// Maximum number of conjunctions in the working set.
    pub max_hull: usize,
    /// Time limit in seconds.
    pub time_limit: Option<f64>,
    /// Memory limit in bytes.
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
            bins: BinRule::Uniform { n: 5 },
            strategy: Strategy::Newton,
            tol: 1e-6,
            max_hull: 500,
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

fn check_positive(name: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::parameter(name, format!("got {value}; give a finite number > 0")))
}

/// Beyond these the smaller one of loss and penalty is lost in rounding.
const ALPHAS: RangeInclusive<f64> = f64::EPSILON..=1.0 / f64::EPSILON;

fn check_strength(alpha: f64) -> Result<()> {
    check_positive("alpha", alpha)?;
    if ALPHAS.contains(&alpha) {
        return Ok(());
    }
    let (least, most) = (ALPHAS.start(), ALPHAS.end());
    let message = format!(
        "got {alpha:.1e}; give a number from {least:.1e} to {most:.1e}: beyond, the loss or the penalty is lost in rounding"
    );
    Err(Error::parameter("alpha", message))
}

/// A regularisation strength on both scales.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Strength {
    /// Factor of the penalty beside the mean loss.
    pub alpha: f64,
    /// Factor of the summed loss beside the penalty, as in the papers: 1 / (alpha n).
    pub c: f64,
}

impl Strength {
    /// The strength `alpha` for weights with this sum.
    pub fn new(alpha: f64, total_weight: f64) -> Self {
        Self { alpha, c: 1.0 / (alpha * total_weight) }
    }
}

impl ValidParams {
    /// The parameters of the penalty.
    pub fn norm(&self) -> NormParams {
        NormParams { rho: self.0.rho, depth_base: self.0.depth_base }
    }

    /// The strengths of the path in order of falling alpha, for weights with this sum.
    pub fn strengths(&self, total_weight: f64) -> Vec<Strength> {
        match &self.0.alphas {
            None => {
                let first = matches!(self.0.select, Select::Cv { .. }).then_some(C_WITHOUT_TERMS);
                let grid = first.into_iter().chain(DEFAULT_C_GRID);
                grid.map(|c| Strength { alpha: 1.0 / (c * total_weight), c }).collect()
            }
            Some(alphas) => alphas.iter().map(|&alpha| Strength::new(alpha, total_weight)).collect(),
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
            alphas.iter().try_for_each(|&alpha| check_strength(alpha))?;
            alphas.sort_by(|a, b| b.total_cmp(a));
            alphas.dedup();
        }
        if !(p.tol > 0.0 && p.tol < 1.0) {
            return Err(Error::parameter("tol", format!("got {}; give a number between 0 and 1", p.tol)));
        }
        if p.max_hull < 1 {
            return Err(Error::parameter("max_hull", "got 0; give a whole number >= 1"));
        }
        let is_error_rate = matches!(p.select, Select::Cv { scoring: Scoring::Error, .. });
        if is_error_rate && p.loss == HierarchyLoss::Squared {
            return Err(Error::parameter("scoring", "got 'error' for numbers; give 'loss'"));
        }
        Ok(Self(p))
    }
}
