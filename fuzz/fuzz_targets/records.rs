//! Arrays of records and tables as callers hand them over.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| thresher_fuzz::run(bytes, thresher_fuzz::records::check));
