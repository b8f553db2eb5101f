//! The tables, and how an older store comes to have them.
//!
//! Invariants: a migration that was released never changes; each is applied whole or not at all, under a lock, once. A store that a later Assay has
//! written is not touched, and no file that holds something else.

use crate::backend::{Access, Backend, Files};
use crate::{Store, StoreError, Time};
use sqlx::{Any, Row as _, Transaction};

/// The migrations; the first makes version 1.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001.sql"),
    include_str!("../migrations/0002.sql"),
    include_str!("../migrations/0003.sql"),
];

/// The table that says which version there is; older than the first migration.
const VERSIONS: &str = "CREATE TABLE assay_schema (version BIGINT PRIMARY KEY, applied_ms BIGINT NOT NULL)";
/// Entries of a schema that are looked at: no version has as many.
const ENTRIES_MAX: i64 = 200;

/// The latest version.
fn latest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Brings a store to the latest version.
pub(crate) async fn bring_up(store: &Store, access: Access) -> Result<(), StoreError> {
    let failed = |error| store.failed(error);
    let mut connection = store.pool.acquire().await.map_err(failed)?;
    let found = version(store, &mut connection).await?;
    if access == Access::Write && store.backend == Backend::Sqlite {
        // Only now, for it changes the file, and no file of something else is changed. Where it cannot be had, the store works without.
        let _ = sqlx::query("PRAGMA journal_mode = WAL").execute(&mut *connection).await;
    }
    drop(connection);
    if found == latest() {
        return Ok(());
    }
    if found == 0 && access != Access::Write {
        return Err(StoreError::Missing { place: store.place().to_owned() });
    }
    if store.backend == Backend::Sqlite {
        // For one who only reads, too: an older store cannot be read otherwise. There is one connection.
        sqlx::query("PRAGMA query_only = OFF").execute(&store.pool).await.map_err(failed)?;
    }
    let mut transaction = store.begin(Files::Removed).await?;
    // Another process may have been faster.
    let found = version(store, &mut transaction).await?;
    for next in found + 1..=latest() {
        apply(&mut transaction, next).await.map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)?;
    if store.backend == Backend::Sqlite && access == Access::Read {
        sqlx::query("PRAGMA query_only = ON").execute(&store.pool).await.map_err(failed)?;
    }
    Ok(())
}

async fn apply(transaction: &mut Transaction<'static, Any>, version: i64) -> Result<(), sqlx::Error> {
    if version == 1 {
        sqlx::query(VERSIONS).execute(&mut **transaction).await?;
    }
    let index = usize::try_from(version - 1).unwrap_or(usize::MAX);
    if let Some(migration) = MIGRATIONS.get(index) {
        sqlx::raw_sql(*migration).execute(&mut **transaction).await?;
    }
    sqlx::query("INSERT INTO assay_schema (version, applied_ms) VALUES ($1, $2)")
        .bind(version)
        .bind(Time::now().0)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// The version that is there, 0 for nothing yet.
async fn version(store: &Store, connection: &mut sqlx::AnyConnection) -> Result<i64, StoreError> {
    let failed = |error| store.failed(error);
    let tables = match store.backend {
        Backend::Sqlite => {
            "SELECT count(*) AS tables, COALESCE(sum(name = 'assay_schema'), 0) AS ours FROM sqlite_master WHERE type = 'table'"
        }
        // A database of a server may well hold other things.
        Backend::Postgres => {
            "SELECT CAST(0 AS BIGINT) AS tables, CAST(count(to_regclass('assay_schema')) AS BIGINT) AS ours"
        }
    };
    let row = sqlx::query(tables).fetch_one(&mut *connection).await.map_err(failed)?;
    let tables: i64 = row.try_get("tables").map_err(failed)?;
    let ours: i64 = row.try_get("ours").map_err(failed)?;
    if ours == 0 {
        return if tables == 0 { Ok(0) } else { Err(store.damaged("it is a database of another program")) };
    }
    let entries = match store.backend {
        Backend::Sqlite => Some(entries(store, connection).await?),
        // Who may change the tables of a server is the server's affair.
        Backend::Postgres => None,
    };
    if entries.as_ref().is_some_and(|entries| !entries.contains(&words(VERSIONS))) {
        return Err(foreign(store, "assay_schema"));
    }
    let row = sqlx::query("SELECT COALESCE(max(version), 0) AS version FROM assay_schema");
    let row = row.fetch_one(&mut *connection).await.map_err(failed)?;
    let found: i64 = row.try_get("version").map_err(failed)?;
    match found {
        found if found > latest() => Err(StoreError::Newer { place: store.place().to_owned(), found, known: latest() }),
        found => match entries {
            Some(entries) => compare(store, &entries, found).map(|()| found),
            None => Ok(found),
        },
    }
}

/// The statements of a file's schema. What SQLite makes by itself, for keys of tables, has none and is passed over.
async fn entries(store: &Store, connection: &mut sqlx::AnyConnection) -> Result<Vec<String>, StoreError> {
    let failed = |error| store.failed(error);
    let entries =
        "SELECT COALESCE(sql, '') AS sql FROM sqlite_master WHERE NOT (type = 'index' AND sql IS NULL) LIMIT $1";
    let rows = sqlx::query(entries).bind(ENTRIES_MAX).fetch_all(connection).await.map_err(failed)?;
    rows.iter().map(|row| Ok(words(&row.try_get::<String, _>("sql").map_err(failed)?))).collect()
}

/// Whether the schema is what the migrations up to a version make, and nothing besides: a trigger or a view of somebody else would be run by our statements.
fn compare(store: &Store, entries: &[String], version: i64) -> Result<(), StoreError> {
    let migrations = MIGRATIONS.iter().take(usize::try_from(version).unwrap_or_default());
    let mut ours: Vec<String> = migrations.flat_map(|migration| statements(migration)).collect();
    ours.push(words(VERSIONS));
    let is_known = |entry: &&String| ours.contains(entry);
    if let Some(other) = entries.iter().find(|entry| !is_known(entry)) {
        return Err(foreign(store, other));
    }
    match ours.iter().find(|statement| !entries.contains(statement)) {
        Some(missing) => Err(store.damaged(format!("its schema lacks `{}`", start(missing)))),
        None => Ok(()),
    }
}

fn foreign(store: &Store, what: &str) -> StoreError {
    store.damaged(format!("its schema has `{}`, which Assay did not make", start(what)))
}

/// As much of a statement as a message shows.
fn start(statement: &str) -> String {
    statement.chars().take(60).collect()
}

/// The statements of a migration that make something, without comments between them. Others fill what they have made.
fn statements(migration: &str) -> Vec<String> {
    let lines = migration.lines().filter(|line| !line.trim_start().starts_with("--"));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.split(';').map(words).filter(|statement| statement.starts_with("CREATE ")).collect()
}

/// A statement with single spaces.
fn words(statement: &str) -> String {
    statement.split_whitespace().collect::<Vec<_>>().join(" ")
}
