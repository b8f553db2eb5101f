//! What a killed process left of a run's episodes: taken over where it is worth something, removed where it is not.
//!
//! Invariants: an episode with a score is finished even if its line was lost; one that lacks only a score keeps everything and is graded, not
//! asked again; of any other, nothing stays but what it has cost; a file that is that of another episode says nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use assay_files::Links;
use assay_trace::{Digest, ReadError, ReadLimits, still_holds};

use super::back::Back;
use super::discarded::Discarded;
use super::episode::{EpisodeRecord, EpisodeSpec, Finished};
use super::error::FolderError;
use super::names::{EPISODES, parts_of};
use super::spending::Spending;
use crate::sampling::SampleRate;

/// Whole outputs of test runs.
pub(super) const OUTPUTS: &str = "outputs";

/// What a scheduled episode still needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// All of it: the model is asked.
    Run,
    /// Only its score: its files are graded from its record, and no model is asked.
    Grade,
}

/// An episode that is still to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Which.
    pub spec: EpisodeSpec,
    /// What it needs.
    pub work: Work,
    /// What was paid for it before, in attempts that came to nothing.
    pub(super) earlier: Spending,
}

/// What an unfinished folder holds.
#[derive(Default)]
pub(super) struct Left {
    /// Scored, but without a line in the journal.
    pub(super) scored: Vec<EpisodeRecord>,
    /// By task and sample: the attempt that lacks only a score.
    ungraded: BTreeMap<(String, u32), u32>,
    /// Unfinished attempts, of which only their cost stays.
    pub(super) discarded: Vec<Discarded>,
    /// By task and sample: what unfinished attempts have cost.
    lost: BTreeMap<(String, u32), Spending>,
}

/// Looks at every trajectory that the journal does not settle.
pub(super) fn look(path: &Path, plan: &[EpisodeSpec], finished: &Finished) -> Result<Left, FolderError> {
    let planned: BTreeMap<_, _> = plan.iter().map(|spec| (spec.key(), spec)).collect();
    let episodes = path.join(EPISODES);
    let mut left = Left::default();
    let mut scored = BTreeMap::new();
    for id in ids_in(&episodes)? {
        let Some((task, sample, attempt)) = parts_of(&id) else { continue };
        let key = (task.to_owned(), sample);
        let Some(spec) = planned.get(&key) else { continue };
        let line = finished.get(&key);
        // A later attempt takes the place of one without a score, and so does a later grading of the same attempt.
        if line.is_some_and(|record| record.reward().is_some() || record.attempt > attempt) {
            continue;
        }
        // The folder may have come from somebody else.
        let too_large = |why: ReadError| {
            let path = episodes.join(format!("{id}.jsonl"));
            FolderError::TooLarge { path, why: why.to_string() }
        };
        let Some(back) = Back::read(&episodes, &id, ReadLimits::BOUNDED).map_err(too_large)? else { continue };
        let spec = EpisodeSpec { attempt, ..(*spec).clone() };
        if !back.is_of(&spec) {
            continue;
        }
        let settled = line.filter(|record| record.attempt == attempt);
        let is_settled = settled.is_some();
        // An episode that panicked after its score was written has a line that knows of no trajectory.
        let is_missed = settled.is_none_or(|record| record.hash.is_none()) || back.was_graded_later();
        if let Some(record) = back.scored(&spec).filter(|_| is_missed) {
            let earlier = line.map_or_else(Spending::default, |record| earlier_than(record, attempt));
            scored.insert(key, EpisodeRecord { earlier, ..record });
        } else if back.lacks_only_a_score() {
            left.ungraded.insert(key, attempt);
        } else if !is_settled {
            left.discarded.extend(Some(back.discarded(&id)).filter(|one| !one.spent.is_nothing()));
        }
    }
    left.scored = scored.into_values().collect();
    Ok(left)
}

/// What was paid before an attempt, where the journal has a line of this attempt or of one before it.
fn earlier_than(record: &EpisodeRecord, attempt: u32) -> Spending {
    if record.attempt == attempt { record.earlier } else { record.spending() }
}

impl Left {
    /// Takes what unfinished attempts have cost, those of earlier starts included. A line of the journal counts those up to its own attempt.
    pub(super) fn count(&mut self, discarded: Vec<Discarded>, finished: &Finished) {
        for Discarded { id, spent, .. } in discarded {
            let Some((task, sample, attempt)) = parts_of(&id) else { continue };
            let key = (task.to_owned(), sample);
            if finished.get(&key).is_none_or(|record| record.attempt < attempt) {
                let lost = self.lost.entry(key).or_default();
                *lost = lost.plus(spent);
            }
        }
        for record in &mut self.scored {
            let lost = self.lost.get(&(record.task.clone(), record.sample)).copied();
            record.earlier = record.earlier.plus(lost.unwrap_or_default());
        }
    }

    /// What is still to be done for an episode of the plan.
    pub(super) fn pending(&self, spec: &EpisodeSpec, finished: &Finished, retry_unscored: bool) -> Option<Pending> {
        let key = spec.key();
        let line = finished.get(&key);
        if line.is_some_and(|record| record.reward().is_some() || !retry_unscored) {
            return None;
        }
        let before = line.map_or(0, |record| record.attempt);
        let lost = self.lost.get(&key).copied().unwrap_or_default();
        if let Some(attempt) = self.ungraded.get(&key).copied().filter(|attempt| *attempt >= before) {
            let spec = EpisodeSpec { attempt, ..spec.clone() };
            let earlier = line.map_or_else(Spending::default, |record| earlier_than(record, attempt)).plus(lost);
            return Some(Pending { spec, work: Work::Grade, earlier });
        }
        let spec = EpisodeSpec { attempt: before, ..spec.clone() }.next_attempt();
        let earlier = line.map_or_else(Spending::default, EpisodeRecord::spending).plus(lost);
        Some(Pending { spec, work: Work::Run, earlier })
    }

    /// Removes what belongs to no finished episode and to none that is graded later, or to one that keeps no full log.
    pub(super) fn tidy(&self, path: &Path, finished: &Finished, keep_logs: SampleRate) -> Result<(), FolderError> {
        let is_kept = |name: &str| {
            // What has no episode's name is somebody else's and stays.
            owners(name).find_map(parts_of).is_none_or(|(task, sample, attempt)| {
                let key = (task.to_owned(), sample);
                self.ungraded.get(&key).is_some_and(|ungraded| attempt <= *ungraded)
                    || finished.get(&key).is_some_and(|record| {
                        attempt < record.attempt || attempt == record.attempt && record.keeps_full_log(keep_logs)
                    })
            })
        };
        remove_unless(path, is_kept)
    }
}

/// Removes what those of the finished episodes left that keep no full log.
pub(super) fn forget(path: &Path, forgotten: &BTreeSet<String>) -> Result<(), FolderError> {
    if forgotten.is_empty() {
        return Ok(());
    }
    remove_unless(path, |name| !owners(name).any(|id| forgotten.contains(id)))
}

/// A name and what it belongs to: sub-agents' trajectories and outputs of tests have the episode's name and more after a dot.
fn owners(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.rsplit_once('.').map(|(rest, _)| rest))
}

/// Removes every entry, of those that episodes leave, that is not to be kept; names are without `.jsonl`.
fn remove_unless(path: &Path, is_kept: impl Fn(&str) -> bool) -> Result<(), FolderError> {
    for folder in [EPISODES, OUTPUTS] {
        let folder = path.join(folder);
        let failed = |path: PathBuf| move |why| FolderError::Io { path, why };
        for entry in fs::read_dir(&folder).map_err(failed(folder.clone()))? {
            let entry = entry.map_err(failed(folder.clone()))?;
            let name = entry.file_name();
            let id = name.to_str().map(|name| name.strip_suffix(".jsonl").unwrap_or(name));
            if id.is_none_or(&is_kept) {
                continue;
            }
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let removed = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(failed(path))?;
        }
    }
    Ok(())
}

/// See `RunFolder::changed`.
pub(super) fn changed(path: &Path, finished: &Finished, keep_logs: SampleRate) -> Vec<String> {
    let is_as_it_was = |record: &EpisodeRecord| {
        let Some(hash) = record.hash.as_ref().and_then(|hash| Digest::from_hex(hash.as_bytes()).ok()) else {
            // Every score is computed from a trajectory.
            return record.reward().is_none();
        };
        let file = assay_files::open(&path.join(EPISODES).join(format!("{}.jsonl", record.id)), Links::Refused);
        file.is_ok_and(|file| still_holds(BufReader::new(file), hash).unwrap_or(false))
    };
    let kept = finished.values().filter(|record| record.keeps_full_log(keep_logs));
    kept.filter(|record| !is_as_it_was(record)).map(|record| record.id.clone()).collect()
}

/// The names of the trajectories.
fn ids_in(folder: &Path) -> Result<Vec<String>, FolderError> {
    let failed = |why| FolderError::Io { path: folder.to_owned(), why };
    let mut ids = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        ids.extend(name.to_str().and_then(|name| name.strip_suffix(".jsonl")).map(str::to_owned));
    }
    ids.sort();
    Ok(ids)
}
