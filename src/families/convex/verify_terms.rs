//! Verification of what a model says of its candidates and its terms beside the gap.

use std::iter;

use super::{Family, FamilyParams, LinearColumn, as_predicted};
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::{self, Rows};
use crate::data::weights::normalise_weights;
use crate::document::{Document, LinearDoc, OutputDoc, PointDoc, TermDoc};
use crate::error::{Error, Result};
use crate::select::{Options, PenaltyKind};
use crate::space::{PatternSpace, Sign};
use crate::verify::{check_time, refusal, relative_gap};

/// Difference that is rounding, as a fraction of a number.
const ROUNDING: f64 = 1e-9;

/// Fails unless a point has the penalty of the parameters.
fn check_kind(point: &PointDoc, options: &Options) -> std::result::Result<(), String> {
    match (&point.subset, options.penalty) {
        (None, PenaltyKind::L1) => Ok(()),
        (Some(subset), PenaltyKind::L0) if options.ridges().contains(&subset.ridge) => Ok(()),
        (Some(subset), PenaltyKind::L0) => {
            Err(format!("its ridge is {}, the parameters have {:?}", subset.ridge, options.ridges()))
        }
        (None, PenaltyKind::L0) => Err("it is no best subset, which the parameters ask for".into()),
        (Some(_), PenaltyKind::L1) => {
            Err("it is a best subset, the parameters ask for an L1 solution".into())
        }
    }
}

/// The rows of a fit, and what its model claims of them.
pub(super) struct TermClaims<'a, F: Family> {
    document: &'a Document<F>,
    params: &'a F::Params,
    /// Equal rows merged, as in a fit.
    pub rows: Rows<F::Records>,
    sample_weights: Vec<f64>,
    /// The linear terms that a model of the rows may have, each with the signs of its coefficient.
    pub linear: Vec<(LinearColumn, Sign)>,
    control: &'a Control,
}

impl<'a, F: Family> TermClaims<'a, F> {
    /// Merges equal rows.
    pub fn new(
        document: &'a Document<F>,
        data: &Dataset<'_, F::Records>,
        params: &'a F::Params,
        control: &'a Control,
    ) -> Result<Self> {
        let loss = params.options().loss;
        let (mut rows, _) = rows::checked(data.x, data.y, data.weights, &[], loss.task())?;
        rows.rescale();
        check_time(control)?;
        rows.centre(|y, weights| loss.kind().location(y, weights));
        check_time(control)?;
        let rows = rows.merged();
        check_time(control)?;
        let sample_weights = normalise_weights(&rows.weights);
        let (origins, columns) = F::linear_columns(&rows, &sample_weights, params);
        let linear = origins.into_iter().zip(columns.into_iter().map(|column| column.sign)).collect();
        Ok(Self { document, params, rows, sample_weights, linear, control })
    }

    /// Fails if the units of a linear term, or what is said of a term are not those of the rows, or if a term is no
    /// candidate.
    pub fn check(&self, points: &[(&OutputDoc<F::Term>, &PointDoc)]) -> Result<()> {
        for (number, (output, point)) in points.iter().enumerate() {
            let refuse = |complaint: String| refusal(number, &complaint);
            let options = self.params.options();
            let (patterns, linear) = (point.terms.len(), point.linear.len());
            if options.room(patterns, linear).is_none() {
                return Err(refuse(format!(
                    "it has {patterns} patterns and {linear} linear terms, more than allowed"
                )));
            }
            check_kind(point, options).map_err(refuse)?;
            let listed: Vec<&F::Term> = output.active(point).map(|(term, _)| &term.pattern).collect();
            let is_twice = |(k, pattern): (usize, &&F::Term)| listed[..k].contains(pattern);
            let of_column =
                |(k, own): (usize, &LinearDoc)| point.linear[..k].iter().any(|l| l.feature == own.feature);
            if listed.iter().enumerate().any(is_twice) || point.linear.iter().enumerate().any(of_column) {
                return Err(refuse("it lists a term twice".into()));
            }
            for (term, coef) in output.active(point) {
                self.check_term(term, coef)?.map_err(refuse)?;
            }
            for own in &point.linear {
                let is_claimed = |(origin, sign): &(LinearColumn, Sign)| {
                    origin.feature == own.feature
                        && (own.center - origin.center).abs()
                            <= ROUNDING * (origin.scale + origin.center.abs())
                        && (own.scale - origin.scale).abs() <= ROUNDING * origin.scale
                        && sign.factor() * own.coef >= 0.0
                };
                if !self.linear.iter().any(is_claimed) {
                    return Err(refuse(format!(
                        "the linear term of column {} has another mean or deviation here, or is not allowed",
                        own.feature
                    )));
                }
            }
        }
        Ok(())
    }

    /// Whether the sign of a coefficient is constrained. Fails unless the model has the loss and the patterns of the
    /// parameters, and counts the candidates of these rows.
    pub fn constrains_signs(&self) -> Result<bool> {
        let Document { loss, language, .. } = self.document;
        if *loss != self.params.options().loss {
            let complaint =
                format!("the model has the loss {loss:?}, the parameters {:?}", self.params.options().loss);
            return Err(Error::Certificate(complaint));
        }
        if !F::is_language(language, self.params) {
            let complaint = "the limits on the patterns that the model says it was fitted with are not those of its parameters; \
                             one of them was edited";
            return Err(Error::Certificate(complaint.into()));
        }
        let encoding = F::encoding(&self.document.features);
        let space = F::space(&self.rows, &encoding, self.params, self.control.memory_limit())?;
        check_time(self.control)?;
        let (counted, claimed) = (space.size().to_string(), self.document.n_candidates.as_deref());
        if claimed == Some(&counted) {
            let is_constrained = |(_, sign): &(LinearColumn, Sign)| *sign != Sign::Either;
            return Ok(space.constrains_signs() || self.linear.iter().any(is_constrained));
        }
        Err(Error::Certificate(format!(
            "these data and parameters have {counted} candidates, the model claims {}; it was fitted on other data or \
             with other parameters, or edited",
            claimed.unwrap_or("none")
        )))
    }

    /// What is wrong with a term.
    fn check_term(&self, term: &TermDoc<F::Term>, coef: f64) -> Result<std::result::Result<(), String>> {
        let Self { rows, params, sample_weights, .. } = self;
        check_time(self.control)?;
        let own = F::matching(&term.pattern, &rows.table, params)?;
        let n_rows = own.iter().map(|&r| rows.counts[r as usize]).sum::<f64>() as u64;
        let weight: f64 = own.iter().map(|&r| sample_weights[r as usize]).sum();
        let support = (weight / sample_weights.len() as f64).min(1.0);
        if term.n_rows != n_rows || (term.support - support).abs() > ROUNDING {
            return Ok(Err(format!(
                "a term holds in {n_rows} rows ({support:.4} of the weight), the model claims {} ({:.4})",
                term.n_rows, term.support
            )));
        }
        let (found, claimed) = (rows.class_counts(&own), &term.n_rows_per_class);
        if found != *claimed {
            let complaint = "a term has other numbers of rows of each class than the model claims";
            return Ok(Err(format!("{complaint}: {found:?}, not {claimed:?}")));
        }
        let mut forms = iter::once(&term.pattern).chain(&term.closure).chain(&term.equivalents);
        if !forms.all(|form| F::is_stated(form, &self.document.features)) {
            return Ok(Err("a condition of a term ends at none of the cut points of the model".into()));
        }
        let is_candidate = F::is_candidate(&term.pattern, n_rows, params)
            && F::sign(&term.pattern, params).is_some_and(|sign| sign.factor() * coef >= 0.0);
        if !is_candidate {
            return Ok(Err("a term is not among the candidates that the parameters allow".into()));
        }
        for other in term.closure.iter().chain(&term.equivalents) {
            check_time(self.control)?;
            if F::matching(other, &rows.table, params)? != own {
                return Ok(Err("the equivalents of a term hold in other rows".into()));
            }
        }
        Ok(Ok(()))
    }

    /// Fails unless the gap of a point is that of its objectives, and its tolerance that of the parameters.
    pub fn check_gap(&self, number: usize, point: &PointDoc) -> Result<()> {
        let tol = self.params.options().tol;
        if point.tol != tol {
            let complaint = format!("its tol is {}, that of the parameters {tol}", point.tol);
            return Err(refusal(number, &complaint));
        }
        let PointDoc { primal: claimed, dual, gap, relative_gap: relative, .. } = *point;
        let expected = relative_gap(gap, claimed, self.params.options().loss, &self.rows.y[number]);
        if (claimed - dual - gap).abs() <= 4.0 * f64::EPSILON * (claimed.abs() + dual.abs())
            && (relative - expected).abs() <= ROUNDING * expected
        {
            return Ok(());
        }
        let complaint = format!(
            "the model claims a gap of {gap:e}, relative {relative:e}, between {claimed:e} and {dual:e}"
        );
        Err(refusal(number, &complaint))
    }

    /// Fails unless the primal objective of a point is that found on the rows, as far as rounding explains.
    pub fn check_objective(&self, number: usize, point: &PointDoc, primal: f64) -> Result<()> {
        let PointDoc { primal: claimed, gap, .. } = *point;
        // Predictions far from 0 are rounded; the slope of a loss is at most sqrt(2 L loss).
        let rounded = 16.0 * f64::EPSILON * as_predicted::size(point);
        let curvature = self.params.options().loss.curvature_bound();
        let slope = (2.0 * curvature * claimed.max(0.0)).sqrt();
        let rounding = rounded * (slope + curvature * rounded);
        if (claimed - primal).abs() <= ROUNDING * claimed + gap + rounding {
            return Ok(());
        }
        let complaint =
            format!("the model claims a primal objective of {claimed:e}, on these rows it is {primal:e}");
        Err(refusal(number, &complaint))
    }
}
