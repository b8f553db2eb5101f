//! Lines of a journal that are not believed, because their trajectories say otherwise.
//!
//! Invariants: whatever a line says of a score, of flags and of what the episode took is compared with the trajectory that it names; where that is gone, nothing
//! contradicts the line; a trajectory is read whole once, up to a bound, and beyond it only scores are compared; nothing here writes.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::BufReader;
use std::path::Path;

use assay_files::{Folder, OpenError};
use assay_trace::{
    Digest, Event, EventKind, Loaded, Outcome, ReadError, ReadLimits, Record, Trajectory, Verdict, read_with_limits,
    verdict_at,
};

use super::beside::{Episode, file_name};
use super::episode::{EpisodeRecord, EpisodeResult};
use super::lines::DamagedLine;
use super::lost::{hidden_score, lost};
use super::names::{EPISODES, RECORD_BYTES_MAX, RECORD_NAME};
use super::spending::{Spending, Unread};
use crate::later::was_graded_later;

/// How far a reward may be from that of its trajectory: what reading a number may cost of its last digit.
const SAME: f64 = 1e-9;
/// Lines, or flags, that a message names.
const NAMED_MAX: usize = 20;
/// Bytes of trajectories that are read whole for one journal: about a second, on a page that somebody waits for.
const WHOLE_BYTES_MAX: u64 = 256 << 20;
/// Bytes of one of them, all of which is held at once, in bounded memory.
const WHOLE_BYTES_EACH: u64 = 32 << 20;

/// A line that is not believed: its trajectory says otherwise.
#[derive(Clone, PartialEq, Debug)]
pub struct Doubt {
    /// The line, from 1.
    pub line: usize,
    /// What it says.
    pub record: EpisodeRecord,
    /// What differs.
    pub why: String,
}

impl Doubt {
    /// The trajectory that says otherwise, from the folder of the run on.
    #[must_use]
    pub fn trajectory(&self) -> String {
        format!("{EPISODES}/{}", file_name(&self.record))
    }
}

/// What a journal says, where each line was compared with its trajectory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Proven {
    /// For each episode its last line, by task and sample.
    pub records: Vec<EpisodeRecord>,
    /// Lines that are left out of that, in their order.
    pub doubts: Vec<Doubt>,
    /// Lines that cannot be read, in their order.
    pub damaged: Vec<DamagedLine>,
    /// Bytes of trajectories that were read whole for it.
    pub whole_bytes: u64,
}

/// How much of the trajectories of a journal may still be read whole.
pub(super) struct Room(Cell<u64>);

impl Room {
    pub(super) const fn new() -> Self {
        Self(Cell::new(WHOLE_BYTES_MAX))
    }

    /// Bytes that have been read.
    pub(super) fn taken(&self) -> u64 {
        WHOLE_BYTES_MAX - self.0.get()
    }

    /// Reads a trajectory whole, if there is room for it.
    pub(super) fn load(&self, episodes: &Folder, id: &str) -> Result<Loaded, Unread> {
        let why = |error: OpenError| if error.is_missing() { Unread::Missing } else { Unread::Unreadable };
        let file = episodes.file(format!("{id}.jsonl")).map_err(why)?;
        let bytes = file.metadata().map_err(|_| Unread::Unreadable)?.len();
        let left = self.0.get();
        if bytes > left.min(WHOLE_BYTES_EACH) {
            return Err(Unread::NoRoom);
        }
        self.0.set(left - bytes);
        // It may have grown meanwhile.
        let limits = ReadLimits { file_bytes: WHOLE_BYTES_EACH, ..ReadLimits::BOUNDED };
        read_with_limits(BufReader::new(file), limits).map_err(|error| match error {
            ReadError::NeedsMemory { .. } => Unread::NoRoom,
            _ => Unread::Unreadable,
        })
    }
}

/// What is wrong with lines that are contradicted: of the first what differs, of others their numbers.
pub(super) fn contradicted(path: &Path, doubts: &[Doubt]) -> String {
    let Some((first, more)) = doubts.split_first() else { return format!("{} cannot be believed", path.display()) };
    let Doubt { line, why, .. } = first;
    let lines: Vec<usize> = more.iter().map(|doubt| doubt.line).collect();
    let also = also(&lines, ["does", "do"]);
    format!("line {line} of {} contradicts its trajectory: {why}{also}", path.display())
}

/// The lines of which the same is to be said as of one before them. The verbs are for one and for several.
pub(super) fn also(lines: &[usize], [one, many]: [&str; 2]) -> String {
    match lines.len() {
        0 => String::new(),
        1 => format!("; so {one} {}", lines_in_words(lines)),
        _ => format!("; so {many} {}", lines_in_words(lines)),
    }
}

/// Lines of a file in their order, as far as a message names them, and how many more there are: `line 7`, `lines 3, 7`, `lines 1, … 20 and 980 more`.
#[must_use]
pub fn lines_in_words(lines: &[usize]) -> String {
    let mut sorted = lines.to_vec();
    sorted.sort_unstable();
    let named: Vec<String> = sorted.iter().take(NAMED_MAX).map(usize::to_string).collect();
    let what = if lines.len() == 1 { "line" } else { "lines" };
    let more = match lines.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{what} {}{more}", named.join(", "))
}

/// Why a line is not believed, if it is not. `agent` is that of the run, where its record names one.
pub(super) fn unproven(episode: &Episode<'_>, agent: Option<&str>, room: &Room) -> Option<String> {
    if let Some(why) = contradiction(episode, room).or_else(|| lost(episode, agent.is_some())) {
        return Some(why);
    }
    let (found, agent) = other_agent(episode, agent?)?;
    Some(format!("its trajectory was played by {found:?}, but this is a run of {agent:?}"))
}

/// Who played the trajectory of an episode, and who should have, where that is another agent.
pub(super) fn other_agent(episode: &Episode<'_>, agent: &str) -> Option<(String, String)> {
    episode.line.hash.as_ref()?;
    let found = episode.named()?.model.as_ref().filter(|found| *found != agent)?;
    Some((found.clone(), agent.to_owned()))
}

/// The agent that the record of a run in a world names.
pub(super) fn agent_of(folder: &Folder) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Ran {
        settings: Settings,
    }
    #[derive(serde::Deserialize)]
    struct Settings {
        agent: Option<String>,
    }
    let bytes = folder.read(RECORD_NAME, RECORD_BYTES_MAX).ok()?;
    serde_json::from_slice::<Ran>(&bytes).ok()?.settings.agent
}

/// In what a line differs from its trajectory; nothing where that is gone, or is no longer what it was, which is for others to judge.
pub(super) fn contradiction(episode: &Episode<'_>, room: &Room) -> Option<String> {
    let (record, episodes) = (episode.line, episode.episodes);
    let whole = || room.load(episodes, &record.id).ok().filter(|loaded| loaded.damage.is_none());
    let Some(stated) = &record.hash else {
        // A line that knows of no trajectory says nothing of what one tells.
        let is_silent = record.steps == 0 && record.tokens.is_none() && record.cost_microdollars.is_none();
        let loaded = if is_silent { None } else { whole() }?;
        return other_spending(record, &loaded.trajectory, episodes, room);
    };
    let name = file_name(record);
    let whole = whole();
    if let Some(loaded) = &whole {
        episode.knows(loaded.trajectory.metadata());
    }
    let read = || Some(BufReader::new(episodes.file(&name).ok()?));
    let then = match (&whole, Digest::from_hex(stated.as_bytes()).ok()) {
        (Some(loaded), Some(hash)) if loaded.head.hash == hash => Some(loaded.trajectory.verdict().cloned()),
        // It has grown since, or is too large.
        (_, Some(hash)) => verdict_at(read()?, hash).ok().flatten(),
        (_, None) => None,
    };
    let Some(verdict) = then else { return hidden_score(episode, whole.as_ref()) };
    if let Some(is) = episode.named().filter(|is| !is.is_of(record)) {
        return Some(if is.id == record.id.as_str() {
            let (its, ours) = (is.seed.0, record.seed.0);
            format!("its trajectory, {EPISODES}/{name}, was recorded with seed {its}, and the line says seed {ours}")
        } else {
            format!("its trajectory, {EPISODES}/{name}, is that of the episode {:?}, not of {:?}", is.id, record.id)
        });
    }
    // The hash may be that of a record before the score. What was graded later may have got its score just now, and what has a verdict may be scored anew.
    let is_before = |loaded: &&Loaded| verdict.is_none() && !was_graded_later(&loaded.trajectory);
    other_score(record, verdict.as_ref())
        .or_else(|| hidden_score(episode, Some(whole.as_ref().filter(is_before)?)))
        .or_else(|| hidden_flags(record, whole.as_ref()?))
        .or_else(|| other_spending(record, &whole.as_ref()?.trajectory, episodes, room))
}

/// What a line says of something, and its trajectory otherwise.
fn differs(record: &EpisodeRecord, what: &str, ours: &dyn Display, its: &dyn Display) -> String {
    let name = file_name(record);
    format!("its {what} is {ours}, but that of its trajectory, {EPISODES}/{name}, is {its}")
}

/// In what a line differs from the verdict of its trajectory.
fn other_score(record: &EpisodeRecord, verdict: Option<&Verdict>) -> Option<String> {
    let its_reward = verdict.and_then(Verdict::reward);
    let its_outcome = verdict.and_then(Verdict::outcome);
    let its_name = its_outcome.map_or("unscored", Outcome::name);
    match (record.result, its_reward) {
        (EpisodeResult::Scored { reward, .. }, Some(its)) if (its - reward).abs() > SAME => {
            Some(differs(record, "reward", &reward, &its))
        }
        (EpisodeResult::Scored { outcome, .. }, _) if its_outcome != Some(outcome) => {
            Some(differs(record, "outcome", &outcome.name(), &its_name))
        }
        (EpisodeResult::Unscored, Some(_)) => Some(differs(record, "outcome", &"unscored", &its_name)),
        _ => None,
    }
}

/// The flags that a line lacks although its trajectory has them. What was appended after the line may raise others: of a trajectory that has grown since, only
/// those before the first verdict were there for certain.
fn hidden_flags(record: &EpisodeRecord, loaded: &Loaded) -> Option<String> {
    let stated = record.hash.as_ref().and_then(|hash| Digest::from_hex(hash.as_bytes()).ok());
    let has_grown = stated != Some(loaded.head.hash);
    let then = loaded.trajectory.records().iter().take_while(|one| !has_grown || !matches!(one, Record::Verdict(_)));
    let raised = then.filter_map(|one| match one {
        Record::Event(Event { kind: EventKind::Flag(flag), .. }) => Some(flag.name.as_str()),
        _ => None,
    });
    let lacking: BTreeSet<&str> = raised.filter(|name| !record.flags.contains(*name)).collect();
    if lacking.is_empty() {
        return None;
    }
    let names: Vec<String> = lacking.into_iter().take(NAMED_MAX).map(|name| format!("{name:?}")).collect();
    let name = file_name(record);
    Some(format!("it lacks flags that its trajectory, {EPISODES}/{name}, has: {}", names.join(", ")))
}

/// In what a line differs from what its trajectory and those of its sub-agents say that the episode took. Where one of a sub-agent cannot be read, only steps
/// are known.
fn other_spending(record: &EpisodeRecord, trajectory: &Trajectory, episodes: &Folder, room: &Room) -> Option<String> {
    let steps = trajectory.steps() as u64;
    if record.steps != steps {
        return Some(differs(record, "number of steps", &record.steps, &steps));
    }
    let mut is_whole = true;
    let its = Spending::of(trajectory, |id| {
        let found = room.load(episodes, id);
        is_whole &= found.is_ok();
        found
    });
    if !is_whole {
        return None;
    }
    let amounts = [
        ("number of tokens", record.tokens, its.all_tokens()),
        ("cost in micro-dollars", record.cost_microdollars, its.all_cost()),
    ];
    // Lines of earlier releases do not know what an agent has used that asks no model, which is nothing.
    let other = amounts.into_iter().find(|(_, ours, its)| ours != its && (ours.is_some() || *its != Some(0)));
    let words = |amount: Option<u64>| amount.map_or_else(|| "not known".to_owned(), |amount| amount.to_string());
    if let Some((what, ours, its)) = other {
        return Some(differs(record, what, &words(ours), &words(its)));
    }
    // A line that does not say what of it is known says that nothing is.
    let is_other = match record.known {
        Some(known) => known != its,
        None => (its.tokens_unknown || its.cost_unknown) && (its.tokens, its.cost_microdollars) != (0, 0),
    };
    let words = |spent: Spending| {
        let more = if spent.tokens_unknown || spent.cost_unknown { ", and more that is not known" } else { "" };
        format!("{} tokens and {} micro-dollars{more}", spent.tokens, spent.cost_microdollars)
    };
    is_other.then(|| differs(record, "known spending", &words(record.known.unwrap_or_default()), &words(its)))
}
