//! See [`assay_fuzz::source`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::source(bytes));
