//! Refinements for programs: how a session stands, its candidates with their programs, its log; and what can be done to it.

use super::answers::Range;
use super::jobs::{gone, started, with};
use super::{Routes, Shared, answer, reply, value};
use crate::app::App;
use crate::desk::folder_id;
use crate::form::Form;
use crate::id::FolderId;
use crate::lines;
use crate::place::{Links, Place as Page};
use crate::starting::Work;
use crate::views::{self, Done, Problem, sessions};
use assay_refine::about;
use assay_refine::core::place::Place;
use assay_refine::journal::Kept;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;

/// Rows of an answer.
const ROWS_MAX: u64 = 1_000;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .on("refinement", get(session))
        .on("candidates", get(candidates))
        .on("candidate", get(candidate))
        .on("events", get(events))
        .on("pause_session", post(pause))
        .on("resume_session", post(resume))
        .on("hint", post(hint))
        .on("fork_session", post(fork))
}

async fn session(State(app): Shared, Path(id): Path<String>) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let id = folder_id(&id)?;
        let (found, kept) = views::session(&app.library, id)?;
        let name = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (state, mut told) = (&kept.state, about::session(&name, &kept));
        (told["id"], told["plan"]) = (value(&id)?, value(state.plan())?);
        (told["trials"], told["sealed"]) = (about::trials(state).into(), about::sealed(state).into());
        told["hints"] = value(&state.hints())?;
        Ok(told)
    };
    answer(app, read).await
}

async fn candidates(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (range, (_, kept)) = (Range::of(&uri, ROWS_MAX)?, views::session(&app.library, folder_id(&id)?)?);
        let all = kept.state.candidates();
        let told = range.take(all.keys().filter_map(|place| about::candidate(&kept.state, *place)));
        Ok(json!({"total": all.len(), "from": range.from, "candidates": told}))
    };
    answer(app, read).await
}

async fn candidate(State(app): Shared, Path((id, place)): Path<(String, String)>) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let place = Place::try_from(place).map_err(|_| Problem::nothing())?;
        let (_, kept) = views::session(&app.library, folder_id(&id)?)?;
        one(&kept, place)
    };
    answer(app, read).await
}

/// A candidate with its program, the lines that it changed, and its trials.
fn one(kept: &Kept, place: Place) -> Result<Value, Problem> {
    let mut told = about::candidate(&kept.state, place).ok_or_else(Problem::nothing)?;
    let parent = kept.state.candidates().get(&place).and_then(|candidate| candidate.parent);
    let (source, trouble) = match views::source_of(kept, place) {
        Some(Ok(source)) => (Some(source), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    let before = parent.and_then(|parent| views::source_of(kept, parent)?.ok());
    let changes = before.zip(source.as_ref()).and_then(|(before, after)| lines::changes(&before, after));
    let own = json!(place);
    let trials: Vec<Value> = about::trials(&kept.state).into_iter().filter(|trial| trial["candidate"] == own).collect();
    (told["source"], told["source_trouble"]) = (source.into(), trouble.into());
    (told["changes"], told["trials"]) = (value(&changes)?, trials.into());
    Ok(told)
}

async fn events(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let read = move |app: &App| -> Result<Value, Problem> {
        let (range, (_, kept)) = (Range::of(&uri, ROWS_MAX)?, views::session(&app.library, folder_id(&id)?)?);
        Ok(json!({"total": kept.events.len(), "from": range.from, "events": value(&range.take(kept.events.iter()))?}))
    };
    answer(app, read).await
}

/// Whoever runs a session is asked to stop, so nothing here has to be able to start work.
async fn pause(State(app): Shared, Path(id): Path<String>) -> Response {
    let asked = move |app: &App| -> Result<Value, Problem> {
        let id = folder_id(&id)?;
        views::stop(&app.library, id)?;
        Ok(json!({"page": Links::Served.to(&Page::Refinement(id))}))
    };
    answer(app, asked).await
}

/// Does something to a session with what starts work.
async fn act(
    app: Arc<App>,
    id: String,
    act: impl FnOnce(&App, &Work, FolderId) -> Result<Done, Problem> + Send + 'static,
) -> Response {
    reply(with(app, move |app, work| act(app, work, folder_id(&id)?).map(gone)).await)
}

async fn resume(State(app): Shared, Path(id): Path<String>) -> Response {
    act(app, id, |app, work, id| sessions::resume(&app.library, work, id)).await
}

async fn hint(State(app): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    act(app, id, move |app, work, id| sessions::hint(&app.library, work, id, &Form::parse(&body))).await
}

async fn fork(State(app): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let fork = move |app: &App, work: &Work| sessions::fork(&app.library, work, folder_id(&id)?, &Form::parse(&body));
    started(with(app, fork).await)
}
