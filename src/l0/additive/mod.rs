//! Additive models of step functions with an L0 penalty on their jumps.
pub mod cells;
pub mod cost;
pub mod descent;
mod monotone;
pub mod path;
mod polish;
pub mod response;
pub mod segment;
pub mod shape;
