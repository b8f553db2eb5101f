//! A question about a run: what it asks, what it may cost, and how it can end.
//!
//! The command line asks, and a program of its own answers (the crate `assay-query`), so that only who queries compiles a query engine. The question goes
//! to its standard input as one JSON object, [`Question`]; the answer comes on standard output; the last line on standard error is an [`End`].

use crate::read::ReadError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The longest query that is read; it bounds nesting, too.
pub const SQL_BYTES_MAX: usize = 16 << 10;

/// A query and what may be spent on its answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The run's folder, or its `run.json`.
    pub run: PathBuf,
    /// The query.
    pub sql: String,
    /// Rows at most; all of them without.
    pub rows: Option<usize>,
    /// How to write the answer.
    pub format: Format,
    /// What it may cost.
    pub limits: QueryLimits,
}

/// How an answer is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// For a person: aligned columns, written when all rows are there.
    Table,
    /// With a header line.
    Csv,
    /// One array of objects.
    Json,
    /// An Arrow IPC stream.
    Arrow,
}

/// What a query may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueryLimits {
    /// From its beginning to its last row.
    pub time: Duration,
    /// What sorting, grouping and joining may hold.
    pub memory_bytes: usize,
}

impl Default for QueryLimits {
    /// Half a minute and a gibibyte: more than any honest question about a run needs.
    fn default() -> Self {
        Self { time: Duration::from_secs(30), memory_bytes: 1 << 30 }
    }
}

/// How a question ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The answer is on standard output.
    Answered {
        /// Its rows; none if the reader went away.
        rows: Option<usize>,
    },
    /// There is no answer, or only part of one.
    Failed {
        /// Whether the failure is ours, not the asker's.
        is_ours: bool,
        /// What happened.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

impl End {
    /// The end of a question that failed with `error`.
    #[must_use]
    pub fn failed(error: &QueryError) -> Self {
        Self::Failed { is_ours: error.is_ours(), message: error.to_string(), hint: error.hint() }
    }
}

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
    #[error("only queries are allowed, and {what} is not a query: a run's data cannot be changed")]
    NoQuery {
        /// The statement's first word.
        what: String,
    },
    /// It names a table that is not there.
    #[error("there is no table `{name}`; a query can only read the tables of its run")]
    NoTable {
        /// The name.
        name: String,
        /// What to do.
        hint: String,
    },
    /// It is too long.
    #[error("the query has {bytes} bytes; the maximum is {SQL_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It took too long.
    #[error("the query exceeded its timeout of {} s", limit.as_secs_f64())]
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
            Self::NoQuery { .. } => Some("start with SELECT or WITH; without SQL, the tables are listed".to_owned()),
            Self::NoTable { hint, .. } => Some(hint.clone()),
            Self::TooLong { .. } => Some("write a shorter query".to_owned()),
            Self::TooSlow { .. } => Some("ask for less, for example `where seed = 1`, or raise --timeout".to_owned()),
            Self::TooLarge { .. } => Some(
                "sort, group or join fewer rows, for example with `where seed = 1`; queries do not spill to disk"
                    .to_owned(),
            ),
            Self::Read(error) => error.hint().map(str::to_owned),
            Self::Failed { .. } | Self::Engine { .. } => None,
        }
    }

    /// Whether it is our fault, not the asker's.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::Engine { .. })
    }
}
