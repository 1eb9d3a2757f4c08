//! Parameters of a rule fit, and the check that each is within its range.

use serde::{Deserialize, Serialize};

use crate::data::bins::BinRule;
use crate::error::{Error, Result};
use crate::families::convex::FamilyParams;
use crate::loss::SmoothLoss;
use crate::penalty::SparseGroup;
use crate::select::{Alpha, Options, PenaltyKind, Relax, at_least};
use crate::solve::Strategy;

/// Parameters of a rule fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // each is a parameter of its own
pub struct Params {
    /// The loss; it says whether responses are numbers or classes.
    pub loss: SmoothLoss,
    /// How the regularisation strength is selected.
    pub alpha: Alpha,
    /// Number of points of a path.
    pub n_alphas: usize,
    /// Smallest alpha of a path relative to the largest.
    pub alpha_min_ratio: f64,
    /// How the coefficients are relaxed.
    pub relax: Relax,
    /// The penalty of the coefficients.
    pub penalty: PenaltyKind,
    /// Ridge penalty of best subsets; chosen by cross-validation if `None`.
    pub ridge: Option<f64>,
    /// Maximum number of rules; the path ends before a model with more.
    pub max_rules: Option<usize>,
    /// Maximum number of linear terms; the path ends before a model with more.
    pub max_linear: Option<usize>,
    /// Maximum number of rules and linear terms together; the path ends before a model with more.
    pub max_terms: Option<usize>,
    /// Maximum number of features of a rule; `None`: no limit.
    pub max_features: Option<usize>,
    /// Whether cross-validation of strengths chooses the maximum among 1, 2, ... up to `max_features`.
    pub choose_max_features: bool,
    /// Minimum number of training rows of a rule.
    pub min_support: usize,
    /// How numeric columns are binned.
    pub bins: BinRule,
    /// Special codes of each column, numbers that stand for something else; an empty list: no column has any.
    pub special_codes: Vec<Vec<f64>>,
    /// Whether there are linear terms beside the rules.
    pub linear: bool,
    /// Whether rules with the same training rows are merged.
    pub closed: bool,
    /// Monotonicity constraint of each feature: -1 (decreasing), 0 (none) or 1 (increasing).
    pub monotonic_cst: Option<Vec<i8>>,
    /// Whether coefficients must be nonnegative.
    pub positive: bool,
    /// Increase of the penalty of a rule for each condition after the first.
    pub penalty_growth: f64,
    /// Grouped penalty of rules on the same features: the fraction tau of the L1 norm, in (0, 1].
    pub group_sparsity: Option<f64>,
    /// Penalty of a linear term relative to a rule of one condition, > 0.
    pub linear_penalty: f64,
    /// The strategy of the solver.
    pub strategy: Strategy,
    /// Tolerance of the relative duality gap.
    pub tol: f64,
    /// Maximum number of rounds of search and solution for each alpha.
    pub max_iter: usize,
    /// Time limit in seconds.
    pub time_limit: Option<f64>,
    /// Memory limit in bytes.
    pub memory_limit: Option<u64>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            loss: SmoothLoss::Squared,
            alpha: Alpha::Cv { one_standard_error: false },
            n_alphas: 100,
            alpha_min_ratio: 1e-3,
            relax: Relax::Off,
            penalty: PenaltyKind::L1,
            ridge: None,
            max_rules: None,
            max_linear: None,
            max_terms: None,
            max_features: Some(3),
            choose_max_features: false,
            min_support: 1,
            bins: BinRule::Auto,
            special_codes: Vec::new(),
            linear: true,
            closed: true,
            monotonic_cst: None,
            positive: false,
            penalty_growth: 0.5,
            group_sparsity: None,
            linear_penalty: 1.0,
            strategy: Strategy::WorkingSet,
            tol: 1e-6,
            max_iter: 10_000,
            time_limit: None,
            memory_limit: None,
        }
    }
}

/// Checked parameters; read-only.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidParams {
    params: Params,
    options: Options,
}

impl std::ops::Deref for ValidParams {
    type Target = Params;

    fn deref(&self) -> &Params {
        &self.params
    }
}

impl TryFrom<Params> for ValidParams {
    type Error = Error;

    fn try_from(params: Params) -> Result<Self> {
        params.check()?;
        let options = params.options();
        options.check()?;
        Ok(Self { params, options })
    }
}

impl FamilyParams for ValidParams {
    fn options(&self) -> &Options {
        &self.options
    }

    /// Always succeeds: the parameters have been checked.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn longest_compared(&self) -> Option<usize> {
        self.max_features.filter(|_| self.choose_max_features)
    }

    fn of_length(&self, length: usize) -> Self {
        let params = Params { max_features: Some(length), choose_max_features: false, ..self.params.clone() };
        Self { params, options: self.options.clone() }
    }
}

impl Params {
    /// The grouped penalty; `None` if the penalty is a sum over rules.
    pub fn groups(&self) -> Option<SparseGroup> {
        self.group_sparsity.filter(|&tau| tau < 1.0).map(|tau| SparseGroup { tau })
    }

    fn options(&self) -> Options {
        Options {
            loss: self.loss,
            alpha: self.alpha.clone(),
            n_alphas: self.n_alphas,
            alpha_min_ratio: self.alpha_min_ratio,
            relax: self.relax,
            penalty: self.penalty,
            ridge: self.ridge,
            max_patterns: self.max_rules,
            max_dense: self.max_linear,
            max_terms: self.max_terms,
            closed: self.closed,
            penalty_growth: self.penalty_growth,
            groups: self.groups(),
            dense_cost: self.linear_penalty,
            strategy: self.strategy,
            tol: self.tol,
            max_iter: self.max_iter,
            time_limit: self.time_limit,
            memory_limit: self.memory_limit,
        }
    }

    fn check(&self) -> Result<()> {
        at_least("min_support", self.min_support, 1)?;
        self.max_features.map_or(Ok(()), |q| at_least("max_features", q, 1))?;
        if self.choose_max_features && self.max_features.is_none() {
            return Err(Error::parameter(
                "choose_max_features",
                "needs a max_features, the largest compared",
            ));
        }
        self.max_rules.map_or(Ok(()), |k| at_least("max_rules", k, 1))?;
        self.max_terms.map_or(Ok(()), |k| at_least("max_terms", k, 1))?;
        self.check_groups()?;
        let signs = self.monotonic_cst.iter().flatten();
        match signs.copied().find(|m| !(-1..=1).contains(m)) {
            Some(bad) => Err(Error::parameter(
                "monotonic_cst",
                format!("got {bad}; give -1 (falls), 0 (free) or 1 (rises) for each feature"),
            )),
            None => Ok(()),
        }
    }

    fn check_groups(&self) -> Result<()> {
        let linear = self.linear_penalty;
        if !(linear.is_finite() && linear > 0.0) {
            return Err(Error::parameter("linear_penalty", format!("got {linear}; give a number > 0")));
        }
        let Some(tau) = self.group_sparsity else { return Ok(()) };
        if !(tau > 0.0 && tau <= 1.0) {
            return Err(Error::parameter(
                "group_sparsity",
                format!("got {tau}; give a number in (0, 1], or nothing for no groups"),
            ));
        }
        if !self.closed && tau < 1.0 {
            return Err(Error::parameter(
                "group_sparsity",
                "needs closed=True: copies of a rule in a group would reduce its penalty",
            ));
        }
        Ok(())
    }
}
