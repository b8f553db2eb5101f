//! See [`assay_fuzz::policy`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::policy(bytes));
