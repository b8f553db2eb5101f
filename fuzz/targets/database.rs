//! See [`assay_fuzz::database`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::database(bytes));
