//! The format of saved models: one for all families.
//!
//! A [`Document`] is what a model looks like as JSON: a header (format, version, library,
//! task, loss, classes), what its terms refer to, and one path of solutions an output. What
//! differs between families is their [`Schema`]. A [`Model`] is a document that has been
//! checked; whoever fits a model fills a document and converts it.

pub(crate) mod check;
mod envelope;
mod model;
mod path;
mod read;
mod schema;

pub use envelope::split_model;
pub use model::Model;
pub(crate) use model::point_at;
pub use path::{
    CriterionDoc, CvDoc, LinearDoc, OutputDoc, PathDoc, PointDoc, RelaxationDoc, SubsetDoc, TermDoc,
    TermPoint,
};
pub use schema::{Document, Path, Schema, VERSION};

/// The most classes, outputs or entries of a score list: far above any use, low enough
/// that a hostile list of short entries stays small.
pub(crate) const MAX_ENTRIES: usize = 1 << 16;

/// No bound beyond the text itself: entries are as long as what they become.
pub(crate) const UNBOUNDED: usize = usize::MAX;
