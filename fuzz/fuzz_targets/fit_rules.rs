//! Rule models against a slow solver over all rules.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| thresher_fuzz::run(bytes, thresher_fuzz::rules::check));
