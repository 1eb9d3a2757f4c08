//! The clever paths against slow and obvious ones.

mod bounds;
mod by_bins;
mod curved;
mod moves;
mod paths;
mod rules;
mod segments;
mod special;
