//@ expect: S027
// A comment that never ends.

/* /* */
fn main() {}
