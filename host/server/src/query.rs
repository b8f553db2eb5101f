//! What an address asks for, beyond its path.

use crate::pages::runs::LOST;
use crate::safety::field;
use crate::views::{files, state};
use assay_report::Window;
use assay_store::{Filter, Kind, Status};
use axum::http::Uri;

/// A number of a query.
pub(crate) fn number(uri: &Uri, name: &str) -> Option<u64> {
    field(uri, name)?.trim().parse().ok()
}

/// A window of the charts of a run, in nanoseconds of exchange time.
pub(crate) fn window(uri: &Uri) -> Option<Window> {
    let (from_ns, to_ns) = (number(uri, "from")?, number(uri, "to")?);
    (from_ns < to_ns).then_some(Window { from_ns, to_ns })
}

/// Which step of an episode in a world, and which part of its state.
pub(crate) fn of_state(uri: &Uri) -> state::Question {
    state::Question {
        step: number(uri, "step"),
        world: field(uri, "world"),
        part: field(uri, "part").filter(|part| !part.is_empty()),
        from: number(uri, "from").unwrap_or(0),
    }
}

/// Which step of a bug-fix episode, and which of its files.
pub(crate) fn of_files(uri: &Uri) -> files::Question {
    files::Question {
        step: number(uri, "step"),
        tasks: field(uri, "tasks"),
        file: field(uri, "file").filter(|file| !file.is_empty()),
    }
}

/// Which runs of the store. Words that are none filter nothing.
pub(crate) fn filter(uri: &Uri) -> Filter {
    let word = |name: &str| field(uri, name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let status = word("status");
    let names = |name: String| ["", ".rs", ".py"].map(|ending| format!("{name}{ending}")).to_vec();
    Filter {
        kind: word("kind").and_then(|word| Kind::of_word(&word)),
        status: status.as_deref().and_then(Status::of_word),
        is_lost: status.as_deref() == Some(LOST),
        subjects: word("strategy").map(names).unwrap_or_default(),
        scenario: word("scenario"),
        since: None,
    }
}
