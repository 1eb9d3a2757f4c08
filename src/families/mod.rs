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
pub mod rules;
pub mod sequences;
pub mod subset;

use crate::error::{Error, Result};

/// The result of a fit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fit<M, T = ()> {
    /// The model with its path.
    pub model: M,
    /// The training rows, for queries about the optimum; `()` in families without such queries.
    pub training: T,
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
