//! `results.jsonl`: one line for each finished episode, in the order in which they finished.
//!
//! Invariants: a line counts once its line feed is on disk; what it says of a score is what the trajectory says whose hash it holds, where that is there, and
//! that trajectory is of the run's agent: a run does not go on with a line that is contradicted, and whoever only reads leaves it out; an episode that was
//! scored has one line for good, one that was not may have a later line that takes its place. What a crash left half-written at the end is cut off when the
//! file is opened.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_files::{Folder, Links};
use thiserror::Error;

use super::doubt::{
    Doubt, Proven, agent_of, contradicted, contradiction, file_name, lines_in_words, missing, other_agent, unproven,
};
use super::episode::{EpisodeRecord, EpisodeSpec};
use super::names::{EPISODES, JOURNAL_NAME, LINE_BYTES_MAX};
use super::spending::asks_no_model;

/// The largest reward, up or down: means and errors of a million such are still numbers.
const REWARD_MAX: f64 = 1e100;

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
    /// A line of it is not ours.
    #[error("line {line} of {} is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
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
            Self::Damaged { path, line, .. } => Some(format!(
                "it was changed by hand, by an agent or by a failing disk; remove line {line} of {} to have its episode read or run again, {OTHER}",
                path.display()
            )),
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

/// What finished, by task and sample.
pub(super) type Finished = BTreeMap<(String, u32), EpisodeRecord>;

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
        let (records, whole) = read(path, &file)?;
        if file.metadata().map_err(failed)?.len() > whole {
            file.set_len(whole).and_then(|()| file.sync_all()).map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        agree(path, &records, folder)?;
        let finished = by_sample(path, numbered(records))?;
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

    /// The lines that count for these episodes, from 1, as far as they are there.
    pub(super) fn lines_of(&self, ids: &[String]) -> Vec<usize> {
        let again = || read(&self.path, &assay_files::open(&self.path, Links::Refused).ok()?).ok();
        let records = again().map(|(records, _)| records).unwrap_or_default();
        let last: BTreeMap<&str, usize> =
            (1..).zip(&records).map(|(line, record)| (record.id.as_str(), line)).collect();
        ids.iter().filter_map(|id| last.get(id.as_str()).copied()).collect()
    }
}

/// The journal of a run that may be going on, as far as it is whole: for each episode its last line, by task and sample.
///
/// # Errors
/// It cannot be read, or is damaged elsewhere than at its end.
pub fn read_journal(path: &Path) -> Result<Vec<EpisodeRecord>, JournalError> {
    let file = assay_files::open(path, Links::Followed)
        .map_err(|why| JournalError::Io { path: path.to_owned(), why: why.into() })?;
    let (records, _) = read(path, &file)?;
    Ok(by_sample(path, numbered(records))?.into_values().collect())
}

/// The same of a folder that somebody holds open.
///
/// # Errors
/// As [`read_journal`].
pub fn read_journal_in(folder: &Folder) -> Result<Vec<EpisodeRecord>, JournalError> {
    let path = folder.path().join(JOURNAL_NAME);
    let file = folder.file(JOURNAL_NAME).map_err(|why| JournalError::Io { path: path.clone(), why: why.into() })?;
    let (mut records, _) = read(&path, &file)?;
    settle_costs(&mut records, folder);
    Ok(by_sample(&path, numbered(records))?.into_values().collect())
}

/// The same, with every line compared with its trajectory, where that is there: what figures may be computed from. Lines that are contradicted are left out, and
/// so is a score whose trajectory no longer has the record with its hash. An episode with such a line has no record, whatever other lines say.
///
/// # Errors
/// As [`read_journal`].
pub fn read_proven_journal_in(folder: &Folder) -> Result<Proven, JournalError> {
    let path = folder.path().join(JOURNAL_NAME);
    let file = folder.file(JOURNAL_NAME).map_err(|why| JournalError::Io { path: path.clone(), why: why.into() })?;
    let (mut records, _) = read(&path, &file)?;
    settle_costs(&mut records, folder);
    let episodes = match folder.folder(EPISODES) {
        Ok(episodes) => Some(episodes),
        Err(error) if error.is_missing() => None,
        Err(why) => return Err(JournalError::Io { path: folder.path().join(EPISODES), why: why.into() }),
    };
    let agent = agent_of(folder);
    let doubt = |record: &EpisodeRecord| match &episodes {
        Some(episodes) => unproven(record, episodes, agent.as_deref()),
        None if agent.is_some() => missing(record),
        None => None,
    };
    let (mut believed, mut doubts) = (Vec::new(), Vec::new());
    for (line, record) in numbered(records) {
        match doubt(&record) {
            Some(why) => doubts.push(Doubt { line, record, why }),
            None => believed.push((line, record)),
        }
    }
    let mut finished = by_sample(&path, believed)?;
    // Nobody knows which of its lines is true.
    for Doubt { record, .. } in &doubts {
        finished.remove(&(record.task.clone(), record.sample));
    }
    Ok(Proven { records: finished.into_values().collect(), doubts })
}

/// Lines of earlier releases say that it is not known what an agent has cost that asks no model.
fn settle_costs(records: &mut [EpisodeRecord], folder: &Folder) {
    if agent_of(folder).is_some_and(|agent| asks_no_model(&agent)) {
        records.iter_mut().for_each(EpisodeRecord::costs_no_more);
    }
}

/// Every line says of its score what its trajectory says.
fn agree(path: &Path, records: &[EpisodeRecord], folder: &Folder) -> Result<(), JournalError> {
    let Ok(episodes) = folder.folder(EPISODES) else { return Ok(()) };
    let doubt = |(index, record): (usize, &EpisodeRecord)| {
        let why = contradiction(record, &episodes)?;
        Some(Doubt { line: index + 1, record: record.clone(), why })
    };
    let doubts: Vec<Doubt> = records.iter().enumerate().filter_map(doubt).collect();
    if !doubts.is_empty() {
        return Err(JournalError::Contradicted { path: path.to_owned(), doubts });
    }
    of_own_agent(records, folder)
}

/// The trajectories of these episodes are those of the run's agent, where its record names one.
///
/// # Errors
/// Another agent played one of them.
pub(super) fn of_own_agent(records: &[EpisodeRecord], folder: &Folder) -> Result<(), JournalError> {
    let (Some(agent), Ok(episodes)) = (agent_of(folder), folder.folder(EPISODES)) else { return Ok(()) };
    for record in records {
        if let Some((found, agent)) = other_agent(record, &episodes, &agent) {
            return Err(JournalError::OtherAgent { path: episodes.path().join(file_name(record)), found, agent });
        }
    }
    Ok(())
}

/// What cannot be so in a line, whatever the trajectories say.
fn impossible(record: &EpisodeRecord) -> Option<String> {
    let EpisodeRecord { id, task, sample, attempt, seed, .. } = record;
    let spec = EpisodeSpec { task: task.clone(), sample: *sample, attempt: *attempt, seed: *seed };
    if *id != spec.id() {
        return Some(format!("the episode is called {id:?}, but its task, sample and attempt make {:?}", spec.id()));
    }
    let reward = record.reward().filter(|reward| reward.is_nan() || reward.abs() > REWARD_MAX)?;
    Some(format!("its reward is {reward:e}; it must be a number up to {REWARD_MAX:e}"))
}

/// Every whole line, and where the last one ends.
fn read(path: &Path, file: &File) -> Result<(Vec<EpisodeRecord>, u64), JournalError> {
    let damaged = |line, why| JournalError::Damaged { path: path.to_owned(), line, why };
    let (mut source, mut records, mut whole) = (BufReader::new(file), Vec::new(), 0);
    loop {
        let mut line = Vec::new();
        let read = source.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line);
        let bytes = read.map_err(|why| JournalError::Io { path: path.to_owned(), why })? as u64;
        if bytes > LINE_BYTES_MAX {
            return Err(damaged(records.len() + 1, format!("it has more than {LINE_BYTES_MAX} bytes")));
        }
        if line.pop() != Some(b'\n') {
            return Ok((records, whole));
        }
        let record = serde_json::from_slice(&line).map_err(|error| damaged(records.len() + 1, error.to_string()))?;
        if let Some(why) = impossible(&record) {
            return Err(damaged(records.len() + 1, why));
        }
        records.push(record);
        whole += bytes;
    }
}

/// Records with their lines, from 1.
fn numbered(records: Vec<EpisodeRecord>) -> Vec<(usize, EpisodeRecord)> {
    (1..).zip(records).collect()
}

fn by_sample(path: &Path, records: Vec<(usize, EpisodeRecord)>) -> Result<Finished, JournalError> {
    let mut finished = Finished::new();
    for (line, record) in records {
        let key = (record.task.clone(), record.sample);
        if let Some(earlier) = finished.get(&key)
            && earlier.reward().is_some()
        {
            let why = format!("the episode {} is already finished, as {}", record.id, earlier.id);
            return Err(JournalError::Damaged { path: path.to_owned(), line, why });
        }
        finished.insert(key, record);
    }
    Ok(finished)
}
