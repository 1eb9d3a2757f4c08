//! The document of a fitted rule model, field by field as the JSON has it
//! (`docs/schema/rules-1.json`).
//!
//! These structs hold no promise: they are filled by a fit or by a file and become a
//! [`RuleModel`](super::RuleModel) only through its checks.

use serde::{Deserialize, Serialize};

use super::condition;
use crate::data::bins::Binning;
use crate::data::bounded::{self, Scalar};
use crate::data::table::Level;
use crate::data::task::Task;
use crate::loss::SmoothLoss;

pub use super::condition::ConditionDoc;

/// The document's name.
pub const FORMAT: &str = "thresher.rules";

/// The document's version; a program reads this one only.
pub const VERSION: u32 = 1;

/// The most classes, outputs or entries of a score list: far above any use, low enough
/// that a hostile list of short entries stays small.
const MANY: usize = 1 << 16;

/// No bound beyond the text itself: entries are as long as what they become.
const TEXT: usize = usize::MAX;

/// A rule model as it is written.
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
    pub loss: SmoothLoss,
    /// The classes, where labels are known: two for one output, else one an output.
    #[serde(with = "classes")]
    pub classes: Option<Vec<Level>>,
    /// The input features with their bins.
    pub features: Binning,
    /// How many rules the fit chose among, exactly, in decimal digits.
    pub n_candidates: String,
    /// One model an output; a classifier of two classes has one.
    #[serde(deserialize_with = "bounded::objects::<MANY, _, _>")]
    pub outputs: Vec<OutputDoc>,
}

/// The path of one output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputDoc {
    /// Every rule that some point uses.
    #[serde(deserialize_with = "bounded::objects::<TEXT, _, _>")]
    pub rules: Vec<RuleDoc>,
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

/// A rule: a conjunction of conditions on distinct features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleDoc {
    /// The shortest form: what readers see and predictions use; at least one.
    #[serde(deserialize_with = "condition::conjunction")]
    pub conditions: Vec<ConditionDoc>,
    /// Training rows (of positive weight) in the rule.
    pub support: u64,
    /// Their share of the training weight.
    pub weight: f64,
    /// The tightest box around the same training rows; empty if it was not asked for.
    #[serde(deserialize_with = "bounded::objects::<TEXT, _, _>")]
    pub closure: Vec<ConditionDoc>,
    /// Other conjunctions with the same training rows.
    #[serde(deserialize_with = "condition::conjunctions")]
    pub equivalents: Vec<Vec<ConditionDoc>>,
}

impl RuleDoc {
    /// The features that the rule is about, ascending.
    pub fn features(&self) -> Vec<usize> {
        let mut features: Vec<usize> = self.conditions.iter().map(ConditionDoc::feature).collect();
        features.sort_unstable();
        features
    }
}

/// One solution: a model and its certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Penalty strength.
    pub alpha: f64,
    /// Intercept.
    pub intercept: f64,
    /// Linear terms by ascending feature.
    #[serde(deserialize_with = "bounded::objects::<TEXT, _, _>")]
    pub linear: Vec<LinearDoc>,
    /// Active rules, ascending: index into the output's rules, coefficient.
    #[serde(deserialize_with = "bounded::list::<TEXT, _, _>")]
    pub rules: Vec<(usize, f64)>,
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

/// A linear term, in the user's units: adds `coef * x`; a missing x counts as `center`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearDoc {
    /// Index of a numeric feature.
    pub feature: usize,
    /// Change of the prediction per unit of x.
    pub coef: f64,
    /// Mean of the column in training.
    pub center: f64,
    /// Standard deviation of the column in training.
    pub scale: f64,
}

/// Cross-validation scores along the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CvDoc {
    /// Penalty strengths.
    #[serde(deserialize_with = "bounded::list::<MANY, _, _>")]
    pub alphas: Vec<f64>,
    /// Mean held-out loss, one an alpha.
    #[serde(deserialize_with = "bounded::list::<MANY, _, _>")]
    pub mean: Vec<f64>,
    /// Standard error of the mean over folds.
    #[serde(deserialize_with = "bounded::list::<MANY, _, _>")]
    pub se: Vec<f64>,
    /// Number of folds.
    pub n_folds: usize,
}

/// An information criterion along the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CriterionDoc {
    /// Its name.
    pub name: String,
    /// One value a point.
    #[serde(deserialize_with = "bounded::list::<MANY, _, _>")]
    pub values: Vec<f64>,
}

/// Classes as scalars, read without buffering.
pub(crate) mod classes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Level, MANY, Scalar, bounded};

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct List(#[serde(deserialize_with = "bounded::list::<MANY, _, _>")] Vec<Scalar>);

    #[allow(clippy::ref_option)] // the signature serde calls
    pub(crate) fn serialize<S: Serializer>(classes: &Option<Vec<Level>>, to: S) -> Result<S::Ok, S::Error> {
        classes.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Level>>, D::Error> {
        let list = Option::<List>::deserialize(from)?;
        Ok(list.map(|List(scalars)| scalars.into_iter().map(|Scalar(level)| level).collect()))
    }
}
