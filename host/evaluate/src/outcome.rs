//! What an episode's end is called, and what it has to say.

use crate::record::{EpisodeRecord, StopCauseRecord};
use assay_sandbox::{Outcome, TrapKind};

/// What an episode's end is called: where and how, without the numbers.
#[must_use]
pub fn outcome_name(episode: &EpisodeRecord) -> String {
    match (&episode.outcome, episode.stopped.map(|stop| stop.cause)) {
        (Outcome::Finished, Some(StopCauseRecord::RequestsInFlight)) => {
            "stopped: too many requests in flight".to_owned()
        }
        (Outcome::Finished, Some(StopCauseRecord::RequestsPerEpisode)) => "stopped: too many requests".to_owned(),
        (Outcome::Finished, Some(StopCauseRecord::Ruined)) => "stopped: ruined".to_owned(),
        (Outcome::Finished, Some(StopCauseRecord::CallbackFailed)) => "stopped".to_owned(),
        (Outcome::Finished, None) => "finished".to_owned(),
        (Outcome::OutOfFuel { callback, .. }, _) => format!("out of fuel in {callback}"),
        (Outcome::OutOfMemory { callback, .. }, _) => format!("out of memory in {callback}"),
        (Outcome::Trapped { callback, .. }, _) => format!("trapped in {callback}"),
        (Outcome::LimitExceeded { callback, .. }, _) => format!("host limit exceeded in {callback}"),
        (Outcome::Rejected { .. }, _) => "rejected".to_owned(),
        (Outcome::Infrastructure { .. }, _) => "infrastructure".to_owned(),
    }
}

/// What an episode's end has to say beyond its name: numbers, and the strategy's own words, which are not to be trusted.
#[must_use]
pub fn outcome_detail(episode: &EpisodeRecord) -> Option<String> {
    match &episode.outcome {
        Outcome::Finished => None,
        Outcome::OutOfFuel { limit, .. } => Some(format!("limit {limit}")),
        Outcome::OutOfMemory { requested_bytes, limit_bytes, .. } => {
            Some(format!("requested {requested_bytes} bytes, limit {limit_bytes}"))
        }
        Outcome::Trapped { trap: TrapKind::Unreachable, message, .. } => Some(message.clone()),
        Outcome::Trapped { trap, message, .. } => Some(format!("{trap:?}: {message}")),
        Outcome::LimitExceeded { allowed, .. } => Some(format!("at most {allowed}")),
        Outcome::Rejected { reason } => Some(reason.clone()),
        Outcome::Infrastructure { what } => Some(what.clone()),
    }
}
