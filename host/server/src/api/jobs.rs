//! Jobs for programs: what forms may name, what was started and how it stands; starting, stopping and resuming.
//!
//! Invariants: those of [`crate::desk`]: a program that posts brings the token itself, fields mean what they mean in forms, and the same functions take them.

use super::answers::Range;
use super::{Routes, Shared, reply, reply_with};
use crate::app::App;
use crate::code::Code;
use crate::desk::{desk, job_id, run_of_job};
use crate::form::Form;
use crate::starting::Work;
use crate::turn::{in_turn, turn, turn_of};
use crate::views::asking::Begun;
use crate::views::start::Begins;
use crate::views::{Done, Problem, desk as view};
use assay_work::episodes::SCRIPTED;
use assay_work::jobs::{Job, JobId, State as JobState};
use assay_work::offers::Kind;
use assay_work::order::GOALS;
use assay_world::Profile;
use assay_worlds::agents::{Agents as _, OwnAgent};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;

/// Jobs of an answer where nothing is said: whether one can go on may take the journal of its run.
const JOBS: u64 = 50;
/// Jobs of an answer.
const JOBS_MAX: u64 = 200;

pub(super) fn routes(routes: Routes) -> Routes {
    let routes = routes
        .on("choices", get(choices))
        .on("jobs", get(list))
        .on("job", get(one))
        .on("stop_job", post(stop))
        .on("resume_job", post(resume))
        .on("again", post(again));
    Begins::ALL.into_iter().fold(routes, |routes, (name, begins)| {
        let handler = move |State(app): Shared, body: Bytes| start(app, begins, body);
        routes.on(&format!("start_{name}"), post(handler))
    })
}

/// Does something with what starts work, on a thread that may block.
pub(super) async fn with<T: Send + 'static>(
    app: Arc<App>,
    act: impl FnOnce(&App, &Work) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let work = desk(&app)?;
    let turn = turn(&app).await?;
    in_turn(turn, move || act(&app, &work)).await
}

async fn choices(State(app): Shared) -> Response {
    reply(with(app, |_, work| Ok(named(work))).await)
}

/// What forms may name.
fn named(work: &Work) -> Value {
    let offers = work.offers.list();
    let of = |is_it: &dyn Fn(Kind) -> bool| -> Value {
        let found = offers.iter().filter(|offer| is_it(offer.kind));
        found.map(|offer| json!({"id": offer.id.to_string(), "name": offer.name})).collect()
    };
    let presets = assay_market::presets().iter();
    let presets = presets.map(|preset| json!({"id": preset.name, "name": preset.name, "summary": preset.summary}));
    let agents = OwnAgent::ALL.iter().map(|own| own.name().to_owned()).chain(work.models.iter().cloned());
    let models = std::iter::once(SCRIPTED).chain(work.models.iter().map(String::as_str));
    json!({
        "strategies": of(&Kind::is_strategy),
        "policies": of(&|kind| kind == Kind::Policy),
        "markets": presets.collect::<Vec<_>>(),
        "scenarios": of(&|kind| kind == Kind::Scenario),
        "tasks": of(&|kind| kind == Kind::Tasks),
        "worlds": of(&|kind| kind == Kind::World),
        "writers": work.models,
        "models": models.collect::<Vec<_>>(),
        "agents": agents.collect::<Vec<_>>(),
        "faults": Profile::ALL.iter().map(|profile| profile.name()).collect::<Vec<_>>(),
        "goals": GOALS.iter().map(|goal| goal.name()).collect::<Vec<_>>(),
    })
}

/// What was started here. A server that starts nothing answers with an empty list: asking only reads.
async fn list(State(app): Shared, uri: Uri) -> Response {
    let range = match Range::or(&uri, JOBS, JOBS_MAX) {
        Ok(range) => range,
        Err(problem) => return reply(Err(problem)),
    };
    if app.starts.is_none() {
        return reply(Ok(json!({"total": 0, "from": range.from, "jobs": []})));
    }
    let listed = with(app, move |_, work| {
        let jobs = work.jobs.list();
        // Nothing is looked for of those that are passed over.
        let shown = range.take(jobs.iter());
        let heads: Vec<Value> = shown.into_iter().map(|job| head(job, work.jobs.can_go_on(job))).collect();
        Ok(json!({"total": jobs.len(), "from": range.from, "jobs": heads}))
    });
    reply(listed.await)
}

/// A job, without what it has printed.
fn head(job: &Job, can_resume: bool) -> Value {
    let code = match job.state {
        JobState::Ended { code } => code,
        _ => None,
    };
    json!({
        "id": job.id.as_str(), "kind": job.what.word(), "subject": job.subject, "state": job.state.words(), "is_over": job.state.is_end(),
        "exit_code": code, "can_resume": can_resume, "command": job.words, "asked_ms": job.asked_ms, "began_ms": job.began_ms,
        "ended_ms": job.ended_ms, "resumes": job.resumes, "page": format!("/jobs/{}", job.id),
    })
}

async fn one(State(app): Shared, Path(name): Path<String>) -> Response {
    let run = match job_id(&name) {
        Ok(id) => run_of_job(&app, &id).await,
        Err(problem) => return reply(Err(problem)),
    };
    let found = with(app, move |app, work| {
        let id = job_id(&name)?;
        let shown = view::shown(&app.library, work, &id, run)?;
        let mut value = head(&shown.job, shown.can_go_on);
        value["output"] = shown.output.0.into();
        value["output_bytes"] = shown.output.1.into();
        // The last part of the address of its page, as of any folder of results.
        value["result"] = shown.found.map(|found| found.id.to_string()).into();
        value["run"] = shown.run.map(|run| run.to_string()).into();
        Ok(value)
    });
    reply(found.await)
}

/// Starts something, or says what it would take. The fields are those of its form.
async fn start(app: Arc<App>, begins: Begins, body: Bytes) -> Response {
    let begun = async move {
        let work = desk(&app)?;
        let turn = turn_of(&app.checks).await?;
        in_turn(turn, move || Ok(begins.begin(&app.library, &work, &Form::parse(&body))?)).await
    };
    match begun.await {
        Ok(Begun::Job(job)) => started(Ok(*job)),
        Ok(Begun::Estimate(asked)) if asked.code == Some(0) => reply(Ok(json!({"estimate": asked.output.trim_end()}))),
        Ok(Begun::Estimate(asked)) => {
            reply(Err(Problem::new(Code::Unprocessable, "This would not start", asked.output.trim_end())))
        }
        Err(problem) => reply(Err(problem)),
    }
}

async fn change(app: Arc<App>, name: String, act: fn(&Work, &JobId) -> Result<Done, Problem>) -> Response {
    let changed = with(app, move |_, work| {
        let id = job_id(&name)?;
        act(work, &id)?;
        Ok(json!({"job": work.jobs.find(&id).map(|job| head(&job, work.jobs.can_go_on(&job)))}))
    });
    reply(changed.await)
}

/// The same of one that was just asked for, and so has not ended.
pub(super) fn new_head(job: &Job) -> Value {
    head(job, false)
}

/// What is answered where a job was started.
pub(super) fn started(job: Result<Job, Problem>) -> Response {
    reply_with(201, job.map(|job| json!({"job": new_head(&job)})))
}

/// Where it is told what became of something.
pub(super) fn gone(done: Done) -> Value {
    match done {
        Done::Go(page) => json!({"page": page}),
        Done::Page(..) => json!({"page": Value::Null}),
    }
}

async fn again(State(app): Shared, Path(name): Path<String>) -> Response {
    started(with(app, move |_, work| view::again(work, &job_id(&name)?)).await)
}

async fn stop(State(app): Shared, Path(name): Path<String>) -> Response {
    change(app, name, view::stop).await
}

async fn resume(State(app): Shared, Path(name): Path<String>) -> Response {
    change(app, name, view::go_on).await
}
