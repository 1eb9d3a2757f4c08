//! A fitted hierarchical model that has been checked, and its predictions.

use super::wire::{Document, FORMAT, OutputDoc, PointDoc, VERSION};
use crate::data::bounded::Object;
use crate::data::table::Table;
use crate::document::check;
use crate::error::{Error, Result};
use crate::families::rules::predict::Binder;
use crate::families::rules::{Known, check_condition};

/// A [`Document`] whose every index and number has been checked.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyModel {
    document: Document,
}

impl TryFrom<Document> for HierarchyModel {
    type Error = Error;

    fn try_from(document: Document) -> Result<Self> {
        check_document(&document).map_err(Error::Format)?;
        Ok(Self { document })
    }
}

impl HierarchyModel {
    /// Reads a model; anything but a whole and consistent document of this version is an
    /// [`Error::Format`].
    pub fn from_json(text: &str) -> Result<Self> {
        let read = serde_json::from_str::<Object<Document>>(text);
        let Object(document) = read.map_err(|e| Error::Format(format!("{e:.200}")))?;
        Self::try_from(document)
    }

    /// The model as one line of JSON, with all points of its path.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.document).unwrap_or_default()
    }

    /// The checked document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Predictions at one point of each output, output by output.
    ///
    /// Columns are matched by position. A level that training did not see is refused where an
    /// active rule asks for a level, and ignored elsewhere.
    pub fn decision(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<f64>>> {
        let chosen = self.points(points)?;
        let fired = self.activations(table, points)?;
        let mut fired = fired.iter();
        let mut decisions = Vec::with_capacity(chosen.len());
        for (_, point) in chosen {
            let mut f = vec![point.intercept; table.n_rows()];
            for (&(_, w), mask) in point.rules.iter().zip(fired.by_ref()) {
                f.iter_mut().zip(mask).for_each(|(f, &inside)| *f += if inside { w } else { 0.0 });
            }
            decisions.push(f);
        }
        Ok(decisions)
    }

    /// Which rows are in which active rule, one list a rule, outputs in order.
    pub fn activations(&self, table: &Table, points: &[usize]) -> Result<Vec<Vec<bool>>> {
        let mut binder = Binder::new(&self.document.features, table)?;
        let mut masks = Vec::new();
        for (output, point) in self.points(points)? {
            for &(rule, _) in &point.rules {
                let mut mask = vec![true; table.n_rows()];
                for condition in &output.rules[rule].conditions {
                    binder.test(condition)?.narrow(0..table.n_rows(), &mut mask);
                }
                masks.push(mask);
            }
        }
        Ok(masks)
    }

    fn points(&self, points: &[usize]) -> Result<Vec<(&OutputDoc, &PointDoc)>> {
        let outputs = &self.document.outputs;
        if points.len() != outputs.len() {
            let (got, expected) = (points.len(), outputs.len());
            return Err(Error::parameter("points", format!("got {got}, the model has {expected} outputs")));
        }
        let find = |(output, &point): (&'_ OutputDoc, &usize)| -> Result<usize> {
            if point < output.points.len() {
                return Ok(point);
            }
            Err(Error::parameter("points", format!("got {point}, the path has {}", output.points.len())))
        };
        outputs.iter().zip(points).map(|(o, p)| Ok((o, &o.points[find((o, p))?]))).collect()
    }
}

type Check = std::result::Result<(), String>;

/// What must hold of a document before it is a model.
fn check_document(document: &Document) -> Check {
    if document.format != FORMAT || document.version != VERSION {
        return Err(format!(
            "format {:?} version {}, expected {FORMAT:?} version {VERSION}",
            document.format.chars().take(60).collect::<String>(),
            document.version
        ));
    }
    if document.loss.task() != document.task {
        return Err("the loss is not one of the task".into());
    }
    let digits = &document.n_candidates;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err("n_candidates must be a whole number in decimal digits".into());
    }
    if !(document.rho > 1.0 && document.rho <= 2.0 && document.depth_base.is_finite()) {
        return Err("rho must be above 1 and at most 2, depth_base finite".into());
    }
    check::classes(document.task, document.classes.as_deref(), document.outputs.len())?;
    let known: Vec<Known<'_>> = document.features.features().iter().map(Known::new).collect();
    for (place, output) in document.outputs.iter().enumerate() {
        check_output(output, &known).map_err(|complaint| format!("outputs[{place}]{complaint}"))?;
    }
    Ok(())
}

fn check_output(output: &OutputDoc, features: &[Known<'_>]) -> Check {
    for (place, rule) in output.rules.iter().enumerate() {
        let complaint = |what: String| format!(".rules[{place}]{what}");
        if !(0.0..=1.0 + 1e-9).contains(&rule.support) {
            return Err(complaint(format!(".support is {}; it must be a fraction, 0 to 1", rule.support)));
        }
        if rule.conditions.is_empty() {
            return Err(complaint(".conditions is empty; a rule has at least one".into()));
        }
        rule.conditions.iter().try_for_each(|c| check_condition(c, features)).map_err(complaint)?;
    }
    if output.selected >= output.points.len() {
        return Err(format!(".selected is {}, there are {} points", output.selected, output.points.len()));
    }
    if let Some(cv) = &output.cv
        && (cv.mean.len() != cv.alphas.len()
            || cv.se.len() != cv.alphas.len()
            || !cv.alphas.iter().chain(&cv.mean).chain(&cv.se).all(|x| x.is_finite()))
    {
        return Err(".cv: scores must be finite, a strength, a mean and an error each".into());
    }
    for (place, point) in output.points.iter().enumerate() {
        check_point(point, output.rules.len()).map_err(|what| format!(".points[{place}]{what}"))?;
    }
    Ok(())
}

fn check_point(point: &PointDoc, n_rules: usize) -> Check {
    let PointDoc { alpha, intercept, primal, dual, gap, relative_gap, tol, seconds, .. } = point;
    let numbers = [alpha, intercept, primal, dual, gap, relative_gap, tol, seconds];
    if !numbers.into_iter().chain(point.rules.iter().map(|(_, w)| w)).all(|x| x.is_finite()) {
        return Err(": every number must be finite".into());
    }
    if *alpha <= 0.0 {
        return Err(": alpha must be above 0".into());
    }
    let ascending = point.rules.is_sorted_by(|a, b| a.0 < b.0) && point.hull.is_sorted_by(|a, b| a < b);
    let inside =
        point.rules.last().is_none_or(|r| r.0 < n_rules) && point.hull.last().is_none_or(|h| *h < n_rules);
    if ascending && inside { Ok(()) } else { Err(format!(": rules and hull must ascend below {n_rules}")) }
}
