//! SQLite databases for worlds: a database is a value, cloning it is a fork in well under a microsecond, and nothing ambient gets in.
//!
//! SQLite reads and writes an image of 4 KiB blocks that forks share ([`Database`]). Time comes from the caller's clock, random numbers from the caller's
//! stream, and each call has fuel, counted in steps of SQLite's machine ([`Ambient`]). The same calls give the same answers and the same bytes, whatever else
//! the process does and wherever a fork was taken. Statements and imported images are hostile: what reaches out of the image, and what outlives a call without
//! being in it, is refused ([`ErrorKind::Refused`]).
//!
//! Errors are SQLite's, with its extended codes; [`SqlError::postgres`] says them in PostgreSQL's words. The dialect is SQLite's all the same.
//!
//! Left out on purpose: virtual tables (full text, R-trees), ATTACH, VACUUM, temporary tables, and transactions over several calls. What an image looks like,
//! and the order of rows without ORDER BY, hold for one version of SQLite ([`sqlite_version`]).

mod allow;
mod call;
mod content;
mod database;
mod error;
mod image;
mod limits;
mod memory;
mod owners;
mod postgres;
mod run;
mod schema;
mod session;
mod shape;
mod value;
mod vfs;

pub use content::{Content, Row, RowChange, Table};
pub use database::Database;
pub use error::{ErrorKind, SqlError};
pub use limits::{Limits, PAGE_BYTES};
pub use postgres::PostgresError;
pub use value::{Ambient, Answer, Value};

/// The version of SQLite, for example `3.51.3`. Records of worlds should name it.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
