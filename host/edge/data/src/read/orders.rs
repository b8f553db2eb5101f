//! The requests of one episode, in the order in which they reached the exchange.

use super::run::{footer_of, opened};
use super::{Place, ReadError, check_columns};
use crate::names;
use crate::schema::{Column, ORDERS};
use arrow::array::{Array, ArrayRef, AsArray as _, Int64Array, RecordBatch, StringArray, TimestampNanosecondArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Int64Type, TimeUnit, TimestampNanosecondType};
use assay_evaluate::EpisodeKind;
use assay_market::AgentIndex;
use assay_model::{
    Display, PostOnly, Qualifiers, Request, RequestId, RequestKind, Seed, Side, Terms, Time, TimeInForce, Trigger,
};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;
use std::collections::VecDeque;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// What a request consists of. Columns of answers are not looked at.
const COLUMNS: [&str; 18] = [
    "seed",
    "episode",
    "symbol",
    "time",
    "agent",
    "message",
    "request",
    "order",
    "side",
    "price",
    "quantity",
    "time_in_force",
    "expires",
    "display",
    "shown",
    "post_only",
    "trigger",
    "trigger_price",
];

/// Opens the requests for `symbol` of one episode in a file of table [`ORDERS`], recorded or made by another tool. Without a choice of
/// episode, the file must hold no more than one.
///
/// # Errors
/// [`ReadError::Wrong`] if the file is not a whole Parquet file or lacks a column.
pub fn read_orders(path: &Path, symbol: &str, episode: Option<(Seed, EpisodeKind)>) -> Result<OrderStream, ReadError> {
    read_orders_of(opened(path)?, path, symbol, episode)
}

/// The same of a file that somebody has opened; `path` is what errors call it.
///
/// # Errors
/// As [`read_orders`].
pub fn read_orders_of(
    file: File,
    path: &Path,
    symbol: &str,
    episode: Option<(Seed, EpisodeKind)>,
) -> Result<OrderStream, ReadError> {
    // Other tools write types of their own there, and the columns' own types are enough.
    let footer = footer_of(&file, path, ArrowReaderOptions::new().with_skip_arrow_metadata(true))?;
    let columns: Vec<Column> = ORDERS.columns.iter().filter(|column| COLUMNS.contains(&column.name)).copied().collect();
    check_columns(path, &footer, &columns)?;
    let mut groups = VecDeque::new();
    let mut rows_before = 0;
    for (index, group) in footer.metadata().row_groups().iter().enumerate() {
        if episode.is_none_or(|(seed, _)| may_hold(group, seed)) {
            groups.push_back((index, rows_before));
        }
        rows_before += group.num_rows() as u64;
    }
    Ok(OrderStream {
        file,
        path: path.to_owned(),
        symbol: symbol.to_owned(),
        footer,
        groups,
        episode: episode.map_or(Episode::Only(None), |(seed, kind)| Episode::Chosen(seed.0, kind.name())),
        reader: None,
        batch: None,
        row: 0,
        last: Time(0),
        failed: false,
    })
}

/// Whether a row group may hold rows of this seed, by what its footer says.
fn may_hold(group: &RowGroupMetaData, seed: Seed) -> bool {
    let column = group.columns().iter().find(|column| column.column_path().string() == "seed");
    match column.and_then(|column| column.statistics()) {
        Some(Statistics::Int64(range)) => match (range.min_opt(), range.max_opt()) {
            // Seeds are the same in a whole row group as we write it; that of another tool may be ordered otherwise.
            (Some(low), Some(high)) if low == high => seed.0.to_le_bytes() == low.to_le_bytes(),
            _ => true,
        },
        _ => true,
    }
}

/// Which episode is read.
#[derive(Debug)]
enum Episode {
    /// This one; others are passed over.
    Chosen(u64, &'static str),
    /// That of the first row, and there must be no other.
    Only(Option<(u64, String)>),
}

/// Requests with their times and senders; see [`read_orders`]. Ends with the first error.
#[derive(Debug)]
pub struct OrderStream {
    file: File,
    path: PathBuf,
    symbol: String,
    footer: ArrowReaderMetadata,
    /// Row groups to come, each with the rows of the file before it.
    groups: VecDeque<(usize, u64)>,
    episode: Episode,
    reader: Option<ParquetRecordBatchReader>,
    batch: Option<(Batch, usize)>,
    /// Rows of the file read so far.
    row: u64,
    last: Time,
    failed: bool,
}

impl Iterator for OrderStream {
    type Item = Result<(Time, AgentIndex, Request), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.advance().transpose();
        self.failed = matches!(next, None | Some(Err(_)));
        next
    }
}

impl OrderStream {
    /// Which row of the file the last request was, from 1; 0 before the first.
    #[must_use]
    pub fn row(&self) -> u64 {
        self.row
    }

    fn advance(&mut self) -> Result<Option<(Time, AgentIndex, Request)>, ReadError> {
        loop {
            let Some((batch, index)) = &mut self.batch else {
                if !self.load()? {
                    return Ok(None);
                }
                continue;
            };
            if *index == batch.rows {
                self.batch = None;
                continue;
            }
            let row = Row { path: &self.path, batch, index: *index, number_in_file: self.row + 1 };
            *index += 1;
            self.row += 1;
            if let Some(request) = row.read(&self.symbol, &mut self.episode, &mut self.last)? {
                return Ok(Some(request));
            }
        }
    }

    /// Makes the next batch of rows ready; whether there is one.
    fn load(&mut self) -> Result<bool, ReadError> {
        loop {
            let wrong = |error| ReadError::wrong(Place::file(&self.path), "a whole Parquet file", error);
            if let Some(reader) = &mut self.reader {
                // The decoder of damaged pages panics at some of them.
                let next = catch_unwind(AssertUnwindSafe(|| reader.next()));
                if let Some(batch) = next.map_err(|_| wrong("a damaged page".to_owned()))? {
                    let batch = batch.map_err(|error| wrong(error.to_string()))?;
                    self.batch = Some((Batch::new(&batch, &self.path)?, 0));
                    return Ok(true);
                }
                self.reader = None;
            }
            let Some((group, rows_before)) = self.groups.pop_front() else { return Ok(false) };
            let file = self.file.try_clone().map_err(|error| wrong(error.to_string()))?;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.footer.clone());
            let wanted = ProjectionMask::columns(builder.parquet_schema(), COLUMNS);
            let reader = builder.with_row_groups(vec![group]).with_projection(wanted).build();
            self.reader = Some(reader.map_err(|error| wrong(error.to_string()))?);
            self.row = rows_before;
        }
    }
}

/// Columns as types that we know.
#[derive(Debug)]
struct Batch {
    rows: usize,
    /// In the order of [`COLUMNS`].
    columns: Vec<Cells>,
}

#[derive(Debug)]
enum Cells {
    Integers(Int64Array),
    Seeds(arrow::array::UInt64Array),
    Times(TimestampNanosecondArray),
    Texts(StringArray),
}

impl Batch {
    fn new(batch: &RecordBatch, path: &Path) -> Result<Self, ReadError> {
        let columns = COLUMNS.iter().map(|name| {
            let place = || Place::column(path, name);
            let found = batch.column_by_name(name).ok_or_else(|| ReadError::wrong(place(), "it", "no such column"))?;
            cells(name, found).map_err(|error| ReadError::wrong(place(), "values that fit", error))
        });
        Ok(Self { rows: batch.num_rows(), columns: columns.collect::<Result<_, _>>()? })
    }
}

fn cells(name: &str, found: &ArrayRef) -> Result<Cells, arrow::error::ArrowError> {
    let exact = CastOptions { safe: false, ..CastOptions::default() };
    let cast = |to: &DataType| cast_with_options(found, to, &exact);
    Ok(match name {
        "seed" => Cells::Seeds(cast(&DataType::UInt64)?.as_primitive::<arrow::datatypes::UInt64Type>().clone()),
        "time" | "expires" => {
            let times = cast(&DataType::Timestamp(TimeUnit::Nanosecond, None))?;
            Cells::Times(times.as_primitive::<TimestampNanosecondType>().clone())
        }
        "agent" | "request" | "order" | "price" | "quantity" | "shown" | "trigger_price" => {
            Cells::Integers(cast(&DataType::Int64)?.as_primitive::<Int64Type>().clone())
        }
        _ => Cells::Texts(cast(&DataType::Utf8)?.as_string::<i32>().clone()),
    })
}

/// One row on its way to being a request.
struct Row<'a> {
    path: &'a Path,
    batch: &'a Batch,
    index: usize,
    /// From 1.
    number_in_file: u64,
}

impl Row<'_> {
    /// The row's request; none if it is an answer, or of another episode or symbol.
    fn read(
        &self,
        symbol: &str,
        episode: &mut Episode,
        last: &mut Time,
    ) -> Result<Option<(Time, AgentIndex, Request)>, ReadError> {
        let found = (self.seed()?, self.text("episode")?.ok_or_else(|| self.missing("episode", "a text"))?);
        match episode {
            Episode::Chosen(seed, kind) if (*seed, *kind) != found => return Ok(None),
            Episode::Only(Some((seed, kind))) if (*seed, kind.as_str()) != found => {
                let expected = format!("seed {seed} and episode `{kind}` only, or a choice of one");
                return Err(self.wrong("seed", expected, format!("seed {} and episode `{}`", found.0, found.1)));
            }
            Episode::Only(none @ None) => *none = Some((found.0, found.1.to_owned())),
            Episode::Chosen(..) | Episode::Only(Some(_)) => {}
        }
        if self.text("symbol")?.ok_or_else(|| self.missing("symbol", "a text"))? != symbol {
            return Ok(None);
        }
        let at = self.time("time")?.ok_or_else(|| self.missing("time", "a time"))?;
        if at < *last {
            return Err(self.wrong("time", format!("at least {} ns, as in the row before", last.0), at.0));
        }
        *last = at;
        let Some(message) = self.name("message", names::MESSAGES)? else {
            return Err(self.missing("message", "a message"));
        };
        if message >= names::REQUESTS {
            return Ok(None);
        }
        let agent = u32::try_from(self.number("agent")?).map_err(|_| self.misfit("agent", "an agent's number"))?;
        let id = RequestId(self.count("request")?);
        Ok(Some((at, AgentIndex(agent), Request { id, kind: self.kind(message)? })))
    }

    fn kind(&self, message: usize) -> Result<RequestKind, ReadError> {
        let order = || Ok::<_, ReadError>(RequestId(self.count("order")?));
        Ok(match names::MESSAGES[message] {
            "limit" => RequestKind::Limit {
                side: self.side()?,
                price: self.number("price")?,
                quantity: self.count("quantity")?,
                qualifiers: Qualifiers {
                    hidden: self.name("display", names::DISPLAYS)? == Some(Display::Hidden as usize),
                    post_only: self.name("post_only", names::POST_ONLY)? == Some(PostOnly::Reject as usize),
                },
            },
            "market" => RequestKind::Market { side: self.side()?, quantity: self.count("quantity")? },
            "cancel" => RequestKind::Cancel { order: order()? },
            "cancel_all" => RequestKind::CancelAll,
            "modify" => {
                RequestKind::Modify { order: order()?, price: self.number("price")?, quantity: self.count("quantity")? }
            }
            "reduce" => RequestKind::Reduce { order: order()?, by: self.count("quantity")? },
            "replace" => RequestKind::Replace {
                order: order()?,
                price: self.number("price")?,
                quantity: self.count("quantity")?,
            },
            _ => RequestKind::Order(self.terms()?),
        })
    }

    fn terms(&self) -> Result<Terms, ReadError> {
        let narrow = |column| {
            let number = self.integer(column)?.unwrap_or(0);
            i32::try_from(number).map_err(|_| self.misfit(column, "a number of 32 bits"))
        };
        let shares = |column| {
            let number = self.integer(column)?.unwrap_or(0);
            u32::try_from(number).map_err(|_| self.misfit(column, "a number of shares of 32 bits"))
        };
        self.count("quantity")?;
        Ok(Terms {
            expires: self.time("expires")?.unwrap_or(Time(0)),
            price: narrow("price")?,
            quantity: shares("quantity")?,
            shown: shares("shown")?,
            trigger_at: narrow("trigger_price")?,
            side: self.side()?,
            time_in_force: TimeInForce::ALL[self.name("time_in_force", names::TIMES_IN_FORCE)?.unwrap_or(0)],
            display: Display::ALL[self.name("display", names::DISPLAYS)?.unwrap_or(0)],
            post_only: PostOnly::ALL[self.name("post_only", names::POST_ONLY)?.unwrap_or(0)],
            trigger: Trigger::ALL[self.name("trigger", names::TRIGGERS)?.unwrap_or(0)],
        })
    }

    fn side(&self) -> Result<Side, ReadError> {
        match self.name("side", names::SIDES)? {
            Some(0) => Ok(Side::Buy),
            Some(_) => Ok(Side::Sell),
            None => Err(self.missing("side", "`buy` or `sell`")),
        }
    }

    fn cells(&self, column: &str) -> &Cells {
        let place = COLUMNS.iter().position(|name| *name == column);
        &self.batch.columns[place.expect("only columns of the list are asked for")]
    }

    fn seed(&self) -> Result<u64, ReadError> {
        match self.cells("seed") {
            Cells::Seeds(seeds) if seeds.is_valid(self.index) => Ok(seeds.value(self.index)),
            _ => Err(self.missing("seed", "a seed")),
        }
    }

    fn integer(&self, column: &str) -> Result<Option<i64>, ReadError> {
        match self.cells(column) {
            Cells::Integers(cells) => Ok(cells.is_valid(self.index).then(|| cells.value(self.index))),
            _ => Err(self.missing(column, "an integer")),
        }
    }

    /// An integer that must be there.
    fn number(&self, column: &str) -> Result<i64, ReadError> {
        self.integer(column)?.ok_or_else(|| self.missing(column, "an integer"))
    }

    /// The same, not negative.
    fn count(&self, column: &str) -> Result<u64, ReadError> {
        u64::try_from(self.number(column)?).map_err(|_| self.misfit(column, "a number that is not negative"))
    }

    fn time(&self, column: &str) -> Result<Option<Time>, ReadError> {
        let Cells::Times(cells) = self.cells(column) else { return Err(self.missing(column, "a time")) };
        let found = cells.is_valid(self.index).then(|| cells.value(self.index));
        let time = found.map(u64::try_from).transpose();
        time.map(|time| time.map(Time)).map_err(|_| self.misfit(column, "a time since 1970"))
    }

    fn text(&self, column: &str) -> Result<Option<&str>, ReadError> {
        match self.cells(column) {
            Cells::Texts(cells) => Ok(cells.is_valid(self.index).then(|| cells.value(self.index))),
            _ => Err(self.missing(column, "a text")),
        }
    }

    /// A word's place in its list.
    fn name(&self, column: &str, names: &[&str]) -> Result<Option<usize>, ReadError> {
        let Some(found) = self.text(column)? else { return Ok(None) };
        let place = names.iter().position(|name| *name == found);
        place.map(Some).ok_or_else(|| self.wrong(column, format!("one of {}", names.join(", ")), format!("`{found}`")))
    }

    fn missing(&self, column: &str, expected: &str) -> ReadError {
        self.wrong(column, expected, "none")
    }

    fn misfit(&self, column: &str, expected: &str) -> ReadError {
        let found = match self.cells(column) {
            Cells::Integers(cells) => cells.value(self.index),
            Cells::Times(cells) => cells.value(self.index),
            Cells::Seeds(_) | Cells::Texts(_) => 0,
        };
        self.wrong(column, expected, found)
    }

    fn wrong(&self, column: &str, expected: impl Into<String>, found: impl std::fmt::Display) -> ReadError {
        let place = Place { row: Some(self.number_in_file), ..Place::column(self.path, column) };
        ReadError::wrong(place, expected, found)
    }
}
