//! Saved models of every family, whole and damaged.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| thresher_fuzz::models::check(text));
