//! Where pages are: addresses of a server, or names of files in an export, which lie in one folder so that every link is relative.

use crate::id::{FolderId, ItemId};
use assay_store::RunId;
use assay_work::jobs::JobId;

/// Bytes of the name of an exported file without its ending; file systems take 255 in all.
const NAME_BYTES_MAX: usize = 200;
/// What is kept of a longer one, and characters of the hash that follows. Names are of ASCII: [`crate::id::Name`].
const NAME_BYTES_KEPT: usize = 150;
const HASH_CHARS: usize = 32;

/// A page, or what belongs to one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Home,
    Edit,
    Jobs,
    Job(JobId),
    Runs,
    Run(RunId),
    /// The report in a folder.
    Report(FolderId),
    /// Two runs of the store, as far as they are chosen.
    Compare(Option<RunId>, Option<RunId>),
    Boards,
    /// A board, in its last season or in a numbered one.
    Board(String, Option<u32>),
    /// Games in a folder.
    Arena(FolderId),
    Rollouts,
    Rollout(FolderId),
    Worlds,
    World(FolderId),
    Refinements,
    Refinement(FolderId),
    Candidate(FolderId, String),
    Gates,
    /// Verdicts in a folder.
    Batch(FolderId),
    Verdict(ItemId),
    /// The verdict of a run of the store.
    StoredVerdict(RunId),
    /// A trajectory, from this record on.
    Trajectory(ItemId, u64),
    Record(ItemId, u64),
    Doctor,
    Style,
    Script,
}

/// How pages are linked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Links {
    /// By paths of a server.
    Served,
    /// By names of files beside each other.
    Exported,
}

impl Links {
    /// The address of a place.
    pub(crate) fn to(self, place: &Place) -> String {
        let (folder, name) = parts(place);
        match (self, place) {
            (Self::Served, Place::Home) => "/".to_owned(),
            (Self::Served, Place::Trajectory(item, from)) if *from > 0 => format!("/t/{item}?from={from}#{from}"),
            (Self::Served, Place::Record(item, number)) => format!("/t/{item}/record/{number}"),
            (Self::Served, Place::Compare(a, b)) => comparison(*a, *b),
            (Self::Served, Place::Board(name, Some(season))) => format!("/board/{name}?season={season}"),
            (Self::Served, Place::Candidate(id, candidate)) => format!("/refine/{id}/c/{candidate}"),
            (Self::Served, _) => name.map_or_else(|| format!("/{folder}"), |name| format!("/{folder}/{name}")),
            (Self::Exported, Place::Home) => "index.html".to_owned(),
            (Self::Exported, Place::Style | Place::Script) => folder.to_owned(),
            // Records are on the page of their trajectory.
            (Self::Exported, Place::Record(item, number)) => format!("{}.html#{number}", short(format!("t-{item}"))),
            (Self::Exported, _) => name
                .map_or_else(|| format!("{folder}.html"), |name| format!("{}.html", short(format!("{folder}-{name}")))),
        }
    }
}

fn parts(place: &Place) -> (&'static str, Option<String>) {
    match place {
        Place::Home => ("", None),
        Place::Edit => ("edit", None),
        Place::Jobs => ("jobs", None),
        Place::Job(id) => ("jobs", Some(id.to_string())),
        Place::Runs => ("runs", None),
        Place::Run(id) => ("runs", Some(id.to_string())),
        Place::Report(id) => ("runs", Some(id.to_string())),
        Place::Compare(..) => ("compare", None),
        Place::Boards => ("board", None),
        Place::Board(name, None) => ("board", Some(name.clone())),
        // Names of boards have no full stop.
        Place::Board(name, Some(season)) => ("board", Some(format!("{name}.{season}"))),
        Place::Arena(id) => ("arena", Some(id.to_string())),
        Place::Rollouts => ("rollouts", None),
        Place::Rollout(id) => ("rollouts", Some(id.to_string())),
        Place::Worlds => ("worlds", None),
        Place::World(id) => ("worlds", Some(id.to_string())),
        Place::Refinements => ("refine", None),
        Place::Refinement(id) => ("refine", Some(id.to_string())),
        Place::Candidate(id, candidate) => ("refine", Some(format!("{id}-{candidate}"))),
        Place::Gates => ("gate", None),
        Place::Batch(id) => ("gate", Some(id.to_string())),
        Place::Verdict(id) => ("gate", Some(id.to_string())),
        Place::StoredVerdict(id) => ("gate", Some(id.to_string())),
        Place::Trajectory(item, _) | Place::Record(item, _) => ("t", Some(item.to_string())),
        Place::Doctor => ("doctor", None),
        Place::Style => ("style.css", None),
        Place::Script => ("assay.js", None),
    }
}

fn comparison(a: Option<RunId>, b: Option<RunId>) -> String {
    match (a, b) {
        (Some(a), Some(b)) => format!("/compare?a={a}&b={b}"),
        (Some(one), None) | (None, Some(one)) => format!("/compare?a={one}"),
        (None, None) => "/compare".to_owned(),
    }
}

/// A name that a file system takes: of a longer one, the beginning and the hash.
fn short(name: String) -> String {
    match name.get(..NAME_BYTES_KEPT) {
        Some(start) if name.len() > NAME_BYTES_MAX => {
            format!("{start}-{}", &blake3::hash(name.as_bytes()).to_hex()[..HASH_CHARS])
        }
        _ => name,
    }
}

/// Text as one part of an address.
pub(crate) fn encoded(text: &str) -> String {
    // The form encoding writes a space as `+`, which a path does not know.
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn places_have_one_address_each() {
        let folder = FolderId::of(Path::new("/x"));
        let item = ItemId { folder, name: "t.s1".parse().unwrap() };
        let long = ItemId { folder, name: "x".repeat(236).parse().unwrap() };
        let long_start = &long.to_string()[..NAME_BYTES_KEPT - 2];
        let long_hash = &blake3::hash(format!("t-{long}").as_bytes()).to_hex()[..HASH_CHARS];
        for (place, served, exported) in [
            (Place::Home, "/".to_owned(), "index.html".to_owned()),
            (Place::Rollout(folder), format!("/rollouts/{folder}"), format!("rollouts-{folder}.html")),
            (Place::Trajectory(item.clone(), 0), format!("/t/{item}"), format!("t-{item}.html")),
            (Place::Record(item.clone(), 7), format!("/t/{item}/record/7"), format!("t-{item}.html#7")),
            (Place::Trajectory(long.clone(), 0), format!("/t/{long}"), format!("t-{long_start}-{long_hash}.html")),
            (
                Place::Record(long.clone(), 7),
                format!("/t/{long}/record/7"),
                format!("t-{long_start}-{long_hash}.html#7"),
            ),
            (Place::Board("spring".to_owned(), None), "/board/spring".to_owned(), "board-spring.html".to_owned()),
            (
                Place::Board("spring".to_owned(), Some(2)),
                "/board/spring?season=2".to_owned(),
                "board-spring.2.html".to_owned(),
            ),
            (Place::World(folder), format!("/worlds/{folder}"), format!("worlds-{folder}.html")),
            (Place::Compare(None, None), "/compare".to_owned(), "compare.html".to_owned()),
            (Place::Style, "/style.css".to_owned(), "style.css".to_owned()),
        ] {
            assert_eq!(Links::Served.to(&place), served);
            assert_eq!(Links::Exported.to(&place), exported);
        }
    }
}
