//! Episodes that have ended and have no line in the journal: whoever removes lines takes them out of all figures, but their trajectories stay.
//!
//! Invariants: an episode is named only where its next start would take its score or grade it, never one that was broken off; only the ends of trajectories
//! are read, and no more than a bound of them; nothing here writes. Whether a process works on the run, so that lines are still to come, is for the caller to ask.

use std::collections::BTreeMap;
use std::io::{BufReader, Seek as _};

use assay_files::Folder;
use assay_trace::{follow, stated_hash};
use serde::Deserialize;
use serde_json::Value;

use super::beside::{Named, end_of, first_line};
use super::episode::EpisodeRecord;
use super::names::EPISODES;
use super::names::parts_of;
use super::record::RunRecord;
use crate::exit::{Exit, Worth};
use crate::record::EXIT;

/// Names in the folder of trajectories.
const ENTRIES_MAX: usize = 1 << 20;
/// Bytes of trajectories that are read for one run: the ends of some thousands.
const LOOKED_BYTES_MAX: u64 = 128 << 20;

/// What a line of a trajectory says of how far its episode has come.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "_type")]
    of: String,
    kind: Option<String>,
    outcome: Option<String>,
    #[serde(default)]
    body: Value,
}

/// The episodes of a run that have ended, as their trajectories say, and of which no line tells. `lines` are all that can be read, believed or not.
#[must_use]
pub fn unlisted<'r>(
    run: &RunRecord,
    folder: &Folder,
    lines: impl IntoIterator<Item = &'r EpisodeRecord>,
) -> Vec<String> {
    let Ok(episodes) = folder.folder(EPISODES) else { return Vec::new() };
    // By task and sample, the last attempt of which nothing more is expected; after a score, none is.
    let mut listed: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    for record in lines {
        let attempt = if record.reward().is_some() { u32::MAX } else { record.attempt };
        let last = listed.entry((record.task.as_str(), record.sample)).or_default();
        *last = attempt.max(*last);
    }
    let (mut found, mut left) = (BTreeMap::<(String, u32), (u32, String)>::new(), LOOKED_BYTES_MAX);
    for name in episodes.entries(ENTRIES_MAX).unwrap_or_default() {
        let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else { continue };
        let Some((task, sample, attempt)) = parts_of(id) else { continue };
        let is_listed = listed.get(&(task, sample)).is_some_and(|last| *last >= attempt);
        if is_listed || !run.tasks.contains_key(task) || !has_ended(&episodes, id, &mut left).unwrap_or(false) {
            continue;
        }
        let one = found.entry((task.to_owned(), sample)).or_default();
        if one.0 < attempt {
            *one = (attempt, id.to_owned());
        }
    }
    found.into_values().map(|(_, id)| id).collect()
}

/// Whether a trajectory is that of this episode, and ends with a score, or lacks nothing but one. What is read of it is taken from the bytes that are `left`.
fn has_ended(episodes: &Folder, id: &str, left: &mut u64) -> Option<bool> {
    let mut file = episodes.file(format!("{id}.jsonl")).ok()?;
    let end = end_of(&mut file, left)?;
    let lines = end.strip_suffix(b"\n")?.rsplit(|byte| *byte == b'\n');
    let mut newest = lines.clone();
    let (last, before) = (newest.next()?, newest.next()?);
    // What is damaged there is not taken over.
    follow(last, stated_hash(before).ok()?).ok()?;
    let read = |line: &[u8]| serde_json::from_slice::<Line>(line).ok();
    let is_scored =
        read(last).is_some_and(|line| line.of == "score" && line.outcome.is_some_and(|outcome| outcome != "unscored"));
    if !is_scored && !lines.filter_map(read).any(|line| is_worth_grading(&line)) {
        return Some(false);
    }
    file.rewind().ok()?;
    let named: Named = first_line(&mut BufReader::new(file), left)?;
    Some(named.id == id)
}

/// Whether a record says that the work on an episode ended, in a way that is graded without any doubt.
fn is_worth_grading(line: &Line) -> bool {
    let name = line.body.get("exit").and_then(Value::as_str).filter(|_| line.kind.as_deref() == Some(EXIT));
    // Where the budget is spent, the episode may not have begun.
    let is_graded = |exit: &Exit| exit.worth() != Worth::Unscored && *exit != Exit::Budget;
    name.is_some_and(|name| Exit::ALL.iter().any(|exit| exit.name() == name && is_graded(exit)))
}
