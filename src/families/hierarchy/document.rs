//! The document of a fitted hierarchical model (`docs/schema/hierarchy-1.json`).

use serde::{Deserialize, Serialize};

use super::HierarchyLoss;
use crate::data::bins::Binning;
use crate::data::bounded;
use crate::document::{Document, Model, OutputDoc, Schema, TermPoint, UNBOUNDED, check};
use crate::families::rules::{Known, Rule, check_conditions};

/// The family of hierarchical rule ensembles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hierarchies;

/// A fitted hierarchical model.
pub type HierarchyModel = Model<Hierarchies>;

/// The parameters of the penalty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PenaltyDoc {
    /// Order rho of the norm over descendants.
    pub rho: f64,
    /// Base a of the penalty weights a^|v|.
    pub depth_base: f64,
}

/// One point of a path; objectives are of mean loss + alpha / 2 * penalty^2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Regularisation strength.
    pub alpha: f64,
    /// Intercept.
    pub intercept: f64,
    /// Index into the output's terms and coefficient of each rule, by ascending index.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub terms: Vec<(usize, f64)>,
    /// The working set without the empty conjunction: ascending indices into the output's terms.
    #[serde(deserialize_with = "bounded::list::<UNBOUNDED, _, _>")]
    pub hull: Vec<usize>,
    /// Primal objective.
    pub primal: f64,
    /// Dual objective, a lower bound over the whole lattice.
    pub dual: f64,
    /// `primal - dual`.
    pub gap: f64,
    /// The gap relative to the primal objective.
    pub relative_gap: f64,
    /// Tolerance of the relative gap.
    pub tol: f64,
    /// Whether the relative gap is within the tolerance.
    pub complete: bool,
    /// Number of Newton steps.
    pub n_iter: u64,
    /// Number of conjunctions outside the working set whose supersets were looked at.
    pub nodes: u64,
    /// Number of rounds over all sources.
    pub searches: u64,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}

impl TermPoint for PointDoc {
    fn places(&mut self) -> impl Iterator<Item = &mut usize> {
        self.terms.iter_mut().map(|(place, _)| place).chain(&mut self.hull)
    }
}

/// The path of one output: conjunctions, and points with their coefficients.
pub type HierarchyOutput = OutputDoc<Rule, PointDoc>;

impl Schema for Hierarchies {
    const FORMAT: &'static str = "thresher.hierarchy";
    type Loss = HierarchyLoss;
    type Features = Binning;
    type Language = PenaltyDoc;
    type Output = HierarchyOutput;

    fn check(document: &Document<Self>) -> Result<(), String> {
        check::loss(document.loss.kind(), document.task)?;
        check::no_special_codes(&document.features)?;
        let PenaltyDoc { rho, depth_base } = document.language;
        if !(rho > 1.0 && rho <= 2.0 && depth_base > 1.0 && depth_base.is_finite()) {
            return Err("language: rho must be above 1 and at most 2, depth_base above 1 and finite".into());
        }
        let features: Vec<Known<'_>> = document.features.features().iter().map(Known::new).collect();
        let conjunction = |rule: &Rule| check_conditions(rule.conditions(), &features);
        check::outputs(document, conjunction, check_point)
    }
}

fn check_point(point: &PointDoc, n_terms: usize) -> Result<(), String> {
    check::finite("", &[point.alpha, point.intercept, point.primal, point.dual, point.gap])?;
    check::finite("", &[point.relative_gap, point.tol, point.seconds])?;
    if point.alpha <= 0.0 {
        return Err(format!(".alpha is {}; it must be above 0", point.alpha));
    }
    check::within_tolerance(point.complete, point.relative_gap, point.tol)?;
    check::terms("term", &point.terms, n_terms)?;
    check::sum(point.intercept, point.terms.iter().map(|term| term.1))?;
    let ascending = point.hull.windows(2).all(|pair| pair[0] < pair[1]);
    if ascending && point.hull.last().is_none_or(|&last| last < n_terms) {
        return Ok(());
    }
    Err(format!(".hull must ascend below {n_terms}, the number of terms"))
}
