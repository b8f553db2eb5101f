//@ expect: S019 S020
// Nothing but a comment.
