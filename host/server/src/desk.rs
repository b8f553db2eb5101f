//! Addresses of what starts work: the editor, forms, jobs, and what is done to sessions.
//!
//! Invariants: none of it is there where work cannot be started; GET shows and POST acts, so that a page that is loaded again starts nothing; whoever has
//! posted is sent to a page that shows what became of it.

use crate::app::{App, html};
use crate::code::Code;
use crate::form::Form;
use crate::id::{FolderId, Id};
use crate::pages::Frame;
use crate::safety::field;
use crate::starting::Work;
use crate::turn::{in_turn, turn, turn_of};
use crate::views::start::{Begins, Named};
use crate::views::{self, Done, Problem, View};
use crate::views::{desk as view, edit, sessions};
use assay_store::RunId;
use assay_work::jobs::JobId;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use std::sync::Arc;

type Shared = State<Arc<App>>;

/// Everything that starts work.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/edit", get(open))
        .route("/edit/check", post(check))
        .route("/edit/save", post(save))
        .route("/edit/run", post(run))
        .route("/jobs", get(jobs))
        .route("/jobs/{id}", get(job))
        .route("/jobs/{id}/stop", post(stop_job))
        .route("/jobs/{id}/resume", post(go_on))
        .route("/jobs/{id}/again", post(again))
        .merge(form("/runs/new", "strategy", Begins::Run))
        .merge(form("/gate/new", "strategy", Begins::Gate))
        .merge(form("/refine/new", "strategy", Begins::Refinement))
        .merge(form("/rollouts/new", "tasks", Begins::Rollout))
        .merge(form("/worlds/new", "world", Begins::World))
        .merge(form("/worlds/fork", "episode", Begins::Fork))
        .route("/compare/record", post(record))
        .route("/refine/{id}/resume", post(resume))
        .route("/refine/{id}/hint", post(hint))
        .route("/refine/{id}/fork", post(fork))
}

/// A form: shown, with what the address names by `chosen`, and sent.
fn form(path: &str, chosen: &'static str, begins: Begins) -> Router<Arc<App>> {
    let shown = move |State(app): Shared, uri: Uri| {
        let named = Named { chosen: field(&uri, chosen), step: field(&uri, "step"), world: field(&uri, "world") };
        show(app, move |_, frame, work| Ok(begins.form(frame, work, named)))
    };
    // What it would take, or whether a scenario can be read, is asked of a command, as a check is.
    let sent = move |State(app): Shared, body: Bytes| {
        checked(app, body, move |app, frame, work, form| begins.sent(frame, &app.library, work, form))
    };
    Router::new().route(path, get(shown).post(sent))
}

fn answer(app: &App, done: Result<Done, Problem>) -> Response {
    match done {
        Ok(Done::Page(status, page)) => html(status, page),
        Ok(Done::Go(to)) => (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response(),
        Err(problem) => app.problem(&problem),
    }
}

/// What starts work, if anything does.
pub(crate) fn desk(app: &App) -> Result<Work, Problem> {
    app.starts.clone().ok_or_else(|| {
        let words = "This server shows what was done and starts nothing: it was started with --read-only, or another one starts work in the same folder.";
        Problem::new(Code::ReadOnly, "Nothing can be started here", words)
    })
}

async fn act(
    app: Arc<App>,
    act: impl FnOnce(&App, Frame<'_>, &Work) -> Result<Done, Problem> + Send + 'static,
) -> Response {
    let done = async {
        let work = desk(&app)?;
        let (turn, worker) = (turn(&app).await?, Arc::clone(&app));
        in_turn(turn, move || act(&worker, worker.frame(), &work)).await
    };
    let done = done.await;
    answer(&app, done)
}

async fn show(app: Arc<App>, make: impl FnOnce(&App, Frame<'_>, &Work) -> View + Send + 'static) -> Response {
    act(app, move |app, frame, work| make(app, frame, work).map(|page| Done::Page(200, page))).await
}

/// The record of a run of the store that an address names.
pub(crate) type Stored = Option<Vec<u8>>;

/// What the address of the editor names: the record of a run of the store; a job, and the run that it has made.
pub(crate) async fn named(app: &App, uri: &Uri) -> Result<(Stored, Option<(Option<RunId>, JobId)>), Problem> {
    let stored = match field(uri, "run").map(|text| views::id(&text)) {
        Some(Ok(Id::Run(run))) => views::stored(&app.library, run).await?.1,
        Some(Ok(_) | Err(_)) => return Err(Problem::nothing()),
        None => None,
    };
    let job = match field(uri, "job").map(|text| text.parse::<JobId>()) {
        Some(Ok(id)) => Some((run_of_job(app, &id).await, id)),
        Some(Err(_)) => return Err(Problem::no_job()),
        None => None,
    };
    Ok((stored, job))
}

/// The editor with a text from somewhere.
async fn open(State(app): Shared, uri: Uri) -> Response {
    let (stored, job) = match named(&app, &uri).await {
        Ok(named) => named,
        Err(problem) => return app.problem(&problem),
    };
    show(app, move |app, frame, work| {
        edit::open(&app.library, frame, work, &edit::Asked { uri: &uri, stored: stored.as_deref(), job })
    })
    .await
}

/// Checks are their own turns: they compile.
async fn checked(
    app: Arc<App>,
    body: Bytes,
    act: impl FnOnce(&App, Frame<'_>, &Work, &Form) -> Result<Done, Problem> + Send + 'static,
) -> Response {
    let done = async {
        let work = desk(&app)?;
        let (turn, worker) = (turn_of(&app.checks).await?, Arc::clone(&app));
        in_turn(turn, move || act(&worker, worker.frame(), &work, &Form::parse(&body))).await
    };
    let done = done.await;
    answer(&app, done)
}

async fn check(State(app): Shared, body: Bytes) -> Response {
    checked(app, body, |_, frame, work, form| edit::check(frame, work, form)).await
}

async fn save(State(app): Shared, body: Bytes) -> Response {
    act(app, move |_, frame, work| edit::save(frame, work, &Form::parse(&body))).await
}

async fn run(State(app): Shared, body: Bytes) -> Response {
    checked(app, body, |_, frame, work, form| edit::run(frame, work, form)).await
}

/// Has a seed of a run made again, with its events.
async fn record(State(app): Shared, body: Bytes) -> Response {
    let form = Form::parse(&body);
    let (Ok(run), Ok(seed)) = (form.get("run").parse::<RunId>(), form.get("seed").parse::<u64>()) else {
        return app.problem(&Problem::nothing());
    };
    // Before anything is read.
    if let Err(problem) = desk(&app) {
        return app.problem(&problem);
    }
    match views::compare::read(&app.library, run).await {
        Ok(read) => {
            act(app, move |_, _, work| views::compare::again(work, &read, seed).map(|job| view::begun(&job))).await
        }
        Err(problem) => app.problem(&problem),
    }
}

async fn jobs(State(app): Shared) -> Response {
    show(app, |_, frame, work| Ok(view::jobs(frame, work))).await
}

/// The run of the store that a job has made.
pub(crate) async fn run_of_job(app: &App, id: &JobId) -> Option<RunId> {
    view::run_of_job(&app.library, app.starts.as_ref()?, id).await
}

pub(crate) fn job_id(text: &str) -> Result<JobId, Problem> {
    text.parse().map_err(|_| Problem::no_job())
}

async fn job(State(app): Shared, Path(id): Path<String>) -> Response {
    let id = match job_id(&id) {
        Ok(id) => id,
        Err(problem) => return app.problem(&problem),
    };
    let run = run_of_job(&app, &id).await;
    show(app, move |app, frame, work| view::job(&app.library, frame, work, &id, run)).await
}

async fn stop_job(State(app): Shared, Path(id): Path<String>) -> Response {
    act(app, move |_, _, work| view::stop(work, &job_id(&id)?)).await
}

async fn go_on(State(app): Shared, Path(id): Path<String>) -> Response {
    act(app, move |_, _, work| view::go_on(work, &job_id(&id)?)).await
}

async fn again(State(app): Shared, Path(id): Path<String>) -> Response {
    act(app, move |_, _, work| view::again(work, &job_id(&id)?).map(|job| view::begun(&job))).await
}

pub(crate) fn folder_id(text: &str) -> Result<FolderId, Problem> {
    text.parse().map_err(|_| Problem::nothing())
}

async fn resume(State(app): Shared, Path(id): Path<String>) -> Response {
    act(app, move |app, _, work| sessions::resume(&app.library, work, folder_id(&id)?)).await
}

async fn hint(State(app): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    act(app, move |app, _, work| sessions::hint(&app.library, work, folder_id(&id)?, &Form::parse(&body))).await
}

async fn fork(State(app): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let fork = move |app: &App, _: Frame<'_>, work: &Work| {
        sessions::fork(&app.library, work, folder_id(&id)?, &Form::parse(&body)).map(|job| view::begun(&job))
    };
    act(app, fork).await
}
