//! Find the features that matter, prove that the rest do not.

mod driver;
pub mod visitors;

pub use driver::{Search, collect, search, survey};
