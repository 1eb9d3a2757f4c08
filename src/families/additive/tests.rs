//! The clever paths against slow and obvious ones.

mod moves;
mod paths;
mod segments;
