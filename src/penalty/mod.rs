//! How complex: what a pattern's weight costs.

mod l1;

pub use l1::L1;
