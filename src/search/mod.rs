//! Find the features that matter, prove that the rest do not.

mod collect;
mod driver;
pub mod visitors;

pub use collect::{Item, Listing};
#[cfg(test)]
pub(crate) use driver::shortest;
pub use driver::{Search, collect, search, survey};
