//! Options of all convex fits, and their validation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Relax;
use crate::error::{Error, Result};
use crate::loss::SmoothLoss;
use crate::penalty::{L1, SparseGroup};
use crate::solve::{BestSubset, Strategy};

/// How the penalty strength is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Alpha {
    /// Smallest mean held-out loss.
    Cv {
        /// Take the strongest penalty within one standard error of the least loss.
        #[serde(default)]
        one_standard_error: bool,
    },
    /// Smallest Bayesian information criterion.
    Bic,
    /// Smallest extended Bayesian information criterion.
    Ebic,
    /// A given value.
    Value {
        /// Penalty strength, > 0.
        value: f64,
    },
    /// A path without selection; the last point is selected.
    Path {
        /// Penalty strengths, > 0; `None`: a grid from the smallest that empties the model.
        #[serde(default)]
        alphas: Option<Vec<f64>>,
    },
}

impl Alpha {
    /// Whether the strongest penalty within one standard error is taken.
    pub(crate) fn is_one_standard_error(&self) -> bool {
        *self == Self::Cv { one_standard_error: true }
    }
}

/// Loss, path, solver and budgets of a fit. The loss says whether responses are numbers or classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The loss.
    pub loss: SmoothLoss,
    /// How the penalty strength is chosen.
    pub alpha: Alpha,
    /// Number of points of a path.
    pub n_alphas: usize,
    /// Smallest penalty of a path as a fraction of the largest.
    pub alpha_min_ratio: f64,
    /// How the coefficients are relaxed.
    pub relax: Relax,
    /// The penalty of coefficients.
    pub penalty: PenaltyKind,
    /// Ridge penalty of best subsets; chosen by cross-validation if `None`.
    pub ridge: Option<f64>,
    /// The path ends before a model with more patterns.
    pub max_patterns: Option<usize>,
    /// The path ends before a model with more dense columns.
    #[serde(skip)]
    pub max_dense: Option<usize>,
    /// The path ends before a model with more patterns and dense columns together.
    #[serde(skip)]
    pub max_terms: Option<usize>,
    /// Merge patterns with the same training rows.
    pub closed: bool,
    /// Growth of a pattern's penalty with each proposition after the first.
    pub penalty_growth: f64,
    /// Penalise patterns about the same features together, in families that have features.
    #[serde(skip)]
    pub groups: Option<SparseGroup>,
    /// Penalty of the coefficient of a dense column beside that of a pattern of one proposition.
    #[serde(skip)]
    pub dense_cost: f64,
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

/// The ridge penalties of best subsets that a cross-validation compares. Squared loss shrinks coefficients of disjoint
/// rules by 1 / (1 + 2 ridge): to a third, and by 38, 17, 6, 2 and 0.2 %. The first searches, the others choose from
/// what it found.
const RIDGES: [f64; 6] = [0.1, 1.0, 0.3, 0.03, 0.01, 0.001];
/// That of best subsets if there is no cross-validation.
const DEFAULT_RIDGE: f64 = 0.01;
/// The least of them: with less, rounding decides which of two subsets is better.
const MIN_RIDGE: f64 = 1e-6;
/// Number of patterns of the largest subset if it is not limited.
const MAX_SIZE: usize = 30;
/// A size that no subset has; small multiples of it are numbers.
const NO_LIMIT: usize = 1 << 28;
/// Largest number of penalties of a path: each takes memory before the first is solved, and neighbours of more would differ by less
/// than the tolerance of a solution.
const MAX_ALPHAS: usize = 100_000;

/// What keeps a model sparse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PenaltyKind {
    /// The sizes of the coefficients.
    #[default]
    L1,
    /// Their number.
    L0,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            loss: SmoothLoss::Squared,
            alpha: Alpha::Cv { one_standard_error: false },
            n_alphas: 100,
            alpha_min_ratio: 1e-2,
            relax: Relax::Off,
            penalty: PenaltyKind::L1,
            ridge: None,
            max_patterns: None,
            max_dense: None,
            max_terms: None,
            closed: true,
            penalty_growth: 0.0,
            groups: None,
            dense_cost: 1.0,
            strategy: Strategy::WorkingSet,
            tol: 1e-6,
            max_iter: 10_000,
            time_limit: None,
            memory_limit: None,
        }
    }
}

impl Options {
    /// Cost of a pattern of `length` propositions.
    pub fn cost(&self, length: usize) -> f64 {
        L1 { growth: self.penalty_growth }.cost(length)
    }

    /// The best subsets of `n_rows` rows that are asked for; `None` for the L1 penalty.
    pub fn best_subset(&self, n_rows: usize) -> Option<BestSubset> {
        let price = if let Alpha::Value { value } = self.alpha { Some(value * n_rows as f64) } else { None };
        (self.penalty == PenaltyKind::L0).then_some(BestSubset {
            ridge: self.ridge.unwrap_or(DEFAULT_RIDGE),
            max_patterns: self.max_subset_patterns(),
            max_dense: self.max_dense.unwrap_or(usize::MAX),
            price,
        })
    }

    /// The ridge penalties of best subsets that a cross-validation compares.
    pub fn ridges(&self) -> Vec<f64> {
        self.ridge.map_or(RIDGES.to_vec(), |ridge| vec![ridge])
    }

    /// Number of patterns of the largest subset.
    fn max_subset_patterns(&self) -> usize {
        self.max_patterns.unwrap_or(MAX_SIZE)
    }

    /// Number of columns of the largest subset.
    pub fn max_size(&self, n_dense: usize) -> usize {
        let patterns = self.max_subset_patterns();
        let dense = self.max_dense.unwrap_or(usize::MAX).min(n_dense);
        patterns.saturating_add(dense).min(self.max_terms.unwrap_or(usize::MAX)).min(NO_LIMIT)
    }

    /// Whether a pattern may be added to a best subset of these numbers of patterns and dense columns.
    pub fn admits_pattern(&self, patterns: usize, dense: usize) -> bool {
        patterns < self.max_subset_patterns() && patterns + dense < self.max_terms.unwrap_or(usize::MAX)
    }

    /// The same of a dense column.
    pub fn admits_linear(&self, patterns: usize, dense: usize) -> bool {
        dense < self.max_dense.unwrap_or(usize::MAX)
            && patterns + dense < self.max_terms.unwrap_or(usize::MAX)
    }

    /// Whether the number of terms is limited.
    pub fn is_limited(&self) -> bool {
        self.max_patterns.or(self.max_dense).or(self.max_terms).is_some()
    }

    /// How many terms may still be added to a model with these numbers of patterns and dense columns before a
    /// limit is exceeded; `None` if one is.
    pub fn room(&self, patterns: usize, dense: usize) -> Option<usize> {
        let limits =
            [(self.max_patterns, patterns), (self.max_dense, dense), (self.max_terms, patterns + dense)];
        limits.iter().try_fold(usize::MAX, |room, &(most, count)| match most {
            Some(most) => most.checked_sub(count).map(|left| room.min(left)),
            None => Some(room),
        })
    }

    /// The penalty of a model, for an alpha of 1: from each term's number of propositions, group
    /// and coefficient, and the coefficients of the standardised dense columns.
    pub fn penalty(
        &self,
        terms: impl Iterator<Item = (usize, Vec<u32>, f64)>,
        dense: impl Iterator<Item = f64>,
    ) -> f64 {
        let mut groups: BTreeMap<Vec<u32>, (usize, f64, f64)> = BTreeMap::new();
        let mut total = 0.0;
        for (length, group, w) in terms {
            total += self.cost(length) * w.abs();
            if self.groups.is_some() {
                let (_, sum, squares) = groups.entry(group).or_insert((length, 0.0, 0.0));
                (*sum, *squares) = (*sum + w.abs(), *squares + w * w);
            }
        }
        if let Some(penalty) = self.groups {
            let one = |&(length, sum, squares): &(usize, f64, f64)| {
                self.cost(length) * penalty.of_sums(sum, squares)
            };
            total = groups.values().map(one).sum();
        }
        total + self.dense_cost * dense.map(f64::abs).sum::<f64>()
    }

    /// Fails where a value is outside its range.
    pub fn check(&self) -> Result<()> {
        self.check_alpha()?;
        self.relax.check()?;
        self.check_best_subset()?;
        at_least("max_iter", self.max_iter, 1)?;
        positive("tol", self.tol)?;
        let growth = self.penalty_growth;
        if !(growth >= 0.0 && growth.is_finite()) {
            return Err(Error::parameter("penalty_growth", format!("got {growth}; give a number >= 0")));
        }
        self.loss.kind().check()
    }

    /// Fails if the coefficients are to be relaxed by a cross-validation that there is not.
    pub fn check_relax(&self) -> Result<()> {
        match self.alpha {
            Alpha::Cv { .. } | Alpha::Value { .. } => Ok(()),
            _ if self.relax == Relax::Cv => Err(Error::parameter(
                "relax",
                "'cv' cannot choose along a path or with an information criterion; give alpha='cv' or a number, or for relax a number in (0, 1]",
            )),
            _ => Ok(()),
        }
    }

    /// Fails if best subsets are asked for with what only L1 solutions have.
    fn check_best_subset(&self) -> Result<()> {
        self.ridge.map_or(Ok(()), check_ridge)?;
        if self.penalty == PenaltyKind::L1 {
            return Ok(());
        }
        if self.relax != Relax::Off {
            let message = "the coefficients of best subsets are not shrunken by a penalty of their sizes; leave relax out with penalty='l0'";
            return Err(Error::parameter("relax", message));
        }
        if self.groups.is_some() {
            return Err(Error::parameter("penalty", "groups of patterns have no best subsets; use 'l1'"));
        }
        if matches!(self.alpha, Alpha::Path { alphas: Some(_) }) {
            let message =
                "a path of best subsets has a point for each size, not for given strengths; limit its size";
            return Err(Error::parameter("alphas", message));
        }
        Ok(())
    }

    fn check_alpha(&self) -> Result<()> {
        match &self.alpha {
            Alpha::Value { value } => positive("alpha", *value)?,
            Alpha::Path { alphas: Some(alphas) } => {
                if alphas.is_empty() {
                    return Err(Error::parameter(
                        "alphas",
                        "got an empty list; give at least one number > 0",
                    ));
                }
                alphas.iter().try_for_each(|&a| positive("alphas", a))?;
            }
            Alpha::Bic | Alpha::Ebic if self.loss.kind().deviance(1.0, 1.0).is_none() => {
                let name = self.loss.kind().name();
                return Err(Error::parameter(
                    "alpha",
                    format!(
                        "'bic' and 'ebic' need a likelihood, which '{name}' is not; use 'cv' or another loss"
                    ),
                ));
            }
            _ => {}
        }
        let ratio = self.alpha_min_ratio;
        if !(ratio > 0.0 && ratio < 1.0) {
            return Err(Error::parameter("alpha_min_ratio", format!("got {ratio}; give a number in (0, 1)")));
        }
        at_least("n_alphas", self.n_alphas, 1)?;
        if self.n_alphas > MAX_ALPHAS {
            let message = format!("got {}; give at most {MAX_ALPHAS}", self.n_alphas);
            return Err(Error::parameter("n_alphas", message));
        }
        Ok(())
    }
}

/// Fails unless the value is finite and > 0.
fn positive(name: &'static str, got: f64) -> Result<()> {
    if got.is_finite() && got > 0.0 {
        return Ok(());
    }
    Err(Error::parameter(name, format!("got {got}; give a number > 0")))
}

fn check_ridge(ridge: f64) -> Result<()> {
    if ridge.is_finite() && ridge >= MIN_RIDGE {
        return Ok(());
    }
    Err(Error::parameter("ridge", format!("got {ridge}; give a number >= {MIN_RIDGE:e}")))
}

/// Fails for an integer below `least`.
pub(crate) fn at_least(name: &'static str, got: usize, least: usize) -> Result<()> {
    if got < least {
        return Err(Error::parameter(name, format!("got {got}; give a whole number >= {least}")));
    }
    Ok(())
}
