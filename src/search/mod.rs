//! Find the features that matter, prove that the rest do not.

mod driver;
pub mod visitors;

#[cfg(test)]
pub(crate) use driver::shortest;
pub use driver::{Search, collect, search, survey};
