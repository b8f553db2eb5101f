//! See [`assay_fuzz::trajectory`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::trajectory(bytes));
