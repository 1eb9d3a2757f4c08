//! Queries about an optimum: the optimality condition of a pattern, and patterns close to their threshold.

use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::error::{Error, Result};
use crate::loss::{Loss, SmoothLoss, with_smooth_loss};
use crate::search::Candidate;
use crate::search::{enumerate_above, find_best};
use crate::select::{Options, TrainingView};
use crate::solve::group_candidates;
use crate::space::{CorrelationBound, PatternSpace, ReportMode, RowWeights, Sign};

/// Maximum number of patterns close to the threshold in a subtree.
const MAX_PATTERNS_PER_SUBTREE: usize = 100_000;

/// The optimality condition of a pattern at a solution. Correlations are means over the rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Price {
    /// Correlation of the pattern with the dual residual: the mean over all rows of the negative derivative of
    /// the loss on the rows of the pattern; > 0 favours a positive coefficient.
    pub correlation: f64,
    /// |correlation| above which the pattern has a coefficient: alpha times its cost. In an active group:
    /// alpha times the derivative of the penalty at the coefficient of the pattern.
    pub threshold: f64,
    /// |correlation| / threshold in an allowed direction; 1 for patterns with a coefficient.
    pub ratio: f64,
    /// Regularisation strength.
    pub alpha: f64,
    /// Number of training rows of the pattern.
    pub n_rows: u64,
    /// Their fraction of the training weight.
    pub support: f64,
    /// Number of propositions.
    pub length: usize,
    /// Its coefficient in the model, 0 if it has none.
    pub coef: f64,
    /// Whether a pattern of the model has the same training rows.
    pub in_model: bool,
    /// Decrease of the objective by the optimal coefficient of the pattern, all others fixed: exact for
    /// squared loss, a lower bound for other losses.
    pub gain: f64,
}

/// A pattern close to its threshold, in the form of its family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearTie<D> {
    /// The pattern.
    pub pattern: D,
    /// As in [`Price`].
    pub correlation: f64,
    /// As in [`Price`].
    pub threshold: f64,
    /// As in [`Price`].
    pub ratio: f64,
    /// Number of training rows of the pattern.
    pub n_rows: u64,
    /// Their fraction of the training weight.
    pub support: f64,
}

/// A solution on its training rows.
pub(crate) struct Optimality<'a, S> {
    pub view: TrainingView<'a, S>,
    pub options: &'a Options,
    pub alpha: f64,
    /// Negative derivative of the loss of each row.
    pub residual: Vec<f64>,
    /// The patterns of the solution.
    pub terms: Vec<Term>,
}

/// A pattern of a solution.
pub(crate) struct Term {
    pub rows: Vec<u32>,
    /// Its coefficient in the solution.
    pub weight: f64,
    /// That in the model, which differs where the model is relaxed.
    pub coef: f64,
    /// As in [`PatternSpace::group`].
    pub group: Vec<u32>,
}

impl<S: PatternSpace> Optimality<'_, S> {
    /// The patterns of the model with these rows, of one group if there are groups.
    fn same<'t>(&'t self, rows: &'t [u32], group: &'t [u32]) -> impl Iterator<Item = &'t Term> {
        let grouped = self.options.groups.is_some();
        self.terms.iter().filter(move |t| t.rows == rows && (!grouped || t.group == group))
    }

    /// Derivative of the penalty at the coefficient of a pattern, as a fraction of its cost: 1 except in
    /// active groups.
    fn slope(&self, rows: &[u32], group: &[u32]) -> f64 {
        let Some(penalty) = self.options.groups else { return 1.0 };
        let members = self.terms.iter().filter(|t| t.group == group);
        let norm = members.map(|t| t.weight * t.weight).sum::<f64>().sqrt();
        let coefficient: f64 = self.same(rows, group).map(|t| t.weight).sum();
        if norm > 0.0 { penalty.tau + (1.0 - penalty.tau) * coefficient.abs() / norm } else { 1.0 }
    }

    /// The optimality condition of a pattern of a group with these rows.
    pub fn price(&self, rows: &[u32], group: &[u32], length: usize, sign: Option<Sign>) -> Price {
        let n = self.residual.len() as f64;
        let correlation = rows.iter().map(|&r| self.residual[r as usize]).sum::<f64>() / n;
        let support = self.support(rows);
        let coefs: Vec<f64> = self.same(rows, group).map(|t| t.coef).collect();
        let threshold = self.alpha * self.options.cost(length) * self.slope(rows, group);
        let signed_correlation = sign.map_or(0.0, |s| s.signed_correlation(correlation));
        let spread = support * (1.0 - support);
        let excess = (signed_correlation - threshold).max(0.0);
        let gain = excess * excess / (2.0 * spread * self.options.loss.curvature_bound());
        Price {
            correlation,
            threshold,
            ratio: signed_correlation / threshold,
            alpha: self.alpha,
            n_rows: self.n_rows(rows),
            support,
            length,
            coef: coefs.iter().sum(),
            in_model: !coefs.is_empty(),
            gain: if spread > 0.0 { gain } else { 0.0 },
        }
    }

    /// At most `limit` patterns without a coefficient whose signed correlation is within the fraction
    /// `within` of the threshold (0.05: at least 95 % of it), closest first; `show` gives their form.
    pub fn near_ties<D>(
        &self,
        within: f64,
        limit: usize,
        control: &Control,
        show: impl Fn(&S::Pattern, Sign) -> D,
    ) -> Result<Vec<NearTie<D>>> {
        if !(within > 0.0 && within < 1.0) {
            return Err(Error::parameter("within", format!("got {within}; give a number in (0, 1)")));
        }
        let (view, n) = (self.view, self.residual.len() as f64);
        let mut known_rows: Vec<Vec<u32>> = self.terms.iter().map(|t| t.rows.clone()).collect();
        let weights = RowWeights::new(self.residual.clone(), view.sample_weights, view.counts);
        let growth = self.options.penalty_growth;
        let min_slope = self.options.groups.map_or(1.0, |penalty| penalty.tau);
        let threshold = (1.0 - within) * self.alpha * n * min_slope;
        let bound = CorrelationBound { threshold, radius: 0.0, growth, total: n };
        let mut ties = Vec::new();
        let mut all = near(view.space, &weights, bound, control)?;
        if let Some(penalty) = self.options.groups {
            all = group_candidates(view.space, penalty, all);
        }
        for found in all {
            control.check()?;
            if ties.len() >= limit && min_slope == 1.0 {
                break;
            }
            let slope = self.slope(&[], &view.space.group(&found.pattern));
            if slope > min_slope && found.score <= (1.0 - within) * self.alpha * n * slope {
                continue;
            }
            let rows = view.space.rows(&found.pattern);
            if known_rows.contains(&rows) {
                continue;
            }
            let sign = if found.correlation > 0.0 { Sign::Plus } else { Sign::Minus };
            ties.push(NearTie {
                pattern: show(&found.pattern, sign),
                correlation: found.correlation / n,
                threshold: self.alpha * bound.cost(found.length) * slope,
                ratio: found.score / (self.alpha * n * slope),
                n_rows: self.n_rows(&rows),
                support: self.support(&rows),
            });
            known_rows.push(rows);
        }
        // Groups have thresholds of their own.
        ties.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        ties.truncate(limit);
        Ok(ties)
    }

    /// Fraction of the training weight.
    fn support(&self, rows: &[u32]) -> f64 {
        rows.iter().map(|&r| self.view.sample_weights[r as usize]).sum::<f64>() / self.residual.len() as f64
    }

    /// Number of training rows merged into some rows.
    fn n_rows(&self, rows: &[u32]) -> u64 {
        rows.iter().map(|&r| self.view.counts[r as usize]).sum::<f64>() as u64
    }
}

/// All patterns above the threshold; if they are too many, the best of each group of siblings.
fn near<S: PatternSpace>(
    space: &S,
    weights: &RowWeights,
    bound: CorrelationBound,
    control: &Control,
) -> Result<Vec<Candidate<S::Pattern>>> {
    let mut found =
        enumerate_above(space, weights, bound, ReportMode::All, MAX_PATTERNS_PER_SUBTREE, control);
    if found.overflowed {
        found = find_best(space, weights, bound, MAX_PATTERNS_PER_SUBTREE, control);
    }
    control.check()?;
    if !found.complete {
        let said = "the time was over before all near ties were found; give more, or a smaller `within`";
        return Err(Error::Time(said.into()));
    }
    Ok(found.candidates)
}

/// Negative derivative of a loss times the weight, by row.
pub(crate) fn negative_gradient(
    loss: SmoothLoss,
    y: &[f64],
    f: &[f64],
    shift: f64,
    sample_weights: &[f64],
) -> Vec<f64> {
    let rows = 0..y.len();
    with_smooth_loss!(loss, loss => rows.map(|i| -sample_weights[i] * loss.gradient(y[i], f[i] - shift)).collect())
}
