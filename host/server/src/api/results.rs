//! Results of folders for programs: the folders themselves, boards, arenas, rollouts, runs in worlds, verdicts; what models have cost, and this machine.

use super::answers::{Range, wrong};
use super::{Routes, Shared, answer, reply, value};
use crate::app::App;
use crate::desk::folder_id;
use crate::id::{FolderId, Id, Name};
use crate::library::{Found, What};
use crate::pages::boards::Line as Board;
use crate::pages::folders::{milliseconds, place};
use crate::pages::gate::{Line, Proof};
use crate::pages::rollout::Rollout;
use crate::pages::rollouts::TASKS_MAX;
use crate::place::Links;
use crate::safety::field;
use crate::turn::{in_turn, turn};
use crate::views::{self, Problem, boards as board_views};
use assay_gate::{Decision, Verdict};
use assay_rollout::run::{Doubt, pass_all};
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

/// Rows of an answer.
const ROWS_MAX: u64 = 1_000;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .on("folders", get(folders))
        .on("spending", get(spending))
        .on("boards", get(boards))
        .on("board", get(board))
        .on("arena", get(arena))
        .on("rollout", get(rollout))
        .on("world", get(world))
        .on("gate", get(gate))
        .on("doctor", get(doctor))
}

async fn folders(State(app): Shared, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (range, scan) = (Range::of(&uri, ROWS_MAX)?, app.library.scan());
        let wanted = match field(&uri, "what").filter(|word| !word.is_empty()) {
            Some(word) => Some(kind(&word).ok_or_else(|| wrong("what", "there is no such kind of folder"))?),
            None => None,
        };
        let is_wanted = |found: &&Found| wanted.is_none_or(|wanted| wanted == found.what);
        let found: Vec<&Found> = scan.found.iter().filter(is_wanted).collect();
        let folders: Result<Vec<Value>, Problem> = range.take(found.iter().copied()).into_iter().map(folder).collect();
        Ok(json!({"total": found.len(), "from": range.from, "folders": folders?, "troubles": scan.troubles}))
    };
    answer(app, read).await
}

/// A kind of folder by its name.
fn kind(word: &str) -> Option<What> {
    What::ALL.into_iter().find(|what| value(what).is_ok_and(|name| name == word))
}

fn folder(found: &Found) -> Result<Value, Problem> {
    Ok(json!({
        "id": value(&found.id)?, "what": value(&found.what)?, "name": found.name, "modified_ms": milliseconds(found.modified),
        "damage": found.damage, "page": Links::Served.to(&place(found)),
    }))
}

async fn spending(State(app): Shared) -> Response {
    answer(app, |app| value(&app.ledger.bill(&app.library.scan(), SystemTime::now()))).await
}

async fn boards(State(app): Shared) -> Response {
    let read = |app: &App| -> Result<Value, Problem> {
        let (lines, total) = board_views::lines(&app.library);
        let line = |line: &Board| -> Result<Value, Problem> {
            let (season, trouble) = match &line.board {
                Ok(board) => (value(board)?, None),
                Err(why) => (Value::Null, Some(why)),
            };
            Ok(json!({"name": line.name, "season": season, "trouble": trouble}))
        };
        let boards: Result<Vec<Value>, Problem> = lines.iter().map(line).collect();
        Ok(json!({"total": total, "boards": boards?}))
    };
    answer(app, read).await
}

async fn board(State(app): Shared, Path(name): Path<String>, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let number = field(&uri, "season").filter(|text| !text.is_empty());
        let season = number.map(|text| text.parse::<u32>()).transpose().map_err(|_| Problem::no_board())?;
        board_views::season(&app.library, &name, season, |shown| value(shown))?
    };
    answer(app, read).await
}

async fn arena(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let range = Range::of(&uri, ROWS_MAX)?;
        let (name, mut record) = views::arena::record(&app.library, folder_id(&id)?)?;
        let games = std::mem::take(&mut record.games);
        let total = games.len();
        record.games = range.take(games.into_iter());
        let mut told = value(&record)?;
        (told["name"], told["total"], told["from"]) = (name.into(), total.into(), range.from.into());
        Ok(told)
    };
    answer(app, read).await
}

async fn rollout(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    episodes(app, id, uri, What::Rollout).await
}

async fn world(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    episodes(app, id, uri, What::World).await
}

async fn episodes(app: Arc<App>, id: String, uri: Uri, what: What) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (id, range) = (folder_id(&id)?, Range::of(&uri, ROWS_MAX)?);
        // The page of rollouts shows those, too.
        let is_loose = |found: &Found| what == What::Rollout && found.what == What::Trajectories;
        if let Some(found) = app.library.folder(id).filter(is_loose) {
            return loose(&found, &range);
        }
        views::run_of_episodes(&app.library, (id, what), |run| told(run, &range))?
    };
    answer(app, read).await
}

/// A run of episodes: what it is, what it came to, and the episodes that are asked for.
fn told(run: &Rollout<'_>, range: &Range) -> Result<Value, Problem> {
    let names: BTreeSet<&str> = run.trajectories.iter().map(Name::as_str).collect();
    let doubted = run.doubts.iter().map(|doubt| doubt.record.id.as_str());
    let with_result: BTreeSet<&str> = run.finished.iter().map(|record| record.id.as_str()).chain(doubted).collect();
    let trajectory = |id: &str| names.contains(id).then(|| format!("{}.{id}", run.found.id));
    let mut rows = Vec::new();
    for record in range.take(run.finished.iter()) {
        let mut row = value(record)?;
        row["trajectory"] = trajectory(&record.id).into();
        rows.push(row);
    }
    let broken = |doubt: &Doubt| {
        let Doubt { line, record, why } = doubt;
        let trajectory = trajectory(&record.id);
        json!({"id": record.id, "task": record.task, "sample": record.sample, "line": line, "why": why, "trajectory": trajectory})
    };
    let begun = names.difference(&with_result).take(ROWS_MAX as usize).map(|name| format!("{}.{name}", run.found.id));
    let begun: Vec<String> = begun.collect();
    let (under_way, unfinished) = if run.is_running { (begun, Vec::new()) } else { (Vec::new(), begun) };
    let tasks = run.record.tasks.keys().take(TASKS_MAX);
    Ok(json!({
        "id": value(&run.found.id)?, "name": run.found.name, "settings": run.record.settings, "command": run.record.command(),
        "tasks": tasks.collect::<Vec<_>>(), "tasks_total": run.record.tasks.len(), "figures": value(run.figures)?,
        "pass_all": value(&pass_all(run.finished))?, "total": run.finished.len(), "planned": run.record.planned(), "from": range.from, "episodes": rows,
        "under_way": under_way, "unfinished": unfinished,
        "unlisted": run.unlisted.iter().map(|id| format!("{}.{id}", run.found.id)).collect::<Vec<_>>(),
        "broken": run.doubts.iter().take(ROWS_MAX as usize).map(broken).collect::<Vec<_>>(),
        "altered": value(&run.stated.altered)?,
        "unsealed": run.stated.unsealed.iter().map(|id| format!("{}.{id}", run.found.id)).collect::<Vec<_>>(),
        "damaged": run.damaged.iter().map(|one| json!({"line": one.line, "why": one.why})).collect::<Vec<_>>(),
        "shortened": run.shortened.iter().map(|name| format!("{}.{name}", run.found.id)).collect::<Vec<_>>(),
    }))
}

/// A folder of which no more is known than its trajectories.
fn loose(found: &Found, range: &Range) -> Result<Value, Problem> {
    let names = found.trajectories().map_err(|error| Problem::of_file(&found.name, &error))?;
    let trajectories = range.take(names.iter().map(|name| format!("{}.{name}", found.id)));
    Ok(json!({
        "id": value(&found.id)?, "name": found.name, "settings": {}, "command": null, "tasks": [], "tasks_total": 0, "figures": {},
        "pass_all": [], "total": names.len(), "planned": null, "from": range.from, "episodes": [], "under_way": [], "trajectories": trajectories,
    }))
}

async fn gate(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    match views::id(&id) {
        Ok(Id::Folder(id)) => answer(app, move |app| batch(app, id, &uri)).await,
        Ok(Id::Item(id)) => {
            let read = move |app: &App| -> Result<Value, Problem> {
                let (bytes, is_signed) = views::verdict_of_batch(&app.library, &id)?;
                verdict(&views::verdict_from(&bytes)?, Some(is_signed))
            };
            answer(app, read).await
        }
        Ok(Id::Run(id)) => {
            let read = async {
                let turn = turn(&app).await?;
                let bytes = views::stored_verdict(&app.library, id).await?;
                in_turn(turn, move || verdict(&views::verdict_from(&bytes)?, None)).await
            };
            reply(read.await)
        }
        Err(problem) => reply(Err(problem)),
    }
}

fn verdict(verdict: &Verdict, is_signed: Option<bool>) -> Result<Value, Problem> {
    let follows = verdict.decision_follows();
    Ok(json!({"verdict": value(verdict)?, "decision_follows": follows, "is_signed": is_signed}))
}

/// The verdicts of a batch in short, each with its own id.
fn batch(app: &App, id: FolderId, uri: &Uri) -> Result<Value, Problem> {
    let range = Range::of(uri, ROWS_MAX)?;
    let listed = views::lines(&app.library, id)?;
    let (found, lines) = (&listed.found, &listed.lines);
    let asked = range.take(lines.iter());
    let (proofs, is_judged) = views::proofs(&listed, asked.iter().copied())?;
    let row = |(line, proof): (&Line, Proof)| {
        json!({
            "id": format!("{id}.{}", line.name), "submission": line.submission, "decision": line.decision, "summary": line.summary,
            "proven": proof.decision.map(Decision::word), "doubt": proof.doubt,
        })
    };
    let verdicts: Vec<Value> = asked.into_iter().zip(proofs).map(row).collect();
    let unlisted = if is_judged { Vec::new() } else { views::unlisted(found, lines) };
    let unlisted = unlisted.into_iter().take(ROWS_MAX as usize);
    Ok(json!({
        "id": value(&id)?, "name": found.name, "total": lines.len(), "from": range.from, "left_out": listed.left_out, "verdicts": verdicts,
        "is_being_judged": is_judged,
        "unlisted": unlisted.map(|name| format!("{id}.{name}")).collect::<Vec<_>>(),
    }))
}

async fn doctor(State(app): Shared) -> Response {
    let looked = |app: &App| -> Result<Value, Problem> {
        let checks = app.examine.as_ref().map(|examine| (examine.0)());
        Ok(json!({"checks": value(&checks)?}))
    };
    answer(app, looked).await
}
