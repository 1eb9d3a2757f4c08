//! What the fuzz targets check: a fast way beside a slow one, on small problems drawn from the bytes of the fuzzer.
//!
//! Each module has a function `check` that draws a problem and panics where the two ways differ. The targets in
//! `fuzz_targets` call them, and so does `cargo test` here, on random bytes and without the nightly compiler.

pub mod cards;
pub mod draw;
pub mod graph_text;
pub mod hierarchies;
pub mod least;
pub mod losses;
pub mod machines;
pub mod models;
pub mod optimum;
pub mod params;
pub mod patterns;
pub mod records;
pub mod rules;
pub mod searches;
pub mod spaces;
pub mod subsets;
pub mod swaps;
pub mod tables;

/// The slow twins of the core's own tests, which name these by `crate::`.
use thresher::space;

#[path = "../../src/space/boxes/tests/enumeration.rs"]
pub mod all_boxes;
#[path = "../../src/space/itemsets/tests/enumeration.rs"]
pub mod all_itemsets;
#[path = "../../src/space/sequences/tests/enumeration.rs"]
pub mod all_sequences;
#[path = "../../src/space/graphs/tests/brute.rs"]
pub mod all_subgraphs;

use arbitrary::Unstructured;

#[cfg(test)]
mod tests;

/// Draws a problem from the bytes and checks it; problems for which there are too few bytes are left out.
pub fn run(bytes: &[u8], check: impl FnOnce(&mut Unstructured<'_>) -> arbitrary::Result<()>) {
    let _ = check(&mut Unstructured::new(bytes));
}
