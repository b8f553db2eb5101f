//! What models have cost: over all folders of rollouts, runs in worlds and refinements, today and in all.
//!
//! Invariants: a folder that has not changed is not read again, and one that changes all the time only every few seconds; one request reads a bounded number of
//! bytes, first of the folders that nobody has read yet, then the newest, and says when it has not come to all of them; nobody waits for a folder that somebody
//! else reads: until then, what it was before counts. Whether a folder has changed is told by its record and its results alone: a trajectory that was changed
//! afterwards is noticed on the next day or after a restart. Results count as far as they stand, and no sum overflows. An episode counts for the day on which
//! its trajectory was last written, a reply of a refinement for that of its file; whatever has no file of its own counts for the day on which its folder last
//! changed. Days are those of UTC, as all times of the pages.

use crate::id::FolderId;
use crate::library::{Found, Scan, What};
use assay_files::Folder;
use assay_refine::journal::Kept;
use assay_rollout::run as rollout_run;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of journals and trajectories after which a request reads no other folder.
const BYTES_AT_ONCE: u64 = 256 << 20;
/// What a folder counts at least: opening it takes time, too.
const FOLDER_BYTES: u64 = 64 << 10;
/// Folders that are remembered: as many as are found.
const REMEMBERED_MAX: usize = 5_000;
/// How long after a change a folder is read again all the same: times of files are whole seconds.
const SETTLED: Duration = Duration::from_secs(2);
/// How long what was read of a folder counts, however often it changes.
const REUSED: Duration = Duration::from_secs(5);
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

    /// The same on another day, on which nothing is known to have been spent.
    fn before_today(self) -> Self {
        Self { today: Cost::default(), ..self }
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

/// What was read of a folder.
#[derive(Clone, Copy)]
enum Sum {
    /// Somebody reads it for the first time.
    Unread,
    Unreadable,
    Spent(Spent),
}

/// What is known of a folder as it was.
#[derive(Clone, Copy)]
struct Known {
    modified: SystemTime,
    /// Whether it was read so long after that change that no other one can have had the same time.
    is_settled: bool,
    day: u64,
    /// When somebody last began to read it.
    begun: SystemTime,
    sum: Sum,
}

impl Known {
    /// What counts of it on a day.
    fn on(&self, today: u64) -> Sum {
        match self.sum {
            Sum::Spent(spent) if self.day != today => Sum::Spent(spent.before_today()),
            sum => sum,
        }
    }
}

/// What becomes of a folder in a bill.
enum Turn {
    /// It is read.
    Read,
    /// What is known of it counts.
    Counts(Sum),
    /// The same, and it has still to be read.
    Behind(Sum),
}

/// See the module documentation.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<HashMap<FolderId, Known>>);

impl Ledger {
    /// The bill of what was seen, as it is now. Blocks on files.
    pub(crate) fn bill(&self, scan: &Scan, now: SystemTime) -> Bill {
        let (today, mut left, mut bill) = (day_of(now), BYTES_AT_ONCE, Bill::default());
        bill.unreadable = scan.of(What::Damaged).count();
        for found in self.in_order(scan) {
            let sum = match self.turn(found, now, left) {
                Turn::Counts(sum) => sum,
                Turn::Behind(sum) => {
                    bill.behind += 1;
                    sum
                }
                Turn::Read => {
                    let sum = read(found, today, &mut left).map_or(Sum::Unreadable, Sum::Spent);
                    self.keep(found, now, sum);
                    sum
                }
            };
            let spent = match sum {
                Sum::Spent(spent) => spent,
                Sum::Unreadable => {
                    bill.unreadable += 1;
                    continue;
                }
                Sum::Unread => continue,
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

    fn known(&self) -> MutexGuard<'_, HashMap<FolderId, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folders that cost something: a run that goes on must not keep those from being read that nobody has read yet.
    fn in_order<'s>(&self, scan: &'s Scan) -> Vec<&'s Found> {
        let paid = |found: &&Found| matches!(found.what, What::Rollout | What::World | What::Refinement);
        let mut known = self.known();
        if known.len() > REMEMBERED_MAX {
            known.retain(|id, _| scan.found.iter().any(|found| found.id == *id));
        }
        let (seen, mut all): (Vec<&Found>, Vec<&Found>) =
            scan.found.iter().filter(paid).partition(|found| known.contains_key(&found.id));
        all.extend(seen);
        all
    }

    /// Decides whether a folder is read, and says so to all others.
    fn turn(&self, found: &Found, now: SystemTime, left: u64) -> Turn {
        let (today, mut known) = (day_of(now), self.known());
        let before = known.get(&found.id).copied();
        if let Some(before) = before {
            let sum = before.on(today);
            if before.is_settled && before.modified == found.modified && before.day == today {
                return Turn::Counts(sum);
            }
            // A clock that was set back makes it older than that.
            if now.duration_since(before.begun).is_ok_and(|since| since < REUSED) {
                return if matches!(sum, Sum::Unread) { Turn::Behind(sum) } else { Turn::Counts(sum) };
            }
        }
        if left == 0 {
            // What it was a while ago is better than nothing.
            return Turn::Behind(before.map_or(Sum::Unread, |before| before.on(today)));
        }
        let unread = Known { modified: found.modified, is_settled: false, day: today, begun: now, sum: Sum::Unread };
        known.insert(found.id, Known { begun: now, is_settled: false, ..before.unwrap_or(unread) });
        Turn::Read
    }

    /// Remembers what was read of a folder.
    fn keep(&self, found: &Found, now: SystemTime, sum: Sum) {
        let is_settled = now.duration_since(found.modified).is_ok_and(|since| since > SETTLED);
        let known = Known { modified: found.modified, is_settled, day: day_of(now), begun: now, sum };
        self.known().insert(found.id, known);
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
    // Where no price is known, replies cost nothing.
    let is_partly_unknown = all.lost > 0 || (all.replies > 0 && all.microdollars == 0);
    let total = Cost { tokens: all.tokens, microdollars: all.microdollars, is_partly_unknown };
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

    fn sources(folder: &Path) -> Sources {
        Sources {
            store: Location::Sqlite(folder.join("store.db")),
            artifacts: ArtifactPlace::Folder(folder.join("artifacts")),
            folders: vec![folder.join("runs")],
            boards: None,
            cache: folder.join("cache"),
        }
    }

    fn bill(ledger: &Ledger, folder: &Path, now: SystemTime) -> Bill {
        let sources = sources(folder);
        // Another one sees what there is now.
        ledger.bill(&Library::open(sources).expect("sources").scan(), now)
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
        let (ledger, now) = (Ledger::default(), SystemTime::now());
        let first = bill(&ledger, folder.path(), now);
        assert_eq!(first.rollouts, Spent { today: cost(10, false), total: cost(15, false) });
        assert_eq!(first.worlds, Spent { today: cost(0, true), total: cost(7, true) });
        assert_eq!((first.refinements, first.behind, first.unreadable), (Spent::default(), 0, 0));
        assert_eq!(bill(&ledger, folder.path(), now), first);

        // It grows, and another one is damaged.
        run(&at("bugs"), "{}", &[("a.s1", Some(10), 0), ("b.s1", Some(5), 3), ("e.s1", Some(4), 0)]);
        let later = SystemTime::now() + Duration::from_secs(2);
        let journal = fs::File::options().write(true).open(at("bugs").join("results.jsonl")).expect("it is there");
        journal.set_modified(later).expect("set");
        run(&at("broken"), "{}", &[]);
        fs::write(at("broken").join("results.jsonl"), "no record\n").expect("written");
        // What was read a moment ago counts, unless nobody has read it yet.
        let same = bill(&ledger, folder.path(), now + REUSED / 2);
        assert_eq!((same.rollouts, same.unreadable), (first.rollouts, 1));
        let second = bill(&ledger, folder.path(), now + REUSED);
        assert_eq!(second.rollouts, Spent { today: cost(14, false), total: cost(19, false) });
        assert_eq!((second.worlds, second.unreadable), (first.worlds, 1));
    }
    #[test]
    fn what_a_folder_was_before_counts_while_it_is_not_read() {
        let spent = |today: u64| Sum::Spent(Spent { today: cost(today, false), total: cost(9, false) });
        let now = UNIX_EPOCH + Duration::from_secs(1_000 * DAY + 100);
        let folder = tempfile::tempdir().expect("a folder");
        run(&folder.path().join("runs/bugs"), "{}", &[("a.s1", Some(10), 0)]);
        // Of when what is known is, in seconds before, with how many bytes left to read; what counts today and in all, and whether it is behind.
        for (sum, seconds, left, expected) in [
            (spent(4), 1, 9, Some((4, 9, false))),
            (spent(4), REUSED.as_secs(), 0, Some((4, 9, true))),
            (spent(4), REUSED.as_secs(), 9, None),
            // Yesterday's cost is not today's.
            (spent(4), 101, 0, Some((0, 9, true))),
            (spent(4), 101, 9, None),
            (Sum::Unread, 1, 9, Some((0, 0, true))),
            (Sum::Unread, REUSED.as_secs(), 9, None),
        ] {
            let scan = Library::open(sources(folder.path())).expect("sources").scan();
            let (found, ledger) = (&scan.found[0], Ledger::default());
            ledger.keep(found, now - Duration::from_secs(seconds), sum);
            let (sum, is_behind) = match ledger.turn(found, now, left) {
                Turn::Read => {
                    assert_eq!(expected, None, "{seconds} {left}");
                    continue;
                }
                Turn::Counts(sum) => (sum, false),
                Turn::Behind(sum) => (sum, true),
            };
            let Spent { today, total } = if let Sum::Spent(spent) = sum { spent } else { Spent::default() };
            assert_eq!(Some((today.tokens, total.tokens, is_behind)), expected, "{seconds} {left}");
        }
    }
}
