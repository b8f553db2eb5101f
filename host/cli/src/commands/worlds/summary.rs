//! What a run in a world came to, for a person and for a program.

use crate::args::FiguresFormat;
use crate::exit::Failure;
use crate::{output, ui};
use assay_rollout::run::{EpisodeRecord, EpisodeResult, Interval, PassAt, figures, pass_all};
use assay_world::Profile;
use serde_json::json;
use std::collections::BTreeMap;
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

/// Writes the summary to standard output.
pub(super) fn show(
    folder: &Path,
    agent: &str,
    faults: Profile,
    planned: usize,
    records: &[EpisodeRecord],
    format: FiguresFormat,
) -> Result<(), Failure> {
    let (figures, all) = (figures(records), pass_all(records));
    let faults = faults.name();
    if format == FiguresFormat::Json {
        return output::to_stdout(|out| {
            let summary = json!({
                "run": folder, "agent": agent, "faults": faults, "planned": planned, "figures": figures, "pass_all": all,
                "episodes": records,
            });
            serde_json::to_writer_pretty(&mut *out, &summary)?;
            Ok(writeln!(out)?)
        });
    }
    let scored = figures.solved + figures.failed;
    let mut text = vec![format!(
        "{}: {}, faults {faults}, {} of {planned} episodes finished, {} of {scored} scored ones succeeded",
        ui::visible(&folder.display().to_string()),
        ui::visible(agent),
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
        text.push(ui::table(&["", "estimate", "95 % interval", "tasks", "episodes"], &rows));
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
    text.push(format!("trajectories  {}", ui::visible(&folder.join("episodes").display().to_string())));
    ui::out(&text.join("\n"));
    Ok(())
}
