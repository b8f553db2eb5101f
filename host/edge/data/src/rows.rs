//! Any Parquet file as rows of JSON, for data sets that others publish.
//!
//! Invariants: one batch of [`BATCH_ROWS`] rows is in memory at a time, whatever the file's size; a null is written as `null`, so that a row has the
//! keys of its file.

use std::path::{Path, PathBuf};

use crate::part::with_offsets;
use arrow::json::WriterBuilder;
use arrow::json::writer::LineDelimited;
use assay_files::Links;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

/// Rows that are decoded at once: rows of bug-fix data sets hold whole files, of a few megabytes each.
const BATCH_ROWS: usize = 32;

/// Why a Parquet file could not be read to its end.
#[derive(Debug, thiserror::Error)]
#[error("failed to read {}: {why}", path.display())]
pub struct RowsError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// The rows of a file, each as the bytes of a JSON object without a line feed. After an error there are no more.
pub struct JsonRows {
    path: PathBuf,
    batches: ParquetRecordBatchReader,
    /// The lines of the batch at hand, and where the next one begins.
    lines: Vec<u8>,
    at: usize,
    ended: bool,
}

/// Reads the rows of a Parquet file, whatever its columns: lists become arrays, structs objects.
///
/// # Errors
/// When the file cannot be opened or is no Parquet.
pub fn read_rows(path: &Path) -> Result<JsonRows, RowsError> {
    let failed = |why: String| RowsError { path: path.to_owned(), why };
    let file = assay_files::open(path, Links::Followed).map_err(|error| failed(error.to_string()))?;
    let batches = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(BATCH_ROWS).build())
        .map_err(|error| failed(error.to_string()))?;
    Ok(JsonRows { path: path.to_owned(), batches, lines: Vec::new(), at: 0, ended: false })
}

impl JsonRows {
    /// Decodes the next batch; `None` at the end.
    fn refill(&mut self) -> Option<Result<(), RowsError>> {
        let path = &self.path;
        let failed = |why: String| RowsError { path: path.clone(), why };
        let batch = match self.batches.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(failed(error.to_string()))),
        };
        self.lines.clear();
        self.at = 0;
        let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut self.lines);
        let written = with_offsets(&batch).and_then(|batch| writer.write(&batch)).and_then(|()| writer.finish());
        Some(written.map_err(|error| failed(error.to_string())))
    }
}

impl Iterator for JsonRows {
    type Item = Result<Vec<u8>, RowsError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended && self.at >= self.lines.len() {
            match self.refill() {
                Some(Ok(())) => {}
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                None => self.ended = true,
            }
        }
        let rest = self.lines.get(self.at..).filter(|rest| !self.ended && !rest.is_empty())?;
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let line = rest[..length].to_vec();
        self.at += length + 1;
        Some(Ok(line))
    }
}
