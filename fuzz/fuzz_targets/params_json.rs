//! Parameters of every family as JSON.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| thresher_fuzz::params::check(text));
