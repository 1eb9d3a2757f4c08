//! What every saved model has, and what a family adds.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::MAX_ENTRIES;
use crate::data::bounded;
use crate::data::table::Level;
use crate::loss::Task;

/// The version of the format; a program reads this one only.
pub const VERSION: u32 = 1;

/// The parts of a saved model that are a family's own.
pub trait Schema: Debug + Clone + PartialEq + Send + Sync + 'static {
    /// The document's name: `"thresher.rules"`.
    const FORMAT: &'static str;
    /// The losses that a model may have been fitted with.
    type Loss: Debug + Copy + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// What the terms refer to: columns with their bins, labels.
    type Features: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// Which terms there are and what they cost, as far as readers of a model need it.
    type Language: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The model of one output.
    type Output: Path;

    /// Explains what is wrong with the family's parts, with the place; header and classes have
    /// been checked.
    fn check(document: &Document<Self>) -> Result<(), String>;
}

/// The solutions of one output, one of which is selected.
pub trait Path: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync {
    /// One solution.
    type Point;
    /// The solutions.
    fn points(&self) -> &[Self::Point];
    /// Index of the selected one.
    fn selected(&self) -> usize;
    /// The selected solution alone, renumbered.
    #[must_use]
    fn only_selected(&self) -> Self;
}

/// A model in the form of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct Document<S: Schema> {
    /// [`Schema::FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the library that fitted the model.
    pub library: String,
    /// What the model predicts.
    pub task: Task,
    /// The loss it was fitted with.
    pub loss: S::Loss,
    /// The classes, where labels are known: two for one output, else one an output.
    #[serde(deserialize_with = "bounded::scalars::<MAX_ENTRIES, _>")]
    pub classes: Option<Vec<Level>>,
    /// What the terms refer to.
    pub features: S::Features,
    /// Which terms there are and what they cost, as far as readers of a model need it.
    pub language: S::Language,
    /// How many candidates the fit chose among, exactly, in decimal digits; `None` in families
    /// that do not count them.
    pub n_candidates: Option<String>,
    /// One model an output; a classifier of two classes has one.
    #[serde(deserialize_with = "bounded::objects::<MAX_ENTRIES, _, _>")]
    pub outputs: Vec<S::Output>,
}
