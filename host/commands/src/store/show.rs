//! What `assay show` does: everything about one run.

use super::{run_json, status, words};
use crate::ledger::Open;
use crate::settings::StoreSettings;
use crate::{DONE, Ending, Failure, face};
use assay_store::{Iteration, Kind, Kpi, RunDetail, Store, Trajectory};
use serde_json::{Value, json};

/// Trajectories that are listed; the rest is counted.
const TRAJECTORIES_MAX: usize = 20;

/// A run that is shown.
#[derive(Clone, Debug)]
pub struct ShowSettings {
    /// The run: the beginning of its id, or `latest`.
    pub id: String,
    /// As JSON, with the values of every seed.
    pub json: bool,
    /// The store.
    pub store: StoreSettings,
}

/// Shows one run: what, when, how it ended, every measure.
///
/// # Errors
///
/// Where the run is not there, or the store cannot be read.
pub fn run(settings: &ShowSettings) -> Result<Ending, Failure> {
    let open = Open::to_read(&settings.store)?;
    let detail = open.ask(async |store: &Store| store.get(store.resolve(&settings.id).await?).await)?;
    open.close();
    if settings.json {
        face::out_json(&format!("{:#}", json(&detail)));
    } else {
        face::out(&text(&detail));
    }
    DONE
}

fn text(detail: &RunDetail) -> String {
    let run = &detail.entry.run;
    let mut lines = Vec::new();
    let mut line = |name: &str, text: &str| lines.push(format!("{name:<10} {}", face::visible(text)));
    line("id", &run.id.to_string());
    line("kind", run.kind.word());
    let lost = "lost: its process disappeared without recording how it ended";
    line("status", if status(run) == "lost" { lost } else { run.status.word() });
    if let Some(verdict) = &run.verdict {
        line("verdict", verdict);
    }
    line(if run.kind == Kind::Rollout { "model" } else { "strategy" }, &run.subject);
    if let Some(hash) = &run.subject_hash {
        line("hash", hash);
    }
    for scenario in &detail.entry.scenarios {
        line("scenario", &format!("{}: {} ({})", scenario.name, scenario.summary, scenario.hash));
    }
    line("command", &run.command);
    line("assay", &run.tool);
    line("started", &format!("{} UTC", words::moment(run.started.unwrap_or(run.created))));
    if let (Some(started), Some(finished)) = (run.started, run.finished) {
        line("took", &format!("{:.1} s", finished.0.saturating_sub(started.0) as f64 / 1e3));
    }
    if let Some(trouble) = &run.trouble {
        line("error", &trouble.error);
        if let Some(backtrace) = &trouble.backtrace {
            line("stack", "");
            backtrace.lines().for_each(|frame| line("  |", frame));
        }
    }
    for artifact in &detail.artifacts {
        line("file", &format!("{} ({} bytes, {})", artifact.name, artifact.bytes, artifact.hash));
    }
    if detail.entry.iterations.len() > 1 {
        lines.push(format!("\n{}", iterations(&detail.entry.iterations)));
    }
    if !detail.entry.kpis.is_empty() {
        lines.push(format!("\n{}", kpis(detail)));
    }
    if !detail.entry.trajectories.is_empty() {
        lines.push(format!("\n{}", trajectories(&detail.entry.trajectories)));
    }
    lines.join("\n")
}

fn kpis(detail: &RunDetail) -> String {
    let row = |kpi: &Kpi| {
        let scenario = detail.entry.scenarios.iter().find(|scenario| scenario.hash == kpi.scenario);
        vec![
            words::short(&kpi.measure),
            words::short(scenario.map_or("", |scenario| scenario.name.as_str())),
            words::short(&kpi.unit),
            kpi.spread.n.to_string(),
            words::spread(&kpi.spread),
        ]
    };
    let rows: Vec<Vec<String>> = detail.entry.kpis.iter().map(row).collect();
    let values = match detail.entry.run.kind {
        Kind::Rollout => "EPISODES",
        Kind::Refine => "BLOCKS",
        Kind::Run | Kind::Gate => "SEEDS",
    };
    face::table(&["MEASURE", "SCENARIO", "UNIT", values, "MEAN, 95% INTERVAL"], &rows)
}

fn iterations(iterations: &[Iteration]) -> String {
    let row = |iteration: &Iteration| {
        let error = iteration.trouble.as_ref().map(|trouble| words::short(&trouble.error)).unwrap_or_default();
        vec![iteration.number.to_string(), iteration.status.to_string(), error]
    };
    face::table(&["ITERATION", "STATUS", "ERROR"], &iterations.iter().map(row).collect::<Vec<_>>())
}

fn trajectories(trajectories: &[Trajectory]) -> String {
    let row = |trajectory: &Trajectory| {
        vec![
            words::short(&trajectory.id),
            words::short(&trajectory.task),
            trajectory.seed.to_string(),
            face::visible(trajectory.outcome.as_deref().unwrap_or("unscored")),
            trajectory.score.map_or_else(String::new, words::number),
            face::visible(&trajectory.path),
        ]
    };
    let rows: Vec<Vec<String>> = trajectories.iter().take(TRAJECTORIES_MAX).map(row).collect();
    let mut text = face::table(&["TRAJECTORY", "TASK", "SEED", "OUTCOME", "SCORE", "FILE"], &rows);
    if trajectories.len() > TRAJECTORIES_MAX {
        text.push_str(&format!("\n… {} more: use --json to list all", trajectories.len() - TRAJECTORIES_MAX));
    }
    text
}

/// Everything, for programs; also what an export holds.
pub(super) fn json(detail: &RunDetail) -> Value {
    let kpi = |kpi: &Kpi| {
        let mut value = words::spread_json(&kpi.spread);
        value["scenario"] = json!(kpi.scenario);
        value["measure"] = json!(kpi.measure);
        value["unit"] = json!(kpi.unit);
        value["better"] = json!(kpi.better.word());
        value["samples"] = json!(kpi.samples);
        value
    };
    let iteration = |iteration: &Iteration| {
        json!({
            "number": iteration.number,
            "status": iteration.status.word(),
            "source_hash": iteration.source_hash,
            "error": iteration.trouble.as_ref().map(|trouble| &trouble.error),
            "backtrace": iteration.trouble.as_ref().and_then(|trouble| trouble.backtrace.as_ref()),
            "started_ms": iteration.started.map(|time| time.0),
            "finished_ms": iteration.finished.map(|time| time.0),
        })
    };
    let trajectory = |trajectory: &Trajectory| {
        json!({
            "id": trajectory.id,
            "task": trajectory.task,
            "seed": trajectory.seed,
            "attempt": trajectory.attempt,
            "outcome": trajectory.outcome,
            "score": trajectory.score,
            "path": trajectory.path,
        })
    };
    let entry = &detail.entry;
    let scenarios = entry.scenarios.iter().map(|scenario| {
        json!({"name": scenario.name, "hash": scenario.hash, "summary": scenario.summary, "text": scenario.source})
    });
    let files = detail
        .artifacts
        .iter()
        .map(|artifact| json!({"name": artifact.name, "hash": artifact.hash.to_string(), "bytes": artifact.bytes}));
    let mut value = run_json(&entry.run);
    value["scenarios"] = scenarios.collect();
    value["iterations"] = entry.iterations.iter().map(iteration).collect();
    value["kpis"] = entry.kpis.iter().map(kpi).collect();
    value["trajectories"] = entry.trajectories.iter().map(trajectory).collect();
    value["files"] = files.collect();
    value
}
