//! What a line says that was spent on its episode before its own attempt, as far as something is left of that: trajectories of earlier attempts, lines of
//! those that had no score, and `discarded.jsonl`.
//!
//! Invariants: of what nothing backs, nothing counts, and it is said that a part is not known; what was discarded counts once, also where its trajectory is
//! still there; where there is no room to read what is left, the line is believed, as it is of its own attempt; nothing here writes.

use std::collections::{BTreeMap, BTreeSet};

use assay_files::Folder;

use super::discarded::{self, Discarded};
use super::doubt::Room;
use super::episode::{EpisodeRecord, Finished};
use super::names::parts_of;
use super::spending::{Spending, Unread};

/// Names in the folder of trajectories.
const ENTRIES_MAX: usize = 1 << 20;

/// A task and a sample of it.
type Sample = (String, u32);

/// What is left of the attempts at the episodes of a run.
pub(super) struct Attempts<'a> {
    episodes: Option<&'a Folder>,
    room: &'a Room,
    /// Attempts with a trajectory, each with its name.
    trajectories: BTreeMap<Sample, BTreeMap<u32, String>>,
    /// What attempts have cost that have a line and no score, sub-agents included.
    lines: BTreeMap<Sample, BTreeMap<u32, Spending>>,
    discarded: BTreeMap<Sample, Vec<(u32, Discarded)>>,
}

impl<'a> Attempts<'a> {
    /// Looks at the folder of a run, with the lines of its journal that are believed.
    pub(super) fn of(
        folder: &Folder,
        episodes: Option<&'a Folder>,
        room: &'a Room,
        believed: &[(usize, EpisodeRecord)],
    ) -> Self {
        let mut all =
            Self { episodes, room, trajectories: BTreeMap::new(), lines: BTreeMap::new(), discarded: BTreeMap::new() };
        for (_, record) in believed.iter().filter(|(_, record)| record.reward().is_none()) {
            all.lines.entry(sample_of(record)).or_default().insert(record.attempt, record.own_spending());
        }
        // One that cannot be read backs nothing.
        for one in discarded::read(folder).unwrap_or_default() {
            let Some((task, sample, attempt)) = parts_of(&one.id) else { continue };
            all.discarded.entry((task.to_owned(), sample)).or_default().push((attempt, one));
        }
        let has_more_than_first = believed.iter().any(|(_, record)| record.attempt > 1);
        let names = episodes.filter(|_| has_more_than_first).and_then(|episodes| episodes.entries(ENTRIES_MAX).ok());
        for name in names.unwrap_or_default() {
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else { continue };
            let Some((task, sample, attempt)) = parts_of(id) else { continue };
            all.trajectories.entry((task.to_owned(), sample)).or_default().insert(attempt, id.to_owned());
        }
        all
    }

    /// Leaves out of finished episodes what nothing backs of what was spent before.
    pub(super) fn settle(&self, finished: &mut Finished) {
        for (sample, record) in finished {
            // Without room to look, it stays as it is.
            record.earlier = self.backed(sample, record).unwrap_or(record.earlier);
        }
    }

    /// What was spent before the attempt of a line; nothing where there is no room to find out.
    fn backed(&self, sample: &Sample, record: &EpisodeRecord) -> Option<Spending> {
        let mut left = self.lines.get(sample).cloned().unwrap_or_default();
        let mut hashes = BTreeSet::new();
        for (attempt, id) in self.trajectories.get(sample).into_iter().flatten() {
            if *attempt >= record.attempt {
                break;
            }
            match self.told(id) {
                Ok((hash, spent)) => {
                    hashes.insert((*attempt, hash));
                    left.insert(*attempt, spent);
                }
                Err(Unread::NoRoom) => return None,
                Err(Unread::Missing | Unread::Unreadable) => {}
            }
        }
        let before = left.range(..record.attempt).map(|(_, spent)| *spent);
        let mut least = before.fold(Spending::default(), Spending::plus);
        // Attempts are counted anew after each start, so a later one may have come before.
        let mut later = Spending::default();
        for (attempt, Discarded { hash, spent, .. }) in self.discarded.get(sample).into_iter().flatten() {
            if hashes.contains(&(*attempt, hash.clone())) {
                continue;
            }
            let sum = if *attempt <= record.attempt { &mut least } else { &mut later };
            *sum = sum.plus(*spent);
        }
        Some(between(record.earlier, least, least.plus(later)))
    }

    /// What the trajectory of an attempt says that it has cost, and the hash of its last line.
    fn told(&self, id: &str) -> Result<(String, Spending), Unread> {
        let episodes = self.episodes.ok_or(Unread::Missing)?;
        let loaded = self.room.load(episodes, id)?;
        if loaded.trajectory.metadata().id.as_str() != id {
            return Err(Unread::Unreadable);
        }
        let mut has_room = true;
        let spent = Spending::of(&loaded.trajectory, |id| {
            let found = self.room.load(episodes, id);
            has_room &= !matches!(found, Err(Unread::NoRoom));
            found
        });
        if has_room { Ok((loaded.head.hash.to_string(), spent)) } else { Err(Unread::NoRoom) }
    }
}

fn sample_of(record: &EpisodeRecord) -> Sample {
    (record.task.clone(), record.sample)
}

/// What a line says was spent, as far as it can be: not more than there is, and not all of it where there is more.
fn between(said: Spending, least: Spending, most: Spending) -> Spending {
    let is_other = |said: u64, least: u64, most: u64| !(least..=most).contains(&said);
    let both = said.plus(least);
    Spending {
        tokens: said.tokens.min(most.tokens),
        cost_microdollars: said.cost_microdollars.min(most.cost_microdollars),
        tokens_unknown: both.tokens_unknown || is_other(said.tokens, least.tokens, most.tokens),
        cost_unknown: both.cost_unknown
            || is_other(said.cost_microdollars, least.cost_microdollars, most.cost_microdollars),
    }
}
