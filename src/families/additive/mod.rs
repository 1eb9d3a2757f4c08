//! Sparse additive models: a step function of each column, with an L0 penalty on the jumps.
//!
//! ```text
//! min over b, g of  sum_i v_i loss(y_i, b + sum_j g_j(x_ij)) + lambda0 * jumps
//!                   + lambda2 * sum of squared jumps + ridge * sum_j sum_i v_i g_j(x_ij)^2
//! ```
//!
//! over step functions `g_j`. This is the thresholded model of \[FastSparse\] section 5 (one dummy
//! 1\[x <= t\] for each observed value t, lambda2 on the coefficients of the dummies), without the
//! dummies: columns are stored as integer codes, and dynamic programming optimises the function of one
//! column at a time (`segment`). It is exact for the squared loss, for the exponential loss with the
//! present intercept, and on the second-order expansion of the logistic loss.
//!
//! The number of jumps of a column is its number of pieces minus 1. A piece is an interval of numbers,
//! a set of categories with a common value, or the missing values with a value of their own. Missing
//! values that share the value of another piece add no jump. In a column with a trend (`monotonic_cst`)
//! missing values have no place in the order and form a piece of their own
//! if the column has a jump. The functions of all trends but two are exact; of convex and concave ones the values of given
//! pieces are (`convex`). A special code of a numeric column (`special_codes`) forms a piece of its own, or counts as a
//! missing value (`special`).
//!
//! For classification the values of a column are at most `cost::MAX_ABS_VALUE` from their middle, because the loss has
//! no minimum on a piece with one class only. A move measures them from the middle of the present ones, wherever it is: that
//! of a light piece may be far from their mean, which is 0. For the exponential loss the ridge penalty is
//! 2 cosh(g) - 2 in place of `g^2`, equal to second order, which keeps the closed form.
//!
//! The search is local. `bound` computes a lower bound on the objective of every model, if a penalty
//! on the values allows one, by branch and bound if a gap is given, and `verify` computes it again.
//!
//! # References
//! \[FastSparse\] Liu, Zhong, Seltzer, Rudin, "Fast Sparse Classification for Generalized Linear
//! and Additive Models", AISTATS 2022.

mod backward;
mod bin_products;
mod bin_sums;
mod bound;
mod cells;
mod constant_columns;
mod convex;
mod convex_values;
mod cost;
mod coupled;
mod cross_validation;
mod cut_rules;
mod descent;
mod document;
mod exchange;
mod fit;
mod joint_newton;
mod jump_coordinates;
mod limits;
mod merged_bins;
mod monotone;
mod monotone_table;
mod optimise;
mod params;
mod path;
mod predict;
mod predictions;
mod recorded;
mod segment;
mod shape;
mod special;
mod starts;
mod step_limit;
mod swap;
mod trends;
mod verify;
mod write;

pub use document::{
    Additive, AdditiveModel, BoundDoc, MissingDoc, NodeDoc, PointDoc, ShapeDoc, SpecialDoc, SplitDoc,
};
pub use fit::fit;
pub use params::{Params, Strength, ValidParams};
pub use verify::verify;

#[cfg(test)]
mod tests;
