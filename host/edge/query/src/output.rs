//! Answers as text or bytes.

use crate::answer::Answer;
use assay_data::{Format, QueryError};
use assay_validator::JsonEscaper;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::arrow::{self, array::RecordBatch};
use std::io::{self, Write};

/// Why an answer could not be written, or how many rows were.
#[derive(Debug)]
pub enum Written {
    /// All of it, with the number of rows.
    Whole(usize),
    /// The reader went away.
    Unread,
}

/// Why an answer was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteAnswerError {
    /// The query failed.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Whoever reads cannot take it.
    #[error("failed to write the answer")]
    Io(#[from] io::Error),
}

/// What a cell shows where there is no value.
const NONE: &str = "";
/// Characters of a cell in a table; longer ones are cut.
const CELL_CHARS_MAX: usize = 80;

/// Writes the answer as its rows come.
///
/// # Errors
/// [`WriteAnswerError`]. A reader that goes away is none.
pub fn write_answer(answer: Answer, format: Format, out: &mut dyn Write) -> Result<Written, WriteAnswerError> {
    let written = match format {
        Format::Table => table(answer, out),
        Format::Csv => csv(answer, out),
        Format::Json => json(answer, out),
        Format::Arrow => ipc(answer, out),
    };
    match written {
        Ok(rows) => Ok(Written::Whole(rows)),
        Err(WriteAnswerError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Written::Unread),
        Err(error) => Err(error),
    }
}

/// The cells of a batch as text, row by row.
fn cells(batch: &RecordBatch) -> Result<Vec<Vec<String>>, WriteAnswerError> {
    let options = FormatOptions::new().with_null(NONE).with_display_error(true);
    let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options));
    let columns = columns.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    Ok((0..batch.num_rows()).map(|row| columns.iter().map(|column| column.value(row).to_string()).collect()).collect())
}

fn failed(error: arrow::error::ArrowError) -> WriteAnswerError {
    match error {
        arrow::error::ArrowError::IoError(_, error) => WriteAnswerError::Io(error),
        error => WriteAnswerError::Query(QueryError::Failed { what: error.to_string() }),
    }
}

fn table(answer: Answer, out: &mut dyn Write) -> Result<usize, WriteAnswerError> {
    let fields = answer.schema().fields().clone();
    let header: Vec<String> = fields.iter().map(|field| shown(field.name())).collect();
    let mut rows = Vec::new();
    for batch in answer {
        rows.extend(cells(&batch?)?.into_iter().map(|row| row.iter().map(|cell| shown(cell)).collect::<Vec<_>>()));
    }
    let chars = |text: &String| text.chars().count();
    let width = |column: usize| rows.iter().chain([&header]).map(|row| chars(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).zip(&fields).map(|((cell, width), field)| match field.data_type() {
            kind if kind.is_numeric() => format!("{cell:>width$}"),
            _ => format!("{cell:<width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    writeln!(out, "{}", line(&header))?;
    writeln!(out, "{}", widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("  "))?;
    for row in &rows {
        writeln!(out, "{}", line(row))?;
    }
    out.flush()?;
    Ok(rows.len())
}

/// A cell on one line, with nothing in it that could drive a terminal: a strategy's log may hold anything.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().flat_map(visible).take(CELL_CHARS_MAX).collect();
    if text.chars().nth(CELL_CHARS_MAX).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}

fn visible(letter: char) -> impl Iterator<Item = char> {
    let hides = letter.is_control() || assay_validator::is_hidden(letter);
    let escaped = hides.then(|| letter.escape_unicode());
    escaped.into_iter().flatten().chain((!hides).then_some(letter))
}

/// Keeps what went wrong with the reader: the CSV writer passes on its text only.
struct Noting<'a> {
    out: &'a mut dyn Write,
    failure: Option<io::Error>,
}

impl Write for Noting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        written.map_err(|error| {
            let kind = error.kind();
            self.failure = Some(error);
            kind.into()
        })
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn csv(answer: Answer, out: &mut dyn Write) -> Result<usize, WriteAnswerError> {
    let mut out = Noting { out, failure: None };
    let written = csv_rows(answer, &mut out);
    match out.failure {
        Some(failure) => Err(failure.into()),
        None => written,
    }
}

fn csv_rows(answer: Answer, out: &mut Noting<'_>) -> Result<usize, WriteAnswerError> {
    let schema = answer.schema().clone();
    let mut writer = arrow::csv::WriterBuilder::new().with_header(true).build(&mut *out);
    // The header is there even without rows.
    writer.write(&RecordBatch::new_empty(schema)).map_err(failed)?;
    let mut rows = 0;
    for batch in answer {
        let batch = batch?;
        rows += batch.num_rows();
        writer.write(&batch).map_err(failed)?;
    }
    drop(writer);
    out.flush()?;
    Ok(rows)
}

fn json(answer: Answer, out: &mut dyn Write) -> Result<usize, WriteAnswerError> {
    let mut writer = arrow::json::WriterBuilder::new()
        .with_explicit_nulls(true)
        .build::<_, arrow::json::writer::JsonArray>(JsonEscaper::new(&mut *out));
    let mut rows = 0;
    for batch in answer {
        let batch = batch?;
        rows += batch.num_rows();
        writer.write(&batch).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    drop(writer);
    writeln!(out)?;
    out.flush()?;
    Ok(rows)
}

fn ipc(answer: Answer, out: &mut dyn Write) -> Result<usize, WriteAnswerError> {
    let mut writer = arrow::ipc::writer::StreamWriter::try_new(&mut *out, answer.schema()).map_err(failed)?;
    let mut rows = 0;
    for batch in answer {
        let batch = batch?;
        rows += batch.num_rows();
        writer.write(&batch).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    drop(writer);
    out.flush()?;
    Ok(rows)
}
