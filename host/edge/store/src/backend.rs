//! The connection: one pool for either database, set up so that every wait has an end.
//!
//! SQLite: write-ahead log, a busy timeout, one connection and so one writer a process; writers say so when they begin, so none finds out halfway that
//! another was faster. PostgreSQL: a lock timeout. The statements above this file are the same for both.

use crate::artifacts::{ArtifactPlace, Artifacts};
use crate::{Location, StoreError, schema};
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Any, AnyPool, AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Transaction};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::{Duration, Instant};

/// Connections to a server. The command line needs one; a server of ours some.
const CONNECTIONS: u32 = 8;
/// A page of SQLite, its default.
const PAGE_BYTES: u64 = 4096;
/// The locks of PostgreSQL that writers share and the remover of artifacts has alone, so that nothing is removed that a writer counts on. Any number
/// that others do not use.
const WRITERS_LOCK: i64 = 0x0061_7373_6179;

/// What the store is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It must be there; it need not be writable.
    Read,
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
    place: String,
    limits: Limits,
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
    /// Opens a store; see [`Access`]. An older one is brought to the present version.
    ///
    /// # Errors
    /// Whatever [`StoreError`] knows; what is there is left as it is.
    pub async fn open(
        location: &Location,
        artifacts: &ArtifactPlace,
        access: Access,
        limits: Limits,
    ) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let artifacts = Artifacts::open(artifacts)?;
        let store = |pool, backend| Self { pool, backend, artifacts, place: location.to_string(), limits };
        match location {
            Location::Postgres(url) => {
                let unreachable = |why: &dyn std::fmt::Display| StoreError::Unreachable {
                    place: location.to_string(),
                    why: why.to_string(),
                };
                let options = AnyConnectOptions::from_str(url).map_err(|error| unreachable(&error))?;
                let store = store(postgres(options, limits), Backend::Postgres);
                store.prepare(access).await?;
                Ok(store)
            }
            Location::Sqlite(path) => {
                let path = std::path::absolute(path).map_err(|error| not_writable(path, &error))?;
                make_room(&path, access)?;
                let opened = store(sqlite(&path, Opened::Writable, limits)?, Backend::Sqlite);
                match opened.prepare(access).await {
                    // A store that is only read may lie where nothing can be written, if its last writer left it whole.
                    Err(StoreError::NotWritable { .. }) if access == Access::Read && is_whole(&path) => {
                        let Self { artifacts, place, .. } = opened;
                        let pool = sqlite(&path, Opened::AsItIs, limits)?;
                        let opened = Self { pool, backend: Backend::Sqlite, artifacts, place, limits };
                        opened.prepare(access).await?;
                        Ok(opened)
                    }
                    Err(error) => Err(error),
                    Ok(()) => Ok(opened),
                }
            }
        }
    }

    /// Ends all connections: the last one folds SQLite's log into its file.
    pub async fn close(self) {
        self.pool.close().await;
    }

    /// Checks the version, and makes or renews the tables. Two that make the same file at once get in each other's way for a moment.
    async fn prepare(&self, access: Access) -> Result<(), StoreError> {
        let began = Instant::now();
        loop {
            match schema::bring_up(self, access).await {
                Err(StoreError::Locked { .. }) if began.elapsed() < self.limits.wait => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                done => return done,
            }
        }
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

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    Writable,
    /// Without locks and without a log: nobody writes it.
    AsItIs,
}

fn sqlite(path: &Path, opened: Opened, limits: Limits) -> Result<AnyPool, StoreError> {
    let mut options = SqliteConnectOptions::new().filename(path);
    options = match opened {
        Opened::Writable => options.create_if_missing(true),
        Opened::AsItIs => options.read_only(true).immutable(true),
    };
    let options = AnyConnectOptions::from_url(&options.to_url_lossy())
        .map_err(|error| StoreError::NotWritable { place: path.display().to_string(), why: error.to_string() })?;
    let mut settings = vec![
        format!("PRAGMA busy_timeout = {}", limits.wait.as_millis()),
        "PRAGMA foreign_keys = ON".to_owned(),
        "PRAGMA synchronous = FULL".to_owned(),
    ];
    if opened == Opened::Writable {
        settings.push(format!("PRAGMA max_page_count = {}", limits.bytes_max / PAGE_BYTES));
    }
    Ok(pool(1, limits, settings).connect_lazy_with(options))
}

fn postgres(options: AnyConnectOptions, limits: Limits) -> AnyPool {
    let settings = vec![
        format!("SET lock_timeout = {}", limits.wait.as_millis()),
        "SET client_min_messages = warning".to_owned(),
        // What was committed while a lock was waited for has to be seen, whatever the server's default is.
        "SET default_transaction_isolation = 'read committed'".to_owned(),
    ];
    pool(CONNECTIONS, limits, settings).connect_lazy_with(options)
}

/// Connections on which `settings` have been said first. The pool would try again and again where one fails, as on a file that is no database; the
/// statement that comes next says why.
fn pool(connections: u32, limits: Limits, settings: Vec<String>) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(connections)
        // A wait for the database's own lock comes first and has the better message.
        .acquire_timeout(limits.wait * 2)
        // Where SQLite has ended a transaction itself, as it does when the disk is full, sqlx goes on to believe in it and begins no other one on this
        // connection: it is closed, and the next writer has a new one. Whatever was rolled back as usual is so by now.
        .before_acquire(|connection, _| {
            let is_free = !connection.is_in_transaction();
            Box::pin(async move { Ok(is_free) })
        })
        .after_connect(move |connection, _| {
            let settings = settings.clone();
            Box::pin(async move {
                for setting in settings {
                    let _ = connection.execute(sqlx::raw_sql(AssertSqlSafe(setting))).await;
                }
                Ok(())
            })
        })
}

fn not_writable(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::NotWritable { place: path.display().to_string(), why: error.to_string() }
}

/// Makes the file's folder, kept out of version control if it is one of ours; without [`Access::Write`], the file must be there.
fn make_room(path: &Path, access: Access) -> Result<(), StoreError> {
    match path.symlink_metadata() {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(not_writable(path, &error)),
        Err(_) if access == Access::Read => {
            return Err(StoreError::Missing { place: path.display().to_string() });
        }
        Err(_) => {}
    }
    let Some(folder) = path.parent() else { return Ok(()) };
    let is_ours = folder.file_name().is_some_and(|name| name == crate::FOLDER);
    let made = fs::create_dir_all(folder).and_then(|()| match folder.join(".gitignore") {
        ignore if is_ours && !ignore.exists() => fs::write(ignore, "*\n"),
        _ => Ok(()),
    });
    made.map_err(|error| not_writable(path, &error))
}

/// Whether no log lies beside the file, so that the file alone is the store.
fn is_whole(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    !PathBuf::from(log).metadata().is_ok_and(|log| log.len() > 0)
}
