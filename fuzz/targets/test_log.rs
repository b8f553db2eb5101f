//! See [`assay_fuzz::test_log`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::test_log(bytes));
