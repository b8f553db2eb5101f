//! Charts of a run by themselves: another window of them, and each as a file.
//!
//! Invariant: a run is found by its id, a chart by its name among those that there are; nothing is kept of what was asked for.

use crate::api::{chart_file, with_record};
use crate::app::{App, html};
use crate::query;
use assay_evaluate::RunRecord;
use assay_report::{Manner, charts_section};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::Uri;
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
    chart_file(&app, &id, file, &uri).await.unwrap_or_else(|problem| app.problem(&problem))
}
