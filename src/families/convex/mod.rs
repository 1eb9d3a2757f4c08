//! The engine of rules, item-sets, sequences and graphs: from rows to certified models.
//!
//! A [`Family`] defines its rows, their patterns and the form of patterns in a saved model. All else, from
//! folds to saved models and queries about the optimum, is common code in this module.
//!
//! ```text
//! P(w, b) = mean loss + alpha * penalty(w)       over all patterns of the space
//! ```
//!
//! References: \[SRF\] Kato, Hanada, Takeuchi, "Safe RuleFit". \[SPP\] Nakagawa, Suzumura,
//! Karasuyama, Tsuda, Takeuchi, "Safe Pattern Pruning: An Efficient Approach for Predictive
//! Pattern Mining" (KDD 2016).

mod as_predicted;
pub(crate) mod class;
mod family;
mod fit;
mod fold;
mod labelled;
mod lengths;
mod optimality;
mod paths;
mod predict;
mod prepared;
#[cfg(test)]
mod tests;
mod training;
mod verify;
mod verify_bound;
mod verify_relaxed;
mod verify_subset;
mod verify_terms;
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

pub use crate::select::{Alpha, Options, PenaltyKind, Relax};
pub use crate::solve::{DenseColumn, Strategy};
