//! Matching of given rules with training rows.

use super::condition::{Condition, number};
use super::params::ValidParams;
use crate::data::bins::{LevelKey, SpecialCode};
use crate::data::table::{Column, MISSING, Table};
use crate::error::{Error, Result};
use crate::space::Sign;

/// Signs that a rule's coefficient may have; `None` if monotonicity forbids it.
pub(super) fn sign(rule: &[Condition], params: &ValidParams) -> Option<Sign> {
    let all = if params.positive { Sign::Plus } else { Sign::Either };
    rule.iter().try_fold(all, |sign, condition| {
        let Condition::Interval { feature, lower, upper } = condition else { return Some(sign) };
        let monotonic_cst = params.monotonic_cst.as_ref().map_or(0, |m| m[*feature]);
        let condition_sign = match (monotonic_cst, lower.is_finite(), upper.is_finite()) {
            (0, ..) | (_, false, false) => Sign::Either,
            (_, true, true) => return None,
            (1, true, false) | (-1, false, true) => Sign::Plus,
            _ => Sign::Minus,
        };
        sign.and(condition_sign)
    })
}

/// The training rows that satisfy a rule, of columns with these special codes (an empty list of lists: none have any);
/// fails without a condition, if one does not fit its column, and for two on one column.
pub(super) fn matching(rule: &[Condition], table: &Table, codes: &[Vec<f64>]) -> Result<Vec<u32>> {
    let codes_of = |feature: usize| codes.get(feature).map_or(&[][..], Vec::as_slice);
    let refuse = |complaint: String| Err(Error::parameter("rule", complaint));
    if rule.is_empty() {
        return refuse("it has no condition; give at least one".into());
    }
    for (place, condition) in rule.iter().enumerate() {
        if rule[..place].iter().any(|other| other.feature() == condition.feature()) {
            return refuse(format!("it has two conditions on feature {}; give one", condition.feature()));
        }
        if condition.feature() >= table.n_features() {
            return Err(Error::data(format!(
                "the rule names feature {} of {}",
                condition.feature(),
                table.n_features()
            )));
        }
        let numeric = !matches!(table.columns()[condition.feature()], Column::Categorical { .. });
        let special = codes_of(condition.feature());
        let fits = match condition {
            Condition::Interval { .. } => numeric,
            Condition::Category { category, negated, .. } if numeric => {
                !negated && number(category).is_some_and(|code| special.contains(&code))
            }
            Condition::Category { .. } => true,
            Condition::Missing { missing, .. } => *missing || special.is_empty(),
        };
        if !fits {
            let name = &table.names()[condition.feature()];
            let kind = match (numeric, special) {
                (false, _) => "categorical: give a level".into(),
                (true, []) => "numeric: give a pair (lower, upper)".into(),
                (true, codes) => format!(
                    "numeric with the special codes {codes:?}: give a pair (lower, upper), (None, None) for any \
                     number, one of the codes or 'missing'"
                ),
            };
            return Err(Error::data(format!("feature '{name}' is {kind}")));
        }
        if let Condition::Interval { lower, upper, .. } = condition
            && !(lower < upper && (lower.is_finite() || upper.is_finite() || !special.is_empty()))
        {
            return refuse(format!(
                "the interval ({lower}, {upper}] must ascend and be bounded on one side at least"
            ));
        }
    }
    // A training row with a code shows that the code is seen.
    let special = |c: &Condition| -> Vec<SpecialCode> {
        codes_of(c.feature()).iter().map(|&value| SpecialCode { value, seen: true }).collect()
    };
    let conditions: Vec<_> = rule.iter().map(|condition| (condition, special(condition))).collect();
    let holds = |&r: &usize| conditions.iter().all(|(c, special)| holds(c, special, table, r));
    Ok((0..table.n_rows()).filter(holds).map(|r| r as u32).collect())
}

fn holds(condition: &Condition, special: &[SpecialCode], table: &Table, row: usize) -> bool {
    match (condition, &table.columns()[condition.feature()]) {
        (_, Column::Numeric(x)) => condition.holds_for(x[row], special),
        (_, Column::Coded(x)) => condition.holds_for(x.number(row), special),
        (Condition::Missing { missing, .. }, Column::Categorical { codes, .. }) => {
            (codes[row] == MISSING) == *missing
        }
        (Condition::Category { category, negated, .. }, Column::Categorical { codes, levels }) => {
            let level = levels.get(codes[row] as usize).map(LevelKey::from);
            (level == Some(category.into())) != *negated
        }
        _ => false,
    }
}
