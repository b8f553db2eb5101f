//! What a run record becomes: the page, and the summary for a language model.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod markets;
mod page;
mod read;
mod summary;
mod support;
mod windows;
