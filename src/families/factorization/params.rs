//! Parameters of a factorization machine, checked.

use serde::{Deserialize, Serialize};

use super::choices::{FitLower, Penalty, Solver, word};
use super::document::Terms;
use super::kernel::MAX_ORDER;
use crate::error::{Error, Result};
use crate::families::check_penalties;
use crate::loss::SmoothLoss;

/// The strength of the penalty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Strength {
    /// The one of least held-out loss, by cross-validation; with early stopping on the rows that are held out for it.
    Cv {
        /// Whether it is the strongest within one standard error of the least.
        one_standard_error: bool,
        /// The one of a comparison that had no time.
        fallback: f64,
    },
    /// These, each fit from the same start; the last is the model.
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

/// The usual ridge penalty of the linear term: users and items need no more, which would shrink their means.
pub const LINEAR_RIDGE: f64 = 1e-3;

/// The usual ridge penalty of the factors.
pub const FACTOR_RIDGE: f64 = 1e-4;

/// The numbers of components that are compared: the next one as long as the last was better.
pub const RANKS: [usize; 5] = [2, 4, 8, 16, RANK];

/// The usual number of components.
pub const RANK: usize = 30;

/// Parameters of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // each is a parameter of its own
pub struct Params {
    /// The loss; it says what is predicted.
    pub loss: SmoothLoss,
    /// The largest order of interactions; `None`: all subsets.
    pub order: Option<usize>,
    /// Components of each factor; `None`: the number of least held-out loss of [`RANKS`] where the strength is compared, else
    /// [`RANK`].
    pub rank: Option<usize>,
    /// The orders below the largest.
    pub fit_lower: FitLower,
    /// Whether there is a linear term.
    pub fit_linear: bool,
    /// Whether there is an intercept.
    pub fit_intercept: bool,
    /// Whether components have random signs.
    pub random_signs: bool,
    /// Whether the penalties are those of standardised columns and targets.
    pub standardize: bool,
    /// The penalty of the factors.
    pub penalty: Penalty,
    /// Ridge penalty of the linear term; `None`: the one of least held-out loss where the strength is compared, else
    /// 0.001.
    pub l2_linear: Option<f64>,
    /// Ridge penalty of the factors; `None`: the one of least held-out loss where the strength is compared, else
    /// [`FACTOR_RIDGE`].
    pub l2_factors: Option<f64>,
    /// Strength of `penalty`.
    pub alpha: Strength,
    /// The ridge of a last fit on the support found, without `penalty`; `None`: no such fit.
    pub refit: Option<f64>,
    /// The method.
    pub solver: Solver,
    /// The most passes over the data.
    pub max_iter: usize,
    /// The sum of all changes in an epoch that ends the fit.
    pub tol: f64,
    /// Standard deviation of the first factors.
    pub init_scale: f64,
    /// Rows in a batch; `None`: so many that a batch has as many entries as the factors rows.
    pub batch_size: Option<usize>,
    /// First step of the stochastic methods; `None`: found by trial.
    pub step: Option<f64>,
    /// Early stopping: passes without a lower loss of the rows held out.
    pub patience: Option<usize>,
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
            loss: SmoothLoss::Squared,
            order: Some(2),
            rank: None,
            fit_lower: FitLower::Explicit,
            fit_linear: true,
            fit_intercept: true,
            random_signs: false,
            standardize: true,
            penalty: Penalty::Ti,
            l2_linear: None,
            l2_factors: None,
            alpha: Strength::Values { values: vec![0.01] },
            refit: None,
            solver: Solver::Pcd,
            max_iter: 1000,
            tol: 1e-3,
            init_scale: 0.1,
            batch_size: None,
            step: None,
            patience: None,
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
        if let Some(order) = p.order.filter(|m| !(2..=MAX_ORDER).contains(m)) {
            let allowed = format!("give a whole number from 2 to {MAX_ORDER}, or 'all' (all subsets)");
            return Err(Error::parameter("order", format!("got {order}; {allowed}")));
        }
        let (strengths, count) = match &p.alpha {
            Strength::Values { values } => (&values[..], None),
            Strength::Cv { fallback, .. } => (std::slice::from_ref(fallback), None),
            Strength::Interactions { start, count } => (std::slice::from_ref(start), Some(*count)),
        };
        let limits = [("rank", p.rank), ("max_iter", Some(p.max_iter)), ("n_interactions", count)];
        for (name, value) in
            limits.into_iter().chain([("batch_size", p.batch_size), ("patience", p.patience)])
        {
            if value == Some(0) {
                return Err(Error::parameter(name, "got 0; give a whole number >= 1"));
            }
        }
        p.loss.kind().check()?;
        check_penalties("alpha", strengths)?;
        let ridges = [("l2_linear", p.linear_ridge()), ("l2_factors", p.factor_ridge())];
        for (name, value) in ridges.into_iter().chain([("tol", p.tol), ("refit", p.refit.unwrap_or(0.0))]) {
            check_penalties(name, &[value])?;
        }
        for (name, value) in [("init_scale", Some(p.init_scale)), ("step", p.step)] {
            if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
                return Err(Error::parameter(name, format!("got {value}; give a finite number > 0")));
            }
        }
        p.check_solver()?;
        Ok(Self(p))
    }
}

impl Params {
    /// The ridge penalty of the linear term, where none is chosen.
    pub(crate) fn linear_ridge(&self) -> f64 {
        self.l2_linear.unwrap_or(LINEAR_RIDGE)
    }

    /// The ridge penalty of the factors, where none is chosen.
    pub(crate) fn factor_ridge(&self) -> f64 {
        self.l2_factors.unwrap_or(FACTOR_RIDGE)
    }

    /// The number of components, where none is chosen.
    pub(crate) fn rank(&self) -> usize {
        self.rank.unwrap_or(RANK)
    }

    /// The orders of the factors.
    pub(crate) fn orders(&self) -> Vec<Option<usize>> {
        match (self.order, self.fit_lower) {
            (Some(m), FitLower::Explicit) => (2..=m).map(Some).collect(),
            (order, _) => vec![order],
        }
    }

    /// The terms of the machines of columns with some scales and centers.
    pub(crate) fn terms(&self, scales: Vec<f64>, centers: Vec<f64>) -> Terms {
        Terms {
            rank: self.rank(),
            ones: self.dummies(),
            linear: self.fit_linear,
            orders: self.orders(),
            scales,
            centers,
        }
    }

    /// Whether the solver takes a few rows at a time.
    pub(crate) fn is_by_batches(&self) -> bool {
        matches!(self.solver, Solver::Psgd | Solver::Adagrad)
    }

    /// Whether a fit is one pass over a batch of rows, a part of a fit that goes on.
    pub(crate) fn is_part(&self) -> bool {
        self.is_by_batches() && self.max_iter == 1
    }

    /// How many columns of ones stand for the lower orders.
    pub(crate) fn dummies(&self) -> usize {
        match (self.order, self.fit_lower) {
            (Some(m), FitLower::Augment) => m - if self.fit_linear { 2 } else { 1 },
            _ => 0,
        }
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
            let why = "is a power of a norm, which all subsets have not; take 'omega_ti' or 'omega_cs'";
            return Err(Error::parameter("penalty", format!("{} {why}", word(self.penalty))));
        }
        Ok(())
    }
}
