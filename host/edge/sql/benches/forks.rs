//! How long a fork of a database of 10 MB takes, and the first query on it: 20 tables with an index each, 100,000 rows.
//!
//! `--json` prints one JSON line a figure. A fork is measured over many at once, as one takes less than reading the clock.

use assay_model::{Seed, Stream};
use assay_sql::{Ambient, Database, SqlError, Value};
use serde_json::{Value as Json, json};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

const TABLES: u32 = 20;
const ROWS: u32 = 5_000;
/// Tries of each question.
const TRIES: usize = 201;
/// Forks of one try.
const FORKS: u32 = 1_000;

fn main() -> ExitCode {
    match measure() {
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
fn print(lines: &[Json]) {
    lines.iter().for_each(|line| println!("{line}"));
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn note(text: &str) {
    eprintln!("{text}");
}

fn ambient() -> Ambient {
    Ambient { now: 0, random: Stream::new(Seed(1), "bench", "sql"), fuel: u64::MAX / 2 }
}

fn filled() -> Result<Database, SqlError> {
    let mut database = Database::new();
    for table in 0..TABLES {
        let script = format!(
            "CREATE TABLE t{table} (id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount INTEGER, note TEXT);
             CREATE INDEX t{table}_name ON t{table} (name);
             WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < {ROWS})
             INSERT INTO t{table} SELECT n, printf('name-%06d', n * 7919 % 1000003), n * 3, hex(randomblob(24)) FROM c;"
        );
        database.run(&script, &[], &mut ambient())?;
    }
    Ok(database)
}

fn median(mut tries: Vec<f64>) -> f64 {
    tries.sort_by(f64::total_cmp);
    tries[tries.len() / 2]
}

fn micros(mut work: impl FnMut() -> Result<(), SqlError>) -> Result<f64, SqlError> {
    let mut tries = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        let began = Instant::now();
        work()?;
        tries.push(began.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(tries))
}

fn measure() -> Result<Vec<Json>, SqlError> {
    let database = filled()?;
    note(&format!("{:.1} MB", database.bytes() as f64 / 1e6));
    let line = |id: &str, median: f64, versus: &str, bar: f64| json!({ "id": id, "median": median, "unit": "us", "versus": versus, "versus_median": bar, "ratio": median / bar });
    let fork = micros(|| {
        for _ in 0..FORKS {
            black_box(database.clone());
        }
        Ok(())
    })? / f64::from(FORKS);
    let query = |database: &Database| {
        let name = [Value::Text("name-007919".to_owned())];
        database.query("SELECT id, amount FROM t7 WHERE name = ?", &name, &mut ambient()).map(drop)
    };
    let first = micros(|| query(&database.clone()))?;
    let kept = database.clone();
    query(&kept)?;
    let next = micros(|| query(&kept))?;
    let mut written = database.clone();
    let update =
        micros(|| written.run("UPDATE t7 SET amount = amount + 1 WHERE id = 2500", &[], &mut ambient()).map(drop))?;
    let digest = micros(|| {
        written.run("UPDATE t7 SET amount = amount + 1 WHERE id = 2500", &[], &mut ambient())?;
        black_box(written.pages_digest());
        Ok(())
    })?;
    let changes = micros_few(|| database.changes(&written).map(drop))?;
    let bytes = database.export();
    let import = micros_few(|| Database::import(&bytes, assay_sql::Limits::STANDARD).map(drop))?;
    Ok(vec![
        line("world-fork-us", fork, "the bar, 10 MB", 5.0),
        line("world-first-query-us", first, "the bar, 10 MB", 150.0),
        line("world-next-query-us", next, "the first query", first),
        line("world-update-us", update, "the first query", first),
        line("world-update-digest-us", digest, "without the digest", update),
        line("world-changes-us", changes, "the first query", first),
        line("world-import-us", import, "the first query", first),
    ])
}

/// For what takes long.
fn micros_few(work: impl Fn() -> Result<(), SqlError>) -> Result<f64, SqlError> {
    let mut tries = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        work()?;
        tries.push(began.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(tries))
}
