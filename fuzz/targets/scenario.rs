//! See [`assay_fuzz::scenario`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::scenario(bytes));
