//! An open store, and what its two databases do differently: how a writer begins, and what their errors mean.
//!
//! Writers of SQLite say so when they begin, so none finds out halfway that another was faster. The statements above this file are the same for both.

use crate::StoreError;
use crate::artifacts::Artifacts;
use crate::guard::{STATEMENT_SECONDS_MAX, VALUE_BYTES_MAX};
use sqlx::{Any, AnyPool, Transaction};
use std::time::Duration;

/// The locks of PostgreSQL that writers share and the remover of artifacts has alone, so that nothing is removed that a writer counts on. Any number
/// that others do not use.
const WRITERS_LOCK: i64 = 0x0061_7373_6179;

/// What the store is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It must be there; it need not be writable.
    Read,
    /// It must be there, and is written.
    Change,
    /// It is made if it is not there.
    Write,
}

/// How much the store waits and grows.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest wait for another process.
    pub wait: Duration,
    /// The largest file of SQLite.
    pub bytes_max: u64,
}

impl Limits {
    /// What a person at a terminal puts up with; a file that still can be copied about.
    pub const STANDARD: Self = Self { wait: Duration::from_secs(5), bytes_max: 64 << 30 };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) pool: AnyPool,
    pub(crate) backend: Backend,
    pub(crate) artifacts: Artifacts,
    pub(crate) place: String,
    pub(crate) limits: Limits,
}

/// What else happens to the files of runs while a transaction lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Files {
    /// They are added to.
    Kept,
    /// Some are removed.
    Removed,
}

impl Store {
    /// Ends all connections: the last one folds SQLite's log into its file.
    pub async fn close(self) {
        self.pool.close().await;
    }

    /// Begins a transaction that writes.
    pub(crate) async fn begin(&self, files: Files) -> Result<Transaction<'static, Any>, StoreError> {
        let transaction = match self.backend {
            Backend::Sqlite => self.pool.begin_with("BEGIN IMMEDIATE").await,
            Backend::Postgres => self.pool.begin().await,
        };
        let mut transaction = transaction.map_err(|error| self.failed(error))?;
        if self.backend == Backend::Postgres {
            let lock = match files {
                Files::Kept => "SELECT pg_advisory_xact_lock_shared($1)",
                Files::Removed => "SELECT pg_advisory_xact_lock($1)",
            };
            let locked = sqlx::query(lock).bind(WRITERS_LOCK).execute(&mut *transaction).await;
            locked.map_err(|error| self.failed(error))?;
        }
        Ok(transaction)
    }

    /// The error of the database as one of ours.
    #[expect(clippy::needless_pass_by_value, reason = "what errors are mapped with takes them whole")]
    pub(crate) fn failed(&self, error: sqlx::Error) -> StoreError {
        let place = self.place.clone();
        let why = match &error {
            sqlx::Error::Database(error) => error.message().to_owned(),
            error => error.to_string(),
        };
        let locked = |place| StoreError::Locked { place, waited: self.limits.wait };
        let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default().into_owned();
        match (self.backend, &error) {
            (Backend::Sqlite, sqlx::Error::Database(_)) => {
                // The lower byte of the extended code: https://sqlite.org/rescode.html
                match code.parse::<u32>().unwrap_or_default() & 0xff {
                    5 | 6 => locked(place),
                    3 | 8 | 14 | 23 => StoreError::NotWritable { place, why },
                    13 => StoreError::Full { place, why },
                    11 | 26 => StoreError::Damaged { place, why },
                    9 => self.damaged(format!("a question took more than {STATEMENT_SECONDS_MAX} s of processor time")),
                    18 => self.damaged(format!("a value has more than {VALUE_BYTES_MAX} bytes")),
                    _ => StoreError::Database { place, why },
                }
            }
            // https://www.postgresql.org/docs/current/errcodes-appendix.html
            (Backend::Postgres, sqlx::Error::Database(_)) => match code.as_str() {
                "55P03" | "57014" | "40001" | "40P01" => locked(place),
                "53100" => StoreError::Full { place, why },
                "25006" | "42501" => StoreError::NotWritable { place, why },
                code if ["08", "28", "3D", "53", "57"].iter().any(|class| code.starts_with(class)) => {
                    StoreError::Unreachable { place, why }
                }
                _ => StoreError::Database { place, why },
            },
            (Backend::Sqlite, sqlx::Error::PoolTimedOut) => locked(place),
            (Backend::Postgres, sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) | sqlx::Error::Tls(_)) => {
                StoreError::Unreachable { place, why }
            }
            _ => StoreError::Database { place, why },
        }
    }

    /// The store as a person knows it.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// A stored value that no version of Assay writes.
    pub(crate) fn damaged(&self, why: impl Into<String>) -> StoreError {
        StoreError::Damaged { place: self.place.clone(), why: why.into() }
    }
}
