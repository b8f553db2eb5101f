//! Rows of comma-separated files, read with limits, and the one error that every data file has: which file, row and column, what was
//! found there, and what was expected.
//!
//! Invariant: no more than [`LINE_BYTES_MAX`] of a file are held at a time. Absent on purpose: quoting and escapes, which no such format
//! has, and opening or unpacking files: bytes come in as an argument.

use assay_model::Nanos;
use std::io::{BufRead, Read as _};
use std::ops::RangeInclusive;
use thiserror::Error;

/// Longest line: the prices and sizes of a thousand levels a side.
pub const LINE_BYTES_MAX: usize = 64 << 10;
/// Most rows of a file: a day of the busiest symbol, several times over.
pub const ROWS_MAX: u64 = 50_000_000;
/// Characters shown of what was found.
const SEEN_CHARS_MAX: usize = 60;
/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
pub const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A data file that cannot be used. The text completes "failed to read FILE: …".
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{file}, row {row}{}: {fault}", column.as_ref().map(|column| format!(", column `{column}`")).unwrap_or_default())]
pub struct DataError {
    /// Which kind of file.
    pub file: &'static str,
    /// Row, from 1; of a file that ends too early, the one that is missing.
    pub row: u64,
    /// Column, if it is about one.
    pub column: Option<String>,
    /// What is wrong.
    pub fault: DataFault,
    /// How to mend it.
    pub hint: Option<String>,
}

/// See [`DataError`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DataFault {
    /// Something else should be there.
    #[error("found {seen}, expected {expected}")]
    Unexpected {
        /// What is there, shortened and without control characters.
        seen: String,
        /// What should be.
        expected: String,
    },
    /// The bytes could not be had.
    #[error("the bytes could not be read: {what}")]
    Unreadable {
        /// What the reader says.
        what: String,
        /// Its kind of error.
        kind: std::io::ErrorKind,
    },
}

impl DataError {
    /// The same, with how to mend it.
    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// The rows of one file, one at a time.
pub(crate) struct Rows<R> {
    reader: R,
    file: &'static str,
    row: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Rows<R> {
    pub(crate) fn new(reader: R, file: &'static str) -> Self {
        Self { reader, file, row: 0, line: Vec::new() }
    }

    /// The next row, without its line end; `None` after the last. A line end after the last row is not a row.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>, DataError> {
        self.line.clear();
        let mut limited = (&mut self.reader).take(LINE_BYTES_MAX as u64 + 1);
        let read = limited.read_until(b'\n', &mut self.line);
        self.row += 1;
        let Self { file, row, .. } = *self;
        read.map_err(|error| {
            let fault = DataFault::Unreadable { what: error.to_string(), kind: error.kind() };
            DataError { file, row, column: None, fault, hint: None }
        })?;
        if self.line.is_empty() {
            return Ok(None);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        let row = Row { file, number: row, line: &self.line };
        if row.number == 1 && row.line.starts_with(&GZIP_MAGIC) {
            return Err(row
                .unexpected(None, "gzip".to_owned(), "comma-separated text")
                .hint("unpack it first: gunzip"));
        }
        if row.line.len() > LINE_BYTES_MAX {
            let expected = format!("a line of at most {LINE_BYTES_MAX} bytes");
            return Err(row.unexpected(None, "a longer one".to_owned(), &expected));
        }
        if row.number > ROWS_MAX {
            let expected = format!("at most {ROWS_MAX} rows");
            return Err(row.unexpected(None, "one more".to_owned(), &expected).hint("shorten the file"));
        }
        Ok(Some(row))
    }

    /// How many rows there were, once the last has been read.
    pub(crate) fn row_count(&self) -> u64 {
        self.row.saturating_sub(1)
    }

    /// The last row, for errors about the file as a whole.
    pub(crate) fn last_row(&self) -> Row<'_> {
        Row { file: self.file, number: self.row_count(), line: &[] }
    }

    /// The error of a file that has no such row.
    pub(crate) fn ends(&self, expected: &str) -> DataError {
        Row { file: self.file, number: self.row, line: &[] }.unexpected(
            None,
            "the end of the file".to_owned(),
            expected,
        )
    }
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    file: &'static str,
    pub(crate) number: u64,
    line: &'a [u8],
}

impl<'a> Row<'a> {
    /// The row's cells; always one at least.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.line.split(|byte| *byte == b',')
    }

    /// Whether the row is exactly this text.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.line == text.as_bytes()
    }

    /// An error about this row.
    pub(crate) fn unexpected(&self, column: Option<&str>, seen: String, expected: &str) -> DataError {
        let fault = DataFault::Unexpected { seen, expected: expected.to_owned() };
        DataError { file: self.file, row: self.number, column: column.map(str::to_owned), fault, hint: None }
    }

    /// An error about a cell of this row.
    pub(crate) fn wrong(&self, column: &str, cell: &[u8], expected: &str) -> DataError {
        self.unexpected(Some(column), shown(cell), expected)
    }

    /// A whole number within `range`.
    pub(crate) fn integer(&self, column: &str, cell: &[u8], range: RangeInclusive<i64>) -> Result<i64, DataError> {
        integer(cell, &range).ok_or_else(|| self.no_integer(column, cell, &range))
    }

    /// The error of a cell that is not a whole number within `range`.
    pub(crate) fn no_integer(&self, column: &str, cell: &[u8], range: &RangeInclusive<i64>) -> DataError {
        self.wrong(column, cell, &format!("a whole number from {} to {}", range.start(), range.end()))
    }

    /// Seconds after midnight with up to nine decimals, less than a day.
    pub(crate) fn time(&self, column: &str, cell: &[u8]) -> Result<Nanos, DataError> {
        time(cell).ok_or_else(|| {
            self.wrong(column, cell, "seconds after midnight, from 0 to 86399.999999999, with at most nine decimals")
        })
    }
}

/// A whole number within `range`, without plus sign or spaces.
pub(crate) fn integer(cell: &[u8], range: &RangeInclusive<i64>) -> Option<i64> {
    // `parse` would take a plus sign, which no such file has.
    let text = std::str::from_utf8(cell).ok().filter(|text| !text.starts_with('+'))?;
    text.parse().ok().filter(|value| range.contains(value))
}

fn time(cell: &[u8]) -> Option<Nanos> {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    const DIGITS: usize = 9;
    let text = std::str::from_utf8(cell).ok()?;
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(decimals) || decimals.len() > DIGITS {
        return None;
    }
    let seconds: u64 = whole.parse().ok().filter(|seconds| *seconds < DAY_SECONDS)?;
    let fraction: u64 = format!("{decimals:0<DIGITS$}").parse().ok()?;
    Some(Nanos(Nanos::from_secs(seconds).0 + fraction))
}

/// A time as such files write it.
pub(crate) fn time_text(time: Nanos) -> String {
    format!("{}.{:09}", time.0 / 1_000_000_000, time.0 % 1_000_000_000)
}

/// What was found, fit to be shown: in backquotes, short, and nothing in it that a terminal would obey.
pub(crate) fn shown(cell: &[u8]) -> String {
    if cell.is_empty() {
        return "nothing".to_owned();
    }
    let text = String::from_utf8_lossy(&cell[..cell.len().min(4 * SEEN_CHARS_MAX)]);
    let mut shown: String = text.chars().take(SEEN_CHARS_MAX).flat_map(char::escape_default).collect();
    if text.chars().count() > SEEN_CHARS_MAX {
        shown.push('…');
    }
    format!("`{shown}`")
}
