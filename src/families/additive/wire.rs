//! The document of a fitted additive model, field by field as the JSON has it.
//!
//! These structs hold no promise: they become an [`AdditiveModel`](super::AdditiveModel)
//! only through its checks.

use serde::{Deserialize, Serialize};

use crate::data::bins::{Binning, MAX_BINS};
use crate::data::bounded;
use crate::data::table::Level;
use crate::document::classes;
use crate::families::l0::L0Loss;
use crate::families::l0::choice::CvDoc;
use crate::loss::Task;

/// The document's name.
pub const FORMAT: &str = "thresher.additive";

/// The document's version; a program reads this one only.
pub const VERSION: u32 = 1;

/// The most outputs or points of a path.
const MANY: usize = 1 << 16;

/// An additive model as it is written.
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
    pub loss: L0Loss,
    /// The classes, where labels are known: two for one output, else one an output.
    #[serde(with = "classes")]
    pub classes: Option<Vec<Level>>,
    /// The input features with their bins.
    pub features: Binning,
    /// One model an output; a classifier of two classes has one.
    #[serde(deserialize_with = "bounded::objects::<MANY, _, _>")]
    pub outputs: Vec<OutputDoc>,
}

/// The path of one output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputDoc {
    /// The point to predict with: an index into `points`.
    pub selected: usize,
    /// The paths, lambda0 falling for each lambda2 in turn.
    #[serde(deserialize_with = "bounded::objects::<MANY, _, _>")]
    pub points: Vec<PointDoc>,
    /// Held-out scores of the points, if one was chosen by cross-validation.
    #[serde(deserialize_with = "bounded::nullable")]
    pub cv: Option<Box<CvDoc>>,
}

/// One model of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointDoc {
    /// Price of a jump.
    pub lambda0: f64,
    /// Penalty on squared jumps.
    pub lambda2: f64,
    /// Constant.
    pub intercept: f64,
    /// Sum of the losses + penalties.
    pub objective: f64,
    /// Sum of the losses alone.
    pub loss: f64,
    /// Jumps.
    pub n_nonzero: usize,
    /// Whether the search ended by itself, not by the time limit.
    pub complete: bool,
    /// The columns in use.
    #[serde(deserialize_with = "bounded::objects::<MANY, _, _>")]
    pub shapes: Vec<ShapeDoc>,
}

/// The step function of one column; weighted mean 0 over the training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeDoc {
    /// Column.
    pub feature: usize,
    /// Numbers: where the function jumps, ascending; x equal to a cut lies below it.
    #[serde(deserialize_with = "bounded::list::<MAX_BINS, _, _>")]
    pub cuts: Vec<f64>,
    /// Categories: the piece of each level.
    #[serde(deserialize_with = "bounded::list::<MAX_BINS, _, _>")]
    pub groups: Vec<u16>,
    /// Value of each piece, without that of missing values alone.
    #[serde(deserialize_with = "bounded::list::<MAX_BINS, _, _>")]
    pub values: Vec<f64>,
    /// Weight of the training rows in each piece, missing values left out.
    #[serde(deserialize_with = "bounded::list::<MAX_BINS, _, _>")]
    pub weights: Vec<f64>,
    /// Missing values; `None` if training had none (they then count as the mean, 0).
    pub missing: Option<MissingDoc>,
}

/// What a missing value adds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissingDoc {
    /// The value.
    pub value: f64,
    /// Weight of the training rows.
    pub weight: f64,
    /// Whether it is a piece of its own, which counts as one.
    pub apart: bool,
}
