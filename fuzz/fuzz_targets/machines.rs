//! Factorization machines: finite, the same by threads and when read back.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| thresher_fuzz::run(bytes, thresher_fuzz::machines::check));
