//! The data files that a scenario names: opened, unpacked and handed to the market's readers.
//!
//! Paths are relative to the scenario's own file. Files may be packed with gzip, which their first bytes say, whatever they are called. Nothing is held
//! in memory but what the readers keep, and what is unpacked is bounded, so a small file cannot fill the machine.

use crate::exit::Failure;
use crate::input::Unpacked;
use assay_data::{ReadError, read_orders};
use assay_evaluate::EpisodeKind;
use assay_files::Links;
use assay_market::replay::lobster::{self, LobsterError};
use assay_market::replay::{Recording, RecordingError};
use assay_market::{DataError, DataFault, Draft, FundamentalSeries, GZIP_MAGIC, ReplaySource, ScenarioData};
use assay_model::Seed;
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
        Some(ReplaySource::Orders { orders: path, episode }) => Some(orders(draft, folder, path, *episode)?),
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

/// The requests of a recorded episode that fall into the session.
fn orders(draft: &Draft, folder: &Path, path: &str, episode: Option<(Seed, bool)>) -> Result<Recording, Failure> {
    let kind = |baseline| if baseline { EpisodeKind::Baseline } else { EpisodeKind::Strategy };
    let whole = folder.join(path);
    let wrong = |error: ReadError| Failure::usage(format!("failed to read the recorded orders: {error}"));
    let episode = episode.map(|(seed, baseline)| (seed, kind(baseline)));
    let stream = read_orders(&whole, draft.symbol(), episode).map_err(wrong)?;
    let (_, start, end) = draft.session();
    let (mut failure, mut read, mut early) = (None, 0_u64, None);
    let requests = stream.map_while(|request| request.map_err(|error| failure = Some(error)).ok());
    let requests = requests.inspect(|(at, _, _)| {
        read += 1;
        early = early.or((*at < start).then_some(*at));
    });
    let recording = Recording::new(requests.filter(|(at, _, _)| *at < end));
    if let Some(error) = failure {
        return Err(wrong(error));
    }
    if read == 0 {
        let which = episode.map_or(String::new(), |(seed, kind)| format!(" of seed {}, {}", seed.0, kind.name()));
        let message = format!("there are no orders for symbol {}{which} in {path}", draft.symbol());
        return Err(Failure::usage(message).hint("`symbol`, `seed` and `episode` must be those of the recording"));
    }
    if let Some(at) = early {
        let message = format!("{path} begins at {} ns, before `open`", at.0);
        return Err(
            Failure::usage(message).hint("set `open` no later: what the book held at a later time is not in it")
        );
    }
    recording.map_err(|error| match error {
        RecordingError::Empty => unfit(path, &error),
        _ => Failure::usage(format!("failed to read {path}: {error}")),
    })
}

fn unfit(path: &str, error: &RecordingError) -> Failure {
    Failure::usage(format!("failed to read {path}: {error}"))
        .hint("`date`, `open` and `close` in [market] say which part of the file is replayed")
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
