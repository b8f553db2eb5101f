//! Part of a table: some rows, some columns, in a form that other programs read.
//!
//! Invariants: no more is decoded than the pages of the rows that were asked for; rows and bytes of an answer have limits; a damaged file is an error.

use arrow::array::{Array, ArrayRef, AsArray as _, PrimitiveArray};
use arrow::csv::writer::WriterBuilder as Csv;
use arrow::datatypes::{
    ArrowTimestampType, DataType, Field, Schema, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow::ipc::writer::StreamWriter;
use arrow::json::writer::{JsonArray, WriterBuilder};
use arrow::record_batch::{RecordBatch, RecordBatchOptions, RecordBatchReader as _};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Rows of an answer.
pub const PART_ROWS_MAX: usize = 100_000;
/// Bytes of an answer.
pub const PART_BYTES_MAX: usize = 64 << 20;
/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 4_096;
/// Columns that can be asked for.
const COLUMNS_MAX: usize = 200;

/// How an answer is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartFormat {
    /// A list of objects.
    Json,
    /// Lines with a head.
    Csv,
    /// A stream of Arrow's inter-process format.
    Arrow,
}

/// What is asked of a table.
#[derive(Clone, Debug)]
pub struct PartQuestion {
    /// Names of columns; none for all.
    pub columns: Vec<String>,
    /// The first row, from 0.
    pub from: u64,
    /// How many rows, at most [`PART_ROWS_MAX`].
    pub count: usize,
    /// How they are written.
    pub format: PartFormat,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The table has no such column.
    #[error("there is no column `{0}`")]
    Column(String),
    /// Too much was asked for.
    #[error("the rows have more than {PART_BYTES_MAX} bytes; ask for fewer rows or columns")]
    TooLarge,
    /// The file is no table.
    #[error("the table cannot be read: {0}")]
    Damaged(String),
    /// The table was read, and its rows could not be written in this form.
    #[error("the rows cannot be written: {0}")]
    Unwritten(String),
}

fn damaged(error: impl std::fmt::Display) -> PartError {
    PartError::Damaged(error.to_string())
}

fn unwritten(error: impl std::fmt::Display) -> PartError {
    PartError::Unwritten(error.to_string())
}

/// Rows whose times name their zone by its offset: names of zones need a database that is not built in, and UTC is the only one in our tables. Other names
/// stay, so that what is written of them is never another time.
pub(crate) fn with_offsets(batch: &RecordBatch) -> Result<RecordBatch, arrow::error::ArrowError> {
    let columns: Vec<ArrayRef> = batch.columns().iter().map(with_offset).collect();
    let schema = batch.schema();
    let fields = schema.fields().iter().zip(&columns);
    let fields: Vec<Field> =
        fields.map(|(field, column)| field.as_ref().clone().with_data_type(column.data_type().clone())).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    // A batch without columns has rows, too.
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema, columns, &options)
}

fn with_offset(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Timestamp(unit, Some(zone)) if &**zone == "UTC" => match unit {
            TimeUnit::Second => at_offset(column.as_primitive::<TimestampSecondType>()),
            TimeUnit::Millisecond => at_offset(column.as_primitive::<TimestampMillisecondType>()),
            TimeUnit::Microsecond => at_offset(column.as_primitive::<TimestampMicrosecondType>()),
            TimeUnit::Nanosecond => at_offset(column.as_primitive::<TimestampNanosecondType>()),
        },
        _ => Arc::clone(column),
    }
}

fn at_offset<T: ArrowTimestampType>(times: &PrimitiveArray<T>) -> ArrayRef {
    Arc::new(times.clone().with_timezone("+00:00"))
}

/// Reads part of a Parquet file: the bytes of the answer, and how many rows the table has.
///
/// # Errors
/// [`PartError`].
pub fn read_part(file: File, question: &PartQuestion) -> Result<(Vec<u8>, u64), PartError> {
    // Some damaged files make their decoder panic.
    catch_unwind(AssertUnwindSafe(|| part(file, question))).unwrap_or_else(|_| Err(damaged("it is damaged")))
}

fn part(file: File, question: &PartQuestion) -> Result<(Vec<u8>, u64), PartError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let total = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
    let mut chosen = Vec::new();
    for name in question.columns.iter().take(COLUMNS_MAX) {
        let index = builder.schema().index_of(name).map_err(|_| PartError::Column(name.clone()))?;
        chosen.push(index);
    }
    let mask =
        if chosen.is_empty() { ProjectionMask::all() } else { ProjectionMask::roots(builder.parquet_schema(), chosen) };
    let from = usize::try_from(question.from).unwrap_or(usize::MAX).min(usize::try_from(total).unwrap_or(usize::MAX));
    let batches = builder
        .with_projection(mask)
        .with_batch_size(BATCH_ROWS)
        .with_offset(from)
        .with_limit(question.count.min(PART_ROWS_MAX))
        .build()
        .map_err(damaged)?;
    let schema = batches.schema();
    let mut size = 0;
    // What an answer takes is bounded by what its rows take decoded, before any of it is written.
    let mut bounded = batches.map(|batch| {
        let batch: RecordBatch = batch.map_err(damaged)?;
        size += batch.get_array_memory_size();
        if size > PART_BYTES_MAX { Err(PartError::TooLarge) } else { Ok(batch) }
    });
    let mut out = Vec::new();
    match question.format {
        PartFormat::Json => {
            let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, JsonArray>(&mut out);
            bounded.try_for_each(|batch| write_rows(&batch?, |batch| writer.write(batch)))?;
            writer.finish().map_err(unwritten)?;
        }
        PartFormat::Csv => {
            let mut writer = Csv::new().with_header(true).build(&mut out);
            bounded.try_for_each(|batch| write_rows(&batch?, |batch| writer.write(batch)))?;
        }
        PartFormat::Arrow => {
            let mut writer = StreamWriter::try_new(&mut out, &schema).map_err(unwritten)?;
            bounded.try_for_each(|batch| writer.write(&batch?).map_err(unwritten))?;
            writer.finish().map_err(unwritten)?;
        }
    }
    Ok((out, total))
}

/// Hands rows to whoever writes them as text.
fn write_rows(
    batch: &RecordBatch,
    write: impl FnOnce(&RecordBatch) -> Result<(), arrow::error::ArrowError>,
) -> Result<(), PartError> {
    with_offsets(batch).and_then(|batch| write(&batch)).map_err(unwritten)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::TimestampNanosecondArray;
    use parquet::arrow::ArrowWriter;
    use std::io::{Seek as _, SeekFrom};

    #[test]
    fn times_are_written_as_text() {
        let times = TimestampNanosecondArray::from(vec![Some(1_500_000_000), None]).with_timezone("UTC");
        let batch = RecordBatch::try_from_iter([("time", Arc::new(times) as ArrayRef)]).expect("a batch");
        let mut file = tempfile::tempfile().expect("a file");
        let mut writer = ArrowWriter::try_new(&file, batch.schema(), None).expect("a writer");
        writer.write(&batch).expect("written");
        writer.close().expect("closed");
        for (format, expected) in
            [(PartFormat::Json, "[{\"time\":\"1970-01-01T00:00:01.5"), (PartFormat::Csv, "time\n1970-01-01T00:00:01.5")]
        {
            file.seek(SeekFrom::Start(0)).expect("a file");
            let question = PartQuestion { columns: Vec::new(), from: 0, count: 10, format };
            let (bytes, total) = read_part(file.try_clone().expect("a file"), &question).expect("an answer");
            let text = String::from_utf8(bytes).expect("a text");
            assert!(text.starts_with(expected) && total == 2, "{text}");
        }
    }
}
