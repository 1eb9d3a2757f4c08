//! The page of the site for embedders, whose blocks are the tests of this library.
#![doc = include_str!("../../../docs/rust.md")]
