//! See [`assay_fuzz::world`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::world(bytes));
