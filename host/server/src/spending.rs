//! What models have cost: over all folders of rollouts, runs in worlds and refinements, today and in all.
//!
//! Invariants: a folder that has not changed is not read again; one request reads a bounded number of bytes, first of the folders that nobody has read yet,
//! then the newest, and says when it has not come to all of them; results count as far as they stand, and no sum overflows. An episode counts for the day on
//! which its trajectory was last written, a reply of a refinement for that of its file; whatever has no file of its own counts for the day on which its folder
//! last changed. Days are those of UTC, as all times of the pages.

use crate::id::FolderId;
use crate::library::{Found, Scan, What};
use assay_files::Folder;
use assay_refine::journal::Kept;
use assay_rollout::run as rollout_run;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of journals and trajectories after which a request reads no other folder.
const BYTES_AT_ONCE: u64 = 256 << 20;
/// What a folder counts at least: opening it takes time, too.
const FOLDER_BYTES: u64 = 64 << 10;
/// Folders that are remembered: as many as are found.
const REMEMBERED_MAX: usize = 5_000;
/// How long after a change a folder is read again all the same: times of files are whole seconds.
const SETTLED: Duration = Duration::from_secs(2);
/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// Tokens and money.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub(crate) struct Cost {
    pub tokens: u64,
    pub microdollars: u64,
    /// Whether some of it is not known.
    pub is_partly_unknown: bool,
}

impl Cost {
    fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            microdollars: self.microdollars.saturating_add(other.microdollars),
            is_partly_unknown: self.is_partly_unknown || other.is_partly_unknown,
        }
    }

    fn of(spent: rollout_run::Spending) -> Self {
        let is_partly_unknown = spent.tokens_unknown || spent.cost_unknown;
        Self { tokens: spent.tokens, microdollars: spent.cost_microdollars, is_partly_unknown }
    }
}

/// What was spent on one kind of work.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub(crate) struct Spent {
    pub today: Cost,
    pub total: Cost,
}

impl Spent {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { today: self.today.plus(other.today), total: self.total.plus(other.total) }
    }
}

/// What was spent, by kind of work.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub(crate) struct Bill {
    pub rollouts: Spent,
    pub worlds: Spent,
    pub refinements: Spent,
    /// Folders that have still to be read.
    pub behind: usize,
    /// Folders that cannot be read.
    pub unreadable: usize,
}

/// What is known of a folder as it was.
struct Known {
    modified: SystemTime,
    /// Whether it was read so long after that change that no other one can have had the same time.
    is_settled: bool,
    day: u64,
    /// None where it cannot be read.
    spent: Option<Spent>,
}

/// See the module documentation.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<HashMap<FolderId, Known>>);

impl Ledger {
    /// The bill of what was seen. Blocks on files.
    pub(crate) fn bill(&self, scan: &Scan) -> Bill {
        let (today, mut left, mut bill) = (day_of(SystemTime::now()), BYTES_AT_ONCE, Bill::default());
        let paid = |what: What| matches!(what, What::Rollout | What::World | What::Refinement);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > REMEMBERED_MAX {
            known.retain(|id, _| scan.found.iter().any(|found| found.id == *id));
        }
        bill.unreadable = scan.of(What::Damaged).count();
        // A run that goes on must not keep all others from being read.
        let (seen, new): (Vec<&Found>, Vec<&Found>) =
            scan.found.iter().filter(|found| paid(found.what)).partition(|found| known.contains_key(&found.id));
        for found in new.into_iter().chain(seen) {
            let is_fresh = |known: &&Known| known.is_settled && known.modified == found.modified && known.day == today;
            let spent = match known.get(&found.id).filter(is_fresh).map(|known| known.spent) {
                Some(spent) => spent,
                None if left == 0 => {
                    bill.behind += 1;
                    // What it was a while ago is better than nothing.
                    let Some(earlier) = known.get(&found.id) else { continue };
                    earlier.spent
                }
                None => {
                    let spent = read(found, today, &mut left);
                    let is_settled = found.modified.elapsed().is_ok_and(|since| since > SETTLED);
                    known.insert(found.id, Known { modified: found.modified, is_settled, day: today, spent });
                    spent
                }
            };
            let Some(spent) = spent else {
                bill.unreadable += 1;
                continue;
            };
            let of = match found.what {
                What::Rollout => &mut bill.rollouts,
                What::World => &mut bill.worlds,
                _ => &mut bill.refinements,
            };
            *of = of.plus(spent);
        }
        bill
    }
}

fn day_of(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / DAY
}

/// Whether a file was last written on a day.
fn is_of(folder: &Folder, name: &str, day: u64) -> bool {
    folder.look(name).ok().flatten().is_some_and(|found| day_of(found.modified) == day)
}

fn read(found: &Found, today: u64, left: &mut u64) -> Option<Spent> {
    let folder = found.open().ok()?;
    let journal = if found.what == What::Refinement { "log.jsonl" } else { rollout_run::JOURNAL_NAME };
    let bytes = folder.look(journal).ok().flatten().map_or(0, |journal| journal.bytes);
    *left = left.saturating_sub(bytes.max(FOLDER_BYTES));
    if bytes > rollout_run::JOURNAL_BYTES_MAX {
        return None;
    }
    let was_changed_today = day_of(found.modified) == today;
    if found.what == What::Refinement {
        return session(found, was_changed_today.then_some(today));
    }
    if bytes == 0 {
        return Some(Spent::default());
    }
    let proven = rollout_run::read_proven_journal_in(&folder).ok()?;
    *left = left.saturating_sub(proven.whole_bytes);
    let left_out = proven.doubts.len() + proven.damaged.len();
    if proven.records.is_empty() && proven.doubts.is_empty() && left_out > 0 {
        return None;
    }
    let episodes = if was_changed_today { found.episodes().ok() } else { None };
    let spent = proven.records.iter().map(|record| {
        let total = Cost::of(record.spending());
        let is_of_today =
            episodes.as_ref().is_some_and(|episodes| is_of(episodes, &format!("{}.jsonl", record.id), today));
        Spent { today: if is_of_today { total } else { Cost::default() }, total }
    });
    // Of what is left out nobody knows what it has cost, or when.
    let unknown = Cost { is_partly_unknown: left_out > 0, ..Cost::default() };
    Some(spent.fold(Spent { total: unknown, ..Spent::default() }, Spent::plus))
}

/// A refinement: what has no reply of a candidate is what planners, judges and explainers cost.
fn session(found: &Found, today: Option<u64>) -> Option<Spent> {
    let kept = Kept::read_in(found.open().ok()?).ok()?;
    let state = &kept.state;
    let all = state.spent();
    let total = Cost { tokens: all.tokens, microdollars: all.microdollars, is_partly_unknown: all.lost > 0 };
    let Some(today) = today else { return Some(Spent { today: Cost::default(), total }) };
    let replies = found.open().ok()?.folder("replies").ok();
    let (mut of_today, mut dated) = (Cost::default(), Cost::default());
    for (_, reply) in state.candidates().keys().flat_map(|candidate| state.requests(*candidate)) {
        let cost = Cost { tokens: reply.tokens, microdollars: reply.microdollars, is_partly_unknown: false };
        dated = dated.plus(cost);
        let file = replies.as_ref().zip(reply.hash.as_deref());
        if file.is_some_and(|(replies, hash)| is_of(replies, hash, today)) {
            of_today = of_today.plus(cost);
        }
    }
    let rest = Cost {
        tokens: total.tokens.saturating_sub(dated.tokens),
        microdollars: total.microdollars.saturating_sub(dated.microdollars),
        is_partly_unknown: total.is_partly_unknown,
    };
    Some(Spent { today: of_today.plus(rest), total })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sources;
    use crate::library::Library;
    use assay_store::{ArtifactPlace, Location};
    use std::fs;
    use std::path::Path;

    fn line(id: &str, tokens: Option<u64>) -> String {
        let cost = tokens.map_or_else(|| "null".to_owned(), |tokens| (tokens * 2).to_string());
        let tokens = tokens.map_or_else(|| "null".to_owned(), |tokens| tokens.to_string());
        let task = id.trim_end_matches(".s1");
        format!(
            "{{\"id\":\"{id}\",\"task\":\"{task}\",\"sample\":1,\"attempt\":1,\"seed\":7,\"result\":\"unscored\",\"reason\":\"\",\"steps\":1,\
             \"tokens\":{tokens},\"cost_microdollars\":{cost},\"flags\":[],\"duration_ns\":5,\"hash\":null}}\n"
        )
    }

    fn record(settings: &str) -> String {
        format!("{{\"format\":\"{}\",\"settings\":{settings},\"tasks\":{{}}}}", rollout_run::RUN_FORMAT)
    }

    /// A rollout, or a run in a world; each with a trajectory that was written some days ago.
    fn run(path: &Path, settings: &str, episodes: &[(&str, Option<u64>, u64)]) {
        fs::create_dir_all(path.join("episodes")).expect("made");
        fs::write(path.join("run.json"), record(settings)).expect("written");
        for (id, _, days) in episodes {
            let file = fs::File::create(path.join(format!("episodes/{id}.jsonl"))).expect("made");
            file.set_modified(SystemTime::now() - Duration::from_secs(days * DAY)).expect("set");
        }
        let lines: String = episodes.iter().map(|(id, tokens, _)| line(id, *tokens)).collect();
        fs::write(path.join("results.jsonl"), lines).expect("written");
    }

    fn bill(ledger: &Ledger, folder: &Path) -> Bill {
        let sources = Sources {
            store: Location::Sqlite(folder.join("store.db")),
            artifacts: ArtifactPlace::Folder(folder.join("artifacts")),
            folders: vec![folder.join("runs")],
            boards: None,
            cache: folder.join("cache"),
        };
        // Another one sees what there is now.
        ledger.bill(&Library::open(sources).expect("sources").scan())
    }

    fn cost(tokens: u64, is_partly_unknown: bool) -> Cost {
        Cost { tokens, microdollars: 2 * tokens, is_partly_unknown }
    }

    #[test]
    fn what_was_spent_is_counted_by_kind_and_day() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join("runs").join(name);
        run(&at("bugs"), "{}", &[("a.s1", Some(10), 0), ("b.s1", Some(5), 3)]);
        run(&at("desk"), "{\"world\":\"desk\"}", &[("c.s1", Some(7), 1), ("d.s1", None, 0)]);
        let ledger = Ledger::default();
        let first = bill(&ledger, folder.path());
        assert_eq!(first.rollouts, Spent { today: cost(10, false), total: cost(15, false) });
        assert_eq!(first.worlds, Spent { today: cost(0, true), total: cost(7, true) });
        assert_eq!((first.refinements, first.behind, first.unreadable), (Spent::default(), 0, 0));
        assert_eq!(bill(&ledger, folder.path()), first);

        // It grows, and another one is damaged.
        run(&at("bugs"), "{}", &[("a.s1", Some(10), 0), ("b.s1", Some(5), 3), ("e.s1", Some(4), 0)]);
        let later = SystemTime::now() + Duration::from_secs(2);
        let journal = fs::File::options().write(true).open(at("bugs").join("results.jsonl")).expect("it is there");
        journal.set_modified(later).expect("set");
        run(&at("broken"), "{}", &[]);
        fs::write(at("broken").join("results.jsonl"), "no record\n").expect("written");
        let second = bill(&ledger, folder.path());
        assert_eq!(second.rollouts, Spent { today: cost(14, false), total: cost(19, false) });
        assert_eq!((second.worlds, second.unreadable), (first.worlds, 1));
    }
}
