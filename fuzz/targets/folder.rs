//! See [`assay_fuzz::folder`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::folder(bytes));
