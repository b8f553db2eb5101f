//! Listing: a page of the runs that fit a filter, newest first, and how many there are.
//!
//! Invariants: what a page costs depends on the page, not on the size of the store: it is walked along an index, runs are counted up to a bound, and only those
//! of the page are read. Statements are put together from fixed pieces; everything from outside is bound.

use crate::read::RUN;
use crate::record::RunRow;
use crate::{Kind, RunId, Status, Store, StoreError, Time};
use sqlx::any::AnyRow;
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe};

/// Runs on a page at most: a page is read by a person, and its runs are bound one by one.
pub const RESULTS_MAX: u32 = 1_000;
/// Runs that are counted beyond a page. To count a million takes longer than to show a page.
pub const COUNTED_MAX: u32 = 1_000;
/// Runs of a scenario or subject from which on the store is walked by age, with a look at each run: fewer are sorted faster.
const COMMON: u32 = 20_000;

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

/// How many runs fit a filter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Total {
    /// That many.
    pub runs: u64,
    /// Or more, where this is not so: [`COUNTED_MAX`] beyond the page are counted.
    pub is_exact: bool,
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
    ) -> Result<(Vec<RunRow>, Total), StoreError> {
        let conditions = Conditions::of(filter, self.is_common(filter).await?);
        let (size, skipped) =
            (page.size.clamp(1, RESULTS_MAX), i64::from(page.number).saturating_mul(i64::from(page.size)));
        let counted_max = skipped.saturating_add(i64::from(size)).saturating_add(i64::from(COUNTED_MAX));
        let counted = self.counted(&conditions, &format!("runs r{}", conditions.counted), counted_max).await?;
        let total = Total { runs: u64::try_from(counted).unwrap_or_default(), is_exact: counted < counted_max };

        // Ids alone come from the index; only the runs of the page are read.
        let statement = format!(
            "SELECT {RUN} FROM runs r JOIN (SELECT r.id FROM runs r{} ORDER BY r.created_ms DESC, r.id DESC LIMIT {size} OFFSET {skipped}) p \
             ON p.id = r.id ORDER BY r.created_ms DESC, r.id DESC",
            conditions.walked
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
        Ok((rows, total))
    }

    /// Rows of `from`, up to a number.
    async fn counted(&self, conditions: &Conditions, from: &str, most: i64) -> Result<i64, StoreError> {
        let statement = format!("SELECT count(*) AS total FROM (SELECT 1 AS one FROM {from} LIMIT {most}) c");
        let row = conditions.bind(sqlx::query(AssertSqlSafe(statement))).fetch_one(&self.pool).await;
        self.column(&row.map_err(|error| self.failed(error))?, "total")
    }

    /// What of a filter very many runs have.
    async fn is_common(&self, filter: &Filter) -> Result<Common, StoreError> {
        let most = i64::from(COMMON);
        let mut common = Common::default();
        if let Some(scenario) = &filter.scenario {
            let alone = Conditions { words: vec![scenario.clone()], ..Conditions::default() };
            common.scenario = self.counted(&alone, &format!("{RUNS_OF_SCENARIO} $1"), most).await? == most;
        }
        // One alone is walked by its own index.
        if filter.subjects.len() > 1 {
            let alone = Filter { subjects: filter.subjects.clone(), ..Filter::default() };
            let alone = Conditions::of(&alone, Common::default());
            common.subjects = self.counted(&alone, &format!("runs r{}", alone.counted), most).await? == most;
        }
        Ok(common)
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
}

/// The runs of the scenarios of one name.
const RUNS_OF_SCENARIO: &str = "run_scenarios x JOIN scenarios s ON s.hash = x.scenario_hash WHERE s.name =";

/// What very many runs have.
#[derive(Clone, Copy, Default)]
struct Common {
    scenario: bool,
    subjects: bool,
}

/// The conditions of a listing: their text, and what is bound to it.
#[derive(Default)]
struct Conditions {
    /// Of the statement that counts.
    counted: String,
    /// Of the one that finds the runs of a page in their order.
    walked: String,
    words: Vec<String>,
    since: Option<i64>,
}

impl Conditions {
    fn of(filter: &Filter, common: Common) -> Self {
        let (mut counted, mut walked, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let mut place = |word: &str| {
            words.push(word.to_owned());
            format!("${}", words.len())
        };
        let mut add = |condition: String, in_order: Option<String>| {
            walked.push(in_order.unwrap_or_else(|| condition.clone()));
            counted.push(condition);
        };
        if let Some(kind) = filter.kind {
            add(format!("r.kind = {}", place(kind.word())), None);
        }
        if let Some(status) = filter.status {
            add(format!("r.status = {}", place(status.word())), None);
        }
        match filter.subjects.as_slice() {
            [] => {}
            [subject] => add(format!("r.subject = {}", place(subject)), None),
            subjects => {
                let places: Vec<String> = subjects.iter().map(|subject| place(subject)).collect();
                let places = places.join(", ");
                // Any index is better than that of subjects, which would have all of them sorted.
                let in_order = common.subjects.then(|| format!("(r.subject || '') IN ({places})"));
                add(format!("r.subject IN ({places})"), in_order);
            }
        }
        if let Some(scenario) = &filter.scenario {
            let place = place(scenario);
            add(
                if common.scenario {
                    // The same, asked of each run that is come by.
                    format!("EXISTS (SELECT 1 FROM {RUNS_OF_SCENARIO} {place} AND x.run_id = r.id)")
                } else {
                    format!("r.id IN (SELECT x.run_id FROM {RUNS_OF_SCENARIO} {place})")
                },
                None,
            );
        }
        let since = filter.since.map(|time| time.0);
        if since.is_some() {
            add(format!("r.created_ms >= ${}", words.len() + 1), None);
        }
        let text = |conditions: Vec<String>| {
            if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) }
        };
        Self { counted: text(counted), walked: text(walked), words, since }
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
