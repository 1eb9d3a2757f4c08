//! The families of models, one in each module.
//!
//! Four families of convex models share one engine ([`convex`]): [`rules`], [`itemsets`],
//! [`sequences`] and [`graphs`] implement its [`Family`](convex::Family). Beside them stand
//! [`hierarchy`], the best-subset families [`subset`] and [`additive`], and [`factorization`].

pub mod additive;
pub mod convex;
pub mod factorization;
pub mod graphs;
pub mod hierarchy;
pub mod itemsets;
pub mod l0;
pub mod l0_certificate;
mod l0_tree;
mod predict;
pub mod rules;
pub mod sequences;
pub mod subset;
#[cfg(test)]
mod tests;

pub use predict::Predicts;

use std::hash::Hash;

use serde::Serialize;

use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::error::{Error, Result};
use crate::loss::Task;

/// The result of a fit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fit<M, T = ()> {
    /// The model with its path.
    pub model: M,
    /// The training rows, for queries about the optimum; `()` in families without such queries.
    pub training: T,
}

/// The control of a fit with limits of its own, in seconds and bytes, whose steps in a journal are those of the same
/// rows, responses, weights, folds and parameters. Fails for classes that are not those of the task.
pub(crate) fn begin<X: Hash>(
    data: &Dataset<'_, X>,
    task: Task,
    params: &impl Serialize,
    (time_limit, memory_limit): (Option<f64>, Option<u64>),
    control: &Control,
) -> Result<Control> {
    data.check_classes(task)?;
    let control = control.of_fit(time_limit, memory_limit)?;
    if control.journal().is_none() {
        return Ok(control);
    }
    let mut params = serde_json::to_value(params).map_err(|error| Error::Format(error.to_string()))?;
    // A fit that begins again may have more of both.
    if let Some(params) = params.as_object_mut() {
        params.retain(|name, _| !name.ends_with("_limit"));
    }
    let letters = params.to_string().into_bytes().into_iter().map(u64::from);
    let reals =
        data.y.iter().flatten().chain(data.weights.unwrap_or_default()).map(|number| number.to_bits());
    let rows =
        data.folds.iter().flat_map(|fold| fold.train.iter().chain(&fold.test)).map(|&row| u64::from(row));
    Ok(control.of_rows(data.x).told_apart(letters.chain(reals).chain(rows)))
}

/// Fails for an empty list and for values that are negative or not finite.
pub(crate) fn check_penalties(name: &'static str, values: &[f64]) -> Result<()> {
    if values.is_empty() {
        return Err(Error::parameter(name, "got an empty list; give at least one number >= 0"));
    }
    match values.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
        Some(bad) => Err(Error::parameter(name, format!("got {bad}; give a finite number >= 0"))),
        None => Ok(()),
    }
}
