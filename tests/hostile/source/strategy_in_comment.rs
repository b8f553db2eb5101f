//@ expect: S019 S020
// The only implementation is in a comment and in a string.

// impl Strategy for Attack {}
// assay_sdk::export!(Attack);
const CODE: &str = "impl Strategy for Attack {} export!(Attack);";
