//! See [`assay_fuzz::sql`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assay_fuzz::sql(bytes));
