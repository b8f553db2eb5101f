//! Recording and reading back: what goes in comes out, in every table, and recording changes nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod disk;
mod documentation;
mod events;
mod json_rows;
mod orders;
mod query;
mod round_trip;
mod support;
mod trial;
