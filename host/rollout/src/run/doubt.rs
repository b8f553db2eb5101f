//! Lines of a journal that are not believed, because their trajectories say otherwise.
//!
//! Invariants: whatever a line says of a score is compared with the trajectory that it names; where that is gone, nothing contradicts the line; nothing here
//! writes.

use std::fmt::Display;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

use assay_files::Folder;
use assay_model::Seed;
use assay_trace::{Digest, Outcome, Verdict, still_holds, verdict_at, verify};

use super::episode::{EpisodeRecord, EpisodeResult};
use super::names::{EPISODES, LINE_BYTES_MAX, RECORD_BYTES_MAX, RECORD_NAME};

/// How far a reward may be from that of its trajectory: what reading a number may cost of its last digit.
const SAME: f64 = 1e-9;
/// Lines that a message names.
const NAMED_MAX: usize = 20;

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
}

/// What is wrong with lines that are contradicted: of the first what differs, of others their numbers.
pub(super) fn contradicted(path: &Path, doubts: &[Doubt]) -> String {
    let Some((first, more)) = doubts.split_first() else { return format!("{} cannot be believed", path.display()) };
    let Doubt { line, why, .. } = first;
    let lines: Vec<usize> = more.iter().map(|doubt| doubt.line).collect();
    let also = match lines.len() {
        0 => String::new(),
        1 => format!("; so does {}", lines_in_words(&lines)),
        _ => format!("; so do {}", lines_in_words(&lines)),
    };
    format!("line {line} of {} contradicts its trajectory: {why}{also}", path.display())
}

/// Lines of a file, as far as a message names them: `line 7`, `lines 3, 7`.
#[must_use]
pub fn lines_in_words(lines: &[usize]) -> String {
    let named: Vec<String> = lines.iter().take(NAMED_MAX).map(usize::to_string).collect();
    let what = if lines.len() == 1 { "line" } else { "lines" };
    let more = if lines.len() > named.len() { ", …" } else { "" };
    format!("{what} {}{more}", named.join(", "))
}

/// Why a line is not believed, if it is not. `agent` is that of the run, where its record names one.
pub(super) fn unproven(record: &EpisodeRecord, episodes: &Folder, agent: Option<&str>) -> Option<String> {
    if let Some(why) = contradiction(record, episodes).or_else(|| lost(record, episodes, agent.is_some())) {
        return Some(why);
    }
    let (found, agent) = other_agent(record, episodes, agent?)?;
    Some(format!("its trajectory was played by {found:?}, but this is a run of {agent:?}"))
}

/// Who played the trajectory of an episode, and who should have, where that is another agent.
pub(super) fn other_agent(record: &EpisodeRecord, episodes: &Folder, agent: &str) -> Option<(String, String)> {
    record.hash.as_ref()?;
    let file = episodes.file(file_name(record)).ok()?;
    let found = named(&mut BufReader::new(file))?.model.filter(|found| found != agent)?;
    Some((found, agent.to_owned()))
}

/// The name of an episode's trajectory among the others.
pub(super) fn file_name(record: &EpisodeRecord) -> String {
    format!("{}.jsonl", record.id)
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

/// In what a line differs from the verdict of its trajectory; nothing where that is gone, or is no longer what it was, which is for others to judge.
pub(super) fn contradiction(record: &EpisodeRecord, episodes: &Folder) -> Option<String> {
    let hash = Digest::from_hex(record.hash.as_ref()?.as_bytes()).ok()?;
    let name = file_name(record);
    let read = || Some(BufReader::new(episodes.file(&name).ok()?));
    let verdict = verdict_at(read()?, hash).ok()??;
    if let Some(is) = named(&mut read()?).filter(|is| (is.id.as_str(), is.seed) != (record.id.as_str(), record.seed)) {
        return Some(format!(
            "its trajectory, {EPISODES}/{name}, is that of the episode {:?} with seed {}, not of {:?} with seed {}",
            is.id, is.seed.0, record.id, record.seed.0
        ));
    }
    let differs = |what: &str, ours: &dyn Display, its: &dyn Display| {
        Some(format!("its {what} is {ours}, but that of its trajectory, {EPISODES}/{name}, is {its}"))
    };
    let its_reward = verdict.as_ref().and_then(Verdict::reward);
    let its_outcome = verdict.as_ref().and_then(Verdict::outcome);
    let its_name = its_outcome.map_or("unscored", Outcome::name);
    match (record.result, its_reward) {
        (EpisodeResult::Scored { reward, .. }, Some(its)) if (its - reward).abs() > SAME => {
            differs("reward", &reward, &its)
        }
        (EpisodeResult::Scored { outcome, .. }, _) if its_outcome != Some(outcome) => {
            differs("outcome", &outcome.name(), &its_name)
        }
        (EpisodeResult::Unscored, Some(_)) => differs("outcome", &"unscored", &its_name),
        _ => None,
    }
}

/// That a scored line names a trajectory that is missing: agents in worlds may run as the user, so nothing else proves what a line says.
pub(super) fn missing(record: &EpisodeRecord) -> Option<String> {
    (record.reward().is_some() && record.hash.is_some())
        .then(|| format!("its trajectory, {EPISODES}/{}, is missing", file_name(record)))
}

/// That the trajectory of a scored line is there, and does not have the record with the line's hash, or the line has no hash; in worlds, that it is missing.
fn lost(record: &EpisodeRecord, episodes: &Folder, is_in_world: bool) -> Option<String> {
    record.reward()?;
    let name = file_name(record);
    let file = match episodes.file(&name) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return if is_in_world { missing(record) } else { None },
        Err(error) => return Some(format!("its trajectory, {EPISODES}/{name}, cannot be read: {error}")),
    };
    let Some(stated) = &record.hash else {
        // A file that cannot be read as a trajectory contradicts as little as one that is gone.
        let is_whole = verify(BufReader::new(file)).is_ok_and(|verified| verified.damage.is_none());
        return is_whole.then(|| format!("it has no hash, but its trajectory, {EPISODES}/{name}, is there"));
    };
    let holds = |hash| still_holds(BufReader::new(file), hash).unwrap_or(false);
    if Digest::from_hex(stated.as_bytes()).is_ok_and(holds) {
        return None;
    }
    Some(format!("its trajectory, {EPISODES}/{name}, has no record with the hash of the line any more"))
}

/// What the first line of a trajectory says which episode it is.
#[derive(serde::Deserialize)]
struct Named {
    id: String,
    seed: Seed,
    model: Option<String>,
}

/// Which episode a file says that it is; nothing where it does not say so.
fn named(file: &mut impl io::BufRead) -> Option<Named> {
    let mut line = Vec::new();
    file.take(LINE_BYTES_MAX).read_until(b'\n', &mut line).ok()?;
    serde_json::from_slice(&line).ok()
}
