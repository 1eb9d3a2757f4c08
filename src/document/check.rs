//! What must hold of a document before it is a model.

use std::collections::HashSet;

use super::wire::{
    ConditionDoc, CriterionDoc, CvDoc, Document, FORMAT, OutputDoc, PointDoc, RuleDoc, VERSION,
};
use crate::data::bins::{Feature, LevelKey, shown};
use crate::data::table::Level;
use crate::data::task::Task;
use crate::loss::SmoothLoss;

/// A complaint without the place.
type Check = Result<(), String>;

/// A complaint about a header, if there is one; `expected` and `own` are what it should say.
pub(crate) fn header(format: Option<&str>, version: Option<u64>, expected: &str, own: u32) -> Option<String> {
    match (format, version) {
        (Some(format), Some(version)) if format == expected && version == u64::from(own) => None,
        (Some(format), Some(version)) if format == expected => Some(format!(
            "version is {version}, this program reads version {own}; use the release that wrote the model, or fit again"
        )),
        (Some(format), None) if format == expected => {
            Some("version is missing; save the model again with to_json".into())
        }
        (Some(other), _) => Some(format!(
            "format is {:?}, expected {expected:?}; give the text that to_json wrote",
            other.chars().take(60).collect::<String>()
        )),
        (None, _) => {
            Some(format!("format is missing, expected {expected:?}; give the text that to_json wrote"))
        }
    }
}

/// The whole document.
pub(super) fn document(document: &Document) -> Check {
    if let Some(complaint) =
        header(Some(&document.format), Some(u64::from(document.version)), FORMAT, VERSION)
    {
        return Err(complaint);
    }
    provenance(&document.n_candidates, &document.library, document.task, document.loss)?;
    classes(document.task, document.classes.as_deref(), document.outputs.len())?;
    let features: Vec<Known<'_>> = document.features.features().iter().map(Known::new).collect();
    for (place, output) in document.outputs.iter().enumerate() {
        check_output(output, &features).map_err(|complaint| format!("outputs[{place}]{complaint}"))?;
    }
    Ok(())
}

/// Number of candidates, library, task and loss.
pub(crate) fn provenance(n_candidates: &str, library: &str, task: Task, loss: SmoothLoss) -> Check {
    if n_candidates.is_empty()
        || !n_candidates.bytes().all(|b| b.is_ascii_digit())
        || (n_candidates.len() > 1 && n_candidates.starts_with('0'))
    {
        return Err("n_candidates must be a whole number in decimal digits".into());
    }
    if library.is_empty() {
        return Err("library is empty; it must be the version of the library that fitted the model".into());
    }
    if task != loss.task() {
        let name = loss.kind().name();
        return Err(format!("the loss '{name}' is not one of a {task:?}").to_lowercase());
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
    selection(output.selected, output.points.len(), output.cv.as_deref(), output.criterion.as_deref())
}

/// The selected point, and the scores it was selected by.
pub(crate) fn selection(
    selected: usize,
    n_points: usize,
    cv: Option<&CvDoc>,
    criterion: Option<&CriterionDoc>,
) -> Check {
    if selected >= n_points {
        return Err(format!(".selected is {selected}, out of range: there are {n_points} points"));
    }
    if let Some(cv) = cv {
        if cv.mean.len() != cv.alphas.len() || cv.se.len() != cv.alphas.len() {
            return Err(".cv: alphas, mean and se must be equally long".into());
        }
        finite(".cv.alphas", &cv.alphas)?;
        finite(".cv.mean", &cv.mean)?;
        finite(".cv.se", &cv.se)?;
    }
    if let Some(criterion) = criterion {
        if criterion.values.len() != n_points {
            return Err(".criterion: there must be one value a point".into());
        }
        finite(".criterion.values", &criterion.values)?;
    }
    Ok(())
}

/// No NaN and no infinity.
pub(crate) fn finite(place: &str, values: &[f64]) -> Check {
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

/// Weighted terms: ascending, in range, finite. `what` is what the entries are.
pub(crate) fn terms(what: &str, terms: &[(usize, f64)], n: usize) -> Check {
    if let Some((at, _)) = terms.iter().find(|(at, _)| *at >= n) {
        return Err(format!(".{what}s: {what} {at} is out of range, there are {n}"));
    }
    if terms.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
        return Err(format!(".{what}s must ascend, each {what} once"));
    }
    if let Some((at, coef)) = terms.iter().find(|(_, coef)| !coef.is_finite()) {
        return Err(format!(".{what}s: {what} {at} has the coefficient {coef}; it must be finite"));
    }
    Ok(())
}

fn check_point(point: &PointDoc, n_rules: usize, features: &[Known<'_>]) -> Check {
    finite("", &[point.alpha, point.intercept, point.primal, point.dual, point.gap])?;
    finite("", &[point.relative_gap, point.tol, point.seconds])?;
    if point.alpha < 0.0 {
        return Err(format!(".alpha is {}; it must be at least 0", point.alpha));
    }
    terms("rule", &point.rules, n_rules)?;
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
