//! What `assay query` does: SQL over the data of a run, or a list of its tables.
//!
//! The query engine is a program of its own ([`engine`]); a list of tables needs none.

pub(crate) mod engine;

use crate::{DONE, Ending, Failure, face, settings};
pub use assay_data::Format;
use assay_data::{QueryLimits, Question, ReadError, RunData};
use std::path::PathBuf;

/// Rows of a table on the screen, unless somebody asks for more.
const TABLE_ROWS: usize = 100;
/// Rows of a table at most: it is laid out once all are there. Other formats write them as they come.
const TABLE_ROWS_MAX: usize = 100_000;

/// What is asked of a run's data.
#[derive(Clone, Debug)]
pub struct QuerySettings {
    /// The run: the folder that it was written to, or its run.json.
    pub run: PathBuf,
    /// The query; without one, tables and columns are listed.
    pub sql: Option<String>,
    /// How the answer is written.
    pub format: Format,
    /// Rows at most.
    pub limit: Option<usize>,
    /// How long it may take: a number and a unit, as in `30s`.
    pub timeout: String,
}

/// Has a query answered, or lists what there is to ask about.
///
/// # Errors
/// Where the settings or the query are wrong, the data cannot be read, or the query engine fails.
pub fn run(asked: &QuerySettings) -> Result<Ending, Failure> {
    let time = settings::time_limit(&asked.timeout)?;
    let Some(sql) = &asked.sql else {
        let run = RunData::open(&asked.run).map_err(|error| unreadable(&error))?;
        face::out(&list(&run)?);
        return DONE;
    };
    let is_table = asked.format == Format::Table;
    if is_table && asked.limit.is_some_and(|rows| rows > TABLE_ROWS_MAX) {
        return Err(Failure::usage(format!("a table has at most {TABLE_ROWS_MAX} rows"))
            .hint("use `--format csv`, which streams any number of rows"));
    }
    let rows = asked.limit.or(is_table.then_some(TABLE_ROWS));
    let limits = QueryLimits { time, ..QueryLimits::default() };
    let question = Question { run: asked.run.clone(), sql: sql.clone(), rows, format: asked.format, limits };
    let written = engine::ask(&question)?;
    if written == Some(TABLE_ROWS) && asked.limit.is_none() && is_table {
        face::note(&face::dim(&format!("showing the first {TABLE_ROWS} rows; use --limit N for more")));
    }
    DONE
}

/// Tables, rows, columns.
fn list(run: &RunData) -> Result<String, Failure> {
    let mut text = String::new();
    for (table, rows) in run.tables() {
        run.checked(table).map_err(|error| unreadable(&error))?;
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        text.push_str(&format!("{}  {rows} rows: {}\n", table.name, table.meaning));
        text.push_str(&wrapped(&columns, "    "));
    }
    text.push_str(&face::dim("`assay query --help` has examples; docs/data.md explains every column"));
    Ok(text)
}

/// Words with commas, as many a line as fit.
fn wrapped(words: &[&str], indent: &str) -> String {
    let mut lines = vec![String::new()];
    for (index, word) in words.iter().enumerate() {
        let word = format!("{word}{}", if index + 1 < words.len() { ", " } else { "" });
        match lines.last_mut() {
            Some(line) if indent.len() + line.len() + word.len() <= face::width() => line.push_str(&word),
            _ => lines.push(word),
        }
    }
    lines.iter().map(|line| format!("{indent}{}\n", line.trim_end())).collect()
}

fn unreadable(error: &ReadError) -> Failure {
    let failure = Failure::usage(error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
