//! The text form of graphs.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| thresher_fuzz::graph_text::check(text));
