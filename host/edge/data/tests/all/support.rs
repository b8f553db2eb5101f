//! Recordings of streams of events, and tables as plain rows.

use arrow::array::{Array, AsArray as _};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimeUnit, TimestampNanosecondType, UInt64Type};
use assay_data::{DataRecorder, Kind, Manifest, Table, WriteError};
use assay_evaluate::{EpisodeKind, Recorder as _};
use assay_market::{Event, LevelChange, Scenario};
use assay_model::{LogLine, Seed};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;

/// One episode as it is told.
#[derive(Clone, Default, Debug)]
pub(crate) struct Told {
    pub(crate) events: Vec<Event>,
    /// Each with the number of events before it.
    pub(crate) levels: Vec<(usize, LevelChange)>,
    pub(crate) log: Vec<LogLine>,
}

pub(crate) fn smoke() -> Scenario {
    Scenario::preset("smoke").unwrap()
}

pub(crate) fn recorder(folder: &Path, threads: usize) -> DataRecorder {
    DataRecorder::create(folder, &smoke(), "0123456789abcdef", NonZeroUsize::new(threads).unwrap()).unwrap()
}

/// Tells a seed's episodes to the recorder.
pub(crate) fn tell(recorder: &DataRecorder, seed: u64, episodes: &[(EpisodeKind, &Told)], keep: bool) {
    let mut tape = recorder.begin(Seed(seed));
    for (kind, told) in episodes {
        let sink = tape.episode(*kind);
        let mut levels = told.levels.iter().peekable();
        for (number, event) in told.events.iter().enumerate() {
            while let Some((_, change)) = levels.next_if(|(before, _)| *before == number) {
                sink.level(change);
            }
            sink.event(event);
        }
        levels.for_each(|(_, change)| sink.level(change));
        tape.log(&told.log);
    }
    if keep {
        tape.keep();
    }
}

pub(crate) fn record(folder: &Path, seed: u64, kind: EpisodeKind, told: &Told) -> Result<Manifest, WriteError> {
    let recorder = recorder(folder, 1);
    tell(&recorder, seed, &[(kind, told)], true);
    recorder.finish()
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cell {
    Integer(i64),
    Seed(u64),
    Number(f64),
    Text(String),
}

/// A row by column names; without those that have no value.
pub(crate) type Row = BTreeMap<&'static str, Cell>;

pub(crate) fn integer(row: &Row, column: &str) -> i64 {
    match row.get(column) {
        Some(Cell::Integer(number)) => *number,
        other => panic!("{column} is {other:?}"),
    }
}

pub(crate) fn text<'r>(row: &'r Row, column: &str) -> &'r str {
    match row.get(column) {
        Some(Cell::Text(text)) => text,
        other => panic!("{column} is {other:?}"),
    }
}

/// A table as the `parquet` crate reads it, which shares nothing with what wrote it but page headers and footer.
pub(crate) fn rows(folder: &Path, table: &'static Table) -> Vec<Row> {
    let file = File::open(folder.join(table.file_name())).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(reader.schema().fields(), table.arrow().fields(), "{}", table.name);
    let mut rows = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        let first = rows.len();
        rows.resize(first + batch.num_rows(), Row::new());
        for (column, array) in table.columns.iter().zip(batch.columns()) {
            let target = match column.kind {
                Kind::Integer => DataType::Int64,
                Kind::Time => DataType::Timestamp(TimeUnit::Nanosecond, None),
                Kind::Seed => DataType::UInt64,
                Kind::Number => DataType::Float64,
                Kind::Label | Kind::Name(_) | Kind::Text => DataType::Utf8,
            };
            let array = cast(array, &target).unwrap();
            for (row, index) in rows[first..].iter_mut().zip(0..).filter(|(_, index)| array.is_valid(*index)) {
                let cell = match column.kind {
                    Kind::Integer => Cell::Integer(array.as_primitive::<Int64Type>().value(index)),
                    Kind::Time => Cell::Integer(array.as_primitive::<TimestampNanosecondType>().value(index)),
                    Kind::Seed => Cell::Seed(array.as_primitive::<UInt64Type>().value(index)),
                    Kind::Number => Cell::Number(array.as_primitive::<Float64Type>().value(index)),
                    Kind::Label | Kind::Name(_) | Kind::Text => {
                        Cell::Text(array.as_string::<i32>().value(index).to_owned())
                    }
                };
                row.insert(column.name, cell);
            }
        }
    }
    rows
}
