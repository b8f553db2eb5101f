//! `data.json`: what a finished recording consists of. It is written last, so where it is, everything is.

use crate::schema::{SCHEMA_NAME, SCHEMA_VERSION};
use serde::{Deserialize, Serialize};

/// Name of the manifest's file.
pub const MANIFEST: &str = "data.json";

/// See the module documentation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`SCHEMA_NAME`](crate::SCHEMA_NAME).
    pub schema: String,
    /// [`SCHEMA_VERSION`](crate::SCHEMA_VERSION).
    pub version: String,
    /// The run, as in column `run`.
    pub run: String,
    /// What is traded.
    pub symbol: String,
    /// The seeds whose episodes are here, ascending.
    pub seeds: Vec<u64>,
    /// The files, in the order of the schema.
    pub tables: Vec<TableFile>,
}

/// One table's file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableFile {
    /// The table.
    pub table: String,
    /// Its file, beside the manifest.
    pub file: String,
    /// Rows in it.
    pub rows: u64,
    /// Length of the file.
    pub bytes: u64,
    /// BLAKE3 of the file.
    pub hash: String,
}

impl Manifest {
    pub(crate) fn new(run: &str, symbol: &str, seeds: Vec<u64>, tables: Vec<TableFile>) -> Self {
        let (schema, version) = (SCHEMA_NAME.to_owned(), SCHEMA_VERSION.to_owned());
        Self { schema, version, run: run.to_owned(), symbol: symbol.to_owned(), seeds, tables }
    }

    /// Rows in all tables.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Length of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.tables.iter().map(|table| table.bytes).sum()
    }
}
