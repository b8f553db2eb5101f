//! See [`assay_fuzz::names`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::names(bytes));
