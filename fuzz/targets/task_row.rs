//! See [`assay_fuzz::task_row`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::task_row(bytes));
