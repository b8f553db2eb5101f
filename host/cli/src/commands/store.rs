//! The commands over what has been run: `runs`, `show`, `rm`, `export`; `compare` and `leaderboard` have files of their own.

mod compare;
mod export;
mod leaderboard;
mod show;
mod words;

use super::DONE;
use crate::args::{KindName, RemoveArgs, RunsArgs, StatusName};
use crate::exit::{Exit, Failure};
use crate::store::Open;
use crate::ui;
use assay_store::{Access, Filter, Kind, Page, Presence, RESULTS_MAX, Run, RunRow, Status, Store};
use serde_json::{Value, json};
use std::io::BufRead as _;

pub(crate) use compare::run as compare;
pub(crate) use export::run as export;
pub(crate) use leaderboard::run as leaderboard;
pub(crate) use show::run as show;

/// What a listing shows of each run.
const MEASURE: &str = "pnl";
/// Characters of an id that tell runs of different milliseconds apart.
const ID_CHARACTERS: usize = 13;

pub(crate) fn runs(args: &RunsArgs) -> Result<Exit, Failure> {
    let filter = filter(args)?;
    if !(1..=RESULTS_MAX).contains(&args.limit) || args.page == 0 {
        return Err(Failure::usage(format!("there is no page {} of {} runs", args.page, args.limit))
            .hint(format!("--limit takes 1 to {RESULTS_MAX}, --page counts from 1")));
    }
    let page = Page { number: args.page - 1, size: args.limit };
    let open = Open::to_read(&args.store)?;
    let (rows, total) = open.ask(async |store| store.list(&filter, page, Some(MEASURE)).await)?;
    open.close();
    if args.json {
        let runs: Vec<Value> = rows.iter().map(row_json).collect();
        let listing = json!({"total": total.runs, "total_is_exact": total.is_exact, "page": args.page, "limit": args.limit, "runs": runs});
        ui::out(&format!("{listing:#}"));
        return DONE;
    }
    if rows.is_empty() {
        ui::note(match total.runs {
            0 if filter == Filter::default() => {
                "nothing has been run yet; `assay run` and `assay gate` record their runs here"
            }
            0 => "no run matches",
            _ => "that page is empty",
        });
        return DONE;
    }
    ui::out(&table(&rows));
    let (shown, pages) = (rows.len(), total.runs.div_ceil(u64::from(args.limit)));
    if total.runs > shown as u64 {
        let (runs, or_more) = (total.runs, if total.is_exact { "" } else { " or more" });
        let place = format!("page {} of {pages}{or_more}: --page N, --limit N", args.page);
        ui::note(&ui::dim(&format!("{shown} of {runs}{or_more} runs, {place}")));
    }
    DONE
}

fn filter(args: &RunsArgs) -> Result<Filter, Failure> {
    let kind = args.kind.map(|kind| match kind {
        KindName::Run => Kind::Run,
        KindName::Gate => Kind::Gate,
        KindName::Rollout => Kind::Rollout,
        KindName::Refine => Kind::Refine,
    });
    let status = args.status.map(|status| match status {
        StatusName::Pending => Status::Pending,
        StatusName::Running => Status::Running,
        StatusName::Completed => Status::Completed,
        StatusName::Failed => Status::Failed,
        StatusName::Cancelled => Status::Cancelled,
    });
    let names = |name: &String| ["", ".rs", ".py"].map(|ending| format!("{name}{ending}")).to_vec();
    Ok(Filter {
        kind,
        status,
        is_lost: false,
        subjects: args.strategy.as_ref().map(names).unwrap_or_default(),
        scenario: args.scenario.clone(),
        since: args.since.as_deref().map(words::since).transpose()?,
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
    ui::table(&header, &cells.collect::<Vec<_>>())
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

pub(crate) fn remove(args: &RemoveArgs) -> Result<Exit, Failure> {
    use std::io::IsTerminal as _;
    let open = Open::new(&crate::store::Place::resolve(&args.store)?, Access::Change)?;
    let mut runs = Vec::new();
    for id in &args.ids {
        let run = open.ask(async |store: &Store| Ok(store.get(store.resolve(id).await?).await?.entry.run))?;
        let presence = run.owner.as_ref().map(assay_store::Owner::presence);
        if !run.status.is_end() && presence == Some(Presence::Here) {
            return Err(Failure::usage(format!("{} is running", run.id)).hint("wait for it to finish, or interrupt it"));
        }
        runs.push(run);
    }
    if !args.yes {
        if !std::io::stdin().is_terminal() {
            return Err(Failure::usage("nothing was removed: there is no terminal to ask for confirmation")
                .hint("use --yes to remove without asking"));
        }
        for run in &runs {
            ui::note(&format!(
                "{} {} {} {}",
                run.id,
                words::moment(run.created),
                status(run),
                ui::visible(&run.subject)
            ));
        }
        ui::note("remove these permanently? [y/N]");
        let mut answer = String::new();
        let is_read = std::io::stdin().lock().read_line(&mut answer).is_ok();
        if !is_read || !matches!(answer.trim(), "y" | "Y" | "yes") {
            ui::note("nothing was removed");
            return DONE;
        }
    }
    let ids: Vec<_> = runs.iter().map(|run| run.id).collect();
    let removed = open.ask(async |store| store.remove(&ids).await)?;
    open.close();
    ui::step("Removed", &format!("{removed} {}", if removed == 1 { "run" } else { "runs" }));
    DONE
}
