//@ expect: S019 S020
// A program, not a strategy.

fn main() {}
