//! See [`assay_fuzz::event_log`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::event_log(bytes));
