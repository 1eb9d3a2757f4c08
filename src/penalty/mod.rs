//! How complex: what a pattern's weight costs.

mod group;
mod l1;

pub use group::SparseGroup;
pub use l1::L1;
