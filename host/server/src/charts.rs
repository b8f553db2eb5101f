//! Charts of a run by themselves: another window of them, and each as a file.
//!
//! Invariant: a run is found by its id, a chart by its name among those that there are; nothing is kept of what was asked for.

use crate::api::{bytes, with_record};
use crate::app::{App, html};
use crate::query;
use crate::views::Problem;
use assay_evaluate::RunRecord;
use assay_report::{Manner, charts_section};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::Response;
use axum::routing::get;
use std::sync::Arc;

type Shared = State<Arc<App>>;

/// See the module documentation.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/runs/{id}/charts", get(section)).route("/runs/{id}/charts/{file}", get(file))
}

/// The section alone, for the script of the pages.
async fn section(State(app): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    let (window, address) = (query::window(&uri), format!("/runs/{id}"));
    let drawn = move |record: &RunRecord| Ok(charts_section(record, Manner { window, address: Some(&address) }));
    match with_record(&app, &id, drawn).await {
        Ok(section) => html(200, section),
        Err(problem) => app.problem(&problem),
    }
}

/// A chart as CSV or SVG, to be saved.
async fn file(State(app): Shared, Path((id, file)): Path<(String, String)>, uri: Uri) -> Response {
    let window = query::window(&uri);
    let (kind, name) = match file.rsplit_once('.') {
        Some((_, "csv")) => ("text/csv; charset=utf-8", file.clone()),
        Some((_, "svg")) => ("image/svg+xml; charset=utf-8", file.clone()),
        _ => return app.problem(&Problem::nothing()),
    };
    let drawn = move |record: &RunRecord| {
        let content = match file.rsplit_once('.') {
            Some((chart, "csv")) => assay_report::chart_csv(record, chart, window),
            Some((chart, _)) => assay_report::chart_svg(record, chart, window),
            None => None,
        };
        content.ok_or_else(Problem::nothing)
    };
    match with_record(&app, &id, drawn).await {
        Ok(content) => saved(kind, &name, content),
        Err(problem) => app.problem(&problem),
    }
}

/// A file that a browser saves rather than shows: it has a style of its own, which no page of ours may have. Its name is that of a chart that there is.
fn saved(kind: &'static str, name: &str, content: String) -> Response {
    let mut response = bytes(200, kind, content.into_bytes());
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}
