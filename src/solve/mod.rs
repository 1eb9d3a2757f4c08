//! Solve a problem with a sparse penalty over a space too large to write down.
//!
//! ```text
//! P(w, b) = sum_i mass_i loss(y_i, f_i) + lambda * ( sum_j |w_j| + sum_k c_k |w_k| )
//! f_i     = b + sum_j x_ij w_j + sum_k r_k(x_i) w_k
//! ```
//!
//! with side columns j (standardised linear terms) and patterns k. A [`Solver`] holds a
//! working set of columns and solves over it to any accuracy ([`newton`], on the quadratic
//! model of [`quadratic`] in Gram space); a [`Strategy`] decides which patterns of the
//! space it holds, and proves that the others do not matter.
//!
//! References: \[SRF\] Kato, Hanada, Takeuchi, "Safe RuleFit", sections 2-3.

mod column_generation;
mod columns;
mod gram;
mod groups;
mod kept;
mod layout;
mod measure;
mod newton;
pub mod path;
mod quadratic;
mod screening;
mod solver;
mod state;
mod working_set;

pub use columns::Column;
pub(crate) use groups::candidates;
pub use solver::{Outcome, Problem, Side, Solver};

use serde::{Deserialize, Serialize};

/// How patterns come into the model. All strategies give the same optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Solve on a working set, search for violators, repeat.
    #[default]
    WorkingSet,
    /// The paper's algorithm: one screened list a step, dynamic screening.
    Screening,
    /// The most violating pattern, one a search.
    ColumnGeneration,
}
