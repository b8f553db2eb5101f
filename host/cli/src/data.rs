//! The data files that a scenario names: opened, unpacked and handed to the market's readers.
//!
//! Paths are relative to the scenario's own file. Files may be packed with gzip, which their first bytes say, whatever they are called. Nothing is held
//! in memory but what the readers keep, and what is unpacked is bounded, so a small file cannot fill the machine.

use crate::exit::Failure;
use assay_market::replay::lobster::{self, LobsterError};
use assay_market::{DataError, DataFault, Draft, FundamentalSeries, GZIP_MAGIC, ReplaySource, ScenarioData};
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

/// Most bytes read of a data file, unpacked: a day of the busiest symbol with 200 levels.
const DATA_BYTES_MAX: u64 = 64 << 30;

/// Reads what a draft names, from `folder` on.
pub(crate) fn load(draft: &Draft, folder: &Path) -> Result<ScenarioData, Failure> {
    let mut data = ScenarioData::default();
    if let Some(ReplaySource::Lobster { messages, orderbook, tick_cents }) = draft.replay() {
        let (message_file, book_file) = (open(folder, messages)?, open(folder, orderbook)?);
        let recording = lobster::read(message_file, book_file, &draft.lobster_settings(*tick_cents));
        let recording = recording.map_err(|error| match error {
            LobsterError::Data(error) => {
                let path = if error.file == lobster::BOOK_FILE { orderbook } else { messages };
                failed(path, error)
            }
            LobsterError::Recording(error) => Failure::usage(format!("failed to read {messages}: {error}"))
                .hint("`date`, `open` and `close` in [market] say which part of the file is replayed"),
        })?;
        data.recording = Some(Arc::new(recording));
    }
    if let Some(path) = draft.series() {
        let (midnight, start, end) = draft.session();
        let series = FundamentalSeries::read(open(folder, path)?, midnight, start, end);
        data.series = Some(Arc::new(series.map_err(|error| failed(path, error))?));
    }
    Ok(data)
}

fn failed(path: &str, error: DataError) -> Failure {
    let message = format!("failed to read {path}: {error}");
    let failure = match &error.fault {
        DataFault::Unreadable { kind, .. } => match kind {
            ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
                Failure::usage(message).hint("the gzip file is damaged: `gunzip --test` says more; get it again")
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
            .hint(format!("paths in a scenario are relative to its own file; looked for {}", whole.display()))
    };
    let file = File::open(&whole).map_err(|error| failed(&error))?;
    // A pipe or a device would never end, or never say anything.
    if !file.metadata().map_err(|error| failed(&error))?.is_file() {
        return Err(failed(&"it is no regular file"));
    }
    let mut file = BufReader::new(file);
    let is_packed = file.fill_buf().map_err(|error| failed(&error))?.starts_with(&GZIP_MAGIC);
    let bytes: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    Ok(Box::new(BufReader::new(Bounded { bytes, left: DATA_BYTES_MAX })))
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
