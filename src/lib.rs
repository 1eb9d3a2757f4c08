//! Thresher: optimal sparse models over feature spaces too large to write down, with a
//! proof of optimality.

pub mod certificate;
pub mod control;
pub mod data;
pub mod error;
pub mod fit;
pub mod fm;
pub mod hierarchy;
pub mod l0;
pub mod loss;
pub mod model;
pub mod path;
pub mod patterns;
pub mod penalty;
pub mod rules;
pub mod search;
pub mod solve;
pub mod space;

pub use control::{Control, Progress};
pub use error::{Error, Result};
