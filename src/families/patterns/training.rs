//! Questions around an optimum: why a pattern is not in the model, which ones almost are.

use super::{Family, Params, PatternModel, Prepared};
use crate::control::Control;
use crate::data::rows::{Records, Rows};
use crate::error::{Error, Result};
use crate::families::convex::questions::{State, Term, residual};
use crate::families::convex::{NearTie, Price};
use crate::space::{PatternSpace, Sign};

/// The training records of a fit.
#[derive(Debug)]
pub struct Training<F: Family> {
    rows: Rows<F::Records>,
    prepared: Prepared<F>,
    params: Params<F>,
}

impl<F: Family> Training<F> {
    pub(super) fn new(rows: Rows<F::Records>, prepared: Prepared<F>, params: Params<F>) -> Self {
        Self { rows, prepared, params }
    }

    fn state(&self, model: &PatternModel<F>, output: usize, point: usize) -> Result<State<'_, F::Space>> {
        let Some(doc) = model.document().outputs.get(output) else {
            return Err(Error::data(format!("output {output} of {}", model.n_outputs())));
        };
        let Some(chosen) = doc.points.get(point) else {
            return Err(Error::data(format!("point {point} of {}", doc.points.len())));
        };
        let mut points = model.selected_points();
        points[output] = point;
        let f = model.decision(&self.rows.table, &points)?.swap_remove(output);
        let (y, sample_weights, shift) =
            (&self.rows.y[output], &self.prepared.sample_weights, self.rows.shift[output]);
        let term = |&(k, weight): &(usize, f64)| {
            let rows = self.matching(&doc.patterns[k].pattern);
            Term { rows, weight, group: Vec::new() }
        };
        let terms = chosen.patterns.iter().map(term);
        Ok(State {
            view: self.prepared.view(),
            options: &self.params.fit,
            alpha: chosen.alpha,
            residual: residual(self.params.fit.loss, y, &f, shift, sample_weights),
            terms: terms.collect(),
        })
    }

    /// Why a pattern has the weight that it has, or none.
    pub fn price(
        &self,
        model: &PatternModel<F>,
        output: usize,
        point: usize,
        pattern: &F::Pattern,
    ) -> Result<Price> {
        let state = self.state(model, output, point)?;
        F::check_pattern(pattern, F::alphabet(&self.rows.table), &self.params.language)
            .map_err(|complaint| Error::parameter("pattern", complaint))?;
        Ok(state.price(&self.matching(pattern), &[], F::length(pattern), Some(Sign::Either)))
    }

    /// At most `limit` patterns without a weight whose pull is within `within` of the
    /// threshold (0.05: at least 95 % of it), the nearest first.
    pub fn near_ties(
        &self,
        model: &PatternModel<F>,
        output: usize,
        point: usize,
        within: f64,
        limit: usize,
        control: &Control,
    ) -> Result<Vec<NearTie<F::Pattern>>> {
        let space = &self.prepared.space;
        self.state(model, output, point)?.near_ties(within, limit, control, |pattern, _| {
            if self.params.fit.closed {
                F::class(space, pattern, &space.rows(pattern)).swap_remove(0)
            } else {
                pattern.clone()
            }
        })
    }

    fn matching(&self, pattern: &F::Pattern) -> Vec<u32> {
        let records = &self.rows.table;
        let holds = |&r: &usize| F::occurs(pattern, &self.params.language, records, r);
        (0..records.n_rows()).filter(holds).map(|r| r as u32).collect()
    }
}
