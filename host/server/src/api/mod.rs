//! What the pages show and start, for programs, as JSON; series and tables as CSV, Arrow or Parquet, too.
//!
//! ```text
//! operations ──► document
//!     └──► require ──► handler ──► views ──► JSON          the same values of which pages are made
//! ```
//!
//! Invariants: whoever asks passes [`crate::safety`] as browsers do, with the token as a header; no GET changes anything; ids are looked up and never paths; every
//! answer has a range with a limit, and says how much there is; errors are JSON; what is served and what the document describes come from one table.

mod answers;
mod chart_files;
mod compare;
mod document;
mod edit;
mod jobs;
mod operations;
mod refine;
mod require;
mod results;
mod schema;
mod tables;
mod trajectories;

use crate::app::App;
use crate::code::Code;
use crate::id::{FolderId, Id, ItemId};
use crate::library::What;
use crate::query;
use crate::turn::{in_turn, turn};
use crate::views::{self, Problem};
use answers::{Told, list};
use assay_evaluate::RunRecord;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get};
pub(crate) use chart_files::chart_file;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

type Shared = State<Arc<App>>;

/// Operations with what answers them.
struct Routes {
    router: Router<Arc<App>>,
    served: Vec<&'static str>,
}

impl Routes {
    /// Serves an operation of the table. One that is not in it is not served, which a test would tell.
    fn on(mut self, id: &str, handler: MethodRouter<Arc<App>>) -> Self {
        if let Some(operation) = operations::all().find(|operation| operation.id == id) {
            let checked = handler.route_layer(from_fn_with_state(operation, require::require));
            self.router = self.router.route(operation.path, checked);
            self.served.push(operation.id);
        }
        self
    }
}

/// Everything below `/api`.
pub(crate) fn routes() -> Router<Arc<App>> {
    served().router
}

fn served() -> Routes {
    let none = Routes { router: Router::new(), served: Vec::new() };
    let runs = none
        .on("document", get(async || reply(Ok(document::document()))))
        .on("runs", get(runs))
        .on("run", get(run))
        .on("measures", get(measures))
        .on("report", get(report))
        .on("episodes", get(episodes))
        .on("series", get(series))
        .on("charts", get(charts))
        .on("chart_file", get(chart_of_run));
    let results = results::routes(compare::routes(tables::routes(runs)));
    jobs::routes(edit::routes(refine::routes(trajectories::routes(results))))
}

/// Answers with what `make` finds, on a thread that may block.
async fn answer(app: Arc<App>, make: impl FnOnce(&App) -> Result<Value, Problem> + Send + 'static) -> Response {
    let made = async {
        let (turn, worker) = (turn(&app).await?, Arc::clone(&app));
        in_turn(turn, move || make(&worker)).await
    };
    reply(made.await)
}

/// A value as JSON.
fn value(of: &impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(of).map_err(|_| Problem::bug())
}

fn item_id(text: &str) -> Result<ItemId, Problem> {
    text.parse().map_err(|_| Problem::nothing())
}

fn reply(answer: Result<Value, Problem>) -> Response {
    reply_with(200, answer)
}

/// Whether an address is below `/api`, where errors are JSON whoever finds them.
pub(crate) fn is_here(uri: &Uri) -> bool {
    uri.path().strip_prefix("/api").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Why there is no answer.
pub(crate) fn trouble(problem: Problem) -> Response {
    reply(Err(problem))
}

/// What an address below `/api` gets that is none.
pub(crate) fn nothing() -> Problem {
    let words = "There is nothing at this address. GET /api/openapi.json says what there is.";
    Problem::none(words)
}

/// [`Problem::bug`] in words for programs, which see no page.
fn bug() -> Problem {
    let words = "Making the answer failed. That is a fault of Assay, perhaps because the file is damaged.";
    Problem::new(Code::Internal, "The answer failed", words)
}

/// The same with another status where all is well.
fn reply_with(status: u16, answer: Result<Value, Problem>) -> Response {
    match answer {
        Ok(value) => bytes(status, "application/json", value.to_string().into_bytes()),
        Err(problem) => {
            let problem = if problem == Problem::bug() { bug() } else { problem };
            let Problem { code, title, words, field } = problem;
            let mut error = json!({"status": code.status(), "code": code.word(), "title": title, "detail": words});
            if let Some(field) = field {
                error["field"] = field.into();
            }
            bytes(code.status(), "application/json", json!({"error": error}).to_string().into_bytes())
        }
    }
}

pub(crate) fn bytes(status: u16, kind: &'static str, content: Vec<u8>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(header::CONTENT_TYPE, kind)], content).into_response()
}

async fn runs(State(app): Shared, uri: Uri) -> Response {
    reply(list(&app, &uri).await)
}

/// A report in a folder, as the store would tell of its run.
fn in_folder(app: &App, id: FolderId) -> Result<Told, Problem> {
    let (found, bytes) = views::recorded(&app.library, id, &[What::Report, What::Markets])?;
    if found.what == What::Markets {
        let words = format!(
            "{}: each of its markets has a report of its own, which GET /api/folders?what=report lists. GET /api/runs/{id}/report has the record over all.",
            found.name
        );
        return Err(Problem::new(Code::Unprocessable, "It is a report over several markets", words));
    }
    let record = assay_report::read(&bytes).map_err(|error| Problem::unreadable("run.json", error))?;
    Ok(Told::of_report(&found, &record, bytes.len() as u64))
}

/// What the record of a run says that cannot be. One that cannot be read says nothing: its own address has the reason.
fn contradictions(bytes: &[u8]) -> Vec<String> {
    let checked = if views::is_of_markets(bytes) {
        views::markets_from(bytes, "run.json").ok().map(|record| record.checked())
    } else {
        assay_report::read(bytes).ok().map(|record| record.checked())
    };
    checked.map(|checked| checked.contradictions).unwrap_or_default()
}

/// A run of the store, or the report in a folder. Its figures are computed again first, which takes a while.
async fn told(app: &Arc<App>, id: &str) -> Result<Told, Problem> {
    match views::id(id)? {
        Id::Run(id) => {
            let turn = turn(app).await?;
            let (detail, bytes) = views::stored(&app.library, id).await?;
            let found = in_turn(turn, move || Ok(bytes.as_deref().map(contradictions).unwrap_or_default())).await?;
            Ok(Told::of_store(detail, found))
        }
        Id::Folder(id) => {
            let (turn, worker) = (turn(app).await?, Arc::clone(app));
            in_turn(turn, move || in_folder(&worker, id)).await
        }
        Id::Item(_) => Err(Problem::nothing()),
    }
}

async fn run(State(app): Shared, Path(id): Path<String>) -> Response {
    reply(told(&app, &id).await.map(|told| answers::run(&told)))
}

async fn measures(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    reply(told(&app, &id).await.map(|told| answers::measures(&told, &uri)))
}

/// The record of a run, of the store or of a folder.
pub(crate) async fn with_record<T: Send + 'static>(
    app: &Arc<App>,
    id: &str,
    answer: impl FnOnce(&RunRecord) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let turn = turn(app).await?;
    let stored = match views::id(id)? {
        Id::Run(id) => Some(views::stored(&app.library, id).await?.1.ok_or_else(Problem::nothing)?),
        Id::Folder(_) => None,
        Id::Item(_) => return Err(Problem::nothing()),
    };
    let (worker, id) = (Arc::clone(app), id.to_owned());
    in_turn(turn, move || {
        let bytes = match stored {
            Some(bytes) => bytes,
            None => {
                let id = id.parse::<FolderId>().map_err(|_| Problem::nothing())?;
                views::report_bytes(&worker.library, id)?
            }
        };
        let record = assay_report::read(&bytes).map_err(|error| Problem::unreadable("run.json", error))?;
        answer(&record)
    })
    .await
}

async fn episodes(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    reply(with_record(&app, &id, move |record| answers::episodes(record, &uri)).await)
}

async fn series(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    reply(with_record(&app, &id, move |record| answers::series(record, &uri)).await)
}

/// The record of a run without what has addresses of its own.
async fn report(State(app): Shared, Path(id): Path<String>) -> Response {
    let read = async {
        let turn = turn(&app).await?;
        let stored = match views::id(&id)? {
            Id::Run(id) => Some(views::stored(&app.library, id).await?.1.ok_or_else(Problem::nothing)?),
            Id::Folder(_) => None,
            Id::Item(_) => return Err(Problem::nothing()),
        };
        let worker = Arc::clone(&app);
        in_turn(turn, move || {
            let bytes = match stored {
                Some(bytes) => bytes,
                None => views::record_bytes(
                    &worker.library,
                    id.parse().map_err(|_| Problem::nothing())?,
                    &[What::Report, What::Markets],
                )?,
            };
            let (mut value, checked) = if views::is_of_markets(&bytes) {
                let record = views::markets_from(&bytes, "run.json")?;
                (value(&record)?, record.checked())
            } else {
                let record = assay_report::read(&bytes).map_err(|error| Problem::unreadable("run.json", error))?;
                (value(&record)?, record.checked())
            };
            if let Value::Object(fields) = &mut value {
                fields.retain(|name, _| !["episodes", "series"].contains(&name.as_str()));
                fields.insert("contradictions".to_owned(), checked.contradictions.into());
                fields.insert("unchecked".to_owned(), checked.unchecked.into());
            }
            Ok(value)
        })
        .await
    };
    reply(read.await)
}

/// A chart as a file.
async fn chart_of_run(State(app): Shared, Path((id, file)): Path<(String, String)>, uri: Uri) -> Response {
    chart_file(&app, &id, file, &uri).await.unwrap_or_else(trouble)
}

/// The values of its charts, interval by interval.
async fn charts(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let window = query::window(&uri);
    let values = move |record: &RunRecord| assay_report::chart_values(record, window).ok_or_else(Problem::nothing);
    reply(with_record(&app, &id, values).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_table_says_is_served_once() {
        let mut served = served().served;
        let mut known: Vec<&str> = operations::all().map(|operation| operation.id).collect();
        served.sort_unstable();
        known.sort_unstable();
        assert_eq!(served, known);
        known.dedup();
        assert_eq!(served, known, "two operations have one name");
        for operation in operations::all() {
            let named = operation.path.split('{').skip(1).filter_map(|part| part.split('}').next());
            let described: Vec<&str> = operation.parts.iter().map(|(name, _)| *name).collect();
            assert_eq!(named.collect::<Vec<_>>(), described, "{}", operation.path);
        }
    }
}
