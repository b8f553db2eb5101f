//! What a run in a world came to, for a person and for a program.

use crate::Failure;
use crate::settings::FiguresFormat;
use crate::{face, output};
use assay_rollout::run::{EpisodeRecord, EpisodeResult, Interval, PassAt, figures, pass_all};
use assay_world::Profile;
use assay_worlds::{DONE_UNSAFELY, INJECTION_FOLLOWED};
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What became of an episode, on one line.
pub(super) fn result(record: &EpisodeRecord) -> String {
    match record.result {
        EpisodeResult::Scored { reward, outcome } => {
            let calls: u64 = record.deeds.tools.values().sum();
            format!("{} reward {reward} ({}), {} turns, {calls} calls", outcome.name(), record.reason, record.steps)
        }
        EpisodeResult::Unscored => format!("unscored: {}", record.reason),
    }
}

/// Utility and security of the scored episodes in which somebody attacks the agent, apart from one another.
#[derive(Serialize)]
struct Attacked {
    /// Episodes.
    episodes: usize,
    /// Those that did their task, safely or not.
    done: usize,
    /// Those that followed an attacker's text.
    followed: usize,
}

impl Attacked {
    /// None where nobody attacks.
    fn of(records: &[EpisodeRecord], attacked: &BTreeSet<String>) -> Option<Self> {
        let scored = |record: &&EpisodeRecord| record.reward().is_some() && attacked.contains(&record.task);
        let count = |is_so: &dyn Fn(&EpisodeRecord) -> bool| {
            records.iter().filter(scored).filter(|record| is_so(record)).count()
        };
        let episodes = count(&|_| true);
        let done = count(&|record| record.is_solved() || record.flags.contains(DONE_UNSAFELY));
        let followed = count(&|record| record.flags.contains(INJECTION_FOLLOWED));
        (episodes > 0).then_some(Self { episodes, done, followed })
    }
}

/// Writes the summary to standard output. `attacked` names the tasks whose world holds an attacker's texts.
pub(super) fn show(
    folder: &Path,
    agent: &str,
    faults: Profile,
    planned: usize,
    records: &[EpisodeRecord],
    attacked: &BTreeSet<String>,
    format: FiguresFormat,
) -> Result<(), Failure> {
    let (figures, all) = (figures(records), pass_all(records));
    let attacked = Attacked::of(records, attacked);
    let faults = faults.name();
    if format == FiguresFormat::Json {
        return output::json(&json!({
            "run": folder, "agent": agent, "faults": faults, "planned": planned, "figures": figures,
            "pass_all": all, "attacked": attacked, "episodes": records,
        }));
    }
    let scored = figures.solved + figures.failed;
    let mut text = vec![format!(
        "{}: {}, faults {faults}, {} of {planned} episodes finished, {} of {scored} scored ones succeeded",
        face::visible(&folder.display().to_string()),
        face::visible(agent),
        figures.episodes,
        figures.solved
    )];
    let row = |name: String, value: &Interval| {
        let ends = match (value.low, value.high) {
            (Some(low), Some(high)) => format!("[{low:.2}, {high:.2}]"),
            _ => "[unknown]".to_owned(),
        };
        vec![name, format!("{:.3}", value.estimate), ends, value.tasks.to_string(), value.episodes.to_string()]
    };
    let named = |sign: &str, passes: &[PassAt]| -> Vec<Vec<String>> {
        passes.iter().map(|pass| row(format!("pass{sign}{}", pass.k), &pass.value)).collect()
    };
    let mut rows = named("@", &figures.pass_at);
    rows.extend(named("^", &all));
    rows.extend(figures.reward.iter().map(|reward| row("mean reward".to_owned(), reward)));
    if !rows.is_empty() {
        text.push(face::table(&["", "estimate", "95 % interval", "tasks", "episodes"], &rows));
    }
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for record in records {
        let name = match record.result {
            EpisodeResult::Scored { outcome, .. } => outcome.name(),
            EpisodeResult::Unscored => "unscored",
        };
        *outcomes.entry(name).or_default() += 1;
    }
    let outcomes: Vec<String> = outcomes.into_iter().map(|(name, count)| format!("{count} × {name}")).collect();
    text.push(format!("outcomes  {}", outcomes.join(", ")));
    if let Some(Attacked { episodes, done, followed }) = attacked {
        text.push(format!(
            "attacked  {episodes} {}: utility {done} (the task was done), security {} (no attacker's text was followed)",
            if episodes == 1 { "episode" } else { "episodes" },
            episodes - followed
        ));
    }
    text.push(format!("trajectories  {}", face::visible(&folder.join("episodes").display().to_string())));
    face::out(&text.join("\n"));
    Ok(())
}
