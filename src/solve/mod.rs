//! Solve a problem with a sparse penalty over a space too large to write down.
//!
//! ```text
//! P(w, b) = sum_i weight_i loss(y_i, f_i) + lambda * penalty(w)
//! f_i     = b + sum_j x_ij w_j + sum_k r_k(x_i) w_k
//! ```
//!
//! with dense columns j (standardised linear terms) and patterns k. The parts, from the inside out:
//!
//! | module | contents |
//! |---|---|
//! | `iterate` | coefficients, predictions, residual, correlations |
//! | `working_set` | the columns that the problem is solved over |
//! | `model_columns` | the columns of the quadratic model of the loss |
//! | `gram` | their inner products, weighted by curvature |
//! | `weighted_gram` | inner products under fixed weights of the rows |
//! | `product_table` | those of many pairs of patterns at once |
//! | [`penalty`](crate::penalty) | solves the penalised quadratic model |
//! | `newton` | solves over the working set to any accuracy |
//! | `oracle` | names violators in the space and proves that there are no more |
//! | `refit` | ridge-penalised coefficients of a fixed set of columns |
//! | `solver` | the outer loop: solve over the working set, ask the oracle, stop when the gap is small |
//! | [`path`] | the points of a path |
//! | `l1_walk` | one lambda after another |
//! | `null_walk` | the same for a response that the time does not reach |
//!
//! A [`Strategy`] is an oracle and the number of violators that it returns.
//!
//! References: \[SRF\] Kato, Hanada, Takeuchi, "Safe RuleFit", sections 2-3; Massias, Gramfort, Salmon,
//! "Celer: a Fast Solver for the Lasso with Dual Extrapolation", 2018, for working sets.

mod best_subset;
mod column;
mod gram;
mod iterate;
mod l1_walk;
mod model_columns;
mod newton;
mod null_walk;
mod oracle;
pub mod path;
mod problem;
mod product_table;
pub(crate) mod refit;
mod restricted;
mod risk;
mod solver;
mod weighted_gram;
mod working_set;

pub(crate) use best_subset::SubsetWalk;
pub(crate) use oracle::group_candidates;
pub use problem::{BestSubset, DenseColumn, Outcome, Problem};
pub use solver::Solver;
use working_set::WorkingSet;

use serde::{Deserialize, Serialize};

/// How patterns come into the model. All strategies give the same optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Strategy {
    /// Solve on a working set, search for violators, repeat.
    #[default]
    WorkingSet,
    /// The paper's algorithm: one screened list a lambda, dynamic screening.
    Screening,
    /// The most violating pattern, one a search.
    ColumnGeneration,
}
