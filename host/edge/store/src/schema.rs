//! The tables, and how an older store comes to have them.
//!
//! Invariants: a migration that was released never changes; each is applied whole or not at all, under a lock, once. A store that a later Assay has
//! written is not touched, and no file that holds something else.

use crate::backend::{Access, Backend, Files};
use crate::{Store, StoreError, Time};
use sqlx::{Any, Row as _, Transaction};

/// The migrations; the first makes version 1.
const MIGRATIONS: &[&str] = &[include_str!("../migrations/0001.sql")];

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
    if found == 0 && access == Access::Read {
        return Err(StoreError::Missing { place: store.place().to_owned() });
    }
    let mut transaction = store.begin(Files::Removed).await?;
    // Another process may have been faster.
    let found = version(store, &mut transaction).await?;
    for next in found + 1..=latest() {
        apply(&mut transaction, next).await.map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)
}

async fn apply(transaction: &mut Transaction<'static, Any>, version: i64) -> Result<(), sqlx::Error> {
    if version == 1 {
        let table = "CREATE TABLE assay_schema (version BIGINT PRIMARY KEY, applied_ms BIGINT NOT NULL)";
        sqlx::query(table).execute(&mut **transaction).await?;
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
        return if tables == 0 { Ok(0) } else { Err(store.damaged("it is a database of something else")) };
    }
    let row = sqlx::query("SELECT COALESCE(max(version), 0) AS version FROM assay_schema");
    let row = row.fetch_one(&mut *connection).await.map_err(failed)?;
    let found: i64 = row.try_get("version").map_err(failed)?;
    match found {
        found if found > latest() => Err(StoreError::Newer { place: store.place().to_owned(), found, known: latest() }),
        found => Ok(found),
    }
}
