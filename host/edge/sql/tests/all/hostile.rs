//! Statements that mean harm: each ends with a named error within its fuel, and changes nothing.

use crate::{FUEL, ambient, database, shown};
use assay_sql::{Database, ErrorKind, Limits};

const START: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, x); INSERT INTO t (x) VALUES (1), (2), (3);
    CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO auto DEFAULT VALUES;";
/// Rows without end.
const ENDLESS: &str = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";

fn check(script: &str, kind: ErrorKind, words: &str) {
    let short: String = script.chars().take(200).collect();
    let mut database = database(START);
    let before = database.export();
    let mut ambient = ambient(1);
    let error = database.run(script, &[], &mut ambient).expect_err(&short);
    assert_eq!(error.kind, kind, "{short}: {error}");
    assert!(error.to_string().contains(words), "{short}: {error}");
    assert!(ambient.fuel <= FUEL, "{short}");
    assert!(database.export() == before, "{short}");
    let rest = database.run("SELECT count(*) FROM t", &[], &mut crate::ambient(1)).expect("the database still answers");
    assert_eq!(shown(&rest), "3", "{short}");
}

#[test]
fn what_computes_without_end_runs_out_of_fuel() {
    let cases = [
        format!("{ENDLESS} SELECT count(*) FROM c"),
        format!("{ENDLESS} INSERT INTO t (x) SELECT 1 FROM c WHERE x < 0"),
        format!("{ENDLESS} SELECT x FROM c WHERE x < 0"),
        format!("{ENDLESS} SELECT sum(length(randomblob(100))) FROM c"),
        "SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j, t k, t l, t m, t n, t o".to_owned(),
        format!(
            "CREATE TABLE big AS {ENDLESS} SELECT x FROM c LIMIT 100000; SELECT count(*) FROM pragma_integrity_check a, pragma_integrity_check b, t c, t d, t e, t f"
        ),
        "SELECT 1; SELECT 2; ".repeat(2) + &format!("{ENDLESS} SELECT max(x) FROM c"),
        // The trigger of a trigger, over rows without end.
        format!(
            "CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET x = x + 1; END; {ENDLESS} INSERT INTO t (x) SELECT x FROM c"
        ),
    ];
    for case in cases {
        check(&case, ErrorKind::Fuel, "more steps than the call may take");
    }
}

#[test]
fn what_grows_without_end_meets_a_limit() {
    let rows = |count: u32, what: &str| format!("{ENDLESS} SELECT {what} FROM (SELECT x FROM c LIMIT {count})");
    let cases = [
        ("SELECT zeroblob(1000000000)".to_owned(), ErrorKind::TooLarge),
        ("SELECT hex(zeroblob(200000))".to_owned(), ErrorKind::TooLarge),
        ("SELECT randomblob(1000000000)".to_owned(), ErrorKind::TooLarge),
        ("SELECT randomblob('999999999')".to_owned(), ErrorKind::TooLarge),
        ("SELECT replace(hex(zeroblob(100000)), '0', 'xxxxxxxxxxxx')".to_owned(), ErrorKind::TooLarge),
        (rows(5000, "group_concat(hex(zeroblob(100)))"), ErrorKind::TooLarge),
        (rows(5000, "json_group_array(hex(zeroblob(100)))"), ErrorKind::TooLarge),
        (rows(1_000_000, "x"), ErrorKind::TooLarge),
        (rows(100, "zeroblob(100000)"), ErrorKind::TooLarge),
        (format!("{ENDLESS} SELECT x, zeroblob(2000) AS z FROM c ORDER BY z, x DESC"), ErrorKind::Full),
        (format!("{ENDLESS} SELECT count(*) FROM (SELECT DISTINCT x, hex(zeroblob(1000)) FROM c)"), ErrorKind::Full),
        (format!("{ENDLESS} INSERT INTO t (x) SELECT zeroblob(250000) FROM c"), ErrorKind::Full),
        (
            "WITH RECURSIVE d(x) AS (SELECT 'ab' UNION ALL SELECT x || x FROM d) SELECT max(x) FROM d".to_owned(),
            ErrorKind::TooLarge,
        ),
        ("SELECT 'a' LIKE '".to_owned() + &"%a".repeat(200) + "'", ErrorKind::Statement),
        ("SELECT 'a' GLOB '".to_owned() + &"*a".repeat(200) + "'", ErrorKind::Statement),
        ("SELECT 1".to_owned() + &" + 1".repeat(1000), ErrorKind::Statement),
        ("SELECT ".to_owned() + &"-".repeat(1000).replace('-', "- ") + "1", ErrorKind::Statement),
        ("SELECT 1".to_owned() + &" UNION SELECT 1".repeat(60), ErrorKind::Statement),
        ("SELECT ".to_owned() + &vec!["1"; 300].join(","), ErrorKind::Statement),
        (format!("SELECT json('{}{}')", "[".repeat(5000), "]".repeat(5000)), ErrorKind::Statement),
        ("SELECT ?5000".to_owned(), ErrorKind::Statement),
        ("SELECT '".to_owned() + &"x".repeat(300_000) + "'", ErrorKind::TooLarge),
        ("SELECT 1;".to_owned() + &" ".repeat(2 << 20), ErrorKind::Refused),
        // Triggers that set each other off, 20 deep.
        (
            (0..20).fold("CREATE TABLE u20 (x);".to_owned(), |all, n| all + &format!("CREATE TABLE u{n} (x);"))
                + &(0..20)
                    .map(|n| {
                        format!(
                            "CREATE TRIGGER g{n} AFTER INSERT ON u{n} BEGIN INSERT INTO u{} VALUES (1); END;",
                            n + 1
                        )
                    })
                    .collect::<String>()
                + "INSERT INTO u0 VALUES (1)",
            ErrorKind::Statement,
        ),
    ];
    for (case, kind) in cases {
        check(&case, kind, "");
    }
}

#[test]
fn what_reaches_out_of_the_image_is_refused() {
    let cases = [
        ("ATTACH 'other.db' AS other", "ATTACH"),
        ("ATTACH ':memory:' AS other", "ATTACH"),
        ("ATTACH 'file:/etc/passwd?vfs=unix' AS other", "ATTACH"),
        ("DETACH main", "DETACH"),
        ("VACUUM", "VACUUM"),
        ("VACUUM INTO 'copy.db'", "VACUUM"),
        ("SELECT load_extension('evil.so')", "load_extension"),
        ("SELECT fts3_tokenizer('simple')", "fts3_tokenizer"),
        ("SELECT sqlite_log(1, 'x')", "sqlite_log"),
        ("PRAGMA writable_schema = ON", "writable_schema"),
        ("PRAGMA trusted_schema = ON", "trusted_schema"),
        ("PRAGMA foreign_keys = OFF", "foreign_keys"),
        ("PRAGMA journal_mode = WAL", "journal_mode"),
        ("PRAGMA temp_store_directory = '/'", "temp_store_directory"),
        ("PRAGMA mmap_size = 1000000", "mmap_size"),
        ("PRAGMA cache_size = 1000000", "cache_size"),
        ("PRAGMA max_page_count = 4000000000", "max_page_count"),
        ("PRAGMA schema_version = 9", "schema_version"),
        ("PRAGMA recursive_triggers = ON", "recursive_triggers"),
        ("PRAGMA encoding = 'UTF-16'", "encoding"),
        ("CREATE VIRTUAL TABLE f USING fts5(x)", "virtual tables"),
        ("CREATE VIRTUAL TABLE f USING rtree(id, a, b)", "virtual tables"),
        (
            "CREATE TABLE f_data (x); CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f_data VALUES (1)",
            "virtual tables",
        ),
        ("CREATE TEMP TABLE s (x)", "temporary"),
        ("CREATE TEMP VIEW s AS SELECT 1", "temporary"),
        ("CREATE TEMP TRIGGER s AFTER INSERT ON t BEGIN SELECT 1; END", "temporary"),
        ("SELECT * FROM dbstat", "dbstat"),
        ("EXPLAIN SELECT 1", "EXPLAIN"),
        ("INSERT INTO sqlite_sequence (rowid, name, seq) VALUES (9223372036854775807, 'x', 1)", "sqlite_sequence"),
        ("UPDATE sqlite_sequence SET rowid = 9223372036854775807", "sqlite_sequence"),
    ];
    for (case, words) in cases {
        check(case, ErrorKind::Refused, words);
    }
    for case in [
        "UPDATE sqlite_schema SET sql = 'x'",
        "DELETE FROM sqlite_master",
        "INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)",
    ] {
        check(case, ErrorKind::Statement, "may not be modified");
    }
    check("SELECT 1; \0 SELECT 2", ErrorKind::Parameters, "zero byte");
}

#[test]
fn what_would_be_drawn_by_the_process_is_refused() {
    let six = "SELECT 1 AS a, 1 AS a, 1 AS a, 1 AS a, 1 AS a, 1 AS a, 1 AS a";
    let cases = [
        (
            "INSERT INTO t (id) VALUES (9223372036854775807); INSERT INTO t (x) VALUES (1)".to_owned(),
            "9223372036854775807",
        ),
        ("UPDATE t SET id = 9223372036854775807 WHERE id = 1".to_owned(), "9223372036854775807"),
        (format!("SELECT * FROM ({six})"), "more than five columns"),
        (format!("CREATE TABLE s AS {six}"), "more than five columns"),
        (format!("CREATE VIEW s AS {six}; SELECT name FROM pragma_table_info('s')"), "more than five columns"),
    ];
    for (case, words) in cases {
        check(&case, ErrorKind::Refused, words);
    }
}

/// What SQLite's compiler recurses over, or copies, before anything could stop it.
#[test]
fn what_unfolds_without_end_is_refused() {
    let doubled = |define: &dyn Fn(u32) -> String| (1..40).map(define).collect::<Vec<_>>().join(" ");
    let expressions: Vec<String> = (1..40).map(|n| format!("a{n} AS (SELECT 1 FROM a{0} x, a{0} y)", n - 1)).collect();
    let nested = (1..40).fold("SELECT 1".to_owned(), |inner, _| format!("WITH a AS ({inner}) SELECT 1 FROM a x, a y"));
    let cases = [
        format!("WITH a0 AS (SELECT 1), {} SELECT count(*) FROM a39", expressions.join(", ")),
        format!("WITH \"A0\" AS MATERIALIZED (SELECT 1), {} SELECT 1 FROM [a39]", expressions.join(", ")),
        format!("WITH a0(x) AS NOT MATERIALIZED (SELECT 1), {} SELECT 1 FROM 'a39'", expressions.join(", ")),
        nested,
        "CREATE VIEW v0 AS SELECT 1;".to_owned()
            + &doubled(&|n| format!("CREATE VIEW v{n} AS SELECT 1 FROM v{0} a, v{0} b;", n - 1)),
        "CREATE VIEW v0 AS SELECT 1;".to_owned()
            + &doubled(&|n| {
                format!(
                    "CREATE VIEW v{n} AS WITH a AS (SELECT 1 FROM main.v{0}, \"V{0}\" b) SELECT 1 FROM a x, a y;",
                    n - 1
                )
            })
            + "SELECT * FROM v39",
        "CREATE VIEW v0 AS SELECT 1;".to_owned()
            + &(1..5000).map(|n| format!("CREATE VIEW v{n} AS SELECT * FROM v{};", n - 1)).collect::<String>()
            + "SELECT * FROM v4999",
        "SELECT * FROM (".repeat(5000) + "SELECT 1" + &")".repeat(5000),
        "SELECT ".to_owned() + &"(".repeat(5000) + "1" + &")".repeat(5000),
        "SELECT * FROM ".to_owned() + &"(t JOIN ".repeat(5000) + "t" + &")".repeat(5000),
        "SELECT 1 WHERE 1 IN (".to_owned() + &vec!["SELECT 1"; 3000].join(" UNION ALL ") + ")",
        (0..200).map(|n| format!("CREATE TRIGGER g{n} AFTER INSERT ON t BEGIN DELETE FROM auto; END;")).collect(),
        (1..200).fold("CREATE TABLE f0 (id INTEGER PRIMARY KEY);".to_owned(), |all, n| {
            all + &format!("CREATE TABLE f{n} (id INTEGER PRIMARY KEY REFERENCES f{} ON DELETE CASCADE);", n - 1)
        }) + "DELETE FROM f0",
        "SELECT $a('), (WITH a AS (SELECT 1) SELECT ')".to_owned(),
    ];
    for case in cases {
        check(&case, ErrorKind::Refused, "");
    }
}

/// What the limits let through, the compiler survives on the stack of an ordinary thread.
#[test]
fn what_is_just_below_the_limits_runs() {
    let deep = usize::from(Limits::STANDARD.nesting) - 2;
    let actions = usize::from(Limits::STANDARD.actions);
    let cases = [
        "SELECT * FROM (".repeat(deep) + "SELECT 1" + &")".repeat(deep),
        "SELECT ".to_owned() + &"(SELECT ".repeat(18) + "1" + &")".repeat(18),
        "CREATE VIEW v0 AS SELECT 1;".to_owned()
            + &(1..deep).map(|n| format!("CREATE VIEW v{n} AS SELECT * FROM v{};", n - 1)).collect::<String>()
            + &format!("SELECT * FROM v{}", deep - 1),
        (1..actions).fold("CREATE TABLE f0 (id INTEGER PRIMARY KEY);".to_owned(), |all, n| {
            all + &format!("CREATE TABLE f{n} (id INTEGER PRIMARY KEY REFERENCES f{} ON DELETE CASCADE);", n - 1)
        }) + "INSERT INTO f0 VALUES (1); DELETE FROM f0; SELECT 1",
        (0..actions).fold(String::new(), |all, n| {
            all + &format!("CREATE TABLE g{n} (id); CREATE TRIGGER r{n} AFTER INSERT ON g{n} WHEN new.id < 0 BEGIN INSERT INTO g{} VALUES (1); END;", (n + 1) % actions)
        }) + "INSERT INTO g0 VALUES (1); SELECT 1",
        "SELECT 1".to_owned() + &" + 0".repeat(usize::from(Limits::STANDARD.expression_depth) - 2),
    ];
    for case in cases {
        let mut database = database(START);
        let short: String = case.chars().take(200).collect();
        let answer = database.run(&case, &[], &mut ambient(1)).unwrap_or_else(|error| panic!("{short}: {error}"));
        assert_eq!(shown(&answer), "1", "{short}");
    }
}

#[test]
fn a_small_limit_on_pages_holds() {
    let mut database = Database::with_limits(Limits { pages: 20, ..Limits::STANDARD });
    database.run("CREATE TABLE t (x)", &[], &mut ambient(1)).expect("two pages");
    let error = database.run("INSERT INTO t VALUES (zeroblob(100000))", &[], &mut ambient(1)).expect_err("25 pages");
    assert_eq!((error.kind, error.postgres().sqlstate), (ErrorKind::Full, "53100"));
    assert!(database.bytes() <= 20 * 4096);
    database.run("INSERT INTO t VALUES (zeroblob(20000))", &[], &mut ambient(1)).expect("five pages");
}
