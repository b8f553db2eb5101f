//@ expect: S001 S011 S027
// A syntax error does not hide the rest.

fn a() -> { unsafe { std::fs::read("x") } }
