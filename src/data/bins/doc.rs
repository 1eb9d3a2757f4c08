//! Bins as JSON: one flat object a feature, checked on the way in.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Binning, Feature, LevelKey, MAX_BINS, SpecialCode};
use crate::data::bounded::{self, Scalar};
use crate::data::table::Level;

/// The most features a document may have.
const MAX_FEATURES: usize = 10_000_000;

/// A binning in a model file.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Docs(#[serde(deserialize_with = "bounded::objects::<MAX_FEATURES, _, _>")] Vec<FeatureDoc>);

/// A feature with its name.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "FlatDoc", into = "FlatDoc")]
struct FeatureDoc {
    name: String,
    feature: Feature,
}

impl Clone for FeatureDoc {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), feature: self.feature.clone() }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Numeric,
    Categorical,
}

/// Flat, so that nothing is buffered while the kind is still unknown.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FlatDoc {
    name: String,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "bounded::some_list::<MAX_BINS, _, _>")]
    cuts: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "bounded::some_list::<MAX_BINS, _, _>")]
    levels: Option<Vec<Scalar>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(deserialize_with = "bounded::objects::<MAX_BINS, _, _>")]
    special: Vec<SpecialCode>,
    missing: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lower: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    upper: Option<f64>,
}

impl From<FeatureDoc> for FlatDoc {
    fn from(FeatureDoc { name, feature }: FeatureDoc) -> Self {
        match feature {
            Feature::Numeric { cuts, special, missing, lower, upper } => Self {
                name,
                kind: Kind::Numeric,
                cuts: Some(cuts),
                levels: None,
                special,
                missing,
                lower: Some(lower),
                upper: Some(upper),
            },
            Feature::Categorical { levels, missing } => Self {
                name,
                kind: Kind::Categorical,
                cuts: None,
                levels: Some(levels.into_iter().map(Scalar).collect()),
                special: Vec::new(),
                missing,
                lower: None,
                upper: None,
            },
        }
    }
}

impl TryFrom<FlatDoc> for FeatureDoc {
    type Error = String;

    fn try_from(flat: FlatDoc) -> Result<Self, String> {
        let FlatDoc { name, kind, cuts, levels, special, missing, lower, upper } = flat;
        let feature = match (kind, cuts, levels, lower, upper) {
            (Kind::Numeric, Some(mut cuts), None, Some(lower), Some(upper)) => {
                cuts.shrink_to_fit();
                Feature::Numeric { cuts, special, missing, lower, upper }
            }
            (Kind::Categorical, None, Some(mut levels), None, None) if special.is_empty() => {
                levels.shrink_to_fit();
                Feature::Categorical { levels: levels.into_iter().map(|Scalar(l)| l).collect(), missing }
            }
            (Kind::Numeric, ..) => {
                return Err(format!(
                    "numeric feature '{name}' must have cuts, lower and upper, and no levels"
                ));
            }
            (Kind::Categorical, ..) => {
                return Err(format!(
                    "categorical feature '{name}' must have levels, and no cuts, codes or range"
                ));
            }
        };
        check(&name, &feature)?;
        Ok(Self { name, feature })
    }
}

impl From<Binning> for Docs {
    fn from(binning: Binning) -> Self {
        let pairs = binning.names.into_iter().zip(binning.features);
        Self(pairs.map(|(name, feature)| FeatureDoc { name, feature }).collect())
    }
}

// Each feature was checked when it was read.
impl From<Docs> for Binning {
    fn from(Docs(docs): Docs) -> Self {
        let (names, features) = docs.into_iter().map(|doc| (doc.name, doc.feature)).unzip();
        Self { names, features }
    }
}

/// What must hold of every feature, read or made.
pub(super) fn check(name: &str, feature: &Feature) -> Result<(), String> {
    if feature.n_bins() > MAX_BINS {
        return Err(format!(
            "feature '{name}' has {} bins; at most {MAX_BINS} are allowed: use fewer cuts or join rare levels",
            feature.n_bins()
        ));
    }
    match feature {
        Feature::Numeric { cuts, special, lower, upper, .. } => {
            if let Some(cut) = cuts.iter().find(|cut| !cut.is_finite()) {
                return Err(format!("feature '{name}' has the cut {cut}; cuts must be finite"));
            }
            if let Some((first, second)) = descent(cuts) {
                return Err(format!(
                    "feature '{name}' has the cut {first} before {second}; cuts must ascend strictly"
                ));
            }
            let codes: Vec<f64> = special.iter().map(|code| code.value).collect();
            if codes.iter().any(|code| !code.is_finite()) || descent(&codes).is_some() {
                return Err(format!(
                    "feature '{name}' has the special codes {codes:?}; they must be finite and ascend strictly"
                ));
            }
            if !(lower.is_finite() && upper.is_finite() && lower <= upper) {
                return Err(format!(
                    "feature '{name}' has the range {lower} to {upper}; it must be finite and ascending"
                ));
            }
        }
        Feature::Categorical { levels, .. } => check_levels(name, levels)?,
    }
    Ok(())
}

/// The first two neighbours that do not ascend.
pub(super) fn descent(cuts: &[f64]) -> Option<(f64, f64)> {
    cuts.windows(2).map(|pair| (pair[0], pair[1])).find(|(first, second)| first >= second)
}

fn check_levels(name: &str, levels: &[Level]) -> Result<(), String> {
    let mut seen = HashSet::with_capacity(levels.len());
    for level in levels {
        if matches!(level, Level::Float(x) if !x.is_finite()) {
            return Err(format!("feature '{name}' has a level that is not a finite number"));
        }
        if !seen.insert(LevelKey::from(level)) {
            return Err(format!("feature '{name}' has a level twice: {}", super::shown(level)));
        }
    }
    Ok(())
}
