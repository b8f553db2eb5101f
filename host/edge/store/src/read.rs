//! Reading: single runs, boards, and what rows mean.
//!
//! Statements are put together from fixed pieces; everything from outside is bound. What is read is checked again: a file may have been changed by hand.

use crate::record::{
    Artifact, Better, Iteration, Kpi, Run, RunDetail, RunEntry, Scenario, Spread, Status, Trajectory, Trouble,
};
use crate::{Kind, Owner, RunId, Store, StoreError, Time};
use sqlx::any::AnyRow;
use sqlx::{Any, AssertSqlSafe, Row as _};
use std::str::FromStr;

/// The newest runs that a board looks at: each comes with its samples.
pub const BOARD_RUNS_MAX: i64 = 10_000;

/// The columns of a run. The backtrace can be long and is left out of listings.
pub(crate) const RUN: &str = "r.id, r.kind, r.status, r.subject, r.subject_hash, r.command, r.tool, r.verdict, r.error, r.owner, r.created_ms, \
     r.started_ms, r.finished_ms";
const KPI: &str = "k.scenario_hash, k.measure, k.unit, k.better, k.n, k.mean, k.low, k.high, k.samples";

impl Store {
    /// Everything about a run.
    ///
    /// # Errors
    /// There is none, or the store cannot be read.
    pub async fn get(&self, id: RunId) -> Result<RunDetail, StoreError> {
        let key = id.to_string();
        let all = async |statement: String| {
            let rows = sqlx::query(AssertSqlSafe(statement)).bind(&key).fetch_all(&self.pool).await;
            rows.map_err(|error| self.failed(error))
        };
        let runs = all(format!("SELECT {RUN}, r.backtrace FROM runs r WHERE r.id = $1")).await?;
        let row = runs.first().ok_or_else(|| StoreError::NoRun(key.clone()))?;
        let mut run = self.run(row)?;
        run.trouble = self.trouble(row)?;
        let mut entry = RunEntry::of(run);
        let scenarios = "SELECT s.hash, s.name, s.summary, s.source FROM run_scenarios x JOIN scenarios s ON s.hash = x.scenario_hash \
             WHERE x.run_id = $1 ORDER BY s.name, s.hash";
        for row in all(scenarios.to_owned()).await? {
            entry.scenarios.push(Scenario {
                hash: self.column(&row, "hash")?,
                name: self.column(&row, "name")?,
                summary: self.column(&row, "summary")?,
                source: self.column(&row, "source")?,
            });
        }
        for row in all("SELECT * FROM iterations WHERE run_id = $1 ORDER BY number".to_owned()).await? {
            entry.iterations.push(self.iteration(&row)?);
        }
        for row in all(format!("SELECT {KPI} FROM kpis k WHERE k.run_id = $1 ORDER BY k.place")).await? {
            entry.kpis.push(self.kpi(&row)?);
        }
        for row in all("SELECT * FROM trajectories WHERE run_id = $1 ORDER BY id".to_owned()).await? {
            entry.trajectories.push(self.trajectory(&row)?);
        }
        let mut artifacts = Vec::new();
        for row in all("SELECT name, hash, bytes FROM artifacts WHERE run_id = $1 ORDER BY name".to_owned()).await? {
            let hash: String = self.column(&row, "hash")?;
            artifacts.push(Artifact {
                name: self.column(&row, "name")?,
                hash: hash.parse().map_err(|why: String| self.damaged(why))?,
                bytes: self.count(&row, "bytes")?,
            });
        }
        Ok(RunDetail { entry, artifacts })
    }

    /// The run whose id begins like this; `latest` is the newest one.
    ///
    /// # Errors
    /// There is none or more than one, or the store cannot be read.
    pub async fn resolve(&self, prefix: &str) -> Result<RunId, StoreError> {
        let none = || StoreError::NoRun(prefix.to_owned());
        let prefix = prefix.trim().to_ascii_lowercase();
        let query = if prefix == "latest" {
            sqlx::query("SELECT id FROM runs ORDER BY created_ms DESC, id DESC LIMIT 1")
        } else if !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
            sqlx::query("SELECT id FROM runs WHERE id LIKE $1 LIMIT 2").bind(format!("{prefix}%"))
        } else {
            return Err(none());
        };
        let rows = query.fetch_all(&self.pool).await.map_err(|error| self.failed(error))?;
        match rows.as_slice() {
            [] => Err(none()),
            [row] => self.word(row, "id"),
            _ => Err(StoreError::Ambiguous(prefix)),
        }
    }

    /// The completed runs that have a measure in scenarios of that name, newest first, each with the measure.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn board(&self, scenario: &str, measure: &str) -> Result<Vec<(Run, Kpi)>, StoreError> {
        let statement = format!(
            "SELECT {RUN}, {KPI} FROM kpis k JOIN runs r ON r.id = k.run_id JOIN scenarios s ON s.hash = k.scenario_hash \
             WHERE s.name = $1 AND k.measure = $2 AND r.kind = 'run' AND r.status = 'completed' \
             ORDER BY r.created_ms DESC, r.id DESC LIMIT {BOARD_RUNS_MAX}"
        );
        let query = sqlx::query(AssertSqlSafe(statement)).bind(scenario).bind(measure);
        let rows = query.fetch_all(&self.pool).await.map_err(|error| self.failed(error))?;
        rows.iter().map(|row| Ok((self.run(row)?, self.kpi(row)?))).collect()
    }

    pub(crate) fn column<'r, T: sqlx::Decode<'r, Any> + sqlx::Type<Any>>(
        &self,
        row: &'r AnyRow,
        name: &str,
    ) -> Result<T, StoreError> {
        row.try_get(name).map_err(|error| self.damaged(error.to_string()))
    }

    fn count<T: TryFrom<i64>>(&self, row: &AnyRow, name: &str) -> Result<T, StoreError> {
        let count: i64 = self.column(row, name)?;
        T::try_from(count).map_err(|_| self.damaged(format!("{name} is {count}")))
    }

    /// A column whose text means something.
    pub(crate) fn word<T: FromStr>(&self, row: &AnyRow, name: &str) -> Result<T, StoreError> {
        let text: String = self.column(row, name)?;
        text.parse().map_err(|_| self.damaged(format!("{name} is `{text}`")))
    }

    pub(crate) fn run(&self, row: &AnyRow) -> Result<Run, StoreError> {
        let kind: String = self.column(row, "kind")?;
        let error: Option<String> = self.column(row, "error")?;
        let owner: Option<String> = self.column(row, "owner")?;
        Ok(Run {
            id: self.word(row, "id")?,
            kind: Kind::of_word(&kind).ok_or_else(|| self.damaged(format!("kind is `{kind}`")))?,
            status: self.status(row)?,
            subject: self.column(row, "subject")?,
            subject_hash: self.column(row, "subject_hash")?,
            command: self.column(row, "command")?,
            tool: self.column(row, "tool")?,
            verdict: self.column(row, "verdict")?,
            trouble: error.map(|error| Trouble { error, backtrace: None }),
            owner: owner.and_then(|owner| Owner::parse(&owner)),
            created: Time(self.column(row, "created_ms")?),
            started: self.column::<Option<i64>>(row, "started_ms")?.map(Time),
            finished: self.column::<Option<i64>>(row, "finished_ms")?.map(Time),
        })
    }

    fn status(&self, row: &AnyRow) -> Result<Status, StoreError> {
        let status: String = self.column(row, "status")?;
        Status::of_word(&status).ok_or_else(|| self.damaged(format!("status is `{status}`")))
    }

    fn trouble(&self, row: &AnyRow) -> Result<Option<Trouble>, StoreError> {
        let error: Option<String> = self.column(row, "error")?;
        let backtrace = self.column(row, "backtrace")?;
        Ok(error.map(|error| Trouble { error, backtrace }))
    }

    fn iteration(&self, row: &AnyRow) -> Result<Iteration, StoreError> {
        Ok(Iteration {
            number: self.count(row, "number")?,
            status: self.status(row)?,
            source_hash: self.column(row, "source_hash")?,
            trouble: self.trouble(row)?,
            started: self.column::<Option<i64>>(row, "started_ms")?.map(Time),
            finished: self.column::<Option<i64>>(row, "finished_ms")?.map(Time),
        })
    }

    pub(crate) fn spread(&self, row: &AnyRow) -> Result<Spread, StoreError> {
        let (low, high): (f64, f64) = (self.column(row, "low")?, self.column(row, "high")?);
        let interval = (low.is_finite() && high.is_finite()).then_some((low, high));
        Ok(Spread { n: self.count(row, "n")?, mean: self.column(row, "mean")?, interval })
    }

    fn kpi(&self, row: &AnyRow) -> Result<Kpi, StoreError> {
        let samples: String = self.column(row, "samples")?;
        let better: String = self.column(row, "better")?;
        Ok(Kpi {
            scenario: self.column(row, "scenario_hash")?,
            measure: self.column(row, "measure")?,
            unit: self.column(row, "unit")?,
            better: Better::of_word(&better).ok_or_else(|| self.damaged(format!("better is `{better}`")))?,
            spread: self.spread(row)?,
            samples: serde_json::from_str(&samples).map_err(|error| self.damaged(format!("samples: {error}")))?,
        })
    }

    fn trajectory(&self, row: &AnyRow) -> Result<Trajectory, StoreError> {
        let score: f64 = self.column(row, "score")?;
        Ok(Trajectory {
            id: self.column(row, "id")?,
            task: self.column(row, "task")?,
            seed: self.word(row, "seed")?,
            attempt: self.count(row, "attempt")?,
            outcome: self.column(row, "outcome")?,
            score: score.is_finite().then_some(score),
            path: self.column(row, "path")?,
        })
    }
}
