//! Measures against hand-computed cases and, on random streams, against naive ones that keep every event.
//!
//! Orders go through the real exchange, so the events are those that an episode has.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;
mod closing;
mod harness;
mod naive;
