//! The crate through its interface: answers and errors, forks, repetition, contents, and statements and images that mean harm.

mod answers;
mod content;
mod determinism;
mod forks;
mod hostile;
mod images;
mod memory;
mod plain;

use assay_model::{Seed, Stream};
use assay_sql::{Ambient, Answer, Database, Value};

/// 2023-11-14 22:13:20 UTC, and 123,456,789 ns.
const NOW_NS: i64 = 1_700_000_000_123_456_789;
/// Steps for a call.
const FUEL: u64 = 5_000_000;

fn ambient(seed: u64) -> Ambient {
    Ambient { now: NOW_NS, random: Stream::new(Seed(seed), "world", "sql"), fuel: FUEL }
}

/// A database after a script that works.
fn database(script: &str) -> Database {
    let mut database = Database::new();
    run(&mut database, script);
    database
}

fn run(database: &mut Database, script: &str) -> Answer {
    database.run(script, &[], &mut ambient(1)).unwrap_or_else(|error| panic!("{script}: {error}"))
}

/// Rows as a person would write them: `1|text|NULL`, one a line.
fn shown(answer: &Answer) -> String {
    let value = |value: &Value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(integer) => integer.to_string(),
        Value::Real(real) => format!("{real:?}"),
        Value::Text(text) => text.clone(),
        Value::Blob(blob) => blob.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    let rows = answer.rows.iter().map(|row| row.iter().map(value).collect::<Vec<_>>().join("|"));
    rows.collect::<Vec<_>>().join("\n")
}
