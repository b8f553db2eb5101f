//! Images from strangers: taken whole and unchanged, or refused with a reason.

use crate::{ambient, database, run, shown};
use assay_sql::{Database, ErrorKind, Limits};
use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// The bytes of a file that plain SQLite has written.
fn file(script: &str) -> Vec<u8> {
    let connection = Connection::open_in_memory().expect("memory");
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false).expect("a setting");
    connection.execute_batch(script).unwrap_or_else(|error| panic!("{script}: {error}"));
    connection.serialize("main").expect("memory").to_vec()
}

fn check(what: &str, bytes: &[u8], kind: ErrorKind, words: &str) {
    match Database::import(bytes, Limits::STANDARD) {
        Ok(_) => panic!("{what} is taken"),
        Err(error) => {
            assert_eq!(error.kind, kind, "{what}: {error}");
            assert!(error.to_string().contains(words), "{what}: {error}");
        }
    }
}

const SMALL: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); CREATE INDEX i ON t (x);
    WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 300) INSERT INTO t (x) SELECT hex(n) FROM c;";

#[test]
fn files_of_plain_sqlite_are_taken() {
    for before in [
        "",
        "PRAGMA page_size = 512;",
        "PRAGMA page_size = 65536;",
        "PRAGMA encoding = 'UTF-16le';",
        "PRAGMA auto_vacuum = FULL;",
    ] {
        let bytes = file(&format!("{before}{SMALL}"));
        let mut database =
            Database::import(&bytes, Limits::STANDARD).unwrap_or_else(|error| panic!("{before}: {error}"));
        assert!(database.export() == bytes, "{before}");
        assert_eq!(shown(&run(&mut database, "SELECT count(*), max(x) FROM t")), "300|3939", "{before}");
        run(
            &mut database,
            "UPDATE t SET x = 'y' WHERE id % 2; DELETE FROM t WHERE id < 100; CREATE TABLE more (a); INSERT INTO more VALUES (zeroblob(90000))",
        );
        let again =
            Database::import(&database.export(), Limits::STANDARD).unwrap_or_else(|error| panic!("{before}: {error}"));
        assert_eq!(again.content(), database.content(), "{before}");
    }
    // A file that says it has a write-ahead log is read without one.
    let mut bytes = file(SMALL);
    bytes[18..20].fill(2);
    let mut database = Database::import(&bytes, Limits::STANDARD).expect("the log is empty");
    assert_eq!(shown(&run(&mut database, "DELETE FROM t; SELECT count(*) FROM t")), "0");
}

#[test]
fn other_bytes_are_refused() {
    let good = file(SMALL);
    let with = |at: usize, bytes: &[u8]| {
        let mut image = good.clone();
        image[at..at + bytes.len()].copy_from_slice(bytes);
        image
    };
    let cases: Vec<(&str, Vec<u8>, ErrorKind, &str)> = vec![
        ("text", b"hello".repeat(100), ErrorKind::Image, "not a database"),
        ("a header alone", b"SQLite format 3\0".to_vec(), ErrorKind::Image, "not a database"),
        ("a cut file", good[..good.len() - 100].to_vec(), ErrorKind::Image, "whole number of pages"),
        ("a missing page", good[..good.len() - 4096].to_vec(), ErrorKind::Image, ""),
        ("pages of 3 bytes", with(16, &[0, 3]), ErrorKind::Image, "pages of 3 bytes"),
        ("a newer format", with(18, &[9, 9]), ErrorKind::Image, "unknown file format"),
        ("a page of noise", with(4096, &[0xa5; 4096]), ErrorKind::Image, ""),
        ("a root of noise", with(100, &[0xff; 900]), ErrorKind::Image, ""),
        ("an index without its rows", with(good.len() - 4096, &[0; 4096]), ErrorKind::Image, ""),
    ];
    for (what, bytes, kind, words) in cases {
        check(what, &bytes, kind, words);
    }
    let small = Limits { pages: 1, ..Limits::STANDARD };
    assert_eq!(Database::import(&good, small).expect_err("two pages and more").kind, ErrorKind::TooLarge);
}

#[test]
fn schemas_that_mean_harm_are_refused() {
    let write = |sql: &str| {
        format!(
            "{SMALL} PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '{}' WHERE name = 't';",
            sql.replace('\'', "''")
        )
    };
    let views = (1..40).fold("CREATE VIEW v0 AS SELECT 1;".to_owned(), |all, n| {
        all + &format!("CREATE VIEW v{n} AS SELECT 1 FROM v{0} a, v{0} b;", n - 1)
    });
    let cases = [
        ("a schema of noise", write("no statement"), ErrorKind::Image, "malformed"),
        ("a table that is a query", write("SELECT load_extension('x')"), ErrorKind::Image, "malformed"),
        ("full text", "CREATE VIRTUAL TABLE f USING fts5(x)".to_owned(), ErrorKind::Refused, "virtual table"),
        ("views without end", views, ErrorKind::Refused, "SELECTs"),
        (
            "the last rowid",
            "CREATE TABLE t (x); INSERT INTO t (rowid) VALUES (9223372036854775807)".to_owned(),
            ErrorKind::Refused,
            "9223372036854775807",
        ),
        ("hidden rowids", "CREATE TABLE t (rowid, oid, _rowid_)".to_owned(), ErrorKind::Refused, "rowids"),
        (
            "a column that is not there",
            format!(
                "{SMALL} CREATE TABLE u (x CHECK (x > 0)); INSERT INTO u VALUES (1); PRAGMA ignore_check_constraints = ON; INSERT INTO u VALUES (-1)"
            ),
            ErrorKind::Image,
            "CHECK",
        ),
    ];
    for (what, script, kind, words) in cases {
        check(what, &file(&script), kind, words);
    }
}

#[test]
fn code_in_a_schema_has_the_guests_rights() {
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, x);
        CREATE VIEW bad AS SELECT load_extension('evil.so');
        CREATE TRIGGER g AFTER INSERT ON t BEGIN
            INSERT INTO t (x) SELECT (WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c); END;";
    let mut taken = Database::import(&file(script), Limits::STANDARD).expect("nothing of it runs yet");
    let error = taken.run("SELECT * FROM bad", &[], &mut ambient(1)).expect_err("refused");
    assert_eq!(error.message, "unsafe use of load_extension()");
    let error = taken.run("INSERT INTO t (x) VALUES (1)", &[], &mut ambient(1)).expect_err("endless");
    assert_eq!(error.kind, ErrorKind::Fuel, "{error}");
    assert_eq!(shown(&run(&mut taken, "SELECT count(*) FROM t")), "0");
}

/// Each byte of a small image, changed: it is refused, or it answers; nothing else.
#[test]
fn damage_is_found_or_harmless() {
    let mut database =
        database("CREATE TABLE t (id INTEGER PRIMARY KEY, x UNIQUE); INSERT INTO t (x) VALUES ('abc'), (2), (NULL)");
    run(&mut database, "INSERT INTO t (x) VALUES (zeroblob(5000)); DELETE FROM t WHERE id = 2");
    let good = database.export();
    let mut taken = 0;
    for at in (0..good.len()).filter(|at| *at < 120 || *at % 4096 < 24 || *at % 97 == 0) {
        let mut image = good.clone();
        image[at] ^= 0x5a;
        if let Ok(mut database) = Database::import(&image, Limits::STANDARD) {
            taken += 1;
            let _ = database.content();
            let _ = database.run(
                "UPDATE t SET x = id; INSERT INTO t (x) VALUES (zeroblob(9000)); DELETE FROM t",
                &[],
                &mut ambient(1),
            );
        }
    }
    assert!(taken > 0);
}
