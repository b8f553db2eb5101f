//! Sessions of `assay refine` in the store: the same in SQLite and in PostgreSQL, and one run however often a session is resumed.

use super::{DONE, INFRASTRUCTURE, answer, both, check};
use assay_tests::{root, show};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use std::path::Path;
use std::process::Command;

/// A database on the tests' server, gone with its owner.
struct Database {
    server: String,
    name: String,
    runtime: tokio::runtime::Runtime,
}

impl Database {
    fn new() -> Self {
        let setup = Command::new(root().join("tests/postgres/setup")).output().expect("bash is there");
        assert!(setup.status.success(), "{}", show(&setup));
        let server = String::from_utf8(setup.stdout).expect("text").trim().to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let database = Self { server, name: format!("refine_{}", std::process::id()), runtime };
        database.say(&format!("CREATE DATABASE {}", database.name));
        database
    }

    fn url(&self) -> String {
        self.server.replace("/postgres?", &format!("/{}?", self.name))
    }

    fn say(&self, statement: &str) {
        self.runtime.block_on(async {
            let mut connection = PgConnection::connect(&self.server).await.expect("the server answers");
            let statement = sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned()));
            statement.execute(&mut connection).await.expect("it is done");
            connection.close().await.expect("it lets go");
        });
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.say(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::copy(root().join("examples/refine/mistuned_maker.rs"), home.path().join("maker.rs")).expect("copied");
    home
}

/// What the store has of the newest session, without what may differ.
fn session(home: &Path, store: &[&str]) -> Value {
    let mut run = answer(home, &both(&["show", "latest"], store));
    for field in ["id", "command", "created_ms", "started_ms", "finished_ms", "owner", "files"] {
        run[field].take();
    }
    run
}

#[test]
fn a_session_is_the_same_in_both_databases() {
    let (home, database) = (home(), Database::new());
    let url = database.url();
    let words =
        ["refine", "--from", "maker.rs", "--scenario", "smoke", "--generations", "1", "--width", "2", "--seed", "1"];
    check(home.path(), &both(&words, &["--threads", "1"]), DONE, &["Result"]);
    check(home.path(), &both(&words, &["--threads", "8", "--store", &url, "--dir", "other"]), DONE, &["Result"]);
    let sqlite = session(home.path(), &[]);
    assert_eq!(sqlite, session(home.path(), &["--store", &url]));
    assert_eq!(sqlite["iterations"].as_array().map(Vec::len), Some(3), "{sqlite}");
    assert!(sqlite["iterations"][1]["source_hash"].is_string(), "{sqlite}");
    check(home.path(), &["runs", "--kind", "refine"], DONE, &["maker.rs", "completed"]);
    check(home.path(), &["export", "latest", "--to", "out"], DONE, &[]);
    for (name, part) in [("log.jsonl", "\"began\""), ("candidates.jsonl", "half_spread"), ("story.md", "## Candidates")]
    {
        let text = std::fs::read_to_string(home.path().join("out").join(name)).expect(name);
        assert!(text.contains(part), "{name}: {text}");
    }
}

#[test]
fn a_session_that_is_resumed_is_one_run() {
    let home = home();
    std::fs::write(home.path().join("script.jsonl"), "{\"error\": \"unavailable\"}").expect("written");
    let model = ["refine", "nearer", "--model", "scripted:script.jsonl", "--from", "maker.rs", "--scenario", "smoke"];
    check(home.path(), &both(&model, &["--generations", "1", "--width", "1"]), INFRASTRUCTURE, &["resume"]);
    check(home.path(), &["runs", "--kind", "refine"], DONE, &["failed"]);
    let source = std::fs::read_to_string(home.path().join("maker.rs")).expect("there");
    let text = format!("IDEA: the same\n```rust\n{source}```");
    std::fs::write(home.path().join("script.jsonl"), serde_json::json!({"text": text}).to_string()).expect("written");
    check(home.path(), &["refine", "resume", "maker-1"], DONE, &["Result"]);
    let runs = answer(home.path(), &["runs", "--kind", "refine"]);
    let listed = runs["runs"].as_array().cloned().unwrap_or_default();
    assert!(listed.len() == 1 && listed[0]["status"] == "completed", "{runs}");
    assert_eq!(listed[0]["verdict"], "nothing better");
}
