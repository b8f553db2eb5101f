//! See [`assay_fuzz::reply`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::reply(bytes));
