//! The document of a fitted pattern model, field by field as the JSON has it
//! (`docs/schema/patterns-1.json`).

use serde::{Deserialize, Serialize};

use crate::data::bounded;
use crate::data::table::Level;
use crate::data::task::Task;
use crate::document::wire::classes;
use crate::document::{CriterionDoc, CvDoc};
use crate::families::patterns::Family;
use crate::loss::SmoothLoss;

/// The document's version; a program reads this one only.
pub const VERSION: u32 = 1;

/// The most outputs: far above any use.
const MANY: usize = 1 << 16;

/// No bound beyond the text itself: entries are as long as what they become.
const TEXT: usize = usize::MAX;

/// A pattern model as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct Document<F: Family> {
    /// The family's format.
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the library that fitted the model.
    pub library: String,
    /// What the model predicts.
    pub task: Task,
    /// The loss it was fitted with.
    pub loss: SmoothLoss,
    /// The classes, where labels are known: two for one output, else one an output.
    #[serde(with = "classes")]
    pub classes: Option<Vec<Level>>,
    /// What the labels stand for.
    pub alphabet: F::Alphabet,
    /// Which patterns there are.
    pub language: F::Language,
    /// How many patterns the fit chose among, exactly, in decimal digits.
    pub n_candidates: String,
    /// One model an output; a classifier of two classes has one.
    #[serde(deserialize_with = "bounded::objects::<MANY, _, _>")]
    pub outputs: Vec<OutputDoc<F>>,
}

/// The path of one output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct OutputDoc<F: Family> {
    /// Every pattern that some point uses.
    #[serde(deserialize_with = "bounded::objects::<TEXT, _, _>")]
    pub patterns: Vec<PatternDoc<F>>,
    /// The point to predict with: an index into `points`.
    pub selected: usize,
    /// The path, in the order in which it was solved.
    #[serde(deserialize_with = "bounded::objects::<TEXT, _, _>")]
    pub points: Vec<PointDoc>,
    /// Held-out scores, if the point was chosen by cross-validation.
    #[serde(deserialize_with = "bounded::nullable")]
    pub cv: Option<Box<CvDoc>>,
    /// Scores, if the point was chosen by an information criterion.
    #[serde(deserialize_with = "bounded::nullable")]
    pub criterion: Option<Box<CriterionDoc>>,
}

/// A pattern and where it occurs in training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct PatternDoc<F: Family> {
    /// The shortest of its class: what readers see and predictions use.
    pub pattern: F::Pattern,
    /// Training records (of positive weight) in which it occurs.
    pub support: u64,
    /// Their share of the training weight.
    pub weight: f64,
    /// Its support among the records of each class; empty for a regression.
    #[serde(deserialize_with = "bounded::list::<MANY, _, _>")]
    pub support_per_class: Vec<u64>,
    /// The largest pattern that occurs in the same training records, where there is one.
    pub closure: Option<F::Pattern>,
    /// Other patterns that occur in the same training records.
    #[serde(deserialize_with = "bounded::list::<TEXT, _, _>")]
    pub equivalents: Vec<F::Pattern>,
}

/// One solution: a model and its certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Penalty strength.
    pub alpha: f64,
    /// Intercept.
    pub intercept: f64,
    /// Active patterns, ascending: index into the output's patterns, coefficient.
    #[serde(deserialize_with = "bounded::list::<TEXT, _, _>")]
    pub patterns: Vec<(usize, f64)>,
    /// Primal objective.
    pub primal: f64,
    /// Dual objective at a point feasible for all candidates.
    pub dual: f64,
    /// `primal - dual`.
    pub gap: f64,
    /// The gap relative to the primal objective.
    pub relative_gap: f64,
    /// The relative gap asked for.
    pub tol: f64,
    /// Whether it was reached.
    pub complete: bool,
    /// Rounds of search and solve.
    pub n_iter: u64,
    /// Nodes the searches visited.
    pub nodes: u64,
    /// Searches over the whole tree.
    pub searches: u64,
    /// Wall-clock time.
    pub seconds: f64,
}
