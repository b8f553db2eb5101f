//! See [`assay_fuzz::cells`]. The binary is its own helper for jailed compilation.
#![no_main]

libfuzzer_sys::fuzz_target!(init: assay_fuzz::answer_as_helper(), |bytes: &[u8]| assay_fuzz::cells(bytes));
