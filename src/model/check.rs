//! What must hold of a document before it is a model.

use std::collections::HashSet;

use super::wire::{ConditionDoc, Document, FORMAT, OutputDoc, PointDoc, RuleDoc, Task, VERSION};
use crate::data::bins::{Feature, LevelKey, shown};
use crate::data::table::Level;
use crate::loss::LossKind;

/// A complaint without the place.
type Check = Result<(), String>;

/// A complaint about a header, if there is one.
pub(super) fn header(format: Option<&str>, version: Option<u64>) -> Option<String> {
    match (format, version) {
        (Some(FORMAT), Some(version)) if version == u64::from(VERSION) => None,
        (Some(FORMAT), Some(version)) => Some(format!(
            "version is {version}, this program reads version {VERSION}; use the release that wrote the model, or fit again"
        )),
        (Some(FORMAT), None) => Some("version is missing; save the model again with to_json".into()),
        (Some(other), _) => Some(format!(
            "format is {:?}, expected {FORMAT:?}; give the text that to_json wrote",
            other.chars().take(60).collect::<String>()
        )),
        (None, _) => {
            Some(format!("format is missing, expected {FORMAT:?}; give the text that to_json wrote"))
        }
    }
}

/// The whole document.
pub(super) fn document(document: &Document) -> Check {
    if let Some(complaint) = header(Some(&document.format), Some(u64::from(document.version))) {
        return Err(complaint);
    }
    let digits = &document.n_candidates;
    if digits.is_empty()
        || !digits.bytes().all(|b| b.is_ascii_digit())
        || (digits.len() > 1 && digits.starts_with('0'))
    {
        return Err("n_candidates must be a whole number in decimal digits".into());
    }
    if document.library.is_empty() {
        return Err("library is empty; it must be the version of the library that fitted the model".into());
    }
    if document.task == Task::Regression && document.loss != LossKind::Squared {
        return Err("a regression model must have the squared loss".into());
    }
    classes(document.task, document.classes.as_deref(), document.outputs.len())?;
    let features: Vec<Known<'_>> = document.features.features().iter().map(Known::new).collect();
    for (place, output) in document.outputs.iter().enumerate() {
        check_output(output, &features).map_err(|complaint| format!("outputs[{place}]{complaint}"))?;
    }
    Ok(())
}

/// Task, classes and the number of outputs agree.
pub(crate) fn classes(task: Task, classes: Option<&[Level]>, n_outputs: usize) -> Check {
    if n_outputs == 0 {
        return Err("outputs is empty; a model has at least one".into());
    }
    let Some(classes) = classes else { return Ok(()) };
    if task == Task::Regression {
        return Err("classes must be null in a regression model".into());
    }
    let distinct: HashSet<LevelKey<'_>> = classes.iter().map(LevelKey::from).collect();
    if classes.len() < 2 || distinct.len() < classes.len() || !classes.iter().all(finite_level) {
        return Err("classes must be at least two, distinct and finite".into());
    }
    let expected = if classes.len() == 2 { 1 } else { classes.len() };
    if n_outputs != expected {
        return Err(format!("{} classes need {expected} outputs, got {n_outputs}", classes.len()));
    }
    Ok(())
}

fn finite_level(level: &Level) -> bool {
    !matches!(level, Level::Float(x) if !x.is_finite())
}

/// A feature, ready for questions.
pub(crate) struct Known<'a> {
    numeric: bool,
    missing: bool,
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

fn check_output(output: &OutputDoc, features: &[Known<'_>]) -> Check {
    for (place, rule) in output.rules.iter().enumerate() {
        check_rule(rule, features).map_err(|complaint| format!(".rules[{place}]{complaint}"))?;
    }
    for (place, point) in output.points.iter().enumerate() {
        check_point(point, output.rules.len(), features)
            .map_err(|complaint| format!(".points[{place}]{complaint}"))?;
    }
    if output.selected >= output.points.len() {
        return Err(format!(
            ".selected is {}, out of range: there are {} points",
            output.selected,
            output.points.len()
        ));
    }
    if let Some(cv) = &output.cv {
        if cv.mean.len() != cv.alphas.len() || cv.se.len() != cv.alphas.len() {
            return Err(".cv: alphas, mean and se must be equally long".into());
        }
        finite(".cv.alphas", &cv.alphas)?;
        finite(".cv.mean", &cv.mean)?;
        finite(".cv.se", &cv.se)?;
    }
    if let Some(criterion) = &output.criterion {
        if criterion.values.len() != output.points.len() {
            return Err(".criterion: there must be one value a point".into());
        }
        finite(".criterion.values", &criterion.values)?;
    }
    Ok(())
}

fn finite(place: &str, values: &[f64]) -> Check {
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(format!("{place}: {value} is not a finite number")),
        None => Ok(()),
    }
}

fn check_rule(rule: &RuleDoc, features: &[Known<'_>]) -> Check {
    // Shares are sums of weights: rounding may carry them a little past 1.
    if !(0.0..=1.0 + 1e-9).contains(&rule.weight) {
        return Err(format!(".weight is {}; it must be a share, 0 to 1", rule.weight));
    }
    if rule.conditions.is_empty() {
        return Err(".conditions is empty; a rule has at least one".into());
    }
    let mut seen = Vec::new();
    let mut conjunction = |name: &str, conditions: &[ConditionDoc]| {
        check_conjunction(conditions, features, &mut seen).map_err(|complaint| format!(".{name}{complaint}"))
    };
    conjunction("conditions", &rule.conditions)?;
    conjunction("closure", &rule.closure)?;
    for (place, conditions) in rule.equivalents.iter().enumerate() {
        if conditions.is_empty() {
            return Err(format!(".equivalents[{place}] is empty; a rule has at least one condition"));
        }
        conjunction(&format!("equivalents[{place}]"), conditions)?;
    }
    Ok(())
}

/// Every condition fits its feature; no feature comes twice. `seen` is scratch space.
fn check_conjunction(conditions: &[ConditionDoc], features: &[Known<'_>], seen: &mut Vec<usize>) -> Check {
    seen.clear();
    for (place, condition) in conditions.iter().enumerate() {
        check_condition(condition, features).map_err(|complaint| format!("[{place}]{complaint}"))?;
        seen.push(condition.feature());
    }
    seen.sort_unstable();
    match seen.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!(": feature {} comes twice; a rule has one condition a feature", pair[0])),
        None => Ok(()),
    }
}

/// A condition fits its feature.
pub(crate) fn check_condition(condition: &ConditionDoc, features: &[Known<'_>]) -> Check {
    let feature = known(features, condition.feature())?;
    match condition {
        ConditionDoc::Interval { .. } if !feature.numeric => {
            Err(": an interval of a categorical feature; expected a category".into())
        }
        ConditionDoc::Interval { lower, upper, .. } => {
            // Also false for NaN, and for an end that is infinite on the wrong side.
            let bounded = lower.is_finite() || upper.is_finite();
            if bounded && lower < upper {
                Ok(())
            } else {
                Err(format!(
                    ": the interval ({lower}, {upper}] must ascend and be bounded on one side at least"
                ))
            }
        }
        ConditionDoc::Category { .. } if feature.numeric => {
            Err(": a category of a numeric feature; expected lower and upper".into())
        }
        ConditionDoc::Category { category, .. } => {
            if feature.levels.contains(&LevelKey::from(category)) {
                Ok(())
            } else {
                Err(format!(": {} is not among the feature's levels", shown(category)))
            }
        }
        ConditionDoc::Missing { .. } if feature.missing => Ok(()),
        ConditionDoc::Missing { .. } => {
            Err(": a condition on missing values, but the feature has missing = false".into())
        }
    }
}

fn check_point(point: &PointDoc, n_rules: usize, features: &[Known<'_>]) -> Check {
    finite("", &[point.alpha, point.intercept, point.primal, point.dual, point.gap])?;
    finite("", &[point.relative_gap, point.tol, point.seconds])?;
    if point.alpha < 0.0 {
        return Err(format!(".alpha is {}; it must be at least 0", point.alpha));
    }
    if let Some((rule, _)) = point.rules.iter().find(|(rule, _)| *rule >= n_rules) {
        return Err(format!(".rules: rule {rule} is out of range, there are {n_rules}"));
    }
    if point.rules.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
        return Err(".rules must ascend, each rule once".into());
    }
    if let Some((rule, coef)) = point.rules.iter().find(|(_, coef)| !coef.is_finite()) {
        return Err(format!(".rules: rule {rule} has the coefficient {coef}; it must be finite"));
    }
    if point.linear.windows(2).any(|pair| pair[0].feature >= pair[1].feature) {
        return Err(".linear must ascend by feature, each feature once".into());
    }
    for (place, term) in point.linear.iter().enumerate() {
        let complaint = |what: String| format!(".linear[{place}]{what}");
        if !known(features, term.feature).map_err(complaint)?.numeric {
            return Err(complaint(": a linear term of a categorical feature".into()));
        }
        finite("", &[term.coef, term.center, term.scale]).map_err(complaint)?;
        if term.scale <= 0.0 {
            return Err(complaint(format!(".scale is {}; it must be positive", term.scale)));
        }
    }
    Ok(())
}
