//! Settings of a run that are not those with which its episodes ran: whoever changes `run.json` afterwards does not change what the trajectories say of it.
//!
//! Invariants: only what a trajectory states is compared, by its first line; what is read is bounded; nothing here writes.

use std::collections::BTreeMap;
use std::io::BufReader;

use assay_files::Folder;
use assay_model::Seed;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::beside::{file_name, first_line};
use super::episode::{EpisodeRecord, episode_seed};
use super::names::EPISODES;
use super::record::RunRecord;

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

/// What the first line of a trajectory says of the settings of its episode.
#[derive(Deserialize)]
struct Began {
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

/// The settings of a run that trajectories of its finished episodes contradict, each once.
#[must_use]
pub fn altered(run: &RunRecord, folder: &Folder, finished: &[EpisodeRecord]) -> Vec<Altered> {
    let Ok(episodes) = folder.folder(EPISODES) else { return Vec::new() };
    let (mut all, mut left) = (BTreeMap::<String, Altered>::new(), LOOKED_BYTES_MAX);
    for record in finished.iter().filter(|record| record.hash.is_some()).take(LOOKED_MAX) {
        if left == 0 {
            break;
        }
        let file = episodes.file(file_name(record)).ok();
        let began = file.and_then(|file| first_line::<Began>(&mut BufReader::new(file), &mut left));
        let Some(began) = began else { continue };
        for (setting, ours, its) in differences(run, record, &began) {
            let trajectory = format!("{EPISODES}/{}", file_name(record));
            all.entry(setting.clone()).or_insert(Altered { setting, run: ours, trajectory, its });
        }
    }
    all.into_values().collect()
}

/// In what an episode differs from the record of its run: what, what the record says, and what the episode says.
fn differences(run: &RunRecord, record: &EpisodeRecord, began: &Began) -> Vec<(String, String, String)> {
    let mut found: Vec<(String, String, String)> = Vec::new();
    for (setting, its) in stated(began) {
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
    if let Some(its) = began.hashes.get("task") {
        let ours = run.tasks.get(&record.task).map_or("nothing", String::as_str);
        if ours != its {
            found.push((format!("task {}", record.task), ours.to_owned(), its.clone()));
        }
    }
    found
}

/// The settings that a trajectory states.
fn stated(began: &Began) -> Vec<(&'static str, Value)> {
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
