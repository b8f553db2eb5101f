//! Answers as JSON.

use crate::app::App;
use crate::code::Code;
use crate::library::Found;
use crate::pages::folders::milliseconds;
use crate::pages::runs::status_word;
use crate::query;
use crate::safety::field;
use crate::tables::Tables;
use crate::views::{self, Problem};
use assay_evaluate::{RangeRecord, RunRecord, SeriesRecord};
use assay_results::{enter, spread_json};
use assay_store::{Kind, Kpi, Run, RunDetail, RunEntry, RunId, Status, Time};
use axum::http::Uri;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Read as _;

/// Runs of an answer.
const RUNS_MAX: u32 = 200;
/// Rows of an answer that come from a record.
const ROWS_MAX: u64 = 10_000;

/// A request that cannot be answered as it is, because of one of its parameters or fields.
pub(super) fn wrong(field: &str, why: &str) -> Problem {
    Problem::new(Code::InvalidRequest, "Invalid request", format!("{field}: {why}")).about(field)
}

/// The rows that are asked for.
pub(super) struct Range {
    pub from: u64,
    pub count: u64,
}

impl Range {
    /// `from` and `count` of an address.
    pub(super) fn of(uri: &Uri, count_max: u64) -> Result<Self, Problem> {
        Self::or(uri, 1_000, count_max)
    }

    /// The same of rows of which `count` are answered where nothing is said: each of them takes a while.
    pub(super) fn or(uri: &Uri, count: u64, count_max: u64) -> Result<Self, Problem> {
        let number = |name: &str| match field(uri, name) {
            None => Ok(None),
            Some(text) => text.parse::<u64>().map(Some).map_err(|_| wrong(name, "it is not a number")),
        };
        let count = number("count")?.unwrap_or(count);
        if count > count_max {
            return Err(wrong("count", &format!("at most {count_max} rows are answered at once")));
        }
        Ok(Self { from: number("from")?.unwrap_or(0), count })
    }

    /// Those of all rows.
    pub(super) fn take<T>(&self, rows: impl Iterator<Item = T>) -> Vec<T> {
        let (from, count) = (usize::try_from(self.from), usize::try_from(self.count));
        rows.skip(from.unwrap_or(usize::MAX)).take(count.unwrap_or(usize::MAX)).collect()
    }
}

/// `columns` of an address: names with commas between them.
pub(super) fn columns_of(uri: &Uri) -> Vec<String> {
    let text = field(uri, "columns").unwrap_or_default();
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A run in short.
pub(super) fn head(run: &Run, scenarios: &[&str]) -> Value {
    json!({
        "id": run.id.to_string(), "kind": run.kind.word(), "status": status_word(run), "verdict": run.verdict, "subject": run.subject,
        "subject_hash": run.subject_hash, "command": run.command, "tool": run.tool, "scenarios": scenarios,
        "created_ms": run.created.0, "started_ms": run.started.map(|at| at.0), "finished_ms": run.finished.map(|at| at.0),
        "error": run.trouble.as_ref().map(|trouble| &trouble.error),
    })
}

/// Runs of the store, newest first.
pub(super) async fn list(app: &App, uri: &Uri) -> Result<Value, Problem> {
    let number = |name: &str, default: u32| match field(uri, name) {
        None => Ok(default),
        Some(text) => text.parse::<u32>().map_err(|_| wrong(name, "it is not a number")),
    };
    let (page, size) = (number("page", 1)?, number("size", 50)?);
    let page = page.checked_sub(1).ok_or_else(|| wrong("page", "pages are counted from 1"))?;
    if !(1..=RUNS_MAX).contains(&size) {
        return Err(wrong("size", &format!("use 1 to {RUNS_MAX}")));
    }
    let filter = query::filter(uri);
    let (rows, total) = views::listed(&app.library, &filter, page, size).await?;
    let rows = rows.iter().map(|row| {
        let scenarios: Vec<&str> = row.scenarios.iter().map(String::as_str).collect();
        let mut value = head(&row.run, &scenarios);
        value["pnl"] = row.kpi.as_ref().map_or(Value::Null, spread_json);
        value
    });
    Ok(
        json!({"total": total.runs, "total_is_exact": total.is_exact, "page": page + 1, "size": size, "runs": rows.collect::<Vec<_>>()}),
    )
}

/// A run of the store, or the report in a folder as the store would have it.
pub(super) struct Told {
    /// The run's, or the folder's.
    id: String,
    entry: RunEntry,
    /// Names and bytes.
    files: Vec<(String, u64)>,
    /// What its record says that cannot be.
    contradictions: Vec<String>,
}

impl Told {
    pub(super) fn of_store(detail: RunDetail, contradictions: Vec<String>) -> Self {
        let files = detail.artifacts.into_iter().map(|file| (file.name, file.bytes)).collect();
        Self { id: detail.entry.run.id.to_string(), entry: detail.entry, files, contradictions }
    }

    /// A report does not say when its run began and ended: all that is known is when the file was written.
    pub(super) fn of_report(found: &Found, record: &RunRecord, bytes: u64) -> Self {
        let id = found.id.to_string();
        let run = Run {
            // A folder is asked for by its own.
            id: RunId::of_content(id.as_bytes()),
            kind: Kind::Run,
            status: if record.complete { Status::Completed } else { Status::Cancelled },
            subject: record.strategy.file_name.clone(),
            subject_hash: None,
            command: record.command.clone(),
            tool: String::new(),
            verdict: None,
            trouble: None,
            owner: None,
            created: Time(milliseconds(found.modified)),
            started: None,
            finished: None,
        };
        let mut entry = RunEntry::of(run);
        enter(&mut entry, record);
        let contradictions = record.checked().contradictions;
        Self { id, entry, files: vec![("run.json".to_owned(), bytes)], contradictions }
    }
}

/// One run.
pub(super) fn run(told: &Told) -> Value {
    let Told { id, entry, files, contradictions } = told;
    let names: Vec<&str> = entry.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    let mut value = head(&entry.run, &names);
    value["id"] = id.as_str().into();
    value["files"] = files.iter().map(|(name, bytes)| json!({"name": name, "bytes": bytes})).collect();
    value["measures"] = entry.kpis.len().into();
    value["episodes"] = entry.trajectories.len().into();
    value["contradictions"] = json!(contradictions);
    value
}

/// Measures of a run, each over its seeds; with `samples`, seed by seed.
pub(super) fn measures(told: &Told, uri: &Uri) -> Value {
    let Told { id, entry, contradictions, .. } = told;
    let (measure, scenario) = (field(uri, "measure"), field(uri, "scenario"));
    let has_samples = field(uri, "samples").is_some_and(|word| word == "true");
    let name = |kpi: &Kpi| {
        let found = entry.scenarios.iter().find(|scenario| scenario.hash == kpi.scenario);
        found.map_or("", |scenario| scenario.name.as_str())
    };
    let rows = entry.kpis.iter().filter(|kpi| measure.as_ref().is_none_or(|measure| *measure == kpi.measure));
    let rows = rows.filter(|kpi| scenario.as_deref().is_none_or(|scenario| scenario == name(kpi)));
    let rows = rows.map(|kpi| {
        let mut value = spread_json(&kpi.spread);
        value["measure"] = kpi.measure.clone().into();
        value["scenario"] = name(kpi).into();
        value["unit"] = kpi.unit.clone().into();
        value["better"] = kpi.better.word().into();
        if has_samples {
            value["samples"] = json!(kpi.samples);
        }
        value
    });
    json!({"run": id, "measures": rows.collect::<Vec<_>>(), "contradictions": contradictions})
}

/// Seeds of a run with the measures that are asked for; all where none is.
pub(super) fn episodes(record: &RunRecord, uri: &Uri) -> Result<Value, Problem> {
    let wanted = columns_of(uri);
    let known = |name: &String| record.measures.iter().any(|definition| definition.key == *name);
    if let Some(unknown) = wanted.iter().find(|name| !known(name)) {
        return Err(wrong("columns", &format!("there is no measure `{unknown}`")));
    }
    let range = Range::of(uri, ROWS_MAX)?;
    let row = |episode: &assay_evaluate::EpisodeRecord| {
        let values = episode.measures.iter().filter(|(key, _)| wanted.is_empty() || wanted.contains(key));
        let values: Map<String, Value> = values.map(|(key, measure)| (key.clone(), json!(measure.value))).collect();
        json!({"seed": episode.seed, "outcome": assay_evaluate::outcome_name(episode), "events": episode.events, "measures": values})
    };
    let rows = range.take(record.episodes.iter().map(row));
    Ok(json!({"total": record.episodes.len(), "from": range.from, "rows": rows}))
}

/// The course of the first scored seed.
pub(super) fn series(record: &RunRecord, uri: &Uri) -> Result<Value, Problem> {
    let series = record.series.as_ref().ok_or_else(|| Problem::none("The run has no course of a seed."))?;
    let columns = columns(series);
    let wanted = columns_of(uri);
    if let Some(unknown) = wanted.iter().find(|name| !columns.iter().any(|(known, _)| known == *name)) {
        let known: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        return Err(wrong("columns", &format!("there is no `{unknown}`; there are {}", known.join(", "))));
    }
    let range = Range::of(uri, ROWS_MAX)?;
    let total = series.bid.len();
    let chosen =
        columns.into_iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name));
    let chosen: Map<String, Value> =
        chosen.map(|(name, values)| (name.to_owned(), Value::Array(range.take(values.into_iter())))).collect();
    let start_ns = series.start_ns.saturating_add(series.step_ns.saturating_mul(range.from));
    Ok(json!({
        "seed": series.seed, "start_ns": start_ns, "step_ns": series.step_ns, "total": total, "from": range.from, "columns": chosen,
    }))
}

fn columns(series: &SeriesRecord) -> Vec<(&'static str, Vec<Value>)> {
    let optional = |values: &[Option<f64>]| values.iter().map(|value| json!(value)).collect::<Vec<_>>();
    let mut columns = vec![
        ("baseline_mid", optional(&series.baseline_mid)),
        ("bid", optional(&series.bid)),
        ("ask", optional(&series.ask)),
        ("volume", series.volume.iter().map(|value| json!(value)).collect()),
        ("volume_own", series.volume_own.iter().map(|value| json!(value)).collect()),
        ("order_flow", series.order_flow.iter().map(|value| json!(value)).collect()),
    ];
    let ranges: [(&RangeRecord, [&'static str; 3]); 5] = [
        (&series.mid, ["mid_low", "mid_high", "mid"]),
        (&series.spread, ["spread_low", "spread_high", "spread"]),
        (&series.position, ["position_low", "position_high", "position"]),
        (&series.pnl, ["pnl_low", "pnl_high", "pnl"]),
        (&series.drawdown, ["drawdown_low", "drawdown_high", "drawdown"]),
    ];
    for (range, [low, high, last]) in ranges {
        columns.extend([(low, optional(&range.min)), (high, optional(&range.max)), (last, optional(&range.last))]);
    }
    columns
}

/// The tables of a run, with their columns.
pub(super) fn tables(tables: &Tables) -> Value {
    let table = |table: &&'static assay_data::Table| {
        let columns = table.columns.iter().map(|column| json!({"name": column.name, "type": column.type_name()}));
        json!({"name": table.name, "bytes": tables.bytes(table), "columns": columns.collect::<Vec<_>>()})
    };
    json!({"tables": tables.all.iter().map(table).collect::<Vec<_>>()})
}

/// A table as it lies there.
pub(super) fn whole(file: &File, bytes_max: u64) -> Result<Vec<u8>, Problem> {
    let failed = |error: std::io::Error| Problem::unreadable("the table", error);
    if file.metadata().map_err(failed)?.len() > bytes_max {
        return Err(wrong("format", "the table is too large to be sent as a whole; ask for parts of it as arrow"));
    }
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}
