//! The store through the binary: what `assay run` and `assay gate` leave in it, the commands over it, and stores that are locked, damaged, of a later
//! release, or not there.

mod boards;
mod commands;
mod gate;
mod refine;
mod strangers;

use assay_tests::{assay, show};
use sqlx::{Connection as _, SqliteConnection};
use std::path::Path;
use std::process::Output;
use tokio::runtime::Runtime;

const DONE: i32 = 0;
const USAGE: i32 = 2;
const FAILED: i32 = 3;
const INFRASTRUCTURE: i32 = 4;

/// Runs a command; its exit code and words of what it prints are as they should be.
#[track_caller]
fn check(home: &Path, arguments: &[&str], code: i32, words: &[&str]) -> Output {
    let output = assay(home).args(arguments).output().expect("assay starts");
    let text = show(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}");
    for word in words {
        assert!(text.contains(word), "{arguments:?}: {word}\n{text}");
    }
    output
}

/// One list of words after another.
fn both<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

/// What a command answers to programs.
#[track_caller]
fn answer(home: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = check(home, &both(arguments, &["--json"]), DONE, &[]);
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn warnings(output: &Output) -> usize {
    show(output).matches("warning").count()
}

/// Another program at a store.
struct Other {
    runtime: Runtime,
    connection: SqliteConnection,
}

impl Other {
    fn at(file: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let url = format!("sqlite://{}?mode=rw", file.display());
        let connection = runtime.block_on(SqliteConnection::connect(&url)).expect("a store of SQLite");
        Self { runtime, connection }
    }

    fn say(&mut self, statement: &'static str) {
        self.runtime.block_on(sqlx::raw_sql(statement).execute(&mut self.connection)).expect(statement);
    }

    fn close(self) {
        self.runtime.block_on(self.connection.close()).expect("it lets go");
    }
}

/// Makes a store look like one that a later release has written.
fn make_newer(file: &Path) {
    let mut other = Other::at(file);
    other.say("INSERT INTO assay_schema (version, applied_ms) VALUES (99, 0)");
    other.close();
}
