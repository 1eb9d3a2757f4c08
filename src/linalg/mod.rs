//! Dense linear algebra for all solvers.
//!
//! | item | operation | cost for order n |
//! |---|---|---|
//! | [`dot`], [`dots`] | inner product in a fixed order of summation | n |
//! | [`inner_products`] | those of all pairs of k vectors | n k^2 / 2 |
//! | [`add_rank_one`] | the products of the entries of a vector, added to a matrix | n^2 / 2 |
//! | [`Cholesky`] | factor of one symmetric positive definite matrix | n^3 / 6 |
//! | [`UpdatableCholesky`] | factor with updates by columns | n^2 / 2 a column |
//! | [`conjugate_gradients`] | preconditioned solution of a system given by its product | a product a round |
//! | [`minimise_with_signs`] | minimum of a quadratic over coefficients of given signs | n^3 / 6 a change of the free set |
//! | [`minimise_in_box`] | minimum of a quadratic over coefficients with ends | n^3 / 6 a change of the free set |
//! | [`line_search`] | steps to try and the sufficient decrease that accepts one | - |
//!
//! The order of every sum is fixed, so that results have the same bits for any number of threads.

mod box_quadratic;
mod cholesky;
mod conjugate_gradients;
mod dot;
pub mod line_search;
pub mod root;
mod sign_constrained;
mod triangular;
mod updatable_cholesky;

pub use box_quadratic::minimise_in_box;
pub use cholesky::Cholesky;
pub use conjugate_gradients::{Limits, conjugate_gradients};
pub use dot::{SIDE_BY_SIDE, add_rank_one, dot, dots, inner_products};
pub use sign_constrained::minimise_with_signs;
pub use updatable_cholesky::UpdatableCholesky;
