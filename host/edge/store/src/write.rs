//! Writing: whole runs, their files, and taking them away.
//!
//! Invariant: after any number of calls with the same run, in any order and by any number of processes, the store holds it once, and an end is never
//! replaced by a beginning that came before it, nor a completed run by any. A run that was interrupted and is resumed later runs again.

use crate::backend::Files;
use crate::record::{Iteration, Kpi, Run, RunEntry, Trajectory};
use crate::{ArtifactHash, RunId, Store, StoreError, Time};
use sqlx::{Any, Executor, Row as _, Transaction};

/// Longest text of an error or a backtrace: it is for reading.
const TEXT_BYTES_MAX: usize = 64 << 10;

type Done = Result<(), sqlx::Error>;

/// What becomes of a run that is in the store already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// It is written anew, as by [`Store::put`].
    Replaced,
    /// It stays if it is completed: as much is known of it, or more.
    KeptIfCompleted,
}

impl Store {
    /// Writes a run and everything of it but its files.
    ///
    /// # Errors
    /// The store cannot be written; then nothing of it has been.
    pub async fn put(&self, entry: &RunEntry) -> Result<(), StoreError> {
        self.put_all(std::slice::from_ref(entry)).await
    }

    /// Writes several runs, all or none.
    ///
    /// # Errors
    /// As for [`Store::put`].
    pub async fn put_all(&self, entries: &[RunEntry]) -> Result<(), StoreError> {
        let mut transaction = self.begin(Files::Kept).await?;
        for entry in entries {
            put(&mut transaction, entry).await.map_err(|error| self.failed(error))?;
        }
        transaction.commit().await.map_err(|error| self.failed(error))
    }

    /// Writes a run with its files, all or nothing. Whether it was written: see [`Known`]; a beginning is not where the end is known.
    ///
    /// # Errors
    /// The store or the artifacts cannot be written; then the store has nothing of it that it did not have before.
    pub async fn keep(&self, entry: &RunEntry, files: &[(String, Vec<u8>)], known: Known) -> Result<bool, StoreError> {
        let failed = |error| self.failed(error);
        let id = entry.run.id;
        // Asked first without a lock: most often it is there.
        if known == Known::KeptIfCompleted && is_completed(&self.pool, id).await.map_err(failed)? {
            return Ok(false);
        }
        let mut transaction = self.begin(Files::Kept).await?;
        // Another process may have been faster.
        if known == Known::KeptIfCompleted && is_completed(&mut *transaction, id).await.map_err(failed)? {
            return Ok(false);
        }
        if !put(&mut transaction, entry).await.map_err(failed)? {
            return Ok(false);
        }
        for (name, content) in files {
            self.attach_to(&mut transaction, id, name, content).await?;
        }
        transaction.commit().await.map_err(failed)?;
        Ok(true)
    }

    /// Keeps a file of a run that is there; one of the same name is replaced.
    ///
    /// # Errors
    /// The store or the artifacts cannot be written, or there is no such run.
    pub async fn attach(&self, run: RunId, name: &str, content: &[u8]) -> Result<ArtifactHash, StoreError> {
        // The file comes within the transaction: whoever removes files waits for it.
        let mut transaction = self.begin(Files::Kept).await?;
        let failed = |error| self.failed(error);
        let there = sqlx::query("SELECT id FROM runs WHERE id = $1").bind(run.to_string());
        if there.fetch_optional(&mut *transaction).await.map_err(failed)?.is_none() {
            return Err(StoreError::NoRun(run.to_string()));
        }
        let hash = self.attach_to(&mut transaction, run, name, content).await?;
        transaction.commit().await.map_err(failed)?;
        Ok(hash)
    }

    async fn attach_to(
        &self,
        transaction: &mut Transaction<'static, Any>,
        run: RunId,
        name: &str,
        content: &[u8],
    ) -> Result<ArtifactHash, StoreError> {
        let hash = self.artifacts.put(content).await?;
        let statement = "INSERT INTO artifacts (run_id, name, hash, bytes) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (run_id, name) DO UPDATE SET hash = excluded.hash, bytes = excluded.bytes";
        sqlx::query(statement)
            .bind(run.to_string())
            .bind(clean(name))
            .bind(hash.to_string())
            .bind(whole(content.len() as u64))
            .execute(&mut **transaction)
            .await
            .map_err(|error| self.failed(error))?;
        Ok(hash)
    }

    /// Reads a file of a run.
    ///
    /// # Errors
    /// It is not there, or not what was put there.
    pub async fn artifact(&self, hash: ArtifactHash) -> Result<Vec<u8>, StoreError> {
        Ok(self.artifacts.get(hash).await?)
    }

    /// Takes runs away, with everything that only they have: rows, scenarios, files. How many there were.
    ///
    /// # Errors
    /// The store cannot be written; then nothing has been taken away.
    pub async fn remove(&self, runs: &[RunId]) -> Result<u64, StoreError> {
        let failed = |error| self.failed(error);
        let mut transaction = self.begin(Files::Removed).await?;
        let (mut removed, mut files) = (0, Vec::new());
        for run in runs {
            let hashes = sqlx::query("SELECT hash FROM artifacts WHERE run_id = $1").bind(run.to_string());
            for row in hashes.fetch_all(&mut *transaction).await.map_err(failed)? {
                files.push(row.try_get::<String, _>("hash").map_err(failed)?);
            }
            let delete = sqlx::query("DELETE FROM runs WHERE id = $1").bind(run.to_string());
            removed += delete.execute(&mut *transaction).await.map_err(failed)?.rows_affected();
        }
        let unused = "DELETE FROM scenarios WHERE NOT EXISTS \
             (SELECT 1 FROM run_scenarios WHERE run_scenarios.scenario_hash = scenarios.hash)";
        sqlx::query(unused).execute(&mut *transaction).await.map_err(failed)?;
        for hash in files {
            let used = sqlx::query("SELECT run_id FROM artifacts WHERE hash = $1 LIMIT 1").bind(&hash);
            if used.fetch_optional(&mut *transaction).await.map_err(failed)?.is_none() {
                let hash = hash.parse().map_err(|why: String| self.damaged(why))?;
                self.artifacts.remove(hash).await?;
            }
        }
        transaction.commit().await.map_err(failed)?;
        Ok(removed)
    }
}

/// Whether the store has the end of this run, and it is a good one.
async fn is_completed(asked: impl Executor<'_, Database = Any>, run: RunId) -> Result<bool, sqlx::Error> {
    let statement = "SELECT id FROM runs WHERE id = $1 AND status = 'completed'";
    Ok(sqlx::query(statement).bind(run.to_string()).fetch_optional(asked).await?.is_some())
}

/// Whether it was written: not if it is a beginning and the store has an end.
async fn put(transaction: &mut Transaction<'static, Any>, entry: &RunEntry) -> Result<bool, sqlx::Error> {
    let id = entry.run.id.to_string();
    let is_new = insert(transaction, &id, &entry.run).await?;
    if !is_new {
        if !update(transaction, &id, &entry.run).await? {
            return Ok(false);
        }
        // What an interrupted run has done already stays while it runs again.
        let is_end = entry.run.status.is_end();
        for (statement, is_told) in [
            ("DELETE FROM listed WHERE run_id = $1", true),
            ("DELETE FROM run_scenarios WHERE run_id = $1", true),
            ("DELETE FROM iterations WHERE run_id = $1", is_end || !entry.iterations.is_empty()),
            ("DELETE FROM trajectories WHERE run_id = $1", is_end || !entry.trajectories.is_empty()),
        ] {
            if !is_told {
                continue;
            }
            sqlx::query(statement).bind(&id).execute(&mut **transaction).await?;
        }
    }
    for scenario in &entry.scenarios {
        sqlx::query(
            "INSERT INTO scenarios (hash, name, summary, source) VALUES ($1, $2, $3, $4) ON CONFLICT (hash) DO NOTHING",
        )
        .bind(&scenario.hash)
        .bind(clean(&scenario.name))
        .bind(clean(&scenario.summary))
        .bind(scenario.source.replace('\0', "\u{fffd}"))
        .execute(&mut **transaction)
        .await?;
        sqlx::query("INSERT INTO run_scenarios (run_id, scenario_hash) VALUES ($1, $2)")
            .bind(&id)
            .bind(&scenario.hash)
            .execute(&mut **transaction)
            .await?;
    }
    let listed = "INSERT INTO listed (run_id, scenario_name, subject, kind, status, created_ms) \
             SELECT DISTINCT r.id, s.name, r.subject, r.kind, r.status, r.created_ms FROM runs r \
             JOIN run_scenarios x ON x.run_id = r.id JOIN scenarios s ON s.hash = x.scenario_hash WHERE r.id = $1";
    sqlx::query(listed).bind(&id).execute(&mut **transaction).await?;
    for iteration in &entry.iterations {
        put_iteration(transaction, &id, iteration).await?;
    }
    for (place, kpi) in entry.kpis.iter().enumerate() {
        put_kpi(transaction, &id, whole(place as u64), kpi).await?;
    }
    for trajectory in &entry.trajectories {
        put_trajectory(transaction, &id, trajectory).await?;
    }
    Ok(true)
}

/// Whether the run was not there yet. Of two processes that insert the same one, the second waits here for the first.
async fn insert(transaction: &mut Transaction<'static, Any>, id: &str, run: &Run) -> Result<bool, sqlx::Error> {
    let (started, finished) = span(run.started, run.finished);
    let statement = "INSERT INTO runs (id, kind, status, subject, subject_hash, command, tool, verdict, error, backtrace, owner, \
             created_ms, started_ms, finished_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING";
    let done = sqlx::query(statement)
        .bind(id)
        .bind(run.kind.word())
        .bind(run.status.word())
        .bind(clean(&run.subject))
        .bind(run.subject_hash.clone())
        .bind(clean(&run.command))
        .bind(clean(&run.tool))
        .bind(run.verdict.as_deref().map(clean))
        .bind(run.trouble.as_ref().map(|trouble| clean(&trouble.error)))
        .bind(run.trouble.as_ref().and_then(|trouble| trouble.backtrace.as_deref()).map(clean))
        .bind(run.owner.as_ref().map(ToString::to_string))
        .bind(run.created.0)
        .bind(started)
        .bind(finished)
        .execute(&mut **transaction)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether the run was changed: an end is not replaced by a beginning, unless it is no good end and the beginning is later. When it was asked for stays.
async fn update(transaction: &mut Transaction<'static, Any>, id: &str, run: &Run) -> Result<bool, sqlx::Error> {
    let (started, finished) = span(run.started, run.finished);
    let statement = "UPDATE runs SET kind = $2, status = $3, subject = $4, subject_hash = $5, command = $6, tool = $7, verdict = $8, \
             error = $9, backtrace = $10, owner = $11, started_ms = $12, finished_ms = $13 \
             WHERE id = $1 AND (status IN ('pending', 'running') OR $14 = 1 \
             OR (status <> 'completed' AND finished_ms IS NOT NULL AND CAST($12 AS BIGINT) > finished_ms))";
    let done = sqlx::query(statement)
        .bind(id)
        .bind(run.kind.word())
        .bind(run.status.word())
        .bind(clean(&run.subject))
        .bind(run.subject_hash.clone())
        .bind(clean(&run.command))
        .bind(clean(&run.tool))
        .bind(run.verdict.as_deref().map(clean))
        .bind(run.trouble.as_ref().map(|trouble| clean(&trouble.error)))
        .bind(run.trouble.as_ref().and_then(|trouble| trouble.backtrace.as_deref()).map(clean))
        .bind(run.owner.as_ref().map(ToString::to_string))
        .bind(started)
        .bind(finished)
        .bind(i32::from(run.status.is_end()))
        .execute(&mut **transaction)
        .await?;
    Ok(done.rows_affected() == 1)
}

async fn put_iteration(transaction: &mut Transaction<'static, Any>, id: &str, iteration: &Iteration) -> Done {
    let (started, finished) = span(iteration.started, iteration.finished);
    let statement = "INSERT INTO iterations (run_id, number, status, source_hash, error, backtrace, started_ms, finished_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    sqlx::query(statement)
        .bind(id)
        .bind(i64::from(iteration.number))
        .bind(iteration.status.word())
        .bind(iteration.source_hash.clone())
        .bind(iteration.trouble.as_ref().map(|trouble| clean(&trouble.error)))
        .bind(iteration.trouble.as_ref().and_then(|trouble| trouble.backtrace.as_deref()).map(clean))
        .bind(started)
        .bind(finished)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

async fn put_kpi(transaction: &mut Transaction<'static, Any>, id: &str, place: i64, kpi: &Kpi) -> Done {
    let (low, high) = kpi.spread.interval.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let samples = serde_json::to_string(&kpi.samples).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let statement = "INSERT INTO kpis (run_id, scenario_hash, measure, place, unit, better, n, mean, low, high, samples) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    sqlx::query(statement)
        .bind(id)
        .bind(&kpi.scenario)
        .bind(clean(&kpi.measure))
        .bind(place)
        .bind(clean(&kpi.unit))
        .bind(kpi.better.word())
        .bind(i64::from(kpi.spread.n))
        .bind(kpi.spread.mean)
        .bind(low)
        .bind(high)
        .bind(samples)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

async fn put_trajectory(transaction: &mut Transaction<'static, Any>, id: &str, trajectory: &Trajectory) -> Done {
    let statement = "INSERT INTO trajectories (run_id, id, task, seed, attempt, outcome, score, path) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    sqlx::query(statement)
        .bind(id)
        .bind(clean(&trajectory.id))
        .bind(clean(&trajectory.task))
        .bind(trajectory.seed.to_string())
        .bind(i64::from(trajectory.attempt))
        .bind(trajectory.outcome.as_deref().map(clean))
        // No NULL of a number: see the migration.
        .bind(trajectory.score.unwrap_or(f64::NEG_INFINITY))
        .bind(clean(&trajectory.path))
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// Start and end, the end not before the start whatever the clock did meanwhile.
fn span(started: Option<Time>, finished: Option<Time>) -> (Option<i64>, Option<i64>) {
    (started.map(|time| time.0), finished.max(started.filter(|_| finished.is_some())).map(|time| time.0))
}

/// Text that both databases take: PostgreSQL has no zero characters. Cut to [`TEXT_BYTES_MAX`].
fn clean(text: &str) -> String {
    text[..text.floor_char_boundary(TEXT_BYTES_MAX)].replace('\0', "\u{fffd}")
}

/// A count as the databases hold it.
fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
