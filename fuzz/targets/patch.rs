//! See [`assay_fuzz::patch`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::patch(bytes));
