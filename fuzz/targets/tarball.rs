//! See [`assay_fuzz::tarball`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::tarball(bytes));
