//! 100,000 runs on SQLite and on PostgreSQL: how long a page of the listing takes, first, filtered, and far down.
//!
//! Each figure is the slowest of its questions, each question the median of several tries, with the count of all runs that a page comes with. The
//! server is that of the tests (`make setup-postgres`). `--json` prints one JSON line a figure.

use assay_store::{
    Access, ArtifactPlace, Better, Filter, Kind, Kpi, Limits, Location, Page, Run, RunEntry, RunId, Scenario, Spread,
    Status, Store, StoreError, Time,
};
use serde_json::{Value, json};
use sqlx::Connection as _;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

const RUNS: u32 = 100_000;
/// Written in one transaction.
const BATCH: u32 = 2_000;
const SCENARIOS: u32 = 12;
const STRATEGIES: u32 = 400;
/// Tries of each question.
const TRIES: usize = 9;
/// The bar.
const BAR_MS: f64 = 50.0;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let measured = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Into::into);
    match measured.and_then(|runtime: tokio::runtime::Runtime| runtime.block_on(measure())) {
        Ok(lines) => {
            print(&lines);
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "the result of a bench")]
fn print(lines: &[Value]) {
    lines.iter().for_each(|line| println!("{line}"));
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn note(text: &str) {
    eprintln!("{text}");
}

async fn measure() -> Outcome<Vec<Value>> {
    let folder = tempfile::tempdir()?;
    let artifacts = ArtifactPlace::Folder(folder.path().join("artifacts"));
    let mut lines = Vec::new();

    let store = Store::open(&Location::of_project(folder.path()), &artifacts, Access::Write, Limits::STANDARD).await?;
    fill(&store, "sqlite").await?;
    lines.extend(questions(&store, "sqlite").await?);
    store.close().await;

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).ok_or("the crate lies in the checkout")?;
    let setup = Command::new(root.join("tests/postgres/setup")).output()?;
    if !setup.status.success() {
        note("no PostgreSQL server (`make setup-postgres`): nothing of it was measured");
        return Ok(lines);
    }
    let server = String::from_utf8(setup.stdout)?.trim().to_owned();
    let name = format!("bench{}", RunId::now().to_string().replace('-', ""));
    execute(&server, format!("CREATE DATABASE {name}")).await?;
    let location = Location::parse(&server.replace("/postgres?", &format!("/{name}?")))?;
    let store = Store::open(&location, &artifacts, Access::Write, Limits::STANDARD).await?;
    fill(&store, "postgres").await?;
    // What a server does by itself within a minute of such changes, and has always done where runs came one by one.
    execute(&server.replace("/postgres?", &format!("/{name}?")), "VACUUM ANALYZE".to_owned()).await?;
    lines.extend(questions(&store, "postgres").await?);
    store.close().await;
    execute(&server, format!("DROP DATABASE {name} WITH (FORCE)")).await?;
    Ok(lines)
}

async fn execute(url: &str, statement: String) -> Outcome<()> {
    let mut connection = sqlx::AnyConnection::connect(url).await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await?;
    Ok(connection.close().await?)
}

async fn fill(store: &Store, backend: &str) -> Outcome<()> {
    let began = Instant::now();
    for first in (0..RUNS).step_by(BATCH as usize) {
        let batch: Vec<RunEntry> = (first..first + BATCH).map(entry).collect();
        store.put_all(&batch).await?;
    }
    note(&format!("{backend}: {RUNS} runs written in {:.1} s", began.elapsed().as_secs_f64()));
    Ok(())
}

async fn questions(store: &Store, backend: &str) -> Outcome<Vec<Value>> {
    let everything = Filter::default;
    let first = Page { number: 0, size: 50 };
    let at = |number| Page { number, size: 50 };
    let list = vec![(everything(), first), (everything(), Page { number: 0, size: 200 })];
    let filter = vec![
        (Filter { status: Some(Status::Failed), ..everything() }, first),
        (Filter { scenario: Some("market-3".to_owned()), ..everything() }, first),
        (Filter { subjects: vec!["strategy-7.rs".to_owned()], ..everything() }, first),
        (Filter { kind: Some(Kind::Gate), since: Some(Time(90_000_000)), ..everything() }, first),
        (
            Filter {
                status: Some(Status::Failed),
                scenario: Some("market-5".to_owned()),
                subjects: vec!["strategy-5.rs".to_owned()],
                ..everything()
            },
            first,
        ),
    ];
    let completed = || Filter { status: Some(Status::Completed), ..everything() };
    let page =
        vec![(everything(), at(20)), (everything(), at(1_000)), (everything(), at(1_999)), (completed(), at(1_500))];
    let mut lines = Vec::new();
    for (what, questions) in [("list", list), ("filter", filter), ("page", page)] {
        let mut slowest: f64 = 0.0;
        for (filter, page) in &questions {
            slowest = slowest.max(median_ms(store, filter, *page).await?);
        }
        lines.push(json!({
            "id": format!("store-{what}-ms-{backend}"),
            "median": slowest,
            "unit": "ms",
            "versus": "the bar, with 100,000 runs",
            "versus_median": BAR_MS,
            "ratio": slowest / BAR_MS,
        }));
    }
    Ok(lines)
}

async fn median_ms(store: &Store, filter: &Filter, page: Page) -> Result<f64, StoreError> {
    let mut tries = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        let began = Instant::now();
        store.list(filter, page, Some("pnl")).await?;
        tries.push(began.elapsed().as_secs_f64() * 1e3);
    }
    tries.sort_by(f64::total_cmp);
    Ok(tries[TRIES / 2])
}

/// A run a second, most of them completed.
fn entry(index: u32) -> RunEntry {
    let created = Time(i64::from(index) * 1_000);
    let status = match index % 20 {
        0 => Status::Cancelled,
        1 | 2 => Status::Failed,
        _ => Status::Completed,
    };
    let scenario = Scenario {
        hash: format!("{:064x}", index % SCENARIOS),
        name: format!("market-{}", index % SCENARIOS),
        summary: "a market".to_owned(),
        source: "seconds = 1".to_owned(),
    };
    let kpi = Kpi {
        scenario: scenario.hash.clone(),
        measure: "pnl".to_owned(),
        unit: "cents".to_owned(),
        better: Better::Higher,
        spread: Spread { n: 20, mean: f64::from(index), interval: Some((0.0, 1.0)) },
        samples: (1..=20).map(|seed| (seed, f64::from(index))).collect(),
    };
    let mut entry = RunEntry::of(Run {
        id: RunId::now(),
        kind: if index.is_multiple_of(3) { Kind::Gate } else { Kind::Run },
        status,
        subject: format!("strategy-{}.rs", index % STRATEGIES),
        subject_hash: Some(format!("{index:064x}")),
        command: "assay run strategy.rs --scenario market --seeds 20".to_owned(),
        tool: "0.1.0".to_owned(),
        verdict: Some("finished".to_owned()),
        trouble: None,
        owner: None,
        created,
        started: Some(created),
        finished: Some(created),
    });
    entry.scenarios = vec![scenario];
    entry.kpis = vec![kpi];
    entry
}
