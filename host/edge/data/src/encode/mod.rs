//! Columns to Parquet, by hand where the general writer is slow.
//!
//! A recorded run is mostly numbers that grow or hover, names from short lists, columns that are the same in every row, and columns
//! that are nearly always empty. Each has an encoding that costs a nanosecond a value or nothing at all; the `parquet` crate's writer,
//! which finds out about values as they come, takes several times that. Page headers, metadata and footer are the crate's.

pub(crate) mod bits;
mod chunk;
mod group;

pub(crate) use chunk::{Data, Optional};
pub(crate) use group::{Constants, EncodedGroup, GroupEncoder};
