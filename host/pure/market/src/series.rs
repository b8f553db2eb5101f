//! A fundamental value that comes from outside, as a series.
//!
//! The file has two columns, `time` (seconds after midnight, at most nine decimals) and `value` (cents, decimals allowed), and may begin with just
//! these two words. A value holds from its time until the next (step interpolation): what an agent sees at a time is never later news.
//!
//! Invariant: the times go up, and the series covers the session: the first is at or before the open, the last at or after the close.

use crate::rows::{DataError, Row, Rows, time_text};
use assay_model::{Nanos, PRICE_MAX_CENTS, Time};
use std::io::BufRead;

/// Most values of a series: one each millisecond for a day of trading, or 16 bytes each 400 MB.
pub const SERIES_ROWS_MAX: usize = 25_000_000;
/// What errors call the file.
const SERIES_FILE: &str = "fundamental series";
const HEADER: &str = "time,value";

/// See the module documentation.
#[derive(Clone, PartialEq, Debug)]
pub struct FundamentalSeries {
    /// From when on, in cents.
    values: Vec<(Time, f64)>,
    hash: blake3::Hash,
}

impl FundamentalSeries {
    /// Reads a series of the day that begins at `midnight`, for a session from `open` to `close`.
    ///
    /// # Errors
    /// The first row that is wrong, or what of the session is not covered.
    pub fn read(file: impl BufRead, midnight: Time, open: Time, close: Time) -> Result<Self, DataError> {
        let mut rows = Rows::new(file, SERIES_FILE);
        let (mut values, mut before) = (Vec::<(Time, f64)>::new(), None);
        while let Some(row) = rows.next()? {
            if row.number == 1 && row.is(HEADER) {
                continue;
            }
            let (time, value) = parse(&row)?;
            if let Some(before) = before.filter(|before| time <= *before) {
                let expected = format!("a time after that of the row before, {}", time_text(before));
                return Err(row.unexpected(Some("time"), time_text(time), &expected));
            }
            if values.is_empty() && midnight + time > open {
                let expected = format!("a time at or before the open, {}", time_text(open.since(midnight)));
                return Err(row
                    .unexpected(Some("time"), time_text(time), &expected)
                    .hint("the series must cover the session: say what the value is at its beginning"));
            }
            if values.len() >= SERIES_ROWS_MAX {
                return Err(row.unexpected(None, "one more row".to_owned(), &format!("at most {SERIES_ROWS_MAX}")));
            }
            before = Some(time);
            values.push((midnight + time, value));
        }
        let last = values.last().map(|(at, _)| *at);
        if last.is_none_or(|last| last < close) {
            let expected = format!("a row at or after the close, {}", time_text(close.since(midnight)));
            return Err(rows
                .ends(&expected)
                .hint("the series must cover the session: if the last value holds until the close, say it once more"));
        }
        let mut hasher = blake3::Hasher::new();
        for (at, value) in &values {
            hasher.update(&at.0.to_le_bytes());
            hasher.update(&value.to_bits().to_le_bytes());
        }
        Ok(Self { values, hash: hasher.finalize() })
    }

    /// BLAKE3 of times (nanoseconds since the epoch) and values (bits of the float), little-endian.
    #[must_use]
    pub fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// The value that holds at `at`, in cents; before the first, that one.
    #[must_use]
    pub fn value_at(&self, at: Time) -> f64 {
        let index = self.values.partition_point(|(from, _)| *from <= at);
        // A series that was read has a value at least.
        self.values.get(index.saturating_sub(1)).map_or(0.0, |(_, value)| *value)
    }
}

fn parse(row: &Row<'_>) -> Result<(Nanos, f64), DataError> {
    let mut cells = row.cells();
    let (Some(time), Some(value), None) = (cells.next(), cells.next(), cells.next()) else {
        let seen = format!("{} columns", row.cells().count());
        return Err(row.unexpected(None, seen, "2 columns (time, value)"));
    };
    let time = row.time("time", time)?;
    let number = std::str::from_utf8(value).ok().and_then(|text| text.parse::<f64>().ok());
    let cents = number.filter(|number| (0.0..=PRICE_MAX_CENTS as f64).contains(number));
    let expected = || format!("a number of cents from 0 to {PRICE_MAX_CENTS}");
    Ok((time, cents.ok_or_else(|| row.wrong("value", value, &expected()))?))
}
