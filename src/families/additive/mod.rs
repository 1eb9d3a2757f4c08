//! Sparse additive models: one step function a column, with an L0 penalty on the steps.
//!
//! minimise `sum_i v_i loss(y_i, b + sum_j g_j(x_ij)) + lambda0 * steps + lambda2 * sum of
//! squared jumps + ridge * sum_j sum_i v_i g_j(x_ij)^2`
//!
//! over step functions `g_j`. It is the thresholded model of \[FastSparse\] section 5 (one dummy
//! 1\[x <= t\] for each observed value t, lambda2 on the dummies' weights), but the dummies are
//! never made: columns stay integer codes, and one column's whole function is re-optimised at
//! a time by dynamic programming ([`segment`]), which is exact for the squared and the
//! exponential loss and exact on the Newton quadratic for the logistic one.
//!
//! What counts. Each piece of a column after its first is one step: an interval of numbers, a
//! set of categories that share a value, missing values with a value of their own. Missing
//! values that share the value of another piece cost nothing; in a column with a direction
//! (`monotone`) they have no place in the order and are a piece of their own once the column
//! has a step.
//!
//! For classes the values of a column are held at most 2 [`cost::LIMIT`] apart: where a piece
//! holds one class only, the loss falls for ever and has no minimum. For the exponential
//! loss the ridge penalty is 2 cosh(g) - 2 in place of `g^2`, equal to second order, which keeps
//! the closed form.
//!
//! # References
//! \[FastSparse\] Liu, Zhong, Seltzer, Rudin, "Fast Sparse Classification for Generalized Linear
//! and Additive Models", AISTATS 2022.

mod cells;
mod cost;
mod coupled;
mod descent;
mod document;
mod fit;
mod monotone;
mod params;
mod path;
mod polish;
mod predict;
mod response;
mod segment;
mod shape;
mod starts;
mod swap;
mod totals;
mod write;

pub use document::{Additive, AdditiveModel, MissingDoc, PointDoc, ShapeDoc};
pub use fit::fit;
pub use params::{Params, ValidParams};

#[cfg(test)]
mod tests;
