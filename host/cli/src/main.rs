//! The `assay` binary.
fn main() {}
