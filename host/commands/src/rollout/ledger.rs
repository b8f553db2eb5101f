//! A rollout in the store: one run however often its folder is gone on with, with its measures and the index of its trajectories.
//!
//! Invariant: figures are those of the summary, clustered by task; what pairs two runs are tasks, not samples of one task, which are not independent
//! evidence.

use super::settings::{EpisodeSettings, RunSettings};
use crate::command_line::{command_line, path_word};
use crate::ledger::{About, Kept};
use crate::settings::GradeRule;
use assay_rollout::grading::rule_name;
use assay_rollout::run::{EpisodeRecord, EpisodeResult, Interval, RunFolder, RunRecord, figures};
use assay_store::{Better, Kind, Kpi, RunId, Scenario, Spread, Trajectory};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the summary is called among the files of its run.
const FILE_NAME: &str = "rollout.json";
/// Longest list of tasks that is kept with their digests; the hash is of all of them.
const TASKS_BYTES_MAX: usize = 256 << 10;

/// Where a run comes from.
pub(super) struct Origin {
    /// The model.
    pub(super) model: String,
    /// The tasks: a path from the root on.
    pub(super) tasks: PathBuf,
    /// The command that does it again.
    pub(super) command: String,
}

impl Origin {
    /// A run with these settings.
    pub(super) fn of(settings: &RunSettings) -> Self {
        let EpisodeSettings { tasks, model, .. } = &settings.episode;
        Self { model: model.clone(), tasks: whole(tasks), command: command(settings) }
    }
}

/// What is known before an episode runs.
pub(super) fn about(origin: &Origin, folder: &RunFolder, record: &RunRecord) -> About {
    // A folder that an earlier release began has no name; where it lies is the next best.
    let of_place = || RunId::of_content(format!("assay.rollout {}", whole(folder.path()).display()).as_bytes());
    About {
        id: folder.name().and_then(|name| name.parse().ok()).unwrap_or_else(of_place),
        kind: Kind::Rollout,
        subject: origin.model.clone(),
        command: origin.command.clone(),
        scenarios: vec![tasks(&origin.tasks, &record.tasks)],
    }
}

/// Keeps what has finished: measures, trajectories, the summary.
pub(super) fn keep(kept: &mut Kept, origin: &Origin, folder: &RunFolder, planned: usize) {
    let records: Vec<&EpisodeRecord> = folder.finished().collect();
    let figures = figures(records.iter().copied());
    let scored = figures.solved + figures.failed;
    kept.entry.run.verdict = (scored > 0).then(|| format!("{} of {scored} solved", figures.solved));

    let reward = |record: &EpisodeRecord| record.reward();
    let solved = |record: &EpisodeRecord| record.reward().map(|_| f64::from(u8::from(record.is_solved())));
    let rewards = figures.reward.as_ref().map(|value| kpi("reward", "score", value, by_task(&records, reward)));
    let passes = figures.pass_at.iter().map(|pass| {
        // Only of one sample is the value of a task a mean over its samples.
        let samples = if pass.k == 1 { by_task(&records, solved) } else { Vec::new() };
        kpi(&format!("pass@{}", pass.k), "probability", &pass.value, samples)
    });
    let scenario = kept.entry.scenarios.first().map(|scenario| scenario.hash.clone()).unwrap_or_default();
    let of_scenario = |kpi: Kpi| Kpi { scenario: scenario.clone(), ..kpi };
    kept.entry.kpis = rewards.into_iter().chain(passes).map(of_scenario).collect();

    let root = whole(folder.path());
    kept.entry.trajectories = records.iter().map(|record| trajectory(folder, &root, record)).collect();
    let summary = json!({
        "run": root, "model": origin.model, "planned": planned, "figures": figures,
    });
    kept.files = vec![(FILE_NAME.to_owned(), format!("{summary:#}\n").into_bytes())];
}

fn kpi(measure: &str, unit: &str, value: &Interval, samples: Vec<(u64, f64)>) -> Kpi {
    let n = u32::try_from(value.episodes).unwrap_or(u32::MAX);
    let (measure, unit, scenario) = (measure.to_owned(), unit.to_owned(), String::new());
    let spread = Spread { n, mean: value.estimate, interval: value.low.zip(value.high) };
    Kpi { scenario, measure, unit, better: Better::Higher, spread, samples }
}

/// The mean of each task over its scored samples, the task as a number: the first eight bytes of the BLAKE3 of its id.
fn by_task(records: &[&EpisodeRecord], value: impl Fn(&EpisodeRecord) -> Option<f64>) -> Vec<(u64, f64)> {
    let mut tasks: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for record in records {
        if let Some(value) = value(record) {
            tasks.entry(&record.task).or_default().push(value);
        }
    }
    let mean = |(task, values): (&str, Vec<f64>)| {
        let mut key = [0; 8];
        key.copy_from_slice(&blake3::hash(task.as_bytes()).as_bytes()[..8]);
        (u64::from_le_bytes(key), values.iter().sum::<f64>() / values.len() as f64)
    };
    tasks.into_iter().map(mean).collect()
}

fn trajectory(folder: &RunFolder, root: &Path, record: &EpisodeRecord) -> Trajectory {
    let in_root = |path: PathBuf| path.strip_prefix(folder.path()).map(|inside| root.join(inside)).unwrap_or(path);
    let outcome = match record.result {
        EpisodeResult::Scored { outcome, .. } => Some(outcome.name().to_owned()),
        EpisodeResult::Unscored => None,
    };
    Trajectory {
        id: record.id.clone(),
        task: record.task.clone(),
        seed: record.seed.0,
        attempt: record.sample,
        outcome,
        score: record.reward(),
        path: folder.trajectory(record).map(|path| in_root(path).display().to_string()).unwrap_or_default(),
    }
}

/// The tasks of a run as what it ran in: two runs of the same tasks can be compared.
fn tasks(path: &Path, tasks: &BTreeMap<String, String>) -> Scenario {
    let mut text: String = tasks.iter().map(|(id, digest)| format!("{id} {digest}\n")).collect();
    let hash = blake3::hash(text.as_bytes()).to_string();
    if text.len() > TASKS_BYTES_MAX {
        text.truncate(text.floor_char_boundary(TASKS_BYTES_MAX));
        text.push_str("…\n");
    }
    let name = whole(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let count = tasks.len();
    let summary = format!("{count} bug-fix task{}", if count == 1 { "" } else { "s" });
    Scenario { hash, name, summary, source: text }
}

/// A path from the root on, so that it is found from everywhere.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// The command that does it again. What no result depends on is left out: places of engines and caches, how many episodes at once.
fn command(settings: &RunSettings) -> String {
    let EpisodeSettings { tasks, model, .. } = &settings.episode;
    let mut words = ["assay", "rollout", "run"].map(str::to_owned).to_vec();
    words.extend([path_word(tasks), "--model".to_owned(), model.clone(), "--out".to_owned(), path_word(&settings.out)]);
    for (name, value) in flags(settings) {
        words.push(format!("--{name}"));
        words.extend(value);
    }
    command_line(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The flags that say these settings, as far as a result depends on them.
fn flags(settings: &RunSettings) -> Vec<(&'static str, Option<String>)> {
    fn text<T: ToString>(value: Option<&T>) -> Option<String> {
        value.map(ToString::to_string)
    }
    let path = |path: Option<&PathBuf>| path.map(|path| path_word(path));
    let episode = &settings.episode;
    let temperature: Vec<String> = episode.temperature.iter().map(ToString::to_string).collect();
    let rule = Some(episode.rule).filter(|rule| *rule != GradeRule::Strict).map(crate::tasks::rule);
    let with_value = [
        ("model-url", episode.model_url.clone()),
        ("prices", path(episode.prices.as_ref())),
        ("reasoning", episode.reasoning.clone()),
        ("record", path(episode.record.as_ref())),
        ("temperature", Some(temperature.join(",")).filter(|list| !list.is_empty())),
        ("temperature-step", text(episode.temperature_step.as_ref())),
        ("temperature-max", text(episode.temperature_max.as_ref())),
        ("nudge", episode.nudge.clone()),
        ("steps", text(episode.steps.as_ref())),
        ("tokens", text(episode.tokens.as_ref())),
        ("cost", text(episode.cost.as_ref())),
        ("time", episode.time.clone()),
        ("context-tokens", text(episode.context_tokens.as_ref())),
        ("test-runs", text(episode.test_runs.as_ref())),
        ("rule", rule.map(|rule| rule_name(rule).to_owned())),
        ("seed", Some(episode.seed.to_string())),
        ("samples", Some(settings.samples.to_string())),
        ("limit", text(settings.limit.as_ref())),
        ("budget-usd", text(settings.budget_usd.as_ref())),
        ("budget-tokens", text(settings.budget_tokens.as_ref())),
        ("keep-logs", Some(settings.keep_logs.to_string()).filter(|_| settings.keep_logs < 1_000)),
    ];
    let mut flags: Vec<_> = with_value.into_iter().filter(|(_, value)| value.is_some()).collect();
    flags.extend(episode.instance_id.iter().map(|glob| ("instance-id", Some(glob.clone()))));
    let switches = [
        ("allow-shell", episode.allow_shell),
        ("no-early-stop", episode.no_early_stop),
        ("no-stuck-detection", episode.no_stuck_detection),
    ];
    flags.extend(switches.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| (name, None)));
    flags
}
