//! Trajectories for programs: records by range, one by number, a search, the outline, scores, the state or the files after a step, two side by side.
//!
//! Invariants: those of [`crate::index`]: nothing is read but what is answered, however long a trajectory is; an answer has a bound of rows, and of bytes where
//! it has whole records.

use super::answers::Range;
use super::{Routes, Shared, answer, item_id, reply, value};
use crate::app::App;
use crate::id::ItemId;
use crate::index::{IndexError, Row, line_of};
use crate::library::Library;
use crate::pages::record::BODY_BYTES_MAX;
use crate::pages::trajectory::{Part, ROWS_PER_PAGE};
use crate::query;
use crate::safety::field;
use crate::starting::Work;
use crate::turn::{in_turn, turn_of};
use crate::views::{self, Problem, records};
use assay_trace::{Action, Diff, MEMORY_BYTES_MAX, Row as Aligned, weight};
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};
use std::fs::File;
use std::sync::Arc;

/// Characters of what an action was given.
const ARGUMENTS_CHARS_MAX: usize = 4_000;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .on("trajectory", get(head))
        .on("records", get(rows))
        .on("record", get(record))
        .on("search", get(search))
        .on("outline", get(outline))
        .on("scores", get(scores))
        .on("state", get(state))
        .on("files", get(files))
        .on("aside", get(aside))
}

async fn head(State(app): Shared, Path(id): Path<String>) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let id = item_id(&id)?;
        records::part(
            &app.library,
            &id,
            |_| (0, 0),
            None,
            |_, part| {
                let mut value = value(part)?;
                without(&mut value, &["rows", "from", "search"]);
                Ok(value)
            },
        )?
    };
    answer(app, read).await
}

fn without(value: &mut Value, names: &[&str]) {
    if let Value::Object(fields) = value {
        fields.retain(|name, _| !names.contains(&name.as_str()));
    }
}

async fn rows(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (id, range) = (item_id(&id)?, Range::of(&uri, ROWS_PER_PAGE)?);
        let has_bodies = field(&uri, "bodies").is_some_and(|word| word == "true");
        let wanted = |_| (range.from, range.count);
        records::part(&app.library, &id, wanted, None, |file, part| told(file, part, has_bodies))?
    };
    answer(app, read).await
}

/// Part of a trajectory; with bodies, as many records as there is room for, one at least.
fn told(file: &File, part: &Part<'_>, has_bodies: bool) -> Result<Value, Problem> {
    let mut told = value(part)?;
    without(&mut told, &["search"]);
    let mut shown = part.rows.len();
    if has_bodies {
        let (mut rows, mut left) = (Vec::new(), BODY_BYTES_MAX as u64);
        for row in part.rows {
            if !rows.is_empty() && u64::from(row.bytes) > left {
                break;
            }
            left = left.saturating_sub(u64::from(row.bytes));
            let line = line_of(file, row, BODY_BYTES_MAX as u64);
            rows.push(with_record(row, &line.map_err(|error| Problem::of_index(&IndexError::from(error)))?)?);
        }
        shown = rows.len();
        told["rows"] = rows.into();
    }
    let next = part.from.saturating_add(shown as u64);
    told["next"] = if next < part.total { next.into() } else { Value::Null };
    Ok(told)
}

/// A row with its record; where that is cut, no JSON or too large once parsed, with the text of its line as far as it was read.
fn with_record(row: &Row, line: &[u8]) -> Result<Value, Problem> {
    let mut told = value(row)?;
    let is_whole = row.is_whole(line);
    let is_parsed = is_whole && weight(line) <= MEMORY_BYTES_MAX;
    let record = if is_parsed { serde_json::from_slice::<Value>(line).ok() } else { None };
    told["line"] = if record.is_none() { String::from_utf8_lossy(line).into() } else { Value::Null };
    told["record"] = record.unwrap_or_default();
    told["is_whole"] = is_whole.into();
    Ok(told)
}

async fn record(State(app): Shared, Path((id, number)): Path<(String, String)>) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (id, number) = (item_id(&id)?, number.parse::<u64>().map_err(|_| Problem::nothing())?);
        let one = records::one(&app.library, &id, number, BODY_BYTES_MAX)?;
        let mut told = with_record(&one.row, &one.line)?;
        (told["total"], told["broken"]) = (one.total.into(), one.broken.map(|at| at.number).into());
        Ok(told)
    };
    answer(app, read).await
}

async fn search(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let text = field(&uri, "q").unwrap_or_default();
        value(&records::search(&app.library, &item_id(&id)?, &text)?)
    };
    answer(app, read).await
}

async fn outline(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (from, only) = (query::number(&uri, "from").unwrap_or(0), field(&uri, "only"));
        views::outline::told(&app.library, &item_id(&id)?, from, only.as_deref(), |outline| value(outline))?
    };
    answer(app, read).await
}

async fn scores(State(app): Shared, Path(id): Path<String>) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (scores, broken) = records::scores(&app.library, &item_id(&id)?)?;
        let scores: Result<Vec<Value>, Problem> = scores.iter().map(|(row, line)| with_record(row, line)).collect();
        Ok(json!({"scores": scores?, "broken": broken}))
    };
    answer(app, read).await
}

/// What has to be made again by a command waits for its turn as checks do.
async fn made_again(
    app: Arc<App>,
    id: &str,
    make: impl FnOnce(&Library, Option<&Work>, &ItemId) -> Result<Value, Problem> + Send + 'static,
) -> Response {
    let made = async {
        let id = item_id(id)?;
        let (turn, worker) = (turn_of(&app.checks).await?, Arc::clone(&app));
        in_turn(turn, move || make(&worker.library, worker.starts.as_ref(), &id)).await
    };
    reply(made.await)
}

async fn state(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let question = query::of_state(&uri);
    made_again(app, &id, move |library, work, id| {
        views::state::told(library, work, id, &question, |shown| value(shown))?
    })
    .await
}

async fn files(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let question = query::of_files(&uri);
    made_again(app, &id, move |library, work, id| {
        views::files::told(library, work, id, &question, |shown| value(shown))?
    })
    .await
}

async fn aside(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (left, right) = (item_id(&id)?, item_id(&field(&uri, "with").unwrap_or_default())?);
        let range = Range::of(&uri, ROWS_PER_PAGE)?;
        let (diff, [left_broken, right_broken]) = views::aside::difference(&app.library, &left, &right)?;
        let mut told = parted((&left, &right), &diff, &range)?;
        (told["left_broken"], told["right_broken"]) =
            (left_broken.map(|at| at.number).into(), right_broken.map(|at| at.number).into());
        Ok(told)
    };
    answer(app, read).await
}

fn parted((left, right): (&ItemId, &ItemId), diff: &Diff, range: &Range) -> Result<Value, Problem> {
    let action = |action: Option<&Action>| {
        action.map(|action| {
            let arguments: String = action.arguments.chars().take(ARGUMENTS_CHARS_MAX).collect();
            json!({"step": action.step, "tool": action.tool, "arguments": arguments})
        })
    };
    let row = |row: &Aligned| {
        let (side, left, right) = match *row {
            Aligned::Both { left, right } => ("both", Some(left), Some(right)),
            Aligned::Left(left) => ("left", Some(left), None),
            Aligned::Right(right) => ("right", None, Some(right)),
        };
        let left = action(left.and_then(|place| diff.left.get(place)));
        json!({"side": side, "left": left, "right": action(right.and_then(|place| diff.right.get(place)))})
    };
    let first = diff.alignment.iter().position(|row| !matches!(row, Aligned::Both { .. }));
    let first_state = diff.first_state.as_ref();
    Ok(json!({
        "left": value(left)?, "right": value(right)?, "left_result": value(&diff.left_result)?, "right_result": value(&diff.right_result)?,
        "first": first,
        "first_state": first_state.map(|state| json!({"left_step": state.left_step, "right_step": state.right_step, "parts": state.parts})),
        "total": diff.alignment.len(), "from": range.from, "rows": range.take(diff.alignment.iter().map(row)),
    }))
}
