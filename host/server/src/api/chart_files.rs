//! Charts of a run as files, for the pages and for programs.
//!
//! Invariant: a run is found by its id, a chart by its name among those that there are.

use super::{bytes, with_record};
use crate::app::App;
use crate::query;
use crate::views::Problem;
use assay_evaluate::RunRecord;
use axum::http::{HeaderValue, Uri, header};
use axum::response::Response;
use std::sync::Arc;

/// A chart of a run as CSV or SVG, to be saved.
pub(crate) async fn chart_file(app: &Arc<App>, id: &str, file: String, uri: &Uri) -> Result<Response, Problem> {
    let window = query::window(uri);
    let (kind, name) = match file.rsplit_once('.') {
        Some((_, "csv")) => ("text/csv; charset=utf-8", file.clone()),
        Some((_, "svg")) => ("image/svg+xml; charset=utf-8", file.clone()),
        _ => return Err(Problem::nothing()),
    };
    let content = move |record: &RunRecord| {
        let content = match file.rsplit_once('.') {
            Some((chart, "csv")) => assay_report::chart_csv(record, chart, window),
            Some((chart, _)) => assay_report::chart_svg(record, chart, window),
            None => None,
        };
        content.ok_or_else(Problem::nothing)
    };
    Ok(saved(kind, &name, with_record(app, id, content).await?))
}

/// A file that a browser saves rather than shows: it has a style of its own, which no page of ours may have. Its name is that of a chart that there is.
fn saved(kind: &'static str, name: &str, content: String) -> Response {
    let mut response = bytes(200, kind, content.into_bytes());
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}
