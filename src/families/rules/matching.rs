//! Matching of given rules with training rows.

use super::condition::Condition;
use super::params::ValidParams;
use crate::data::table::{Column, Level, MISSING, Table};
use crate::error::{Error, Result};
use crate::space::Sign;

/// Signs that a rule's coefficient may have; `None` if monotonicity forbids it.
pub(super) fn sign(rule: &[Condition], params: &ValidParams) -> Option<Sign> {
    let all = if params.positive { Sign::Plus } else { Sign::Either };
    rule.iter().try_fold(all, |sign, condition| {
        let Condition::Interval { feature, lower, upper } = condition else { return Some(sign) };
        let monotonic_cst = params.monotonic_cst.as_ref().map_or(0, |m| m[*feature]);
        let condition_sign = match (monotonic_cst, lower.is_finite(), upper.is_finite()) {
            (0, ..) => Sign::Either,
            (_, true, true) => return None,
            (1, true, false) | (-1, false, true) => Sign::Plus,
            _ => Sign::Minus,
        };
        sign.and(condition_sign)
    })
}

/// The rows of a table that satisfy a rule; fails if a condition does not fit its column.
pub(super) fn matching(rule: &[Condition], table: &Table) -> Result<Vec<u32>> {
    for condition in rule {
        if condition.feature() >= table.n_features() {
            return Err(Error::data(format!(
                "the rule names feature {} of {}",
                condition.feature(),
                table.n_features()
            )));
        }
        let numeric = !matches!(table.columns()[condition.feature()], Column::Categorical { .. });
        let fits = match condition {
            Condition::Interval { .. } => numeric,
            Condition::Category { .. } => !numeric,
            Condition::Missing { .. } => true,
        };
        if !fits {
            let name = &table.names()[condition.feature()];
            let kind =
                if numeric { "numeric: give a pair (lower, upper)" } else { "categorical: give a level" };
            return Err(Error::data(format!("feature '{name}' is {kind}")));
        }
    }
    Ok((0..table.n_rows()).filter(|&r| rule.iter().all(|c| holds(c, table, r))).map(|r| r as u32).collect())
}
fn holds(condition: &Condition, table: &Table, row: usize) -> bool {
    match (condition, &table.columns()[condition.feature()]) {
        (_, Column::Numeric(x)) => condition.holds_for(x[row]),
        (_, Column::Coded(x)) => condition.holds_for(x.number(row)),
        (Condition::Missing { missing, .. }, Column::Categorical { codes, .. }) => {
            (codes[row] == MISSING) == *missing
        }
        (Condition::Category { category, negated, .. }, Column::Categorical { codes, levels }) => {
            let level: Option<&Level> = levels.get(codes[row] as usize);
            (level == Some(category)) != *negated
        }
        _ => false,
    }
}
