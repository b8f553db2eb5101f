//! What the commands over what has been run do: `runs` and `rm`; `show`, `compare`, `leaderboard` and `export` have files of their own.
//!
//! Invariants: text from the store is made visible before it is shown; only `rm` changes the store, and only once it is confirmed.

mod compare;
mod export;
mod leaderboard;
mod show;
mod words;

use crate::ledger::{Open, Place};
use crate::settings::StoreSettings;
use crate::{DONE, Ending, Failure, face};
use assay_store::{Access, Filter, Page, Presence, RESULTS_MAX, Run, RunRow, Store};
pub use assay_store::{Kind, Status};
pub use compare::{CompareSettings, run as compare};
pub use export::{ExportSettings, run as export};
pub use leaderboard::{LeaderboardSettings, run as leaderboard};
use serde_json::{Value, json};
pub use show::{ShowSettings, run as show};
use std::io::BufRead as _;

/// What a listing shows of each run.
const MEASURE: &str = "pnl";
/// Characters of an id that tell runs of different milliseconds apart.
const ID_CHARACTERS: usize = 13;

/// Which runs are listed.
#[derive(Clone, Debug)]
pub struct RunsSettings {
    /// Only runs with this status.
    pub status: Option<Status>,
    /// Only runs in this scenario; for rollouts: with tasks of this name.
    pub scenario: Option<String>,
    /// Only runs of this strategy: its file name, with or without `.rs` or `.py`. For the gate: the name in its verdict; for rollouts: the model.
    pub strategy: Option<String>,
    /// Only runs of this kind.
    pub kind: Option<Kind>,
    /// Only runs started since then: a date such as 2026-05-31 (UTC), or a time span before now such as 2h.
    pub since: Option<String>,
    /// Number of runs per page.
    pub limit: u32,
    /// Which page is shown; the first is 1.
    pub page: u32,
    /// As JSON.
    pub json: bool,
    /// The store.
    pub store: StoreSettings,
}

/// Runs that are removed.
#[derive(Clone, Debug)]
pub struct RemoveSettings {
    /// The runs: the beginnings of their ids.
    pub ids: Vec<String>,
    /// Nobody is asked.
    pub yes: bool,
    /// The store.
    pub store: StoreSettings,
}

/// Lists what has been run, newest first.
///
/// # Errors
///
/// Where there can be no such page, the time is not one, or the store cannot be read.
pub fn runs(settings: &RunsSettings) -> Result<Ending, Failure> {
    let filter = filter(settings)?;
    if !(1..=RESULTS_MAX).contains(&settings.limit) || settings.page == 0 {
        return Err(Failure::usage(format!("there is no page {} of {} runs", settings.page, settings.limit))
            .hint(format!("--limit takes 1 to {RESULTS_MAX}, --page counts from 1")));
    }
    let page = Page { number: settings.page - 1, size: settings.limit };
    let open = Open::to_read(&settings.store)?;
    let (rows, total) = open.ask(async |store| store.list(&filter, page, Some(MEASURE)).await)?;
    open.close();
    if settings.json {
        let runs: Vec<Value> = rows.iter().map(row_json).collect();
        let listing = json!({"total": total.runs, "total_is_exact": total.is_exact, "page": settings.page, "limit": settings.limit, "runs": runs});
        face::out_json(&format!("{listing:#}"));
        return DONE;
    }
    if rows.is_empty() {
        face::note(match total.runs {
            0 if filter == Filter::default() => {
                "nothing has been run yet; `assay run` and `assay gate` record their runs here"
            }
            0 => "no run matches",
            _ => "that page is empty",
        });
        return DONE;
    }
    face::out(&table(&rows));
    let (shown, pages) = (rows.len(), total.runs.div_ceil(u64::from(settings.limit)));
    if total.runs > shown as u64 {
        let (runs, or_more) = (total.runs, if total.is_exact { "" } else { " or more" });
        let place = format!("page {} of {pages}{or_more}: --page N, --limit N", settings.page);
        face::note(&face::dim(&format!("{shown} of {runs}{or_more} runs, {place}")));
    }
    DONE
}

fn filter(settings: &RunsSettings) -> Result<Filter, Failure> {
    let names = |name: &String| ["", ".rs", ".py"].map(|ending| format!("{name}{ending}")).to_vec();
    Ok(Filter {
        kind: settings.kind,
        status: settings.status,
        is_lost: false,
        subjects: settings.strategy.as_ref().map(names).unwrap_or_default(),
        scenario: settings.scenario.clone(),
        since: settings.since.as_deref().map(words::since).transpose()?,
    })
}

fn table(rows: &[RunRow]) -> String {
    // As many characters as it takes to tell the runs of this page apart.
    let ids: Vec<String> = rows.iter().map(|row| row.run.id.to_string()).collect();
    let are_apart = |length: &usize| {
        let mut starts: Vec<&str> = ids.iter().map(|id| &id[..*length]).collect();
        starts.sort_unstable();
        starts.windows(2).all(|pair| pair[0] != pair[1])
    };
    let length = (ID_CHARACTERS..36).find(are_apart).unwrap_or(36);
    let cells = rows.iter().zip(&ids).map(|(row, id)| {
        vec![
            id[..length].to_owned(),
            words::moment(row.run.created),
            row.run.kind.to_string(),
            status(&row.run).to_owned(),
            words::short(row.run.verdict.as_deref().unwrap_or_default()),
            words::short(&row.run.subject),
            words::short(&row.scenarios.join(", ")),
            row.kpi.map_or_else(String::new, |kpi| words::dollars(&kpi)),
        ]
    });
    let header = ["ID", "STARTED (UTC)", "KIND", "STATUS", "VERDICT", "STRATEGY", "SCENARIO", "PNL, 95% INTERVAL ($)"];
    face::table(&header, &cells.collect::<Vec<_>>())
}

/// The status as it is now: a run whose process is gone has lost its last word.
fn status(run: &Run) -> &'static str {
    if run.is_lost() { "lost" } else { run.status.word() }
}

fn row_json(row: &RunRow) -> Value {
    let mut value = run_json(&row.run);
    value["scenarios"] = json!(row.scenarios);
    value[MEASURE] = row.kpi.as_ref().map_or(Value::Null, words::spread_json);
    value
}

fn run_json(run: &Run) -> Value {
    json!({
        "id": run.id.to_string(),
        "kind": run.kind.word(),
        "status": run.status.word(),
        "lost": run.is_lost(),
        "strategy": run.subject,
        "strategy_hash": run.subject_hash,
        "command": run.command,
        "assay": run.tool,
        "verdict": run.verdict,
        "error": run.trouble.as_ref().map(|trouble| &trouble.error),
        "backtrace": run.trouble.as_ref().and_then(|trouble| trouble.backtrace.as_ref()),
        "created_ms": run.created.0,
        "started_ms": run.started.map(|time| time.0),
        "finished_ms": run.finished.map(|time| time.0),
    })
}

/// Removes runs from the store, once that is confirmed.
///
/// # Errors
///
/// Where a run is not there or still runs, nobody can be asked, or the store fails.
pub fn remove(settings: &RemoveSettings) -> Result<Ending, Failure> {
    use std::io::IsTerminal as _;
    let open = Open::new(&Place::resolve(&settings.store)?, Access::Change)?;
    let mut runs = Vec::new();
    for id in &settings.ids {
        let run = open.ask(async |store: &Store| Ok(store.get(store.resolve(id).await?).await?.entry.run))?;
        let presence = run.owner.as_ref().map(assay_store::Owner::presence);
        if !run.status.is_end() && presence == Some(Presence::Here) {
            return Err(Failure::usage(format!("{} is running", run.id)).hint("wait for it to finish, or interrupt it"));
        }
        runs.push(run);
    }
    if !settings.yes {
        if !std::io::stdin().is_terminal() {
            return Err(Failure::usage("nothing was removed: there is no terminal to ask for confirmation")
                .hint("use --yes to remove without asking"));
        }
        for run in &runs {
            face::note(&format!(
                "{} {} {} {}",
                run.id,
                words::moment(run.created),
                status(run),
                face::visible(&run.subject)
            ));
        }
        face::note("remove these permanently? [y/N]");
        let mut answer = String::new();
        let is_read = std::io::stdin().lock().read_line(&mut answer).is_ok();
        if !is_read || !matches!(answer.trim(), "y" | "Y" | "yes") {
            face::note("nothing was removed");
            return DONE;
        }
    }
    let ids: Vec<_> = runs.iter().map(|run| run.id).collect();
    let removed = open.ask(async |store| store.remove(&ids).await)?;
    open.close();
    face::step("Removed", &format!("{removed} {}", if removed == 1 { "run" } else { "runs" }));
    DONE
}
