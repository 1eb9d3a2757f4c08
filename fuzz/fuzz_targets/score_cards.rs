//! Score cards and their bounds against all cards.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| thresher_fuzz::run(bytes, thresher_fuzz::cards::check));
