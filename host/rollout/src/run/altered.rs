//! Settings of a run that are not those with which its episodes ran: whoever changes `run.json` afterwards does not change what the trajectories say of it.
//!
//! Invariants: only what a trajectory states is compared, by its first line, and the rule by the score that the episode's line names; a first line that does not have the
//! hash that it states proves nothing, and is named; what is read is bounded; nothing here writes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use assay_files::Folder;
use assay_grade::rule::Rule;
use assay_model::Seed;
use assay_trace::{Digest, follow, stated_hash};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::beside::{end_of, file_name, whole_line};
use super::episode::{EpisodeRecord, episode_seed};
use super::names::EPISODES;
use super::record::RunRecord;
use crate::grading::rule_name;

/// Trajectories whose first lines are read: changed settings are those of all, a changed task is that of a few.
const LOOKED_MAX: usize = 2_000;
/// Bytes of these: one is a few thousand long.
const LOOKED_BYTES_MAX: u64 = 64 << 20;
/// Settings of bug-fix rollouts, and the limits of a trajectory that they become.
const LIMITS: [(&str, &str); 5] = [
    ("steps", "steps"),
    ("tokens", "tokens"),
    ("cost_microdollars", "cost_microdollars"),
    ("time_ns", "wall_ns"),
    ("context_tokens", "context_tokens"),
];

/// A setting that was changed after an episode had run with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Altered {
    /// Its name; `task ID` for the digest of a task.
    pub setting: String,
    /// What the record of the run says.
    pub run: String,
    /// The first trajectory that says otherwise, from the folder of the run on.
    pub trajectory: String,
    /// What that says.
    pub its: String,
}

/// What the trajectories of a run say of its settings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stated {
    /// The settings that they contradict, each once.
    pub altered: Vec<Altered>,
    /// The episodes whose trajectory has a first line with another hash than it states: nothing of it is compared.
    pub unsealed: Vec<String>,
}

/// What the first line of a trajectory says of the settings of its episode.
#[derive(Deserialize)]
struct Began {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    versions: BTreeMap<String, String>,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
    #[serde(default)]
    limits: BTreeMap<String, u64>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    meta: Map<String, Value>,
}

/// Compares the settings of a run with what the trajectories of its finished episodes state.
#[must_use]
pub fn stated(run: &RunRecord, folder: &Folder, finished: &[EpisodeRecord]) -> Stated {
    let Ok(episodes) = folder.folder(EPISODES) else { return Stated::default() };
    let (mut all, mut unsealed) = (BTreeMap::<String, Altered>::new(), Vec::new());
    let mut left = LOOKED_BYTES_MAX;
    for record in finished.iter().filter(|record| record.hash.is_some()).take(LOOKED_MAX) {
        if left == 0 {
            break;
        }
        let Ok(file) = episodes.file(file_name(record)) else { continue };
        let mut file = BufReader::new(file);
        let Some(line) = whole_line(&mut file, &mut left) else { continue };
        if follow(&line, Digest::ZERO).is_err() {
            unsealed.push(record.id.clone());
            continue;
        }
        let Ok(began) = serde_json::from_slice::<Began>(&line) else { continue };
        let mut found = differences(run, record, &began);
        found.extend(other_rule(run, record, file.get_mut(), &mut left));
        for (setting, ours, its) in found {
            let trajectory = format!("{EPISODES}/{}", file_name(record));
            all.entry(setting.clone()).or_insert(Altered { setting, run: ours, trajectory, its });
        }
    }
    Stated { altered: all.into_values().collect(), unsealed }
}

/// In what an episode differs from the record of its run: what, what the record says, and what the episode says.
fn differences(run: &RunRecord, record: &EpisodeRecord, began: &Began) -> Vec<(String, String, String)> {
    let mut found: Vec<(String, String, String)> = Vec::new();
    for (setting, its) in settings_of(began) {
        // Runs of earlier releases do not have all of them.
        if let Some(ours) = run.settings.get(setting).filter(|ours| **ours != its) {
            found.push((setting.to_owned(), ours.to_string(), its.to_string()));
        }
    }
    let number = |setting: &str| run.settings.get(setting).and_then(Value::as_u64);
    if let Some(samples) = number("samples").filter(|samples| u64::from(record.sample) > *samples) {
        found.push(("samples".to_owned(), samples.to_string(), format!("sample {}", record.sample)));
    }
    // A fork has the seed of the episode that it comes from.
    let seed = number("seed").filter(|_| !run.settings.contains_key("forked_from"));
    if let Some(seed) = seed.filter(|seed| episode_seed(Seed(*seed), &record.task, record.sample) != record.seed) {
        found.push(("seed".to_owned(), seed.to_string(), format!("{}, which follows from another", record.seed.0)));
    }
    // Who acted in a world is compared with every line.
    let model = run.settings.get("model").and_then(Value::as_str).filter(|_| !run.settings.contains_key("agent"));
    if let (Some(ours), Some(its)) = (model, began.model.as_deref())
        && !is_model(ours, its)
    {
        found.push(("model".to_owned(), json!(ours).to_string(), json!(its).to_string()));
    }
    if let Some(its) = began.hashes.get("task") {
        let ours = run.tasks.get(&record.task).map_or("nothing", String::as_str);
        if ours != its {
            found.push((format!("task {}", record.task), ours.to_owned(), its.clone()));
        }
    }
    found
}

/// The settings that a trajectory states.
fn settings_of(began: &Began) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    all.extend(began.versions.get("assay").map(|version| ("assay", json!(version))));
    all.extend(began.meta.get("faults").map(|faults| ("faults", faults.clone())));
    if let [kind, world, ..] = began.tags.as_slice()
        && kind == "world"
    {
        all.push(("world", json!(world)));
    }
    if began.limits.contains_key("context_tokens") {
        // Where there is no limit, none is stated.
        all.extend(LIMITS.map(|(setting, limit)| (setting, json!(began.limits.get(limit)))));
    }
    all
}

/// Whether a trajectory names the model that a run asks for: a script without its folder, and whatever was recorded where that is a cassette.
fn is_model(asked: &str, found: &str) -> bool {
    match asked.split_once(':') {
        // Each task has its own script.
        None if asked == "scripted" => found.starts_with("scripted:"),
        Some(("scripted", path)) => {
            let name = Path::new(path).file_name().and_then(OsStr::to_str);
            found.strip_prefix("scripted:") == name
        }
        Some(("cassette", _)) => true,
        _ => asked == found,
    }
}

/// The rule of a run, and that of the score which the line of an episode names, where they differ: whoever scores a trajectory anew may choose another rule. What
/// is read is taken from the bytes that are `left`.
fn other_rule(
    run: &RunRecord,
    record: &EpisodeRecord,
    file: &mut File,
    left: &mut u64,
) -> Option<(String, String, String)> {
    #[derive(Deserialize)]
    struct Scored {
        scorer: String,
    }
    let ours = run.settings.get("rule").and_then(Value::as_str)?;
    let end = end_of(file, left)?;
    let hash = Digest::from_hex(record.hash.as_ref()?.as_bytes()).ok()?;
    let mut lines = end.strip_suffix(b"\n")?.rsplit(|byte| *byte == b'\n');
    let line = lines.find(|line| stated_hash(line).is_ok_and(|stated| stated == hash))?;
    let scorer = serde_json::from_slice::<Scored>(line).ok()?.scorer;
    // Whatever else scores names no rule.
    let its = [Rule::Strict, Rule::R2eCompat, Rule::SweBench].map(rule_name);
    let its = its.into_iter().find(|name| scorer.split(' ').next() == Some(*name)).filter(|name| *name != ours)?;
    Some(("rule".to_owned(), json!(ours).to_string(), json!(its).to_string()))
}
