//! Reading: listings, single runs, boards.
//!
//! Statements are put together from fixed pieces; everything from outside is bound. What is read is checked again: a file may have been changed by hand.

use crate::record::{
    Artifact, Better, Iteration, Kpi, Run, RunDetail, RunEntry, RunRow, Scenario, Spread, Status, Trajectory, Trouble,
};
use crate::{Kind, Owner, RunId, Store, StoreError, Time};
use sqlx::any::AnyRow;
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe, Row as _};
use std::str::FromStr;

/// Runs on a page at most: a page is read by a person, and its runs are bound one by one.
pub const RESULTS_MAX: u32 = 1_000;
/// The newest runs that a board looks at: each comes with its samples.
pub const BOARD_RUNS_MAX: i64 = 10_000;

/// The columns of a run. The backtrace can be long and is left out of listings.
const RUN: &str = "r.id, r.kind, r.status, r.subject, r.subject_hash, r.command, r.tool, r.verdict, r.error, r.owner, r.created_ms, \
     r.started_ms, r.finished_ms";
const KPI: &str = "k.scenario_hash, k.measure, k.unit, k.better, k.n, k.mean, k.low, k.high, k.samples";

/// Which runs to list; all conditions hold.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Filter {
    /// What was run.
    pub kind: Option<Kind>,
    /// Where it is in its life.
    pub status: Option<Status>,
    /// What was tried, by its exact name: any of these.
    pub subjects: Vec<String>,
    /// The name of a scenario that it ran in.
    pub scenario: Option<String>,
    /// Asked for at this time or later.
    pub since: Option<Time>,
}

/// Which part of a listing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// From 0.
    pub number: u32,
    /// Runs on a page, 1 to [`RESULTS_MAX`].
    pub size: u32,
}

type Arguments = sqlx::any::AnyArguments;

impl Store {
    /// A page of the runs, newest first, and how many there are in all. With `measure`, its value in each run.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn list(
        &self,
        filter: &Filter,
        page: Page,
        measure: Option<&str>,
    ) -> Result<(Vec<RunRow>, u64), StoreError> {
        let conditions = Conditions::of(filter);
        let row = conditions.bind(sqlx::query(AssertSqlSafe(conditions.count()))).fetch_one(&self.pool).await;
        let total: i64 = self.column(&row.map_err(|error| self.failed(error))?, "total")?;

        // Ids alone come from the index; only the runs of the page are read.
        let (size, skipped) =
            (page.size.clamp(1, RESULTS_MAX), i64::from(page.number).saturating_mul(i64::from(page.size)));
        let statement = format!(
            "SELECT {RUN} FROM runs r JOIN (SELECT r.id FROM runs r{} ORDER BY r.created_ms DESC, r.id DESC LIMIT {size} OFFSET {skipped}) p \
             ON p.id = r.id ORDER BY r.created_ms DESC, r.id DESC",
            conditions.text
        );
        let found = conditions.bind(sqlx::query(AssertSqlSafe(statement))).fetch_all(&self.pool).await;
        let found = found.map_err(|error| self.failed(error))?;
        let mut rows = Vec::with_capacity(found.len());
        for row in &found {
            rows.push(RunRow { run: self.run(row)?, scenarios: Vec::new(), kpi: None });
        }
        self.add_scenarios(&mut rows).await?;
        if let Some(measure) = measure {
            self.add_kpi(&mut rows, measure).await?;
        }
        Ok((rows, u64::try_from(total).unwrap_or_default()))
    }

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

    async fn add_scenarios(&self, rows: &mut [RunRow]) -> Result<(), StoreError> {
        let statement = "SELECT x.run_id, s.name FROM run_scenarios x JOIN scenarios s ON s.hash = x.scenario_hash WHERE x.run_id IN";
        for found in self.of_runs(statement, rows, None).await? {
            let (id, name): (RunId, String) = (self.word(&found, "run_id")?, self.column(&found, "name")?);
            if let Some(row) = rows.iter_mut().find(|row| row.run.id == id) {
                row.scenarios.push(name);
            }
        }
        rows.iter_mut().for_each(|row| row.scenarios.sort());
        Ok(())
    }

    async fn add_kpi(&self, rows: &mut [RunRow], measure: &str) -> Result<(), StoreError> {
        let statement = "SELECT k.run_id, k.n, k.mean, k.low, k.high FROM kpis k WHERE k.measure = $1 AND k.run_id IN";
        for found in self.of_runs(statement, rows, Some(measure)).await? {
            let id: RunId = self.word(&found, "run_id")?;
            let spread = self.spread(&found)?;
            // A value of one of several scenarios would look like that of the run.
            if let Some(row) = rows.iter_mut().find(|row| row.run.id == id && row.scenarios.len() == 1) {
                row.kpi = Some(spread);
            }
        }
        Ok(())
    }

    /// What a statement that ends in `IN` finds for these runs.
    async fn of_runs(&self, statement: &str, rows: &[RunRow], first: Option<&str>) -> Result<Vec<AnyRow>, StoreError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let before = usize::from(first.is_some());
        let places: Vec<String> = (1..=rows.len()).map(|place| format!("${}", place + before)).collect();
        let statement = format!("{statement} ({})", places.join(", "));
        let mut query = sqlx::query(AssertSqlSafe(statement));
        if let Some(first) = first {
            query = query.bind(first.to_owned());
        }
        for row in rows {
            query = query.bind(row.run.id.to_string());
        }
        query.fetch_all(&self.pool).await.map_err(|error| self.failed(error))
    }

    fn column<'r, T: sqlx::Decode<'r, Any> + sqlx::Type<Any>>(
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
    fn word<T: FromStr>(&self, row: &AnyRow, name: &str) -> Result<T, StoreError> {
        let text: String = self.column(row, name)?;
        text.parse().map_err(|_| self.damaged(format!("{name} is `{text}`")))
    }

    fn run(&self, row: &AnyRow) -> Result<Run, StoreError> {
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

    fn spread(&self, row: &AnyRow) -> Result<Spread, StoreError> {
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

/// The runs of the scenarios of one name.
const RUNS_OF_SCENARIO: &str = "run_scenarios x JOIN scenarios s ON s.hash = x.scenario_hash WHERE s.name =";

/// The conditions of a listing: their text, and what is bound to it.
struct Conditions {
    text: String,
    is_scenario_alone: bool,
    words: Vec<String>,
    since: Option<i64>,
}

impl Conditions {
    fn of(filter: &Filter) -> Self {
        let (mut conditions, mut words) = (Vec::new(), Vec::new());
        let mut place = |word: String| {
            words.push(word);
            format!("${}", words.len())
        };
        if let Some(kind) = filter.kind {
            conditions.push(format!("r.kind = {}", place(kind.word().to_owned())));
        }
        if let Some(status) = filter.status {
            conditions.push(format!("r.status = {}", place(status.word().to_owned())));
        }
        if !filter.subjects.is_empty() {
            let places: Vec<String> = filter.subjects.iter().map(|subject| place(subject.clone())).collect();
            conditions.push(format!("r.subject IN ({})", places.join(", ")));
        }
        if let Some(scenario) = &filter.scenario {
            conditions.push(format!("r.id IN (SELECT x.run_id FROM {RUNS_OF_SCENARIO} {})", place(scenario.clone())));
        }
        let is_scenario_alone = filter.scenario.is_some() && conditions.len() == 1 && filter.since.is_none();
        let since = filter.since.map(|time| time.0);
        if since.is_some() {
            conditions.push(format!("r.created_ms >= ${}", words.len() + 1));
        }
        let text = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
        Self { text, is_scenario_alone, words, since }
    }

    /// The statement that counts, with the same things bound.
    fn count(&self) -> String {
        if self.is_scenario_alone {
            // The runs themselves need not be looked at, which takes ten times as long.
            return format!("SELECT count(DISTINCT x.run_id) AS total FROM {RUNS_OF_SCENARIO} $1");
        }
        format!("SELECT count(*) AS total FROM runs r{}", self.text)
    }

    fn bind<'q>(&self, mut query: Query<'q, Any, Arguments>) -> Query<'q, Any, Arguments> {
        for word in &self.words {
            query = query.bind(word.clone());
        }
        match self.since {
            Some(since) => query.bind(since),
            None => query,
        }
    }
}
