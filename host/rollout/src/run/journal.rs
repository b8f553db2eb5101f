//! `results.jsonl`: one line for each finished episode, in the order in which they finished.
//!
//! Invariants: a line counts once its line feed is on disk; what it says of a score is what the trajectory says whose hash it holds, where that is there, and
//! that trajectory is of the run's agent: a run does not go on with a line that is contradicted, and whoever only reads leaves it out; an episode that was
//! scored has one line for good, one that was not may have a later line that takes its place. What a crash left half-written at the end is cut off when the
//! file is opened.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_files::{Folder, Links};
use thiserror::Error;

use super::beside::{Episode, file_name, scored_later};
use super::doubt::{
    Doubt, Proven, Room, agent_of, also, contradicted, contradiction, lines_in_words, other_agent, unproven,
};
use super::earlier::Attempts;
use super::episode::{EpisodeRecord, Finished};
use super::lines::{self, DAMAGED_MAX, DamagedLine, Lines};
use super::lost::missing;
use super::names::{EPISODES, JOURNAL_NAME};
use super::spending::asks_no_model;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("failed to use {}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        why: io::Error,
    },
    /// Lines of it are not ours.
    #[error("line {line} of {} is damaged: {why}{}", path.display(), also(more, ["is", "are"]))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first such line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
        /// The others, in their order.
        more: Vec<usize>,
    },
    /// Lines of it say otherwise than their trajectories.
    #[error("{}", contradicted(path, doubts))]
    Contradicted {
        /// The file.
        path: PathBuf,
        /// Those lines, one at least.
        doubts: Vec<Doubt>,
    },
    /// The trajectory of an episode is that of another agent.
    #[error("{} was played by {found:?}, but this is a run of {agent:?}", path.display())]
    OtherAgent {
        /// The trajectory.
        path: PathBuf,
        /// Who played it.
        found: String,
        /// The run's own agent.
        agent: String,
    },
}

impl JournalError {
    /// What a user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        const OTHER: &str = "or choose another folder with --out";
        match self {
            Self::Damaged { path, line, more, .. } => {
                let lines: Vec<usize> = [*line].iter().chain(more).copied().collect();
                let episodes = if more.is_empty() { "its episode" } else { "their episodes" };
                Some(format!(
                    "it was changed by hand, by an agent or by a failing disk; remove {} of {} to have {episodes} read or run again, {OTHER}",
                    lines_in_words(&lines),
                    path.display()
                ))
            }
            Self::Contradicted { path, doubts } => {
                let lines: Vec<usize> = doubts.iter().map(|doubt| doubt.line).collect();
                let files = match doubts.as_slice() {
                    [doubt] => doubt.trajectory(),
                    _ => "their trajectories".to_owned(),
                };
                Some(format!(
                    "remove {} of {} to have the trajectory read again, and {files}, too, to have the episode run again, {OTHER}",
                    lines_in_words(&lines),
                    path.display()
                ))
            }
            Self::OtherAgent { .. } => {
                Some(format!("remove that file and its line of {JOURNAL_NAME} to have the episode run again, {OTHER}"))
            }
            Self::Io { .. } => None,
        }
    }
}

/// The journal, open for appending.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Arc<File>,
}

impl Journal {
    /// Opens the journal, made if it is not there, with what it says.
    pub(super) fn open(folder: &Folder) -> Result<(Self, Finished), JournalError> {
        let path = &folder.path().join(JOURNAL_NAME);
        let failed = |why| JournalError::Io { path: path.to_owned(), why };
        let mut file = folder.file_to_change(JOURNAL_NAME, 0o644).map_err(|error| failed(error.into()))?;
        let Lines { records, damaged, whole } = lines::read(&file).map_err(failed)?;
        refuse(path, damaged)?;
        if file.metadata().map_err(failed)?.len() > whole {
            file.set_len(whole).and_then(|()| file.sync_all()).map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        agree(path, &records, folder)?;
        let (finished, twice) = by_sample(records);
        refuse(path, twice)?;
        Ok((Self { path: path.to_owned(), file: Arc::new(file) }, finished))
    }

    /// Appends lines and returns when they are durable.
    pub(super) fn append(&self, records: &[EpisodeRecord]) -> Result<(), JournalError> {
        let failed = |why| JournalError::Io { path: self.path.clone(), why };
        let mut bytes = Vec::new();
        for record in records {
            serde_json::to_writer(&mut bytes, record).map_err(|error| failed(error.into()))?;
            bytes.push(b'\n');
        }
        (&*self.file).write_all(&bytes).and_then(|()| self.file.sync_data()).map_err(failed)
    }

    /// The lines that count for these episodes, from 1 and in their order, as far as they are there.
    pub(super) fn lines_of(&self, ids: &[String]) -> Vec<usize> {
        let again = || lines::read(&assay_files::open(&self.path, Links::Refused).ok()?).ok();
        let records = again().map(|lines| lines.records).unwrap_or_default();
        let last: BTreeMap<&str, usize> = records.iter().map(|(line, record)| (record.id.as_str(), *line)).collect();
        let mut found: Vec<usize> = ids.iter().filter_map(|id| last.get(id.as_str()).copied()).collect();
        found.sort_unstable();
        found
    }
}

/// The journal of a run that may be going on, as far as it is whole: for each episode its last line, by task and sample.
///
/// # Errors
/// It cannot be read, or is damaged elsewhere than at its end.
pub fn read_journal(path: &Path) -> Result<Vec<EpisodeRecord>, JournalError> {
    let failed = |why| JournalError::Io { path: path.to_owned(), why };
    let file = assay_files::open(path, Links::Followed).map_err(|why| failed(why.into()))?;
    let Lines { records, damaged, .. } = lines::read(&file).map_err(failed)?;
    refuse(path, damaged)?;
    let (finished, twice) = by_sample(records);
    refuse(path, twice)?;
    Ok(finished.into_values().collect())
}

/// Of how many episodes the journal in a folder has lines that can be read; none where it cannot be read itself.
pub(super) fn episodes_in(folder: &Folder) -> Option<u64> {
    let file = match folder.file(JOURNAL_NAME) {
        Ok(file) => file,
        Err(error) => return error.is_missing().then_some(0),
    };
    let (finished, _) = by_sample(lines::read(&file).ok()?.records);
    Some(finished.len() as u64)
}

/// The same of a folder that somebody holds open, with every line compared with its trajectory, where that is there: what figures may be computed from. Lines
/// that are contradicted are left out, and so is a score whose trajectory no longer has the record with its hash. An episode with such a line has no record,
/// whatever other lines say. Damaged lines are left out, too, and hide no others. Of what was spent before an attempt counts what something is left of.
///
/// # Errors
/// It cannot be read, or nearly all of it is damaged.
pub fn read_proven_journal_in(folder: &Folder) -> Result<Proven, JournalError> {
    let path = folder.path().join(JOURNAL_NAME);
    let failed = |why| JournalError::Io { path: path.clone(), why };
    let file = folder.file(JOURNAL_NAME).map_err(|why| failed(why.into()))?;
    let Lines { records, mut damaged, .. } = lines::read(&file).map_err(failed)?;
    if damaged.len() > DAMAGED_MAX {
        refuse(&path, std::mem::take(&mut damaged))?;
    }
    let episodes = match folder.folder(EPISODES) {
        Ok(episodes) => Some(episodes),
        Err(error) if error.is_missing() => None,
        Err(why) => return Err(JournalError::Io { path: folder.path().join(EPISODES), why: why.into() }),
    };
    let (agent, room) = (agent_of(folder), Room::new());
    let later = scored_later(&records);
    let doubt = |line: usize, record: &EpisodeRecord| match &episodes {
        Some(episodes) => unproven(&Episode::new(record, episodes, later.contains(&line)), agent.as_deref(), &room),
        None if agent.is_some() => missing(record),
        None => None,
    };
    let (mut believed, mut doubts) = (Vec::new(), Vec::new());
    for (line, record) in records {
        match doubt(line, &record) {
            Some(why) => doubts.push(Doubt { line, record, why }),
            None => believed.push((line, record)),
        }
    }
    let attempts = Attempts::of(folder, episodes.as_ref(), &room, &believed);
    let (mut finished, twice) = by_sample(believed);
    damaged.extend(twice);
    damaged.sort_unstable_by_key(|one| one.line);
    // Nobody knows which of its lines is true.
    for Doubt { record, .. } in &doubts {
        finished.remove(&(record.task.clone(), record.sample));
    }
    attempts.settle(&mut finished);
    // Lines of earlier releases say that it is not known what an agent has cost that asks no model.
    if agent.as_deref().is_some_and(asks_no_model) {
        finished.values_mut().for_each(EpisodeRecord::costs_no_more);
        doubts.iter_mut().for_each(|doubt| doubt.record.costs_no_more());
    }
    Ok(Proven { records: finished.into_values().collect(), doubts, damaged, whole_bytes: room.taken() })
}

/// Every line says of its score and of what it took what its trajectory says.
fn agree(path: &Path, records: &[(usize, EpisodeRecord)], folder: &Folder) -> Result<(), JournalError> {
    let Ok(episodes) = folder.folder(EPISODES) else { return Ok(()) };
    let (room, later) = (Room::new(), scored_later(records));
    let doubt = |(line, record): &(usize, EpisodeRecord)| {
        let why = contradiction(&Episode::new(record, &episodes, later.contains(line)), &room)?;
        Some(Doubt { line: *line, record: record.clone(), why })
    };
    let doubts: Vec<Doubt> = records.iter().filter_map(doubt).collect();
    if !doubts.is_empty() {
        return Err(JournalError::Contradicted { path: path.to_owned(), doubts });
    }
    of_own_agent(records.iter().map(|(_, record)| record), folder)
}

/// The trajectories of these episodes are those of the run's agent, where its record names one.
///
/// # Errors
/// Another agent played one of them.
pub(super) fn of_own_agent<'a>(
    records: impl IntoIterator<Item = &'a EpisodeRecord>,
    folder: &Folder,
) -> Result<(), JournalError> {
    let (Some(agent), Ok(episodes)) = (agent_of(folder), folder.folder(EPISODES)) else { return Ok(()) };
    for record in records {
        if let Some((found, agent)) = other_agent(&Episode::new(record, &episodes, false), &agent) {
            return Err(JournalError::OtherAgent { path: episodes.path().join(file_name(record)), found, agent });
        }
    }
    Ok(())
}

/// Refuses a journal with damaged lines.
fn refuse(path: &Path, damaged: Vec<DamagedLine>) -> Result<(), JournalError> {
    let mut all = damaged.into_iter();
    let Some(DamagedLine { line, why }) = all.next() else { return Ok(()) };
    Err(JournalError::Damaged { path: path.to_owned(), line, why, more: all.map(|one| one.line).collect() })
}

/// What finished, and the lines that finish an episode once more: of those, the first counts.
fn by_sample(records: Vec<(usize, EpisodeRecord)>) -> (Finished, Vec<DamagedLine>) {
    let (mut finished, mut twice) = (Finished::new(), Vec::new());
    for (line, record) in records {
        let key = (record.task.clone(), record.sample);
        match finished.get(&key).filter(|earlier| earlier.reward().is_some()) {
            Some(earlier) => {
                let why = if *earlier == record {
                    format!("the line of the episode {} is there twice", record.id)
                } else {
                    format!("the episode {} is already finished, as {}", record.id, earlier.id)
                };
                twice.push(DamagedLine { line, why });
            }
            None => {
                finished.insert(key, record);
            }
        }
    }
    (finished, twice)
}
