//! How the strength of a penalty is chosen: cross-validation, information criteria; and how its coefficients are
//! relaxed.

pub(crate) mod criteria;
pub(crate) mod cross_validation;
pub(crate) mod folds;
mod held_out;
pub(crate) mod longer;
mod options;
mod race;
mod relax;
mod subset_sizes;
mod training_view;

pub use cross_validation::Split;
pub(crate) use options::at_least;
pub use options::{Alpha, Options, PenaltyKind};
pub use relax::{Relax, Relaxation};
pub use training_view::TrainingView;
