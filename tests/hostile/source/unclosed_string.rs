//@ expect: S027
// A string that never ends.

const A: &str = "never ends;
