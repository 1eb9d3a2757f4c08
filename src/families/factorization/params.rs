//! Parameters of a factorization machine, checked.

use serde::{Deserialize, Serialize};

use super::choices::{FitLower, Penalty, Solver, word};
use super::kernel::MAX_ORDER;
use super::loss::FmLoss;
use crate::error::{Error, Result};

/// The strength of the penalty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Strength {
    /// These, each fit starting from the one before; the last is the model.
    Values {
        /// Strengths >= 0.
        values: Vec<f64>,
    },
    /// The strength that leaves about so many interactions, by bisection.
    Interactions {
        /// How many are wanted.
        count: usize,
        /// Where to begin.
        start: f64,
    },
}

/// When to stop by the loss of rows held out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopping {
    /// Epochs without improvement.
    pub patience: usize,
}

/// Parameters of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The loss; it says what is predicted.
    pub loss: FmLoss,
    /// The largest order of interactions; `None`: all subsets.
    pub order: Option<usize>,
    /// Components of each factor.
    pub rank: usize,
    /// The orders below the largest.
    pub fit_lower: FitLower,
    /// Whether there is a linear term.
    pub fit_linear: bool,
    /// Whether there is an intercept.
    pub fit_intercept: bool,
    /// Whether components have random signs.
    pub random_signs: bool,
    /// The penalty of the factors.
    pub penalty: Penalty,
    /// Ridge penalty of the linear term.
    pub l2_linear: f64,
    /// Ridge penalty of the factors.
    pub l2_factors: f64,
    /// Strength of `penalty`.
    pub alpha: Strength,
    /// The ridge of a last fit on the support found, without `penalty`; `None`: no such fit.
    pub refit: Option<f64>,
    /// The method.
    pub solver: Solver,
    /// The most passes over the data.
    pub max_epochs: usize,
    /// The sum of all changes in an epoch that ends the fit.
    pub tol: f64,
    /// Standard deviation of the first factors.
    pub init_scale: f64,
    /// Rows in a batch; `None`: so many that a batch has as many entries as the factors rows.
    pub batch_size: Option<usize>,
    /// First step of the stochastic methods; `None`: found by trial.
    pub step: Option<f64>,
    /// Early stopping; needs rows to validate on.
    pub stopping: Option<Stopping>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Seconds.
    pub time_limit: Option<f64>,
    /// Bytes.
    pub memory_limit: Option<u64>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            loss: FmLoss::Squared,
            order: Some(2),
            rank: 30,
            fit_lower: FitLower::Explicit,
            fit_linear: true,
            fit_intercept: true,
            random_signs: false,
            penalty: Penalty::Ti,
            l2_linear: 1e-3,
            l2_factors: 1e-4,
            alpha: Strength::Values { values: vec![1e-3] },
            refit: None,
            solver: Solver::Pcd,
            max_epochs: 100,
            tol: 1e-3,
            init_scale: 0.1,
            batch_size: None,
            step: None,
            stopping: None,
            seed: 0,
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
        if p.order.is_some_and(|m| !(2..=MAX_ORDER).contains(&m)) {
            let got = p.order.unwrap_or_default();
            return Err(Error::parameter(
                "order",
                format!("got {got}; give a whole number from 2 to {MAX_ORDER}, or 'all' (all subsets)"),
            ));
        }
        for (name, value) in [("rank", p.rank), ("max_epochs", p.max_epochs)] {
            if value == 0 {
                return Err(Error::parameter(name, "got 0; give a whole number >= 1"));
            }
        }
        p.check_numbers()?;
        p.check_solver()?;
        Ok(Self(p))
    }
}

impl Params {
    /// The orders of the factors.
    pub(crate) fn orders(&self) -> Vec<Option<usize>> {
        match (self.order, self.fit_lower) {
            (Some(m), FitLower::Explicit) => (2..=m).map(Some).collect(),
            (order, _) => vec![order],
        }
    }

    /// How many columns of ones stand for the lower orders.
    pub(crate) fn dummies(&self) -> usize {
        match (self.order, self.fit_lower) {
            (Some(m), FitLower::Augment) => m - if self.fit_linear { 2 } else { 1 },
            _ => 0,
        }
    }

    fn check_numbers(&self) -> Result<()> {
        self.loss.kind().check()?;
        let strengths: &[f64] = match &self.alpha {
            Strength::Values { values } if values.is_empty() => {
                return Err(Error::parameter("alpha", "got an empty list; give at least one number >= 0"));
            }
            Strength::Values { values } => values,
            Strength::Interactions { count: 0, .. } => {
                return Err(Error::parameter("n_interactions", "got 0; give a whole number >= 1"));
            }
            Strength::Interactions { start, .. } => std::slice::from_ref(start),
        };
        let floors = [("l2_linear", self.l2_linear), ("l2_factors", self.l2_factors), ("tol", self.tol)];
        let refit = self.refit.map(|r| ("refit", r));
        for (name, value) in floors.into_iter().chain(refit).chain(strengths.iter().map(|&s| ("alpha", s))) {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::parameter(name, format!("got {value}; give a finite number >= 0")));
            }
        }
        let positive = [("init_scale", Some(self.init_scale)), ("step", self.step)];
        for (name, value) in positive.into_iter().chain([("time_limit", self.time_limit)]) {
            if value.is_some_and(|v| !(v.is_finite() && v > 0.0)) {
                let value = value.unwrap_or_default();
                return Err(Error::parameter(name, format!("got {value}; give a finite number > 0")));
            }
        }
        if self.batch_size == Some(0) {
            return Err(Error::parameter("batch_size", "got 0; give a whole number >= 1"));
        }
        Ok(())
    }

    /// Which penalty goes with which solver (\[SparseFM\] Table 1 and section 5).
    fn check_solver(&self) -> Result<()> {
        use Penalty::{Cs, L1, L21, None as Nothing, OmegaCs, OmegaTi, Ti};
        let allowed: &[Penalty] = match self.solver {
            Solver::Pcd => &[Nothing, L1, Ti, OmegaTi],
            Solver::Pbcd => &[Nothing, L1, L21, Cs, OmegaCs],
            Solver::Adagrad => &[Nothing],
            _ => &[Nothing, L1, L21, Ti, Cs],
        };
        if !allowed.contains(&self.penalty) {
            let (solver, penalty) = (word(self.solver), word(self.penalty));
            let allowed: Vec<String> = allowed.iter().map(|&p| word(p)).collect();
            return Err(Error::parameter(
                "solver",
                format!("{solver} has no step for penalty={penalty}; it takes {}", allowed.join(", ")),
            ));
        }
        if self.order.is_none() && matches!(self.penalty, Ti | Cs) {
            return Err(Error::parameter(
                "penalty",
                format!(
                    "{} is a power of a norm, which all subsets have not; take 'omega_ti' or 'omega_cs'",
                    word(self.penalty)
                ),
            ));
        }
        Ok(())
    }
}
