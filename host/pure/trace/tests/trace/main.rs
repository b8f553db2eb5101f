//! The crate through its interface.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod file;
mod support;
