//! The data files that a scenario names: opened, unpacked and handed to the market's readers.
//!
//! Paths are relative to the scenario's own file. Files may be packed with gzip, which their first bytes say, whatever they are called. Nothing is held
//! in memory but what the readers keep, and what is unpacked is bounded, so a small file cannot fill the machine.

#[cfg(not(feature = "data"))]
mod no_orders;
#[cfg(feature = "data")]
mod orders;

use crate::Failure;
use crate::input::Unpacked;
use assay_files::Links;
use assay_market::replay::RecordingError;
use assay_market::replay::lobster::{self, LobsterError};
use assay_market::{DataError, DataFault, Draft, FundamentalSeries, GZIP_MAGIC, ReplaySource, ScenarioData};
#[cfg(not(feature = "data"))]
use no_orders as orders;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

/// Most bytes read of a data file, unpacked: a day of the busiest symbol with 200 levels.
const DATA_BYTES_MAX: u64 = 64 << 30;

/// Reads what a draft names, from `folder` on.
pub(crate) fn load(draft: &Draft, folder: &Path) -> Result<ScenarioData, Failure> {
    let mut data = ScenarioData::default();
    let recording = match draft.replay() {
        Some(ReplaySource::Lobster { messages, orderbook, tick_cents }) => {
            let (message_file, book_file) = (open(folder, messages)?, open(folder, orderbook)?);
            let recording = lobster::read(message_file, book_file, &draft.lobster_settings(*tick_cents));
            Some(recording.map_err(|error| match error {
                LobsterError::Data(error) => {
                    let path = if error.file == lobster::BOOK_FILE { orderbook } else { messages };
                    failed(path, error)
                }
                LobsterError::Recording(error) => unfit(messages, &error),
            })?)
        }
        Some(ReplaySource::Orders { orders: path, episode }) => Some(orders::read(draft, folder, path, *episode)?),
        None => None,
    };
    data.recording = recording.map(Arc::new);
    if let Some(path) = draft.series() {
        let (midnight, start, end) = draft.session();
        let series = FundamentalSeries::read(open(folder, path)?, midnight, start, end);
        data.series = Some(Arc::new(series.map_err(|error| failed(path, error))?));
    }
    Ok(data)
}

fn unfit(path: &str, error: &RecordingError) -> Failure {
    Failure::usage(format!("failed to read {path}: {error}"))
        .hint("`date`, `open` and `close` in [market] select the part of the file to replay")
}

fn failed(path: &str, error: DataError) -> Failure {
    let message = format!("failed to read {path}: {error}");
    let failure = match &error.fault {
        DataFault::Unreadable { kind, .. } => match kind {
            ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
                Failure::usage(message).hint("the gzip file is damaged: `gunzip --test` has details; download it again")
            }
            ErrorKind::FileTooLarge | ErrorKind::IsADirectory => Failure::usage(message).hint("name a smaller file"),
            _ => Failure::infrastructure(message),
        },
        DataFault::Unexpected { .. } => Failure::usage(message),
    };
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn open(folder: &Path, path: &str) -> Result<Box<dyn BufRead>, Failure> {
    let whole = folder.join(path);
    let failed = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("failed to read {path}: {error}"))
            .hint(format!("paths in a scenario are relative to its own file; the full path is {}", whole.display()))
    };
    let file = assay_files::open(&whole, Links::Followed).map_err(|error| failed(&error))?;
    let mut file = BufReader::new(file);
    let is_packed = file.fill_buf().map_err(|error| failed(&error))?.starts_with(&GZIP_MAGIC);
    if is_packed {
        return Ok(Box::new(BufReader::new(Unpacked::new(file, DATA_BYTES_MAX))));
    }
    Ok(Box::new(BufReader::new(Bounded { bytes: file, left: DATA_BYTES_MAX })))
}

/// Fails once more has been read than is allowed.
struct Bounded<R> {
    bytes: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.bytes.read(into)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            Error::new(ErrorKind::FileTooLarge, format!("it has more than {DATA_BYTES_MAX} bytes, unpacked"))
        })?;
        Ok(read)
    }
}
