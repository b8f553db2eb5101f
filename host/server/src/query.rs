//! What an address asks for, beyond its path.

use crate::safety::field;
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

/// Which runs of the store. Words that are none filter nothing.
pub(crate) fn filter(uri: &Uri) -> Filter {
    let word = |name: &str| field(uri, name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let names = |name: String| ["", ".rs", ".py"].map(|ending| format!("{name}{ending}")).to_vec();
    Filter {
        kind: word("kind").and_then(|word| Kind::of_word(&word)),
        status: word("status").and_then(|word| Status::of_word(&word)),
        subjects: word("strategy").map(names).unwrap_or_default(),
        scenario: word("scenario"),
        since: None,
    }
}
