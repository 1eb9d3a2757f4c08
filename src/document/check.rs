//! Validation of documents.

use super::{
    CriterionDoc, CvDoc, Document, LinearDoc, OutputDoc, PathDoc, PointDoc, Schema, TermDoc, VERSION,
};
use crate::data::bins::Binning;
use crate::data::dataset::check_classes;
use crate::data::table::Level;
use crate::loss::{LossKind, SmoothLoss, Task};

/// An error message without the path of the entry.
type Check = Result<(), String>;

/// An error in a header, if there is one; `expected` and `own` are the required format and version.
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
pub(super) fn document<S: Schema>(document: &Document<S>) -> Check {
    let version = Some(u64::from(document.version));
    if let Some(complaint) = header(Some(&document.format), version, S::FORMAT, VERSION) {
        return Err(complaint);
    }
    if document.n_candidates.as_ref().is_some_and(|n| !is_count(n)) {
        return Err("n_candidates must be a whole number in decimal digits".into());
    }
    if document.library.is_empty() {
        return Err("library is empty; it must be the version of the library that fitted the model".into());
    }
    classes(document.task, document.classes.as_deref(), document.outputs.len())?;
    S::check(document)
}

/// Whether a text is a whole number as JSON has it: decimal digits without leading zeros.
fn is_count(text: &str) -> bool {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits && (text.len() == 1 || !text.starts_with('0'))
}

/// A convex model: its loss fits the task, its candidates are counted, each of its outputs holds.
/// `check_term` explains what is wrong with one term, `check_linear` with linear terms.
pub(crate) fn convex<S, T>(
    document: &Document<S>,
    check_term: impl Fn(&T) -> Check,
    check_linear: impl Fn(&LinearDoc) -> Check,
) -> Check
where
    S: Schema<Loss = SmoothLoss, Output = OutputDoc<T>>,
{
    loss(document.loss.kind(), document.task)?;
    outputs(document, check_term, |point, n_terms| check_point(point, n_terms, &check_linear))
}

/// The loss is one of the task.
pub(crate) fn loss(loss: LossKind, task: Task) -> Check {
    if loss.task() == task {
        return Ok(());
    }
    Err(format!("the loss '{}' is not one of a {task:?}", loss.name()).to_lowercase())
}

/// A model over candidates that are counted: each of its outputs holds. `check_point` explains what
/// is wrong with a point of an output with so many terms.
pub(crate) fn outputs<S, T, P>(
    document: &Document<S>,
    check_term: impl Fn(&T) -> Check,
    check_point: impl Fn(&P, usize) -> Check,
) -> Check
where
    S: Schema<Output = OutputDoc<T, P>>,
{
    if document.n_candidates.is_none() {
        return Err("n_candidates is null; it must be a whole number in decimal digits".into());
    }
    let n_classes = document.classes.as_ref().map(Vec::len);
    let one = |output: &OutputDoc<T, P>| {
        each("terms", &output.terms, |term| check_entry(term, n_classes, &check_term))?;
        each("points", &output.points, |point| check_point(point, output.terms.len()))?;
        selection(output.selected, output.points.len(), output.cv.as_deref(), output.criterion.as_deref())
    };
    document.outputs.iter().enumerate().try_for_each(|(place, output)| {
        one(output).map_err(|complaint| format!("outputs[{place}]{complaint}"))
    })
}

/// A model whose points have terms of their own: each of its paths holds.
pub(crate) fn paths<S, P>(document: &Document<S>, check_point: impl Fn(&P) -> Check) -> Check
where
    S: Schema<Output = PathDoc<P>>,
{
    let one = |path: &PathDoc<P>| {
        each("points", &path.points, &check_point)?;
        selection(path.selected, path.points.len(), path.cv.as_deref(), None)
    };
    document
        .outputs
        .iter()
        .enumerate()
        .try_for_each(|(place, path)| one(path).map_err(|complaint| format!("outputs[{place}]{complaint}")))
}

/// Every entry of a list, with the place of the first that is wrong.
fn each<T>(list: &str, entries: &[T], check: impl Fn(&T) -> Check) -> Check {
    entries.iter().enumerate().try_for_each(|(place, entry)| {
        check(entry).map_err(|complaint| format!(".{list}[{place}]{complaint}"))
    })
}

/// A gap of this many tolerances is within the tolerance: fits end just below it, before objectives are rounded.
pub(crate) const ROUNDED_TOL: f64 = 1.01;

/// A point that is complete has a gap within the tolerance.
pub(crate) fn within_tolerance(complete: bool, relative_gap: f64, tol: f64) -> Check {
    if complete && relative_gap > ROUNDED_TOL * tol {
        return Err(format!(".complete is true, but relative_gap {relative_gap:e} is above tol {tol:e}"));
    }
    Ok(())
}

fn check_entry<T>(entry: &TermDoc<T>, n_classes: Option<usize>, check: &impl Fn(&T) -> Check) -> Check {
    // Sums of weights: rounding may carry them a little past 1.
    if !(0.0..=1.0 + 1e-9).contains(&entry.support) {
        return Err(format!(".support is {}; it must be a fraction, 0 to 1", entry.support));
    }
    let classes = entry.n_rows_per_class.len();
    if classes > 0 && n_classes.is_some_and(|n| n != classes) {
        return Err(format!(".n_rows_per_class has {classes} entries, one a class is needed"));
    }
    let one = |name: &str, pattern: &T| check(pattern).map_err(|complaint| format!(".{name}{complaint}"));
    one("pattern", &entry.pattern)?;
    entry.closure.iter().try_for_each(|pattern| one("closure", pattern))?;
    let mut equivalents = entry.equivalents.iter().enumerate();
    equivalents.try_for_each(|(place, pattern)| one(&format!("equivalents[{place}]"), pattern))
}

fn check_point(point: &PointDoc, n_terms: usize, check_linear: &impl Fn(&LinearDoc) -> Check) -> Check {
    finite("", &[point.alpha, point.intercept, point.primal, point.dual, point.gap])?;
    finite("", &[point.relative_gap, point.tol, point.seconds])?;
    if point.alpha < 0.0 {
        return Err(format!(".alpha is {}; it must be at least 0", point.alpha));
    }
    terms("term", &point.terms, n_terms)?;
    check_linear_terms(&point.linear, check_linear)?;
    sum(point.intercept, point.terms.iter().map(|term| term.1))?;
    // The gap of a best subset is to a bound that few reach; its completeness is that of the exchanges.
    within_tolerance(point.complete && point.subset.is_none(), point.relative_gap, point.tol)?;
    if let Some(subset) = &point.subset {
        finite(".subset.ridge", &[subset.ridge])?;
        if subset.ridge <= 0.0 || point.relaxation.is_some() {
            return Err(".subset: ridge must be above 0, and relaxation null".into());
        }
    }
    let Some(solution) = &point.relaxation else { return Ok(()) };
    let complaint = |what: String| format!(".relaxation{what}");
    finite("", &[solution.blend, solution.ridge, solution.intercept]).map_err(complaint)?;
    if !(0.0..=1.0).contains(&solution.blend) || solution.ridge < 0.0 {
        return Err(complaint(": blend must be within 0 and 1, ridge at least 0".into()));
    }
    terms("term", &solution.terms, n_terms).map_err(complaint)?;
    check_linear_terms(&solution.linear, check_linear).map_err(complaint)?;
    sum(solution.intercept, solution.terms.iter().map(|term| term.1)).map_err(complaint)
}

fn check_linear_terms(linear: &[LinearDoc], check_linear: &impl Fn(&LinearDoc) -> Check) -> Check {
    if linear.windows(2).any(|pair| pair[0].feature >= pair[1].feature) {
        return Err(".linear must ascend by feature, each feature once".into());
    }
    for (place, term) in linear.iter().enumerate() {
        let complaint = |what: String| format!(".linear[{place}]{what}");
        check_linear(term).map_err(complaint)?;
        finite("", &[term.coef, term.center, term.scale]).map_err(complaint)?;
        if term.scale <= 0.0 {
            return Err(complaint(format!(".scale is {}; it must be positive", term.scale)));
        }
    }
    Ok(())
}

/// The bins of a family whose conditions know no special codes have none.
pub(crate) fn no_special_codes(binning: &Binning) -> Check {
    let features = binning.names().iter().zip(binning.features());
    match features.into_iter().find(|(_, feature)| !feature.special().is_empty()) {
        Some((name, _)) => {
            Err(format!("features: '{name}' has special codes; models of this format have none"))
        }
        None => Ok(()),
    }
}

/// Task, classes and the number of outputs agree.
pub(crate) fn classes(task: Task, classes: Option<&[Level]>, n_outputs: usize) -> Check {
    if n_outputs == 0 {
        return Err("outputs is empty; a model has at least one".into());
    }
    check_classes(task, classes, n_outputs)
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
        if cv.mean.len() != cv.strengths.len() || cv.se.len() != cv.strengths.len() {
            return Err(".cv: strengths, mean and se must be equally long".into());
        }
        if !cv.difference_se.is_empty() && cv.difference_se.len() != cv.strengths.len() {
            return Err(".cv: strengths and difference_se must be equally long".into());
        }
        finite(".cv.strengths", &cv.strengths)?;
        finite(".cv.mean", &cv.mean)?;
        finite(".cv.se", &cv.se)?;
        finite(".cv.difference_se", &cv.difference_se)?;
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

/// Whatever terms apply, their sum is a finite number.
pub(crate) fn sum(intercept: f64, terms: impl Iterator<Item = f64>) -> Check {
    if terms.fold(intercept.abs(), |total, term| total + term.abs()).is_finite() {
        return Ok(());
    }
    Err(": intercept and terms are too large to be added up".into())
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
