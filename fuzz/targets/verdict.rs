//! See [`assay_fuzz::verdict`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::verdict(bytes));
