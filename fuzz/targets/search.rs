//! See [`assay_fuzz::search`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::search(bytes));
