//! The same calls give the same answers and bytes: in one connection or in a new one for each call, after forks, and on other threads.

use crate::{ambient, shown};
use assay_sql::Database;
use std::thread;

const SCRIPTS: &[&str] = &[
    "CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP, token INTEGER DEFAULT (random()), key BLOB DEFAULT (randomblob(6)))",
    "INSERT INTO t (id) VALUES (1), (2), (3)",
    "SELECT * FROM t",
    "SELECT datetime('now'), julianday('now'), time('now', 'subsec'), random(), hex(randomblob(3))",
    "SELECT id FROM t ORDER BY random()",
    "CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO auto (x) SELECT token FROM t",
    "DELETE FROM t WHERE id = 2; VALUES (changes(), total_changes(), last_insert_rowid())",
    "INSERT INTO t DEFAULT VALUES; SELECT last_insert_rowid(), changes()",
    "SELECT changes(), total_changes(), last_insert_rowid()",
    "CREATE INDEX t_token ON t (token); ANALYZE; SELECT id FROM t WHERE token <> 0",
    "UPDATE t SET key = zeroblob(9000); UPDATE t SET key = NULL",
    "INSERT INTO t (id) VALUES (1)",
    "DROP TABLE auto; CREATE TABLE again AS SELECT * FROM t; SELECT count(*) FROM again",
    "SELECT * FROM pragma_function_list WHERE name = 'random'; SELECT * FROM sqlite_schema",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000) SELECT max(x), sum(abs(random()) % 2) FROM c",
];

/// What each call answers, what it costs, and the bytes after it.
fn history(between: impl Fn(&mut Database)) -> Vec<(String, u64, [u8; 32])> {
    let mut database = Database::new();
    let mut ambient = ambient(7);
    let mut history = Vec::new();
    for script in SCRIPTS {
        between(&mut database);
        ambient.now += 1_500_000_000;
        let answer = match database.run(script, &[], &mut ambient) {
            Ok(answer) => format!("{:?}\n{}\n{}", answer.columns, shown(&answer), answer.changed),
            Err(error) => error.to_string(),
        };
        history.push((answer, ambient.fuel, database.pages_digest()));
    }
    history
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    let expected = history(|_| {});
    assert!(expected[3].0.contains("2023-11-14 22:13:26"), "{}", expected[3].0);
    assert!(expected[11].0.contains("UNIQUE constraint failed"), "{}", expected[11].0);
    // A new connection for each call; forks of forks, whose first life goes on; other threads.
    assert_eq!(history(|database| database.rest()), expected);
    assert_eq!(history(|database| *database = database.clone()), expected);
    let side_path = |database: &mut Database| {
        let mut other = database.clone();
        let _ = other.run("CREATE TABLE side (x); INSERT INTO side VALUES (random())", &[], &mut ambient(3));
        let _ = other.query("SELECT * FROM side", &[], &mut ambient(4));
    };
    assert_eq!(history(side_path), expected);
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(move || history(side_path))).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), expected);
    }
}

/// In every build and on every machine, with this version of SQLite; another one may give other bytes, and then this is to be changed.
#[test]
fn the_bytes_are_known() {
    let history = history(|_| {});
    let mut hasher = blake3::Hasher::new();
    for (answer, fuel, digest) in &history {
        hasher.update(answer.as_bytes()).update(&fuel.to_le_bytes()).update(digest);
    }
    let digest = hasher.finalize().to_hex();
    assert_eq!(
        (assay_sql::sqlite_version(), digest.as_str()),
        ("3.51.3", "cec6e1e1d418e9d9979d7828f754ea557d1740f367ab34efcf873fada9369ef3")
    );
}

#[test]
fn another_seed_or_time_gives_other_values() {
    let script = "SELECT random(), hex(randomblob(8)), datetime('now')";
    let asked = |seed, now| {
        let mut ambient = ambient(seed);
        ambient.now = now;
        shown(&Database::new().run(script, &[], &mut ambient).expect("runs"))
    };
    assert_eq!(asked(1, 0), asked(1, 0));
    assert_ne!(asked(1, 0), asked(2, 0));
    assert_ne!(asked(1, 0), asked(1, 1_000_000_000));
    // The stream moves on.
    let (mut database, mut ambient) = (Database::new(), ambient(1));
    let mut draw = || shown(&database.run("SELECT random()", &[], &mut ambient).expect("runs"));
    assert_ne!(draw(), draw());
}
