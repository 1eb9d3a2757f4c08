//! Questions around an optimum: why a rule is not in the model, which rules almost are.

use serde::{Deserialize, Serialize};

use super::document::conditions;
use super::params::ValidParams;
use super::prepared::Prepared;
use super::{Rows, curvature, dispatch_loss};
use crate::control::Control;
use crate::data::table::{Column, Level, MISSING, Table};
use crate::error::{Error, Result};
use crate::model::{ConditionDoc, RuleModel};
use crate::search::{collect, search};
use crate::space::{Bound, PatternSpace, RowWeights, Sign};

/// Rules within reach of the threshold that are looked at in a subtree.
const NEAR: usize = 100_000;

/// The training rows of a fit.
#[derive(Debug)]
pub struct Training {
    rows: Rows,
    prepared: Prepared,
    params: ValidParams,
}

/// What a rule is worth at a solution. Correlations are means over the rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Price {
    /// Mean of minus the loss's slope over the rule's rows (zero elsewhere): what pulls
    /// its weight, > 0 upwards.
    pub correlation: f64,
    /// What |correlation| must exceed for a weight: alpha times the rule's cost.
    pub threshold: f64,
    /// |correlation| / threshold in the direction that is allowed; 1 for rules with a weight.
    pub ratio: f64,
    /// Penalty strength.
    pub alpha: f64,
    /// Training rows in the rule.
    pub support: u64,
    /// Their share of the training weight.
    pub weight: f64,
    /// Number of conditions.
    pub length: usize,
    /// Its weight in the model, 0 if it has none.
    pub coef: f64,
    /// Whether a rule of the model has the same training rows.
    pub in_model: bool,
    /// Fall of the objective when the rule alone is given its best weight: exact for squared
    /// loss, at least this for the others.
    pub gain: f64,
    /// The rule as understood.
    pub conditions: Vec<ConditionDoc>,
}

/// A rule that almost entered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearTie {
    /// The rule.
    pub conditions: Vec<ConditionDoc>,
    /// As in [`Price`].
    pub correlation: f64,
    /// As in [`Price`].
    pub threshold: f64,
    /// As in [`Price`].
    pub ratio: f64,
    /// Training rows in the rule.
    pub support: u64,
}

/// Residual signal of a solution on the training rows.
struct State {
    signal: Vec<f64>,
    alpha: f64,
}

impl Training {
    pub(super) fn new(rows: Rows, prepared: Prepared, params: ValidParams) -> Self {
        Self { rows, prepared, params }
    }

    fn state(&self, model: &RuleModel, output: usize, point: usize) -> Result<State> {
        let Some(doc) = model.document().outputs.get(output) else {
            return Err(Error::data(format!("output {output} of {}", model.n_outputs())));
        };
        let Some(alpha) = doc.points.get(point).map(|p| p.alpha) else {
            return Err(Error::data(format!("point {point} of {}", doc.points.len())));
        };
        let mut points = model.selected_points();
        points[output] = point;
        let f = model.decision(&self.rows.table, &points)?.swap_remove(output);
        let (y, mass) = (&self.rows.y[output], &self.prepared.mass);
        let shift = self.rows.shift[output];
        let slope = dispatch_loss(self.params.loss);
        let signal = (0..f.len()).map(|i| -mass[i] * slope(y[i], f[i] - shift)).collect();
        Ok(State { signal, alpha })
    }

    /// Why a rule has the weight that it has, or none.
    pub fn price(
        &self,
        model: &RuleModel,
        output: usize,
        point: usize,
        rule: &[ConditionDoc],
    ) -> Result<Price> {
        let state = self.state(model, output, point)?;
        let n = state.signal.len() as f64;
        let rows = self.matching(rule)?;
        let correlation = rows.iter().map(|&r| state.signal[r]).sum::<f64>() / n;
        let mass: f64 = rows.iter().map(|&r| self.prepared.mass[r]).sum();
        let doc = &model.document().outputs[output];
        let (mut coef, mut in_model) = (0.0, false);
        for &(k, weight) in &doc.points[point].rules {
            if self.matching(&doc.rules[k].conditions)? == rows {
                coef += weight;
                in_model = true;
            }
        }
        let threshold = state.alpha * self.params.cost(rule.len());
        let sign = self.sign(rule);
        let pull = sign.map_or(0.0, |s| s.pull(correlation));
        let spread = (mass / n) * (1.0 - mass / n);
        let excess = (pull - threshold).max(0.0);
        Ok(Price {
            correlation,
            threshold,
            ratio: pull / threshold,
            alpha: state.alpha,
            support: self.support(&rows),
            weight: mass / n,
            length: rule.len(),
            coef,
            in_model,
            gain: if spread > 0.0 {
                excess * excess / (2.0 * spread * curvature(self.params.loss))
            } else {
                0.0
            },
            conditions: rule.to_vec(),
        })
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
        if !(within > 0.0 && within < 1.0) {
            return Err(Error::parameter("within", format!("got {within}; give a number in (0, 1)")));
        }
        let state = self.state(model, output, point)?;
        let n = state.signal.len() as f64;
        let doc = &model.document().outputs[output];
        let mut taken: Vec<Vec<usize>> = Vec::new();
        for &(k, _) in &doc.points[point].rules {
            taken.push(self.matching(&doc.rules[k].conditions)?);
        }
        let weights = RowWeights::new(state.signal.clone(), &self.prepared.mass, &self.prepared.counts);
        let growth = self.params.penalty_growth;
        let bound = Bound { threshold: (1.0 - within) * state.alpha * n, radius: 0.0, growth, total: n };
        // All of them; where they are too many, the best of each group of siblings.
        let mut found = collect(&self.prepared.space, &weights, bound, NEAR, u64::MAX >> 1, control);
        if !found.whole {
            found = search(&self.prepared.space, &weights, bound, NEAR, control);
        }
        control.check()?;
        let mut ties = Vec::new();
        for f in found.found {
            let rows: Vec<usize> =
                self.prepared.space.rows(&f.pattern).into_iter().map(|r| r as usize).collect();
            if ties.len() >= limit {
                break;
            }
            if taken.contains(&rows) {
                continue;
            }
            let sign = if f.net > 0.0 { Sign::Plus } else { Sign::Minus };
            let shortest = self.prepared.space.forms(&f.pattern, sign, 0).shortest;
            ties.push(NearTie {
                conditions: conditions(&shortest, &self.prepared.binning),
                correlation: f.net / n,
                threshold: state.alpha * bound.cost(f.length),
                ratio: f.ratio / (state.alpha * n),
                support: self.support(&rows),
            });
            taken.push(rows);
        }
        Ok(ties)
    }

    /// Training rows behind some rows.
    fn support(&self, rows: &[usize]) -> u64 {
        rows.iter().map(|&r| self.prepared.counts[r]).sum::<f64>() as u64
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

    fn matching(&self, rule: &[ConditionDoc]) -> Result<Vec<usize>> {
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
            .collect())
    }
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
