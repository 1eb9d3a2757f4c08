//! What must hold of the conditions of a rule model.

use std::collections::HashSet;

use super::Rules;
use super::condition::{Condition, number};
use crate::data::bins::{Feature, LevelKey, SpecialCode, shown};
use crate::data::table::Level;
use crate::document::{Document, check};

/// A complaint without the place.
type Check = Result<(), String>;

/// Every rule and every linear term of a document.
pub(super) fn document(document: &Document<Rules>) -> Check {
    let features: Vec<Known<'_>> = document.features.features().iter().map(Known::new).collect();
    check::convex(
        document,
        |rule| conjunction(&rule.0, &features),
        |term| {
            if known(&features, term.feature)?.numeric {
                return Ok(());
            }
            Err(": a linear term of a categorical feature".into())
        },
    )?;
    document.language.as_ref().map_or(Ok(()), |language| language.check(&document.outputs))
}

/// A feature, ready to be compared with conditions.
pub(crate) struct Known<'a> {
    numeric: bool,
    missing: bool,
    special: &'a [SpecialCode],
    levels: HashSet<LevelKey<'a>>,
}

impl<'a> Known<'a> {
    /// Of a feature.
    pub(crate) fn new(feature: &'a Feature) -> Self {
        let levels: &[Level] = match feature {
            Feature::Numeric { .. } => &[],
            Feature::Categorical { levels, .. } => levels,
        };
        Self {
            numeric: matches!(feature, Feature::Numeric { .. }),
            missing: feature.has_missing(),
            special: feature.special(),
            levels: levels.iter().map(LevelKey::from).collect(),
        }
    }
}

/// The feature of an index.
fn known<'a, 'k>(features: &'a [Known<'k>], index: usize) -> Result<&'a Known<'k>, String> {
    features
        .get(index)
        .ok_or_else(|| format!(": feature {index} is out of range, there are {}", features.len()))
}

/// Every condition fits its feature; no feature comes twice.
fn conjunction(conditions: &[Condition], features: &[Known<'_>]) -> Check {
    check_conditions(conditions, features)?;
    let mut seen: Vec<usize> = conditions.iter().map(Condition::feature).collect();
    seen.sort_unstable();
    match seen.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!(": feature {} comes twice; a rule has one condition a feature", pair[0])),
        None => Ok(()),
    }
}

/// There is a condition, and each fits its feature.
pub(crate) fn check_conditions(conditions: &[Condition], features: &[Known<'_>]) -> Check {
    if conditions.is_empty() {
        return Err(" is empty; a rule has at least one condition".into());
    }
    conditions.iter().enumerate().try_for_each(|(place, condition)| {
        check_condition(condition, features).map_err(|complaint| format!("[{place}]{complaint}"))
    })
}

/// A condition fits its feature.
fn check_condition(condition: &Condition, features: &[Known<'_>]) -> Check {
    let feature = known(features, condition.feature())?;
    match condition {
        Condition::Interval { .. } if !feature.numeric => {
            Err(": an interval of a categorical feature; expected a category".into())
        }
        Condition::Interval { lower, upper, .. } => {
            // Also false for NaN, and for an end that is infinite on the wrong side.
            let bounded = lower.is_finite() || upper.is_finite() || !feature.special.is_empty();
            if bounded && lower < upper {
                Ok(())
            } else {
                Err(format!(
                    ": the interval ({lower}, {upper}] must ascend and be bounded on one side at least"
                ))
            }
        }
        Condition::Category { category, negated, .. } if feature.numeric => {
            let is_code = |code: &SpecialCode| code.seen && number(category) == Some(code.value);
            if !negated && feature.special.iter().any(is_code) {
                Ok(())
            } else {
                Err(": a category of a numeric feature that is no special code of its training rows; expected lower \
                     and upper"
                    .into())
            }
        }
        Condition::Category { category, .. } => {
            if feature.levels.contains(&LevelKey::from(category)) {
                Ok(())
            } else {
                Err(format!(": {} is not among the feature's levels", shown(category)))
            }
        }
        Condition::Missing { missing: false, .. } if !feature.special.is_empty() => {
            Err(": 'not missing' of a feature with special codes; expected lower and upper, both null".into())
        }
        Condition::Missing { .. } if feature.missing => Ok(()),
        Condition::Missing { .. } => {
            Err(": a condition on missing values, but the feature has missing = false".into())
        }
    }
}
