//! `assay query`: SQL over the data of a run, or a list of its tables.
//!
//! The query engine is a program of its own ([`engine`]); a list of tables needs none.

pub(crate) mod engine;

use super::DONE;
use crate::args::{AnswerFormat, QueryArgs};
use crate::exit::{Exit, Failure};
use crate::{settings, ui};
use assay_data::{Format, QueryLimits, Question, ReadError, RunData};

/// Rows of a table on the screen, unless somebody asks for more.
const TABLE_ROWS: usize = 100;
/// Rows of a table at most: it is laid out once all are there. Other formats write them as they come.
const TABLE_ROWS_MAX: usize = 100_000;

pub(crate) fn run(args: &QueryArgs) -> Result<Exit, Failure> {
    let time = settings::time_limit(&args.timeout)?;
    let Some(sql) = &args.sql else {
        let run = RunData::open(&args.run).map_err(|error| unreadable(&error))?;
        ui::out(&list(&run)?);
        return DONE;
    };
    let is_table = args.format == AnswerFormat::Table;
    if is_table && args.limit.is_some_and(|rows| rows > TABLE_ROWS_MAX) {
        return Err(Failure::usage(format!("a table has at most {TABLE_ROWS_MAX} rows"))
            .hint("use `--format csv`, which streams any number of rows"));
    }
    let rows = args.limit.or(is_table.then_some(TABLE_ROWS));
    let limits = QueryLimits { time, ..QueryLimits::default() };
    let question = Question { run: args.run.clone(), sql: sql.clone(), rows, format: args.format.into(), limits };
    let written = engine::ask(&question)?;
    if written == Some(TABLE_ROWS) && args.limit.is_none() && is_table {
        ui::note(&ui::dim(&format!("showing the first {TABLE_ROWS} rows; use --limit N for more")));
    }
    DONE
}

impl From<AnswerFormat> for Format {
    fn from(format: AnswerFormat) -> Self {
        match format {
            AnswerFormat::Table => Self::Table,
            AnswerFormat::Csv => Self::Csv,
            AnswerFormat::Json => Self::Json,
            AnswerFormat::Arrow => Self::Arrow,
        }
    }
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
    text.push_str(&ui::dim("`assay query --help` has examples; docs/data.md explains every column"));
    Ok(text)
}

/// Words with commas, as many a line as fit.
fn wrapped(words: &[&str], indent: &str) -> String {
    let mut lines = vec![String::new()];
    for (index, word) in words.iter().enumerate() {
        let word = format!("{word}{}", if index + 1 < words.len() { ", " } else { "" });
        match lines.last_mut() {
            Some(line) if indent.len() + line.len() + word.len() <= ui::width() => line.push_str(&word),
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
