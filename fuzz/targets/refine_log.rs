//! See [`assay_fuzz::refine_log`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::refine_log(bytes));
