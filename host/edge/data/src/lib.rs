//! What episodes leave behind as data: Parquet tables, written while a trial runs and read back in any tool; and the words of a question about them.
//!
//! [`DataRecorder`] is a trial's recorder; [`TABLES`] says what it writes. The files open as they are in any tool that reads Parquet.

mod encode;
mod error;
mod files;
mod manifest;
mod names;
mod part;
mod question;
mod read;
mod recorder;
mod rows;
mod schema;
mod tables;

pub use error::WriteError;
pub use files::{PARTIAL, check_folder, remove};
pub use manifest::{MANIFEST, Manifest, TableFile};
pub use part::{PART_BYTES_MAX, PART_ROWS_MAX, PartError, PartFormat, PartQuestion, read_part};
pub use question::{End, Format, QueryError, QueryLimits, Question, SQL_BYTES_MAX, Spot};
pub use read::{OrderStream, Place, ReadError, RunData, columns, read_orders, read_orders_of};
pub use recorder::DataRecorder;
pub use rows::{JsonRows, RowsError, read_rows};
pub use schema::{
    AGENTS, Column, DEPTH, FUNDAMENTAL, Kind, LOG, ORDERS, QUOTES, SCHEMA_NAME, SCHEMA_VERSION, SESSIONS, TABLES,
    TRADES, Table, markdown,
};
