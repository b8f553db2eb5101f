//! See [`assay_fuzz::foreign_trace`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::foreign_trace(bytes));
