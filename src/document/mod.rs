//! Fitted models: versioned documents in and out, predictions.
//!
//! A [`Document`] is what a model looks like as JSON; a [`RuleModel`] is a document that
//! has been checked. Whoever fits a model fills a document and converts it.

pub(crate) mod check;
pub(crate) mod condition;
pub(crate) mod predict;
pub(crate) mod read;
mod rule_model;
pub(crate) mod wire;

pub use rule_model::RuleModel;
pub use wire::{
    ConditionDoc, CriterionDoc, CvDoc, Document, FORMAT, LinearDoc, OutputDoc, PointDoc, RuleDoc, VERSION,
};

#[cfg(test)]
mod tests;
