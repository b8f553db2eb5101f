//! The sandbox through its boundary: guests in, verdicts out.

mod calls;
mod determinism;
mod hostile;
mod outcomes;
mod store;
mod support;
