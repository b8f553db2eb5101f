//! One row group: the rows of one table in one episode.

use super::chunk::{ChunkEncoder, Data, EncodedChunk};
use crate::schema::{Kind, Table};
use parquet::errors::Result;
use parquet::schema::types::SchemaDescPtr;

/// What is the same in every row of a row group, by the names of columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants<'a> {
    pub(crate) run: &'a str,
    pub(crate) seed: u64,
    pub(crate) episode: &'a str,
    pub(crate) symbol: &'a str,
}

/// A row group, ready to be appended to a file.
#[derive(Debug)]
pub(crate) struct EncodedGroup {
    pub(crate) rows: usize,
    pub(crate) chunks: Vec<EncodedChunk>,
}

/// Builds an [`EncodedGroup`] from pages.
pub(crate) struct GroupEncoder {
    table: &'static Table,
    chunks: Vec<ChunkEncoder>,
    rows: usize,
}

impl GroupEncoder {
    pub(crate) fn new(table: &'static Table, schema: &SchemaDescPtr) -> Result<Self> {
        let columns = table.columns.iter().enumerate();
        let chunks = columns.map(|(index, column)| ChunkEncoder::new(column, schema.column(index)));
        Ok(Self { table, chunks: chunks.collect::<Result<_>>()?, rows: 0 })
    }

    /// Adds `rows` rows: the columns that are not constant, in the order of the schema.
    pub(crate) fn page(&mut self, columns: &[Data<'_>], rows: usize) -> Result<()> {
        let varying = self.table.columns.iter().zip(&mut self.chunks).filter(|(column, _)| !column.is_constant());
        let mut columns = columns.iter();
        for (column, chunk) in varying {
            let data = columns.next().unwrap_or_else(|| panic!("{}.{} is missing", self.table.name, column.name));
            chunk.page(*data, rows)?;
        }
        assert!(columns.next().is_none(), "{} has fewer columns", self.table.name);
        self.rows += rows;
        Ok(())
    }

    /// Without rows there are no chunks either.
    pub(crate) fn finish(self, constants: &Constants<'_>) -> Result<EncodedGroup> {
        let rows = self.rows;
        if rows == 0 {
            return Ok(EncodedGroup { rows, chunks: Vec::new() });
        }
        let chunks = self.table.columns.iter().zip(self.chunks).map(|(column, mut chunk)| {
            match (column.kind, column.name) {
                (Kind::Seed, _) => chunk.repeat_seed(constants.seed, rows)?,
                (Kind::Label, "run") => chunk.repeat_text(constants.run, rows)?,
                (Kind::Label, "episode") => chunk.repeat_text(constants.episode, rows)?,
                (Kind::Label, _) => chunk.repeat_text(constants.symbol, rows)?,
                _ => {}
            }
            chunk.finish()
        });
        Ok(EncodedGroup { rows, chunks: chunks.collect::<Result<_>>()? })
    }
}
