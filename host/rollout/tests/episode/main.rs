//! Episodes through the loop's boundary: a scripted model, a tiny interpreter for a session, a fake bench, a clock that stands still until it is told.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod blocks;
mod calls;
mod context;
mod exits;
mod golden;
mod hostile;
mod later;
mod record;
mod replay;
mod secrets;
mod supervision;
mod support;
mod temperature;
