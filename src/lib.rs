//! Thresher: optimal sparse models over feature spaces too large to write down, with a
//! proof of optimality.

pub mod control;
pub mod data;
pub mod document;
pub mod error;
pub mod families;
mod linalg;
pub mod loss;
pub mod penalty;
pub mod search;
pub mod select;
pub mod solve;
pub mod space;
pub mod verify;

pub use control::{Control, Progress};
pub use error::{Error, Result};
