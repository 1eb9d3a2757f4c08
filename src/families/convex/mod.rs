//! What rules, item-sets, sequences and graphs share: from rows to certified models.
//!
//! A [`Family`] says what a row is, which patterns may hold on it and how a saved model
//! writes them; everything else, from folds to saved models and questions about the optimum, is
//! written once here.
//!
//! ```text
//! P(w, b) = mean loss + alpha * penalty(w)       over every pattern of the family's space
//! ```
//!
//! References: \[SRF\] Kato, Hanada, Takeuchi, "Safe RuleFit". \[SPP\] Nakagawa, Suzumura,
//! Karasuyama, Tsuda, Takeuchi, "Safe Pattern Pruning: An Efficient Approach for Predictive
//! Pattern Mining" (KDD 2016).

pub(crate) mod class;
mod family;
mod fit;
mod fold;
mod labelled;
mod optimality;
mod paths;
mod predict;
mod prepared;
mod training;
mod verify;
mod write;

pub(crate) use family::PatternOf;
pub use family::{Family, FamilyParams, Forms, Residual};
pub use fit::fit;
pub use labelled::{LabelledFamily, Params};
pub use optimality::{NearTie, Price};
pub use predict::ActiveTerm;
pub use prepared::LinearColumn;
pub use training::Training;
pub use verify::verify;

pub use crate::select::{Alpha, Options};
pub use crate::solve::{DenseColumn, Strategy};
