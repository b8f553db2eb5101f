//! From settings to what is run: tasks, limits, and the record that a run is held to.

use super::estimate::Estimate;
use super::settings::EpisodeSettings;
use crate::Failure;
use crate::bench;
use crate::settings::time_limit;
use crate::tasks;
use assay_docker::EngineUrl;
use assay_files::Links;
use assay_llm::Budget;
use assay_model::{Nanos, Seed};
use assay_rollout::grading::{GradeSettings, can_be_graded};
use assay_rollout::run::RunRecord;
use assay_rollout::task::{FILE_BYTES_MAX, LoadedTask};
use assay_rollout::{NUDGE_BYTES_MAX, Settings, Temperature};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Shell commands of an episode, where they are allowed: each is a container.
const SHELL_COMMANDS: u32 = 20;
/// Dollars beyond which a limit is a slip of the keyboard.
const DOLLARS_MAX: f64 = 1_000_000.0;
/// The hottest temperature that a provider takes.
const TEMPERATURE_MAX: f64 = 2.0;
/// Where rising temperatures end if nothing is said: beyond, models lose the thread.
const RISES_TO: f64 = 1.0;
/// Tasks that cannot be graded and are named.
const REFUSED_SHOWN_MAX: usize = 5;

/// What is run.
pub(super) struct Plan {
    pub(super) tasks: Vec<Arc<LoadedTask>>,
    /// The digest of each task, by its id.
    pub(super) digests: BTreeMap<String, String>,
    pub(super) settings: Settings,
    pub(super) grading: GradeSettings,
    pub(super) seed: Seed,
    pub(super) engine: EngineUrl,
}

/// Turns settings into a plan.
pub(super) fn resolve(episode: &EpisodeSettings, limit: Option<usize>) -> Result<Plan, Failure> {
    let mut tasks = tasks::load(&episode.tasks)?;
    let all = tasks.len();
    if !episode.instance_id.is_empty() {
        tasks.retain(|task| episode.instance_id.iter().any(|glob| fits(glob, task.id())));
    }
    tasks.truncate(limit.unwrap_or(usize::MAX));
    if tasks.is_empty() {
        return Err(Failure::usage(format!("no task is left of the {all}"))
            .hint("--instance-id takes an id, which may contain `*` and `?`; --limit takes a number of at least 1"));
    }
    let grading = bench::grading(tasks::rule(episode.rule))?;
    refuse_ungradable(&tasks, &grading)?;
    Ok(Plan {
        digests: tasks.iter().map(|task| (task.id().to_owned(), digest(task))).collect(),
        tasks: tasks.into_iter().map(Arc::new).collect(),
        settings: episode_settings(episode)?,
        grading,
        seed: Seed(episode.seed),
        engine: bench::engine(episode.docker_url.as_deref())?,
    })
}

/// Tasks that can never have a score are found before a model is paid for them.
fn refuse_ungradable(tasks: &[LoadedTask], grading: &GradeSettings) -> Result<(), Failure> {
    let why = |task: &LoadedTask| Some((task.id().to_owned(), can_be_graded(task, grading.rule).err()?));
    let refused: Vec<(String, String)> = tasks.iter().filter_map(why).collect();
    let Some((id, why)) = refused.first() else { return Ok(()) };
    let more: Vec<&str> = refused.iter().skip(1).take(REFUSED_SHOWN_MAX - 1).map(|(id, _)| id.as_str()).collect();
    let more = match (more.len(), refused.len() - 1 - more.len()) {
        (0, _) => String::new(),
        (_, 0) => format!("; also {}", more.join(", ")),
        (_, left) => format!("; also {} and {left} more", more.join(", ")),
    };
    let count = format!("{} of {} tasks cannot be graded", refused.len(), tasks.len());
    Err(Failure::usage(format!("{count}: {id}: {why}{more}"))
        .hint("no model was asked; choose other tasks with --instance-id, or another --rule"))
}

fn episode_settings(episode: &EpisodeSettings) -> Result<Settings, Failure> {
    let mut settings = Settings::standard();
    let limits = &mut settings.limits;
    limits.steps = at_least_one("--steps", episode.steps)?.unwrap_or(limits.steps);
    limits.tokens = at_least_one("--tokens", episode.tokens)?;
    limits.cost_microdollars = episode.cost.map(|dollars| microdollars("--cost", dollars)).transpose()?;
    limits.context_tokens = at_least_one("--context-tokens", episode.context_tokens)?.unwrap_or(limits.context_tokens);
    if let Some(text) = &episode.time {
        let time = time_limit(text)?;
        limits.wall = Some(Nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)));
    }
    settings.temperature = temperature(episode)?;
    settings.send_seed = !episode.no_seed;
    settings.early_stop = !episode.no_early_stop;
    settings.stuck_detection = !episode.no_stuck_detection;
    if let Some(nudge) = &episode.nudge {
        if nudge.trim().is_empty() || nudge.len() > NUDGE_BYTES_MAX {
            return Err(Failure::usage("--nudge is empty or too long")
                .hint(format!("use 1 to {NUDGE_BYTES_MAX} bytes of text, or omit it")));
        }
        settings.nudge = Some(nudge.trim().to_owned());
    }
    settings.calls.test_runs = episode.test_runs.unwrap_or(settings.calls.test_runs);
    settings.calls.shell_commands = if episode.allow_shell { SHELL_COMMANDS } else { 0 };
    Ok(settings)
}

/// One temperature for all samples, one for each, or one that rises.
fn temperature(episode: &EpisodeSettings) -> Result<Temperature, Failure> {
    let flags = [("--temperature-step", episode.temperature_step), ("--temperature-max", episode.temperature_max)];
    let given = flags.iter().filter_map(|(flag, value)| Some((*flag, (*value)?)));
    let mut all = episode.temperature.iter().map(|value| ("--temperature", *value)).chain(given);
    if let Some((flag, wrong)) = all.find(|(_, value)| !(0.0..=TEMPERATURE_MAX).contains(value)) {
        return Err(Failure::usage(format!("{flag} {wrong} is out of range"))
            .hint(format!("use 0 to {TEMPERATURE_MAX}, for example --temperature 0,0.7,1")));
    }
    match (episode.temperature_step, episode.temperature.as_slice()) {
        (None, []) => Ok(Temperature::Unset),
        (None, list) => Ok(Temperature::List(list.to_vec())),
        (Some(step), [] | [_]) => Ok(Temperature::Rising {
            first: episode.temperature.first().copied().unwrap_or(0.0),
            step,
            max: episode.temperature_max.unwrap_or(RISES_TO),
        }),
        (Some(_), _) => Err(Failure::usage("--temperature-step and a list of temperatures exclude each other")
            .hint("name the first temperature alone: --temperature 0.2 --temperature-step 0.2")),
    }
}

pub(super) fn at_least_one<T: PartialEq + From<u8>>(flag: &str, value: Option<T>) -> Result<Option<T>, Failure> {
    if value == Some(T::from(0)) {
        return Err(Failure::usage(format!("{flag} 0 means there is nothing to do")).hint("use 1 or more, or omit it"));
    }
    Ok(value)
}

/// What a run may cost.
pub(crate) fn budget(dollars: Option<f64>, tokens: Option<u64>) -> Result<Budget, Failure> {
    Ok(Budget {
        tokens: at_least_one("--budget-tokens", tokens)?,
        microdollars: dollars.map(|dollars| microdollars("--budget-usd", dollars)).transpose()?,
    })
}

/// Dollars as micro-dollars.
pub(super) fn microdollars(flag: &str, dollars: f64) -> Result<u64, Failure> {
    if !(dollars > 0.0 && dollars <= DOLLARS_MAX) {
        return Err(Failure::usage(format!("{flag} {dollars} is out of range"))
            .hint(format!("use an amount in dollars above 0 and at most {DOLLARS_MAX}, for example 0.50")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 10^12")]
    Ok((dollars * 1e6).round() as u64)
}

impl Plan {
    /// What it would take.
    pub(super) fn estimate<'a>(&self, episode: &'a EpisodeSettings, samples: u32, budget: Budget) -> Estimate<'a> {
        let limits = &self.settings.limits;
        let steps = self.tasks.len() as u64 * u64::from(samples) * u64::from(limits.steps);
        let model = Some(episode.model.as_str());
        let (tasks, request_tokens) = (self.tasks.len(), limits.context_tokens);
        Estimate { tasks, samples, steps: ("steps", steps), model, request_tokens, budget }
    }

    /// What a run is held to when it goes on: everything that its results depend on.
    pub(super) fn record(&self, episode: &EpisodeSettings, samples: u32) -> RunRecord {
        let mut map: BTreeMap<String, Value> = BTreeMap::new();
        let Settings { limits, calls, .. } = &self.settings;
        for (name, value) in [
            ("assay", json!(env!("CARGO_PKG_VERSION"))),
            ("model", json!(episode.model)),
            ("model_file", json!(model_file(&episode.model))),
            ("model_url", json!(episode.model_url)),
            ("reasoning", json!(episode.reasoning)),
            ("samples", json!(samples)),
            ("seed", json!(self.seed)),
            ("temperature", json!(episode.temperature)),
            ("rule", json!(self.grading.rule)),
            ("steps", json!(limits.steps)),
            ("tokens", json!(limits.tokens)),
            ("cost_microdollars", json!(limits.cost_microdollars)),
            ("time_ns", json!(limits.wall)),
            ("context_tokens", json!(limits.context_tokens)),
            ("test_runs", json!(calls.test_runs)),
            ("shell_commands", json!(calls.shell_commands)),
        ] {
            map.insert(name.to_owned(), value);
        }
        // Only where they differ from what always held: runs of earlier releases can go on.
        let unusual = [
            ("early_stop", (!self.settings.early_stop).then(|| json!(false))),
            ("stuck_detection", (!self.settings.stuck_detection).then(|| json!(false))),
            ("send_seed", (!self.settings.send_seed).then(|| json!(false))),
            ("nudge", self.settings.nudge.as_ref().map(|nudge| json!(nudge))),
            ("temperature_step", episode.temperature_step.map(|step| json!(step))),
            ("temperature_max", episode.temperature_max.map(|max| json!(max))),
        ];
        map.extend(unusual.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        RunRecord::new(map, self.digests.clone())
    }
}

/// The digest of the script or the cassette that answers for a model.
fn model_file(model: &str) -> Option<String> {
    let path = model.strip_prefix("scripted:").or_else(|| model.strip_prefix("cassette:"))?;
    // One that cannot be read is complained of where it is opened.
    let bytes = assay_files::read(Path::new(path), Links::Followed, assay_llm::CASSETTE_BYTES_MAX).ok()?;
    Some(blake3::hash(&bytes).to_string())
}

/// The digest of a task: of what it says, and of every file of its folder where it has one.
pub(super) fn digest(task: &LoadedTask) -> String {
    if let Some(row) = &task.row {
        return row.to_string();
    }
    let mut hasher = blake3::Hasher::new();
    // A task is plain data, so it can be written.
    hasher.update(&serde_json::to_vec(&task.task).unwrap_or_default());
    if task.origin.is_dir() {
        add_folder(&mut hasher, &task.origin);
    }
    hasher.finalize().to_string()
}

/// Names and bytes below a folder, in the order of the names. What cannot be read is complained of where it is used.
fn add_folder(hasher: &mut blake3::Hasher, folder: &Path) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (name, path) = (entry.file_name(), entry.path());
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_encoded_bytes());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => add_folder(hasher, &path),
            Ok(kind) if kind.is_symlink() => {
                hasher.update(std::fs::read_link(&path).unwrap_or_default().as_os_str().as_encoded_bytes());
            }
            _ => {
                let bytes = assay_files::read(&path, Links::Refused, FILE_BYTES_MAX).unwrap_or_default();
                hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
            }
        }
    }
}

/// Whether a name fits a pattern: `*` is any text, `?` any one character. Linear in time but for one step back to the last `*`.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read, mut star) = (0, 0, None);
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star_at, star_read)) = star else { return false };
                star = Some((star_at, star_read + 1));
                at = star_at + 1;
                read = star_read + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*", "", true),
            ("*__*-1?", "django__django-11", true),
            ("*__*-1?", "django__django-1", false),
            ("*a*a*a*b", &"a".repeat(60), false),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
