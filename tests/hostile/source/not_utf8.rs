//@ expect: S024
// Latin-1.
const NAME: &str = "café";
