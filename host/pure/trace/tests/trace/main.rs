//! The crate through its interface.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod analysis;
mod bodies;
mod docs;
mod exports;
mod file;
mod hostile;
mod imports;
mod messages;
mod scores;
mod support;
