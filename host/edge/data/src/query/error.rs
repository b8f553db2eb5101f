//! What is wrong with a query, in the words of the one who asked it.

use super::SQL_BYTES_MAX;
use crate::read::ReadError;
use crate::schema::{TABLES, Table};
use datafusion::common::{DataFusionError, Diagnostic, SchemaError};
use std::fmt;
use std::time::Duration;

/// A place in the text of a query, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Line.
    pub line: u64,
    /// Column.
    pub column: u64,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// It is no SQL, or means nothing.
    #[error("{what}{}", at.map_or_else(String::new, |at| format!(" ({at})")))]
    Sql {
        /// What is wrong.
        what: String,
        /// Where, if it is known.
        at: Option<Spot>,
        /// What to do.
        hint: Option<String>,
    },
    /// It is SQL that does something.
    #[error("only queries are answered here, and {what} is none: a run's data cannot be changed")]
    NoQuery {
        /// The statement's first word.
        what: String,
    },
    /// It names a table that is not there.
    #[error("there is no table `{name}`; a query reads the tables of its run and nothing else")]
    NoTable {
        /// The name.
        name: String,
        /// What to do.
        hint: String,
    },
    /// It is too long.
    #[error("the query has {bytes} bytes; at most {SQL_BYTES_MAX} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It took too long.
    #[error("the query was stopped after {} s", limit.as_secs_f64())]
    TooSlow {
        /// The limit.
        limit: Duration,
    },
    /// It would need too much memory.
    #[error("the query needs more than {} MiB of memory", limit_bytes >> 20)]
    TooLarge {
        /// The limit.
        limit_bytes: usize,
    },
    /// A file is not as it should be.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It failed on its way.
    #[error("the query failed: {what}")]
    Failed {
        /// What happened.
        what: String,
    },
    /// We failed.
    #[error("{what}")]
    Engine {
        /// What happened.
        what: String,
    },
}

impl QueryError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Sql { hint, .. } => hint.clone(),
            Self::NoQuery { .. } => Some("begin with SELECT or WITH; without SQL, the tables are listed".to_owned()),
            Self::NoTable { hint, .. } => Some(hint.clone()),
            Self::TooLong { .. } => Some("ask something shorter".to_owned()),
            Self::TooSlow { .. } => {
                Some("ask for less, for example `where seed = 1`, or allow more with --timeout".to_owned())
            }
            Self::TooLarge { .. } => {
                Some("sort, group or join fewer rows, for example `where seed = 1`; nothing is put on disk".to_owned())
            }
            Self::Read(error) => error.hint().map(str::to_owned),
            Self::Failed { .. } | Self::Engine { .. } => None,
        }
    }

    /// Whether it is our fault, not the asker's.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::Engine { .. })
    }

    pub(super) fn no_table(name: &str, tables: impl Iterator<Item = &'static Table>) -> Self {
        let tables: Vec<_> = tables.collect();
        let list = super::names(tables.iter().copied());
        let hint = match nearest(name, tables.iter().map(|table| table.name)) {
            Some(nearest) => format!("did you mean `{nearest}`? The tables are {list}"),
            None => format!("the tables are {list}"),
        };
        Self::NoTable { name: name.to_owned(), hint }
    }

    /// From the engine's words, before the first row or later.
    pub(super) fn of(error: &DataFusionError, limit_bytes: usize) -> Self {
        let at = error.diagnostic().and_then(spot);
        match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => Self::TooLarge { limit_bytes },
            DataFusionError::SQL(error, _) => {
                let (what, at) = split_place(&error.to_string());
                Self::Sql { what: format!("the SQL cannot be read: {what}"), at, hint: None }
            }
            DataFusionError::SchemaError(error, _) => schema_error(error, at),
            DataFusionError::Plan(what) | DataFusionError::NotImplemented(what) => {
                let what = what.lines().next().unwrap_or_default().to_owned();
                let hint = error.to_string().lines().nth(1).map(str::to_owned).filter(|hint| !hint.is_empty());
                Self::Sql { what: lower_first(&what), at, hint }
            }
            DataFusionError::ParquetError(_) | DataFusionError::ObjectStore(_) | DataFusionError::IoError(_) => {
                Self::Failed { what: format!("a file of the run is damaged: {}", error.find_root()) }
            }
            DataFusionError::ExecutionJoin(_) => {
                Self::Failed { what: "the engine panicked, perhaps at damaged data".to_owned() }
            }
            DataFusionError::Internal(_) => Self::Engine { what: first_line(error) },
            other => Self::Failed { what: first_line(other) },
        }
    }
}

fn first_line(error: &DataFusionError) -> String {
    error.strip_backtrace().lines().next().unwrap_or_default().to_owned()
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn spot(diagnostic: &Diagnostic) -> Option<Spot> {
    let start = diagnostic.span?.start;
    Some(Spot { line: start.line, column: start.column })
}

/// The parser says where in its message.
fn split_place(message: &str) -> (String, Option<Spot>) {
    let message = message.trim_start_matches("sql parser error: ");
    let found = message.rsplit_once(" at Line: ").and_then(|(what, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        Some((what.to_owned(), Some(Spot { line: line.parse().ok()?, column: column.trim().parse().ok()? })))
    });
    found.unwrap_or_else(|| (message.to_owned(), None))
}

fn schema_error(error: &SchemaError, at: Option<Spot>) -> QueryError {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            let known: Vec<&str> = valid_fields.iter().map(|field| field.name.as_str()).collect();
            let elsewhere: Vec<&str> = TABLES
                .iter()
                .filter(|table| table.columns.iter().any(|column| column.name == field.name))
                .map(|table| table.name)
                .collect();
            let hint = match nearest(&field.name, known.iter().copied()) {
                Some(nearest) => format!("did you mean `{nearest}`? There are {}", known.join(", ")),
                None if !elsewhere.is_empty() => format!("it is in {}", elsewhere.join(", ")),
                None => format!("there are {}", known.join(", ")),
            };
            QueryError::Sql { what: format!("there is no column `{}`", field.flat_name()), at, hint: Some(hint) }
        }
        SchemaError::AmbiguousReference { field } => QueryError::Sql {
            what: format!("`{}` may be a column of several tables", field.name),
            at,
            hint: Some("put the table's name before it, as in `trades.price`".to_owned()),
        },
        other => QueryError::Sql { what: lower_first(&other.to_string()), at, hint: None },
    }
}

/// The word most like `name`, if one is like it.
fn nearest<'w>(name: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    const LIKE: f64 = 0.75;
    let name = name.to_lowercase();
    words
        .map(|word| (strsim::jaro_winkler(&name, word), word))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, word)| word)
}
