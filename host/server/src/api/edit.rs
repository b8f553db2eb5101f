//! Strategies as text for programs: fetched, checked, saved and run by the same functions as the editor's buttons.

use super::jobs::{new_head, with};
use super::{Routes, Shared, reply, reply_with, value};
use crate::app::App;
use crate::desk::{desk, named};
use crate::form::Form;
use crate::starting::{Checked, Work};
use crate::turn::{in_turn, turn, turn_of};
use crate::views::Problem;
use crate::views::edit::{self, Asked, Held};
use assay_work::offers::version;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.on("draft", get(draft)).on("check", post(check)).on("save", post(save)).on("run_text", post(run))
}

async fn draft(State(app): Shared, uri: Uri) -> Response {
    let made = async {
        let work = desk(&app)?;
        let (stored, job) = named(&app, &uri).await?;
        let (turn, worker) = (turn(&app).await?, Arc::clone(&app));
        in_turn(turn, move || {
            let asked = Asked { uri: &uri, stored: stored.as_deref(), job };
            value(&edit::draft_of(&worker.library, &work, &asked)?)
        })
        .await
    };
    reply(made.await)
}

/// Checks are their own turns: they compile.
async fn checked<T: Send + 'static>(
    app: &App,
    act: impl FnOnce(&Work) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let work = desk(app)?;
    let turn = turn_of(&app.checks).await?;
    in_turn(turn, move || act(&work)).await
}

fn findings(checked: &Checked) -> Value {
    json!({"has_passed": checked.has_passed, "findings": checked.findings.to_json()})
}

async fn check(State(app): Shared, body: Bytes) -> Response {
    let found = checked(&app, move |work| {
        let checked = edit::checked(work, &Form::parse(&body))?;
        Ok(findings(&checked))
    });
    reply(found.await)
}

async fn save(State(app): Shared, body: Bytes) -> Response {
    let saved = with(app, move |_, work| {
        let form = Form::parse(&body);
        let id = edit::saved(work, &form)?;
        Ok(json!({"id": id.to_string(), "version": version(form.get("source"))}))
    });
    reply(saved.await)
}

async fn run(State(app): Shared, body: Bytes) -> Response {
    let begun = checked(&app, move |work| match edit::start(work, &Form::parse(&body)) {
        Ok(job) => Ok((201, json!({"job": new_head(&job)}))),
        Err(Held::Findings(checked)) => Ok((200, findings(&checked))),
        Err(Held::Wrong(refusal)) => Err(refusal.into()),
    });
    match begun.await {
        Ok((status, told)) => reply_with(status, Ok(told)),
        Err(problem) => reply(Err(problem)),
    }
}
