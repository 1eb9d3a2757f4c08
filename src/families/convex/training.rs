//! Questions around an optimum: why a pattern is not in the model, which ones almost are.

use std::collections::HashMap;

use super::optimality::{Optimality, Term, negative_gradient};
use super::prepared::Prepared;
use super::{Family, FamilyParams, NearTie, Price};
use crate::control::Control;
use crate::data::rows::Rows;
use crate::document::{Model, point_at};
use crate::error::{Error, Result};

/// The training rows of a fit.
#[derive(Debug)]
pub struct Training<F: Family> {
    rows: Rows<F::Records>,
    prepared: Prepared<F>,
    params: F::Params,
}

impl<F: Family> Training<F> {
    pub(super) fn new(rows: Rows<F::Records>, prepared: Prepared<F>, params: F::Params) -> Self {
        Self { rows, prepared, params }
    }

    /// Where the solution at a point of an output stands on the training rows.
    fn optimality(
        &self,
        model: &Model<F>,
        output: usize,
        point: usize,
        control: &Control,
    ) -> Result<Optimality<'_, F::Space>> {
        let doc = model.output(output)?;
        if model.document().features != F::features(&self.rows.table, &self.prepared.encoding) {
            return Err(Error::data("the model was not fitted on these training rows"));
        }
        let own = point_at(doc, point)?;
        let chosen = own.certified();
        let coefs: HashMap<usize, f64> = own.terms.iter().copied().collect();
        if self.rows.y.len() != model.n_outputs() {
            let (n_responses, n_outputs) = (self.rows.y.len(), model.n_outputs());
            return Err(Error::data(format!(
                "the training rows have {n_responses} responses, the model {n_outputs}"
            )));
        }
        let f = F::decision(model.document(), &[(doc, &chosen)], &self.rows.table, control)?.swap_remove(0);
        let (y, sample_weights, shift) =
            (&self.rows.y[output], &self.prepared.sample_weights, self.rows.shift[output]);
        let options = self.params.options();
        let terms = chosen.terms.iter().map(|(place, weight)| {
            control.check()?;
            let pattern = &doc.terms[*place].pattern;
            let rows = F::matching(pattern, &self.rows.table, &self.params)?;
            let coef = coefs.get(place).copied().unwrap_or_default();
            Ok(Term { rows, weight: *weight, coef, group: F::group(pattern) })
        });
        Ok(Optimality {
            view: self.prepared.view(),
            options,
            alpha: chosen.alpha,
            residual: negative_gradient(options.loss, y, &f, shift, sample_weights),
            terms: terms.collect::<Result<_>>()?,
        })
    }

    /// Why a pattern has the coefficient that it has, or none.
    pub fn price(
        &self,
        model: &Model<F>,
        output: usize,
        point: usize,
        pattern: &F::Term,
        control: &Control,
    ) -> Result<Price> {
        let rows = F::matching(pattern, &self.rows.table, &self.params)?;
        let sign = F::sign(pattern, &self.params);
        let optimality = self.optimality(model, output, point, control)?;
        Ok(optimality.price(&rows, &F::group(pattern), F::length(pattern), sign))
    }

    /// At most `limit` patterns without a coefficient whose correlation is within `within` of the
    /// threshold (0.05: at least 95 % of it), the nearest first.
    pub fn near_ties(
        &self,
        model: &Model<F>,
        output: usize,
        point: usize,
        within: f64,
        limit: usize,
        control: &Control,
    ) -> Result<Vec<NearTie<F::Term>>> {
        let prepared = &self.prepared;
        self.optimality(model, output, point, control)?.near_ties(within, limit, control, |pattern, sign| {
            F::term(&prepared.encoding, &F::forms(&prepared.space, &self.params, pattern, sign, 0).shortest)
        })
    }
}
