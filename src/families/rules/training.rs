//! Questions around an optimum: why a rule is not in the model, which rules almost are.

use super::document::conditions;
use super::params::ValidParams;
use super::prepared::Prepared;
use crate::control::Control;
use crate::data::rows::Rows;
use crate::data::table::{Column, Level, MISSING, Table};
use crate::document::{ConditionDoc, RuleModel};
use crate::error::{Error, Result};
use crate::families::convex::{Price, questions};
use crate::space::Sign;
use crate::space::boxes::BoxSpace;

/// A rule that almost entered.
pub type NearTie = crate::families::convex::NearTie<Vec<ConditionDoc>>;

/// The training rows of a fit.
#[derive(Debug)]
pub struct Training {
    rows: Rows,
    prepared: Prepared,
    params: ValidParams,
}

impl Training {
    pub(super) fn new(rows: Rows, prepared: Prepared, params: ValidParams) -> Self {
        Self { rows, prepared, params }
    }

    fn state(
        &self,
        model: &RuleModel,
        output: usize,
        point: usize,
    ) -> Result<questions::State<'_, BoxSpace>> {
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
        let terms = chosen.rules.iter().map(|&(k, weight)| {
            let conditions = &doc.rules[k].conditions;
            Ok(questions::Term { rows: self.matching(conditions)?, weight, group: group(conditions) })
        });
        Ok(questions::State {
            view: self.prepared.view(),
            options: self.params.options(),
            alpha: chosen.alpha,
            residual: questions::residual(self.params.loss, y, &f, shift, sample_weights),
            terms: terms.collect::<Result<_>>()?,
        })
    }

    /// Why a rule has the weight that it has, or none.
    pub fn price(
        &self,
        model: &RuleModel,
        output: usize,
        point: usize,
        rule: &[ConditionDoc],
    ) -> Result<Price> {
        let rows = self.matching(rule)?;
        Ok(self.state(model, output, point)?.price(&rows, &group(rule), rule.len(), self.sign(rule)))
    }

    /// At most `limit` rules without a weight whose pull is within `within` of the
    /// threshold (0.05: at least 95 % of it), the nearest first.
    pub fn near_ties(
        &self,
        model: &RuleModel,
        output: usize,
        point: usize,
        within: f64,
        limit: usize,
        control: &Control,
    ) -> Result<Vec<NearTie>> {
        let prepared = &self.prepared;
        self.state(model, output, point)?.near_ties(within, limit, control, |pattern, sign| {
            conditions(&prepared.forms(pattern, sign, 0).shortest, &prepared.binning)
        })
    }

    /// Signs that a rule's weight may have; `None` if monotonicity forbids it.
    fn sign(&self, rule: &[ConditionDoc]) -> Option<Sign> {
        let all = if self.params.positive { Sign::Plus } else { Sign::Either };
        rule.iter().try_fold(all, |sign, condition| {
            let ConditionDoc::Interval { feature, lower, upper } = condition else { return Some(sign) };
            let monotone = self.params.monotone.as_ref().map_or(0, |m| m[*feature]);
            let own = match (monotone, lower.is_finite(), upper.is_finite()) {
                (0, ..) => Sign::Either,
                (_, true, true) => return None,
                (1, true, false) | (-1, false, true) => Sign::Plus,
                _ => Sign::Minus,
            };
            sign.and(own)
        })
    }

    fn matching(&self, rule: &[ConditionDoc]) -> Result<Vec<u32>> {
        for condition in rule {
            if condition.feature() >= self.rows.table.n_features() {
                return Err(Error::data(format!(
                    "the rule names feature {} of {}",
                    condition.feature(),
                    self.rows.table.n_features()
                )));
            }
            let numeric = matches!(self.rows.table.columns()[condition.feature()], Column::Numeric(_));
            let fits = match condition {
                ConditionDoc::Interval { .. } => numeric,
                ConditionDoc::Category { .. } => !numeric,
                ConditionDoc::Missing { .. } => true,
            };
            if !fits {
                let name = &self.rows.table.names()[condition.feature()];
                let kind =
                    if numeric { "numeric: give a pair (lower, upper)" } else { "categorical: give a level" };
                return Err(Error::data(format!("feature '{name}' is {kind}")));
            }
        }
        Ok((0..self.rows.table.n_rows())
            .filter(|&r| rule.iter().all(|c| holds(c, &self.rows.table, r)))
            .map(|r| r as u32)
            .collect())
    }
}

/// The features of a rule, ascending.
fn group(rule: &[ConditionDoc]) -> Vec<u32> {
    let mut features: Vec<u32> = rule.iter().map(|c| c.feature() as u32).collect();
    features.sort_unstable();
    features
}

fn holds(condition: &ConditionDoc, table: &Table, row: usize) -> bool {
    match (condition, &table.columns()[condition.feature()]) {
        (ConditionDoc::Interval { lower, upper, .. }, Column::Numeric(x)) => {
            *lower < x[row] && x[row] <= *upper
        }
        (ConditionDoc::Missing { missing, .. }, Column::Numeric(x)) => x[row].is_nan() == *missing,
        (ConditionDoc::Missing { missing, .. }, Column::Categorical { codes, .. }) => {
            (codes[row] == MISSING) == *missing
        }
        (ConditionDoc::Category { category, negated, .. }, Column::Categorical { codes, levels }) => {
            let level: Option<&Level> = levels.get(codes[row] as usize);
            (level == Some(category)) != *negated
        }
        _ => false,
    }
}
