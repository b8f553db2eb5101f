//! Addresses of what starts work: the editor, forms, jobs, and what is done to sessions.
//!
//! Invariants: none of it is there where work cannot be started; GET shows and POST acts, so that a page that is loaded again starts nothing; whoever has
//! posted is sent to a page that shows what became of it.

use crate::app::{App, html};
use crate::form::Form;
use crate::id::{FolderId, Id};
use crate::pages::Frame;
use crate::safety::field;
use crate::starting::Work;
use crate::turn::{in_turn, turn, turn_of};
use crate::views::{self, Done, Problem, View};
use crate::views::{desk as view, edit};
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
        .route("/jobs/{id}/again", post(again))
        .route("/runs/new", get(new_run).post(start_run))
        .route("/gate/new", get(new_gate).post(start_gate))
        .route("/refine/new", get(new_refinement).post(start_refinement))
        .route("/refine/{id}/resume", post(resume))
        .route("/refine/{id}/hint", post(hint))
        .route("/refine/{id}/fork", post(fork))
}

fn answer(app: &App, done: Result<Done, Problem>) -> Response {
    match done {
        Ok(Done::Page(status, page)) => html(status, page),
        Ok(Done::Go(to)) => (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response(),
        Err(problem) => app.problem(&problem),
    }
}

/// What starts work, if anything does.
fn desk(app: &App) -> Result<Work, Problem> {
    app.starts.clone().ok_or_else(|| {
        let words = "This server shows what was done and starts nothing: it was started with --read-only, or another one starts work in the same folder.";
        Problem { status: 403, title: "Nothing can be started here", words: words.to_owned() }
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

/// The editor with a text from somewhere.
async fn open(State(app): Shared, uri: Uri) -> Response {
    let stored = match field(&uri, "run").map(|text| views::id(&text)) {
        Some(Ok(Id::Run(run))) => match views::stored(&app.library, run).await {
            Ok((_, record)) => record,
            Err(problem) => return app.problem(&problem),
        },
        Some(Ok(_) | Err(_)) => return app.problem(&Problem::nothing()),
        None => None,
    };
    let job = match field(&uri, "job").map(|text| text.parse::<JobId>()) {
        Some(Ok(id)) => Some((run_of_job(&app, &id).await, id)),
        Some(Err(_)) => return app.problem(&Problem::nothing()),
        None => None,
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

async fn jobs(State(app): Shared) -> Response {
    show(app, |_, frame, work| Ok(view::jobs(frame, work))).await
}

/// The run of the store that a job has made.
async fn run_of_job(app: &App, id: &JobId) -> Option<RunId> {
    view::run_of_job(&app.library, app.starts.as_ref()?, id).await
}

fn job_id(text: &str) -> Result<JobId, Problem> {
    text.parse().map_err(|_| Problem::nothing())
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

async fn again(State(app): Shared, Path(id): Path<String>) -> Response {
    act(app, move |_, _, work| view::again(work, &job_id(&id)?)).await
}

async fn new_run(State(app): Shared, uri: Uri) -> Response {
    show(app, move |_, frame, work| Ok(view::new_run(frame, work, field(&uri, "strategy")))).await
}

async fn start_run(State(app): Shared, body: Bytes) -> Response {
    act(app, move |_, frame, work| view::start_run(frame, work, &Form::parse(&body))).await
}

async fn new_gate(State(app): Shared, uri: Uri) -> Response {
    show(app, move |_, frame, work| Ok(view::new_gate(frame, work, field(&uri, "strategy")))).await
}

async fn start_gate(State(app): Shared, body: Bytes) -> Response {
    act(app, move |_, frame, work| view::start_gate(frame, work, &Form::parse(&body))).await
}

async fn new_refinement(State(app): Shared, uri: Uri) -> Response {
    show(app, move |_, frame, work| Ok(view::new_refinement(frame, work, field(&uri, "strategy")))).await
}

/// An estimate compiles the strategy, as a check does.
async fn start_refinement(State(app): Shared, body: Bytes) -> Response {
    checked(app, body, |_, frame, work, form| view::start_refinement(frame, work, form)).await
}

fn folder_id(text: &str) -> Result<FolderId, Problem> {
    text.parse().map_err(|_| Problem::nothing())
}

async fn resume(State(app): Shared, Path(id): Path<String>) -> Response {
    act(app, move |app, _, work| view::resume(&app.library, work, folder_id(&id)?)).await
}

async fn hint(State(app): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    act(app, move |app, _, work| view::hint(&app.library, work, folder_id(&id)?, &Form::parse(&body))).await
}

async fn fork(State(app): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    act(app, move |app, _, work| view::fork(&app.library, work, folder_id(&id)?, &Form::parse(&body))).await
}
