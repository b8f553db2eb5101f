//! What an address asks for, beyond its path.

use crate::safety::field;
use assay_store::{Filter, Kind, Status};
use axum::http::Uri;

/// A number of a query.
pub(crate) fn number(uri: &Uri, name: &str) -> Option<u64> {
    field(uri, name)?.trim().parse().ok()
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
