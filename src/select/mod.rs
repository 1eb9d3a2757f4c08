//! How the strength of a penalty is chosen: cross-validation, information criteria.

pub(crate) mod criteria;
pub(crate) mod cross_validation;

pub use cross_validation::Split;
