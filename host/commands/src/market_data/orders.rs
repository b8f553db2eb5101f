//! Recorded orders: the Parquet tables that `assay run --data` keeps, replayed as a market.

use super::unfit;
use crate::Failure;
use assay_data::{ReadError, read_orders};
use assay_evaluate::EpisodeKind;
use assay_market::Draft;
use assay_market::replay::{Recording, RecordingError};
use assay_model::Seed;
use std::path::Path;

/// The requests of a recorded episode that fall into the session.
pub(super) fn read(
    draft: &Draft,
    folder: &Path,
    path: &str,
    episode: Option<(Seed, bool)>,
) -> Result<Recording, Failure> {
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
        return Err(Failure::usage(message)
            .hint("set `open` to that time or earlier: the file has no book snapshot for a later time"));
    }
    recording.map_err(|error| match error {
        RecordingError::Empty => unfit(path, &error),
        _ => Failure::usage(format!("failed to read {path}: {error}")),
    })
}
