//! The document of a fitted hierarchical model, field by field as the JSON has it
//! (`docs/schema/hierarchy-1.json`).
//!
//! These structs hold no promise: they become a [`HierarchyModel`](super::HierarchyModel) only
//! through its checks.

use serde::{Deserialize, Serialize};

use super::HierarchyLoss;
use crate::data::bins::Binning;
use crate::data::bounded;
use crate::data::table::Level;
use crate::document::classes;
use crate::families::rules::{Condition, conjunction};
use crate::loss::Task;

/// The document's name.
pub const FORMAT: &str = "thresher.hierarchy";

/// The document's version; a program reads this one only.
pub const VERSION: u32 = 1;

/// The most outputs or points of a path.
const MANY: usize = 1 << 16;

/// No bound beyond the text itself: entries are as long as what they become.
const TEXT: usize = usize::MAX;

/// A hierarchical model as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the library that fitted the model.
    pub library: String,
    /// What the model predicts.
    pub task: Task,
    /// The loss it was fitted with.
    pub loss: HierarchyLoss,
    /// The classes, where labels are known: two for one output, else one an output.
    #[serde(with = "classes")]
    pub classes: Option<Vec<Level>>,
    /// The input features with their bins.
    pub features: Binning,
    /// Order of the norm over descendants.
    pub rho: f64,
    /// Growth of the weights with depth.
    pub depth_base: f64,
    /// How many conjunctions the fit chose among, exactly, in decimal digits.
    pub n_candidates: String,
    /// One model an output; a classifier of two classes has one.
    #[serde(deserialize_with = "bounded::objects::<MANY, _, _>")]
    pub outputs: Vec<OutputDoc>,
}

/// The path of one output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputDoc {
    /// Every conjunction of some point's working set.
    #[serde(deserialize_with = "bounded::objects::<TEXT, _, _>")]
    pub rules: Vec<RuleDoc>,
    /// The point to predict with: an index into `points`.
    pub selected: usize,
    /// The path, alpha falling.
    #[serde(deserialize_with = "bounded::objects::<MANY, _, _>")]
    pub points: Vec<PointDoc>,
    /// Held-out scores, if the point was chosen by cross-validation.
    #[serde(deserialize_with = "bounded::nullable")]
    pub cv: Option<Box<CvDoc>>,
}

/// Held-out scores, one a strength.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CvDoc {
    /// Penalty strengths, falling; the path ends at the one chosen.
    #[serde(deserialize_with = "bounded::list::<MANY, _, _>")]
    pub alphas: Vec<f64>,
    /// Mean score of a unit of weight.
    #[serde(deserialize_with = "bounded::list::<MANY, _, _>")]
    pub mean: Vec<f64>,
    /// Its standard error over the folds.
    #[serde(deserialize_with = "bounded::list::<MANY, _, _>")]
    pub se: Vec<f64>,
    /// Number of folds.
    pub n_folds: usize,
}

/// A conjunction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleDoc {
    /// What must hold; at least one condition.
    #[serde(deserialize_with = "conjunction")]
    pub conditions: Vec<Condition>,
    /// Basic propositions that it joins; an interval bounded on both sides is two.
    pub depth: usize,
    /// Training rows (of positive weight) in the rule.
    pub n_rows: u64,
    /// Their fraction of the training weight.
    pub support: f64,
}

/// One solution; objectives are of mean loss + alpha / 2 * penalty^2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Penalty strength.
    pub alpha: f64,
    /// Intercept.
    pub intercept: f64,
    /// Rules, ascending: index into the output's rules, coefficient.
    #[serde(deserialize_with = "bounded::list::<TEXT, _, _>")]
    pub rules: Vec<(usize, f64)>,
    /// The working set without the empty conjunction, ascending indices.
    #[serde(deserialize_with = "bounded::list::<TEXT, _, _>")]
    pub hull: Vec<usize>,
    /// Primal objective.
    pub primal: f64,
    /// Dual objective, valid for the whole lattice.
    pub dual: f64,
    /// `primal - dual`.
    pub gap: f64,
    /// The gap relative to the primal objective.
    pub relative_gap: f64,
    /// The relative gap asked for.
    pub tol: f64,
    /// Whether it was reached.
    pub complete: bool,
    /// Newton steps.
    pub n_iter: u64,
    /// Sources of the complement that were bounded.
    pub nodes: u64,
    /// Rounds over all sources.
    pub searches: u64,
    /// Wall-clock time.
    pub seconds: f64,
}
