//! See [`assay_fuzz::lobster`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::lobster(bytes));
