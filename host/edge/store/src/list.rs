//! Listing: a page of the runs that fit a filter, newest first, and how many there are.
//!
//! Invariants: what a page costs depends on the page, not on the size of the store: it is walked along an index, runs are counted up to a bound, and only those
//! of the page are read. Statements are put together from fixed pieces; everything from outside is bound.

use crate::read::RUN;
use crate::record::RunRow;
use crate::{Kind, Owner, Presence, RunId, Status, Store, StoreError, Time};
use sqlx::any::AnyRow;
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe};
use std::collections::BTreeSet;

/// Runs on a page at most: a page is read by a person, and its runs are bound one by one.
pub const RESULTS_MAX: u32 = 1_000;
/// Runs that are counted beyond a page. To count a million takes longer than to show a page.
pub const COUNTED_MAX: u32 = 1_000;
/// Runs of a scenario from which on they are walked in their order, along an index: fewer are sorted faster.
const COMMON: u32 = 20_000;
/// Processes that the kernel is asked about for one listing of lost runs, the newest first.
const OWNERS_MAX: usize = 1_000;
/// The statuses that are no end.
const UNENDED: &str = "('pending', 'running')";

/// Which runs to list; all conditions hold.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Filter {
    /// What was run.
    pub kind: Option<Kind>,
    /// Where it is in its life.
    pub status: Option<Status>,
    /// Only those that are lost: [`Run::is_lost`](crate::Run::is_lost).
    pub is_lost: bool,
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
        let (size, skipped) =
            (page.size.clamp(1, RESULTS_MAX), i64::from(page.number).saturating_mul(i64::from(page.size)));
        let counted_max = skipped.saturating_add(i64::from(size)).saturating_add(i64::from(COUNTED_MAX));
        let (gone, are_all) = if filter.is_lost { self.gone().await? } else { (Vec::new(), true) };
        let conditions = match Ranges::of(filter, self.is_common(filter).await?) {
            Some(ranges) => ranges.conditions(skipped.saturating_add(i64::from(size)), counted_max),
            None => Conditions::of(filter, &gone),
        };
        let counted = self.counted(&conditions, counted_max).await?;
        let is_exact = are_all && counted < counted_max;
        let total = Total { runs: u64::try_from(counted).unwrap_or_default(), is_exact };
        if counted <= skipped {
            return Ok((Vec::new(), total));
        }

        // Ids alone come from the index; only the runs of the page are read.
        let statement = format!(
            "SELECT {RUN} FROM runs r JOIN (SELECT f.id FROM {} f ORDER BY f.created_ms DESC, f.id DESC LIMIT {size} OFFSET {skipped}) p \
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

    /// The processes that are gone and have left runs without an end, and whether all processes were looked at. No statement can ask the kernel.
    async fn gone(&self) -> Result<(Vec<String>, bool), StoreError> {
        let statement = format!(
            "SELECT r.owner AS owner FROM runs r WHERE r.status IN {UNENDED} AND r.owner IS NOT NULL GROUP BY r.owner \
             ORDER BY max(r.created_ms) DESC LIMIT {OWNERS_MAX}"
        );
        let found = sqlx::query(AssertSqlSafe(statement)).fetch_all(&self.pool).await;
        let found = found.map_err(|error| self.failed(error))?;
        let mut gone = Vec::new();
        for row in &found {
            let owner: String = self.column(row, "owner")?;
            if Owner::parse(&owner).is_some_and(|owner| owner.presence() == Presence::Gone) {
                gone.push(owner);
            }
        }
        Ok((gone, found.len() < OWNERS_MAX))
    }

    /// Runs that conditions hold for, up to a number.
    async fn counted(&self, conditions: &Conditions, most: i64) -> Result<i64, StoreError> {
        let statement =
            format!("SELECT count(*) AS total FROM (SELECT 1 AS one FROM {} f LIMIT {most}) c", conditions.counted);
        let row = conditions.bind(sqlx::query(AssertSqlSafe(statement))).fetch_one(&self.pool).await;
        self.column(&row.map_err(|error| self.failed(error))?, "total")
    }

    /// Whether very many runs are of the scenario: they are not sorted.
    async fn is_common(&self, filter: &Filter) -> Result<bool, StoreError> {
        let Some(scenario) = &filter.scenario else { return Ok(false) };
        let counted = format!("(SELECT x.run_id FROM {RUNS_OF_SCENARIO} $1)");
        let alone = Conditions { words: vec![scenario.clone()], counted, ..Conditions::default() };
        let most = i64::from(COMMON);
        Ok(self.counted(&alone, most).await? == most)
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

/// Ranges of an index at most: statements have a bound, too.
const RANGES_MAX: usize = 200;

/// A listing as ranges of an index, in each of which the runs stand in their order: for conditions that hold for very many runs each.
struct Ranges {
    /// The table with its columns of id and time.
    table: &'static str,
    id: &'static str,
    /// What holds in each of them, in fixed pieces.
    each: Vec<String>,
    /// What holds in all of them.
    all: Vec<String>,
    words: Vec<String>,
    since: Option<i64>,
}

impl Ranges {
    /// Those of a filter whose scenario very many runs have, or that asks for several subjects, or for subjects and more; none where another way is better.
    fn of(filter: &Filter, is_common: bool) -> Option<Self> {
        let has_subjects = !filter.subjects.is_empty();
        let has_word = filter.kind.is_some() || filter.status.is_some();
        let is_of_subjects = filter.scenario.is_none() && (filter.subjects.len() > 1 || has_subjects && has_word);
        // What is lost is little.
        if filter.is_lost || !is_common && !is_of_subjects {
            return None;
        }
        let (table, id) = if is_common { ("listed", "run_id") } else { ("runs", "id") };
        let mut words = Vec::new();
        let mut place = |word: &str| {
            words.push(word.to_owned());
            format!("${}", words.len())
        };
        let scenario = filter.scenario.as_deref().map(|scenario| format!("t.scenario_name = {}", place(scenario)));
        let mut all: Vec<String> = scenario.into_iter().collect();
        // One that is named twice is no range of its own.
        let subjects: BTreeSet<&String> = filter.subjects.iter().collect();
        let subjects: Vec<String> =
            subjects.into_iter().map(|subject| format!("t.subject = {}", place(subject))).collect();
        let since = filter.since.map(|time| time.0);
        if since.is_some() {
            all.push(format!("t.created_ms >= ${}", words.len() + 1));
        }
        let mut each = if subjects.is_empty() { vec![String::new()] } else { subjects };
        // Subjects alone have an index of their own.
        if is_common || has_word {
            let kinds: Vec<Kind> = filter.kind.map_or_else(|| Kind::ALL.to_vec(), |kind| vec![kind]);
            let statuses: Vec<Status> = filter.status.map_or_else(|| Status::ALL.to_vec(), |status| vec![status]);
            let pairs: Vec<String> = kinds
                .iter()
                .flat_map(|kind| {
                    statuses.iter().map(move |status| format!("t.kind = '{kind}' AND t.status = '{status}'"))
                })
                .collect();
            let joined =
                |one: &String, pair: &String| if one.is_empty() { pair.clone() } else { format!("{one} AND {pair}") };
            each = each.iter().flat_map(|one| pairs.iter().map(move |pair| joined(one, pair))).collect();
        }
        (each.len() <= RANGES_MAX).then_some(Self { table, id, each, all, words, since })
    }

    /// As what is counted and walked: of each range, no more than the most that is asked for.
    fn conditions(self, walked_max: i64, counted_max: i64) -> Conditions {
        let Self { table, id, each, all, words, since } = self;
        let range = |(number, one): (usize, &String), order: &str, most: i64| {
            let conditions: Vec<&str> =
                all.iter().chain([one]).map(String::as_str).filter(|one| !one.is_empty()).collect();
            let conditions = conditions.join(" AND ");
            format!(
                "SELECT * FROM (SELECT t.{id} AS id, t.created_ms AS created_ms FROM {table} t WHERE {conditions}{order} LIMIT {most}) r{number}"
            )
        };
        let order = format!(" ORDER BY t.created_ms DESC, t.{id} DESC");
        let walked = |one| range(one, &order, walked_max);
        let counted = |one| range(one, "", counted_max);
        let union = |parts: Vec<String>| format!("({})", parts.join(" UNION ALL "));
        Conditions {
            counted: union(each.iter().enumerate().map(counted).collect()),
            walked: union(each.iter().enumerate().map(walked).collect()),
            words,
            since,
        }
    }
}

/// The conditions of a listing: their text, and what is bound to it.
#[derive(Default)]
struct Conditions {
    /// What is counted.
    counted: String,
    /// What is walked for the runs of a page: ids, and when they were asked for.
    walked: String,
    words: Vec<String>,
    since: Option<i64>,
}

impl Conditions {
    /// `gone` are the processes of what is lost.
    fn of(filter: &Filter, gone: &[String]) -> Self {
        let (mut conditions, mut words) = (Vec::new(), Vec::new());
        let mut place = |word: &str| {
            words.push(word.to_owned());
            format!("${}", words.len())
        };
        if let Some(kind) = filter.kind {
            conditions.push(format!("r.kind = {}", place(kind.word())));
        }
        if let Some(status) = filter.status {
            conditions.push(format!("r.status = {}", place(status.word())));
        }
        if filter.is_lost {
            let places: Vec<String> = gone.iter().map(|owner| place(owner)).collect();
            let is_of_gone =
                if places.is_empty() { "1 = 0".to_owned() } else { format!("r.owner IN ({})", places.join(", ")) };
            conditions.push(format!("r.status IN {UNENDED} AND {is_of_gone}"));
        }
        if !filter.subjects.is_empty() {
            let places: Vec<String> = filter.subjects.iter().map(|subject| place(subject)).collect();
            conditions.push(format!("r.subject IN ({})", places.join(", ")));
        }
        if let Some(scenario) = &filter.scenario {
            let place = place(scenario);
            conditions.push(format!("r.id IN (SELECT x.run_id FROM {RUNS_OF_SCENARIO} {place})"));
        }
        let since = filter.since.map(|time| time.0);
        if since.is_some() {
            conditions.push(format!("r.created_ms >= ${}", words.len() + 1));
        }
        let text = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
        let found = format!("(SELECT r.id AS id, r.created_ms AS created_ms FROM runs r{text})");
        Self { counted: found.clone(), walked: found, words, since }
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
