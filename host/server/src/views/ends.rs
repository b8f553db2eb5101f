//! Whether a trajectory still has its end: the result of its episode, in `results.jsonl`, names the hash of its last line.
//!
//! Invariants: of an episode without a result nothing is said; a result is read before the trajectory that it is about, so one that comes
//! meanwhile is none of an end that is missing.

use crate::id::{ItemId, Name};
use crate::index::{Index, IndexError, Reach, Row};
use crate::library::{Found, Library, What};
use assay_rollout::run::{EpisodeRecord, JOURNAL_BYTES_MAX, JOURNAL_NAME};
use assay_trace::{Digest, ReadError, SEAL_BYTES, stated_hash, still_holds};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::os::unix::fs::FileExt as _;

/// Records before the end among which the one is looked for that was the last: what is graded later gets a few more.
const LOOKED_MAX: u64 = 100_000;
/// Rows that are read at once for that.
const ROWS_AT_ONCE: u64 = 4_096;

/// What a result says of its trajectory.
#[derive(Deserialize)]
struct Line {
    id: String,
    hash: Option<String>,
}

fn digest(hash: &str) -> Option<Digest> {
    Digest::from_hex(hash.as_bytes()).ok()
}

/// The hash of the record with which an episode ended, as its result names it.
pub(super) fn last_hash(library: &Library, id: &ItemId) -> Option<Digest> {
    let found = library.folder(id.folder).filter(|found| matches!(found.what, What::Rollout | What::World))?;
    let bytes = found.open().ok()?.read(JOURNAL_NAME, JOURNAL_BYTES_MAX).ok()?;
    let (text, name) = (String::from_utf8_lossy(&bytes), format!("\"{}\"", id.name));
    let mut lines = text.lines().rev().filter(|line| line.contains(&name));
    let line = lines
        .find_map(|line| serde_json::from_str::<Line>(line).ok().filter(|line| line.id.as_str() == id.name.as_str()))?;
    digest(&line.hash?)
}

/// Whether a trajectory whose lines follow from each other has no record with this hash any more.
pub(super) fn is_missing(trajectory: &File, index: &Index, hash: Digest) -> Result<bool, IndexError> {
    if index.reach != Reach::Whole || index.broken().is_some() || index.last_hash() == hash {
        return Ok(false);
    }
    let mut end = index.rows();
    let first = end.saturating_sub(LOOKED_MAX);
    while end > first {
        let from = end.saturating_sub(ROWS_AT_ONCE).max(first);
        for row in index.read(from, end - from)? {
            if hash_of(trajectory, &row)? == Some(hash) {
                return Ok(false);
            }
        }
        end = from;
    }
    Ok(true)
}

/// The hash at the end of the line of a row; none where that line has none.
fn hash_of(trajectory: &File, row: &Row) -> io::Result<Option<Digest>> {
    let Some(before) = u64::from(row.bytes).checked_sub(SEAL_BYTES as u64) else { return Ok(None) };
    let mut end = [0; SEAL_BYTES];
    trajectory.read_exact_at(&mut end, row.offset + before)?;
    Ok(stated_hash(&end).ok())
}

/// The finished episodes of a run whose trajectories are there and do not have the record any more that their results name.
pub(super) fn shortened<'r>(
    found: &Found,
    finished: impl Iterator<Item = &'r EpisodeRecord>,
    trajectories: &[Name],
) -> Vec<Name> {
    let Ok(episodes) = found.episodes() else { return Vec::new() };
    let names: BTreeSet<&str> = trajectories.iter().map(Name::as_str).collect();
    let is_short = |record: &&EpisodeRecord| {
        let Some(hash) = record.hash.as_deref().and_then(digest) else { return false };
        let file = episodes.file(format!("{}.jsonl", record.id));
        file.is_ok_and(|file| match still_holds(BufReader::new(file), hash) {
            // That is another matter, of which the line's doubt tells.
            Err(ReadError::NeedsMemory { .. }) => false,
            held => !held.unwrap_or(false),
        })
    };
    let there = finished.filter(|record| names.contains(record.id.as_str()));
    there.filter(is_short).filter_map(|record| record.id.parse().ok()).collect()
}
