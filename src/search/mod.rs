//! Find the features that matter, prove that the rest do not.

pub mod driver;
pub mod visitors;

pub use driver::{Search, search};
