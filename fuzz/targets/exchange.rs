//! See [`assay_fuzz::exchange`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::exchange(bytes));
