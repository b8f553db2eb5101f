//! The tables of a run for programs: rows as JSON, CSV or Arrow, or a whole table as Parquet.

use super::answers::{self, Range, columns_of};
use super::{Routes, Shared, bytes, reply};
use crate::app::App;
use crate::code::Code;
use crate::id::Id;
use crate::library::What;
use crate::safety::field;
use crate::tables::{Tables, beside, of_record};
use crate::turn::{in_turn, turn};
use crate::views::{self, Problem};
use assay_data::{PartError, PartFormat, PartQuestion, read_part};
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use std::sync::Arc;

/// Bytes of a whole table that is handed out.
const TABLE_BYTES_MAX: u64 = 256 << 20;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.on("tables", get(tables)).on("table", get(table))
}

/// Does something with the tables of a run, of the store or of a folder, on a thread that may block.
async fn with_tables<T: Send + 'static>(
    app: &Arc<App>,
    id: &str,
    answer: impl FnOnce(Tables) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let turn = turn(app).await?;
    let (folder, record) = match views::id(id)? {
        Id::Folder(id) => (Some(id), None),
        Id::Run(id) => (None, views::stored(&app.library, id).await?.1),
        Id::Item(_) => return Err(Problem::nothing()),
    };
    let worker = Arc::clone(app);
    in_turn(turn, move || {
        let found = match (folder, record) {
            (Some(id), _) => beside(&views::folder(&worker.library, id, &[What::Report])?),
            (None, Some(record)) => of_record(&worker.library, &record),
            (None, None) => Ok(Tables::default()),
        };
        answer(found.map_err(|why| Problem::unreadable("the tables", why))?)
    })
    .await
}

async fn tables(State(app): Shared, Path(id): Path<String>) -> Response {
    reply(with_tables(&app, &id, |found| Ok(answers::tables(&found))).await)
}

async fn table(State(app): Shared, Path((id, name)): Path<(String, String)>, uri: Uri) -> Response {
    match with_tables(&app, &id, move |found| part(&found, &name, &uri)).await {
        Ok((kind, content)) => bytes(200, kind, content),
        Err(problem) => reply(Err(problem)),
    }
}

/// Whose fault it is that there are no rows: whoever asks, the file, or us.
fn of_part(error: &PartError) -> Problem {
    match error {
        PartError::Column(_) => answers::wrong("columns", &error.to_string()),
        PartError::TooLarge => answers::wrong("count", &error.to_string()),
        PartError::Damaged(why) => Problem::unreadable("the table", why),
        PartError::Unwritten(_) => {
            let words = format!("{error}. That is a fault of Assay; `format=parquet` hands out the whole file.");
            Problem::new(Code::Internal, "The answer failed", words)
        }
    }
}

/// Part of a table, or all of it as it lies there.
fn part(found: &Tables, name: &str, uri: &Uri) -> Result<(&'static str, Vec<u8>), Problem> {
    let file = found.open(name).map_err(|why| Problem::unreadable("the table", why))?.ok_or_else(|| {
        Problem::none("There is no such table beside the report; GET /api/runs/ID/tables lists those that there are.")
    })?;
    let (format, kind) = match field(uri, "format").as_deref() {
        None | Some("json") => (PartFormat::Json, "application/json"),
        Some("csv") => (PartFormat::Csv, "text/csv; charset=utf-8"),
        Some("arrow") => (PartFormat::Arrow, "application/vnd.apache.arrow.stream"),
        Some("parquet") => {
            return answers::whole(&file, TABLE_BYTES_MAX).map(|all| ("application/vnd.apache.parquet", all));
        }
        Some(_) => return Err(answers::wrong("format", "use json, csv, arrow or parquet")),
    };
    let Range { from, count } = Range::of(uri, assay_data::PART_ROWS_MAX as u64)?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let question = PartQuestion { columns: columns_of(uri), from, count, format };
    let (rows, total) = read_part(file, &question).map_err(|error| of_part(&error))?;
    if format != PartFormat::Json {
        return Ok((kind, rows));
    }
    // Rows as they were written, in an answer that says how many there are.
    let head = format!("{{\"table\":\"{name}\",\"total\":{total},\"from\":{from},\"rows\":");
    let rows = if rows.is_empty() { b"[]".to_vec() } else { rows };
    Ok((kind, [head.as_bytes(), &rows, b"}"].concat()))
}
