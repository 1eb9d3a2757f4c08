//! Best subsets: the patterns whose refit has the smallest objective, by a local search over the whole space.
//!
//! ```text
//! min over S of at most k columns, w, b:   sum_i v_i loss(y_i, b + sum_{k in S} x_ik w_k) + ridge sum_{k in S} s_k w_k^2
//! ```
//!
//! with v the sample weights and `s_k` the sum of squares of column k (of a pattern the weight of its rows).
//! A move adds a column, removes one, or exchanges one for another; all coefficients are fitted anew after it.
//!
//! | file | what it holds |
//! |---|---|
//! | `pool` | the columns seen so far |
//! | `subset` | some of them with their coefficients |
//! | `cells` | the rows of a refit, merged where it cannot tell them apart |
//! | `pool_gram` | inner products of the columns of the pool with the members |
//! | `local_model` | the quadratic model of the objective at a subset, which predicts the gain of every move |
//! | `moves` | the best move among the columns of the pool |
//! | `candidates` | columns for the pool by a search of the space |
//! | `path` | subsets of 1, 2, ... columns |
//! | `proof` | what is proven of a subset |
//! | `exchange` | the best move by which a column enters, for squared loss |
//! | `sweep` | all exchanges at a subset, for squared loss |
//! | `walk` | the path as points |
//!
//! References: Hazimeh, Mazumder, "Fast Best Subset Selection: Coordinate Descent and Local Combinatorial
//! Optimization Algorithms", 2020, for local search by exchanges.

mod candidates;
mod cells;
mod exchange;
mod local_model;
mod moves;
mod path;
mod pool;
mod pool_gram;
mod proof;
mod subset;
mod sweep;
#[cfg(test)]
mod tests;
mod walk;

pub use walk::SubsetWalk;
