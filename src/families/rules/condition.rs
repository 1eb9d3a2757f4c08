//! One condition of a rule, as the JSON has it.

use serde::{Deserialize, Deserializer, Serialize};

use crate::data::bins::{Binning, Feature, SpecialCode};
use crate::data::bounded::{self, Scalar};
use crate::data::table::Level;

/// A condition on one feature.
///
/// As JSON an object with the feature's index and either `lower` and `upper` (null =
/// unbounded), or `category` and `negated`, or `missing`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Flat", into = "Flat")]
pub enum Condition {
    /// `lower < x <= upper`; infinite ends are unbounded, both only of a feature with special codes, of which it is then
    /// that x is a number; never true of a missing value or a special code.
    Interval {
        /// Index of a numeric feature.
        feature: usize,
        /// Lower end, outside the interval.
        lower: f64,
        /// Upper end, inside the interval.
        upper: f64,
    },
    /// `x == category`, or `x != category` (true of other levels and of missing values).
    Category {
        /// Index of a categorical feature, or of a numeric one with special codes.
        feature: usize,
        /// One of the feature's levels, or of the special codes that the training rows hold; these are not negated.
        category: Level,
        /// Whether the condition is negated.
        negated: bool,
    },
    /// `x is missing`, as special codes are that the training rows do not hold, or `x is not missing`, which is no condition
    /// on a feature with special codes.
    Missing {
        /// Index of a feature that had missing values in training.
        feature: usize,
        /// Whether missing values satisfy the condition.
        missing: bool,
    },
}

impl Condition {
    /// Index of the feature.
    pub fn feature(&self) -> usize {
        match self {
            Self::Interval { feature, .. }
            | Self::Category { feature, .. }
            | Self::Missing { feature, .. } => *feature,
        }
    }

    /// Whether the finite ends of an interval are cut points of the bins; true of other conditions.
    pub(crate) fn is_between(&self, binning: &Binning) -> bool {
        let Self::Interval { feature, lower, upper } = self else { return true };
        let Some(Feature::Numeric { cuts, .. }) = binning.features().get(*feature) else { return false };
        [lower, upper].into_iter().all(|end| end.is_infinite() || cuts.contains(end))
    }

    /// Whether a number satisfies the condition on a numeric feature with these special codes, a training row or a new one;
    /// NaN is missing.
    pub(crate) fn holds_for(&self, x: f64, special: &[SpecialCode]) -> bool {
        let code = special.iter().find(|code| code.value == x);
        match self {
            Self::Interval { lower, upper, .. } => code.is_none() && *lower < x && x <= *upper,
            Self::Missing { missing, .. } => (x.is_nan() || code.is_some_and(|code| !code.seen)) == *missing,
            Self::Category { category, .. } => number(category) == Some(x),
        }
    }
}

/// The number that a level is; `None` for texts and truth values.
pub(super) fn number(level: &Level) -> Option<f64> {
    match level {
        Level::Int(number) => Some(*number as f64),
        Level::Float(number) => Some(*number),
        Level::Bool(_) | Level::Text(_) => None,
    }
}

/// All kinds in one object.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Flat {
    feature: usize,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    lower: Option<End>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    upper: Option<End>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    category: Option<Scalar>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    negated: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    missing: Option<bool>,
}

/// An end of an interval; null is unbounded.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct End(Option<f64>);

fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

impl From<Condition> for Flat {
    fn from(condition: Condition) -> Self {
        let mut flat = Self {
            feature: condition.feature(),
            lower: None,
            upper: None,
            category: None,
            negated: None,
            missing: None,
        };
        match condition {
            Condition::Interval { lower, upper, .. } => {
                flat.lower = Some(End((lower != f64::NEG_INFINITY).then_some(lower)));
                flat.upper = Some(End((upper != f64::INFINITY).then_some(upper)));
            }
            Condition::Category { category, negated, .. } => {
                flat.category = Some(Scalar(category));
                flat.negated = Some(negated);
            }
            Condition::Missing { missing, .. } => flat.missing = Some(missing),
        }
        flat
    }
}

impl TryFrom<Flat> for Condition {
    type Error = &'static str;

    fn try_from(flat: Flat) -> Result<Self, Self::Error> {
        let feature = flat.feature;
        match (flat.lower, flat.upper, flat.category, flat.negated, flat.missing) {
            (Some(End(lower)), Some(End(upper)), None, None, None) => Ok(Self::Interval {
                feature,
                lower: lower.unwrap_or(f64::NEG_INFINITY),
                upper: upper.unwrap_or(f64::INFINITY),
            }),
            (None, None, Some(Scalar(category)), negated, None) => {
                Ok(Self::Category { feature, category, negated: negated.unwrap_or(false) })
            }
            (None, None, None, None, Some(missing)) => Ok(Self::Missing { feature, missing }),
            _ => Err("a condition must have either lower and upper, or category and negated, or missing"),
        }
    }
}

/// A rule: a conjunction of conditions on distinct features; at least one.
///
/// As JSON the list of its conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rule(#[serde(deserialize_with = "conjunction")] pub Vec<Condition>);

impl Rule {
    /// Its conditions.
    pub fn conditions(&self) -> &[Condition] {
        &self.0
    }

    /// The features of the conditions, ascending.
    pub fn features(&self) -> Vec<u32> {
        let mut features: Vec<u32> = self.0.iter().map(|c| c.feature() as u32).collect();
        features.sort_unstable();
        features
    }
}

/// Reads a list of conditions, at least one, so that a list of many rules cannot be longer in
/// memory than a small multiple of its text.
fn conjunction<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Condition>, D::Error> {
    let mut conditions = bounded::objects::<{ usize::MAX }, Condition, D>(from)?;
    if conditions.is_empty() {
        return Err(serde::de::Error::custom("a rule must have at least one condition"));
    }
    conditions.shrink_to_fit();
    Ok(conditions)
}
