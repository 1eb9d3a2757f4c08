//! Linear models of few columns against all subsets.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| thresher_fuzz::run(bytes, thresher_fuzz::subsets::check));
