//! Opening: one pool for either database, set up so that every wait has an end, and the tables brought to the present version.
//!
//! SQLite: write-ahead log, a busy timeout, one connection and so one writer a process. PostgreSQL: a lock timeout.

use crate::artifacts::{ArtifactPlace, Artifacts};
use crate::backend::{Access, Backend, Limits, Store};
use crate::{Location, StoreError, guard, own_folder, schema};
use assay_files::{Folder, Kind};
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AnyPool, AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};
use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::{Duration, Instant};

/// Connections to a server. The command line needs one; a server of ours some.
const CONNECTIONS: u32 = 8;
/// What the names of SQLite's files of one store end in.
const FILE_ENDS: [&str; 4] = ["", "-wal", "-shm", "-journal"];
/// A page of SQLite, its default.
const PAGE_BYTES: u64 = 4096;

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
        guard::set();
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
                let opened = store(sqlite(&path, Opened::Writable, access, limits)?, Backend::Sqlite);
                match opened.prepare(access).await {
                    // A store that is only read may lie where nothing can be written, if its last writer left it whole.
                    Err(StoreError::NotWritable { .. }) if access == Access::Read && is_whole(&path) => {
                        let Self { artifacts, place, .. } = opened;
                        let pool = sqlite(&path, Opened::AsItIs, access, limits)?;
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
}

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    Writable,
    /// Without locks and without a log: nobody writes it.
    AsItIs,
}

fn sqlite(path: &Path, opened: Opened, access: Access, limits: Limits) -> Result<AnyPool, StoreError> {
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
        "PRAGMA cell_size_check = ON".to_owned(),
        "PRAGMA trusted_schema = OFF".to_owned(),
    ];
    if access == Access::Read {
        settings.push("PRAGMA query_only = ON".to_owned());
    }
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

/// Connections on which `settings` have been said first. The pool would try again and again where one fails, as on a file that is not a database; the
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
    if let Some(folder) = own_folder(path, access == Access::Write) {
        return make_own_room(path, folder, access);
    }
    match path.symlink_metadata() {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(not_writable(path, &error)),
        Err(_) if access != Access::Write => return Err(missing(path)),
        Err(_) => {}
    }
    let Some(folder) = path.parent() else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| not_writable(path, &error))
}

/// The same in a project's folder, which somebody else may have filled: SQLite would follow links in the place of its files.
fn make_own_room(path: &Path, folder: io::Result<Folder>, access: Access) -> Result<(), StoreError> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::NotFound if access != Access::Write => missing(path),
        _ => not_writable(path, &error),
    };
    let folder = folder.map_err(failed)?;
    for end in FILE_ENDS {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(end);
        let refused = match folder.kind(&name).map_err(|error| failed(error.into()))? {
            None if end.is_empty() && access != Access::Write => return Err(missing(path)),
            None | Some(Kind::File) => continue,
            Some(Kind::Link) => "a symbolic link, which is not followed",
            Some(Kind::Folder | Kind::Other) => "not a regular file",
        };
        let why = format!("{} is {refused}", name.display());
        return Err(StoreError::NotWritable { place: path.display().to_string(), why });
    }
    if access != Access::Write {
        return Ok(());
    }
    match folder.new_file(".gitignore", 0o644) {
        Ok(mut ignore) => ignore.write_all(b"*\n").map_err(failed),
        // Whatever is there, a link too, is left alone. Where nothing can be made, the file itself may still be written.
        Err(_) => Ok(()),
    }
}

fn missing(path: &Path) -> StoreError {
    StoreError::Missing { place: path.display().to_string() }
}

/// Whether no log lies beside the file, so that the file alone is the store.
fn is_whole(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    !PathBuf::from(log).metadata().is_ok_and(|log| log.len() > 0)
}
