//! Verification of the optimality of a model, independent of the fit.
//!
//! Predictions are computed from the terms of the model on raw rows. Rules are enumerated by bitsets of comparisons of raw
//! values, patterns of records by matching, both by depth-first search with the bound of radius 0.
//!
//! Verification and fit have in common: the losses, the cut points of the bins, the merging and centring of rows, the number
//! of candidates, mean, deviation and sign of linear columns, the value of the penalty of given coefficients, the
//! quadratic programs and the line search of `linalg`. Where the residual of a model does not give its lower bound (a limit
//! ended the fit), a new fit decides.
//!
//! Hierarchical models have another kind of certificate, see `hierarchy`, and additive models a lower bound, see
//! `additive`.
//!
//! With phi the centred negative derivatives of the loss and m the largest |`sum_k` phi| / `c_k`
//! over all candidates and linear columns (for groups of rules: the largest epsilon-norm), phi scaled
//! by min(1, lambda / m) is dual feasible, and the primal minus the dual objective bounds the distance from
//! the optimum.

pub(crate) mod additive;
mod dependence;
mod extension;
pub(crate) mod hierarchy;
pub(crate) mod intercept;
pub(crate) mod level_set;
pub(crate) mod linear;
mod patterns;
mod question;
mod ridge;
mod rules;
pub(crate) mod swaps;
#[cfg(test)]
mod tests;

pub(crate) use extension::Extension;
pub(crate) use patterns::PatternWalk;
pub use question::{Answer, Cover, Goal, Question, Score};
pub(crate) use ridge::{RidgeProblem, SignedColumn};
pub(crate) use rules::RuleEnumeration;

use serde::Serialize;

use self::intercept::centred_slopes;
use crate::control::Control;
use crate::data::bins::Binning;
use crate::data::rows::{check_response, check_weights};
use crate::document::SubsetDoc;
use crate::document::check::ROUNDED_TOL;
use crate::error::{Error, Result};
use crate::loss::Task;
use crate::loss::{Conjugate, LossKind, PERFECT_FIT_FRACTION, SecondOrder, SmoothLoss, with_smooth_loss};

/// A gap relative to the primal objective. Beside responses `y` a primal below rounding
/// counts as rounding, so that a perfect fit has a gap of about 0.
pub fn relative_gap(gap: f64, primal: f64, loss: impl Into<LossKind>, y: &[f64]) -> f64 {
    let scale = loss.into().magnitude(y);
    if gap <= 0.0 { 0.0 } else { gap / primal.abs().max(PERFECT_FIT_FRACTION * scale).max(f64::MIN_POSITIVE) }
}

/// A lower bound no larger than the primal objective: both are sums with rounding, and a smaller bound is valid. In the
/// place of NaN 0, since no loss is negative.
pub(crate) fn dual_below(dual: f64, primal: f64) -> f64 {
    if dual.is_nan() { 0.0 } else { dual.min(primal) }
}

/// The certificate of one output. Objectives are of mean loss + alpha * penalty.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// Regularisation strength.
    pub alpha: f64,
    /// Objective of the model.
    pub primal: f64,
    /// Objective of a dual point that is feasible for all candidates.
    pub dual: f64,
    /// `primal - dual`, at least 0.
    pub gap: f64,
    /// The gap relative to the primal objective.
    pub relative_gap: f64,
    /// Tolerance of the relative gap.
    pub tol: f64,
    /// Exact number of candidates.
    pub n_candidates: String,
    /// Number of candidates that the search visited.
    pub nodes: u64,
    /// Number of searches: one.
    pub searches: u64,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Whether the gap is within the tolerance; of a best subset, whether its claims hold.
    pub complete: bool,
    /// Of a best subset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subset: Option<SubsetDoc>,
}

/// Fails if responses, their number or weights do not fit the rows and the model.
pub(crate) fn check_lengths(
    n_rows: usize,
    n_outputs: usize,
    y: &[Vec<f64>],
    weights: Option<&[f64]>,
    task: Task,
) -> Result<()> {
    if y.len() != n_outputs {
        return Err(Error::data(format!("{} responses for a model of {n_outputs} outputs", y.len())));
    }
    y.iter().try_for_each(|y| check_response(y, n_rows, task))?;
    weights.map_or(Ok(()), |weights| check_weights(weights, n_rows))
}

/// Fails if the bins learned from the rows are not those of the model.
pub(crate) fn check_bins(learned: &Binning, model: &Binning) -> Result<()> {
    let mut pairs = learned.features().iter().zip(model.features()).zip(learned.names());
    let different =
        pairs.find(|((own, other), _)| own != other).map(|(_, name)| format!("column '{name}': "));
    if different.is_none() && learned == model {
        return Ok(());
    }
    Err(Error::Certificate(format!(
        "{}the cuts, categories or range of these data are not those of the model; give the data it was fitted on",
        different.unwrap_or_default()
    )))
}

/// The error of a model of which something is not what these rows and the parameters give.
pub(crate) fn refusal(output: usize, complaint: &str) -> Error {
    Error::Certificate(format!("output {output}: {complaint}; the model was fitted on other data or edited"))
}

/// Fails if the time is over, or the caller asked to stop.
pub(crate) fn check_time(control: &Control) -> Result<()> {
    control.check()?;
    if control.is_out_of_time() { Err(over(0, 0)) } else { Ok(()) }
}

/// The error of a verification that confirmed some of the outputs in its time.
fn over(confirmed: usize, outputs: usize) -> Error {
    let found = match confirmed {
        0 => "nothing is confirmed".into(),
        _ => format!("{confirmed} of {outputs} outputs are confirmed, nothing is known of the others"),
    };
    Error::Time(format!("the time was over before the verification was, {found}; give more"))
}

/// The certificates of all outputs, which `verify` adds one by one. An enumeration that the time ended finds too little:
/// after that a refusal says nothing.
pub(crate) fn within_time<C>(
    control: &Control,
    outputs: usize,
    verify: impl FnOnce(&mut Vec<C>) -> Result<()>,
) -> Result<Vec<C>> {
    let mut certificates = Vec::new();
    let ended = verify(&mut certificates);
    control.check()?;
    match ended {
        Ok(()) => Ok(certificates),
        Err(Error::Certificate(_) | Error::Time(_)) if control.is_out_of_time() => {
            Err(over(certificates.len(), outputs))
        }
        Err(error) => Err(error),
    }
}

/// The rows of positive weight, and their weights with mean 1.
pub(crate) fn weighted_rows(n_rows: usize, weights: Option<&[f64]>) -> Result<(Vec<u32>, Vec<f64>)> {
    let positive_rows: Vec<u32> =
        (0..n_rows as u32).filter(|&r| weights.is_none_or(|w| w[r as usize] > 0.0)).collect();
    if positive_rows.is_empty() {
        return Err(Error::data("no row has a positive weight"));
    }
    let sample_weights: Vec<f64> =
        positive_rows.iter().map(|&r| weights.map_or(1.0, |w| w[r as usize])).collect();
    let mean = sample_weights.iter().sum::<f64>() / sample_weights.len() as f64;
    Ok((positive_rows, sample_weights.iter().map(|m| m / mean).collect()))
}

/// Responses less their location, with predictions of them.
pub(crate) struct Predicted {
    pub y: Vec<f64>,
    /// Predictions as they are made, less the location.
    pub f: Vec<f64>,
    /// The same without what is rounded beside the location.
    pub precise: Vec<f64>,
}

/// The claims of a model about one output.
pub(crate) struct Claim<'a> {
    pub output: usize,
    pub alpha: f64,
    pub tol: f64,
    /// The claimed relative gap.
    pub relative_gap: f64,
    /// Penalty of its coefficients for alpha 1.
    pub penalty: f64,
    pub n_candidates: &'a str,
    pub control: &'a Control,
}

impl Claim<'_> {
    /// The gap of predictions; `search` gives the largest correlation per unit of
    /// penalty (of a residual; at least the given lambda) and the number of candidates visited.
    ///
    /// Fails if the gap is more than ten times the claimed gap.
    pub(crate) fn check(
        &self,
        loss: SmoothLoss,
        predicted: &Predicted,
        sample_weights: &[f64],
        search: impl FnOnce(&[f64], f64) -> Result<(f64, u64)>,
    ) -> Result<Certificate> {
        let began = std::time::Instant::now();
        let mut certificate =
            with_smooth_loss!(loss, loss => self.gap(loss, predicted, sample_weights, search))?;
        certificate.seconds = began.elapsed().as_secs_f64();
        let is_near = certificate.relative_gap <= 10.0 * self.relative_gap;
        if !certificate.complete && !is_near {
            let complaint = format!(
                "the relative gap on these rows is {:.3e}, the model claims {:.1e}",
                certificate.relative_gap, self.relative_gap
            );
            return Err(refusal(self.output, &complaint));
        }
        Ok(certificate)
    }

    fn gap<L: Conjugate + SecondOrder + Into<LossKind>>(
        &self,
        loss: L,
        Predicted { y, f, precise }: &Predicted,
        sample_weights: &[f64],
        search: impl FnOnce(&[f64], f64) -> Result<(f64, u64)>,
    ) -> Result<Certificate> {
        let n = y.len() as f64;
        let risk = (0..y.len()).map(|i| sample_weights[i] * loss.value(y[i], f[i])).sum::<f64>() / n;
        let primal = risk + self.alpha * self.penalty;
        let (_, slopes) = centred_slopes(loss, y, sample_weights, precise, self.control)?;
        let residual: Vec<f64> = slopes.iter().map(|slope| -slope).collect();
        let lambda = self.alpha * n;
        let (largest, nodes) = search(&residual, lambda)?;
        let scale = (lambda / largest).min(1.0);
        let dual = dual_below(dual(loss, y, sample_weights, &residual, scale) / n, primal);
        let gap = primal - dual;
        let relative_gap = relative_gap(gap, primal, loss, y);
        Ok(Certificate {
            alpha: self.alpha,
            primal,
            dual,
            gap,
            relative_gap,
            tol: self.tol,
            n_candidates: self.n_candidates.to_owned(),
            nodes,
            searches: 1,
            seconds: 0.0,
            complete: relative_gap <= ROUNDED_TOL * self.tol,
            subset: None,
        })
    }
}

/// The dual objective at `scale` times a residual of sum 0.
fn dual<L: Conjugate>(loss: L, y: &[f64], sample_weights: &[f64], residual: &[f64], scale: f64) -> f64 {
    (0..y.len())
        .map(|i| -sample_weights[i] * loss.conjugate(y[i], -scale * residual[i] / sample_weights[i]))
        .sum()
}
