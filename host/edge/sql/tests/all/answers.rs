//! What statements answer, and how errors are said in SQLite's and in PostgreSQL's words.

use crate::{ambient, database, run, shown};
use assay_sql::{Database, ErrorKind, Value};

const SHOP: &str = "
    CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, age INTEGER CONSTRAINT grown CHECK (age >= 18));
    CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), cents INTEGER NOT NULL);
    CREATE TRIGGER no_refund BEFORE UPDATE OF cents ON orders WHEN new.cents < 0 BEGIN SELECT RAISE(ABORT, 'no refunds'); END;
    INSERT INTO users VALUES (1, 'ann@example.com', 30), (2, 'bob@example.com', 40);
    INSERT INTO orders VALUES (1, 1, 500), (2, 1, 700), (3, 2, 900);";

fn check(script: &str, parameters: &[Value], expected: &str) {
    let mut database = database(SHOP);
    let answer = database.run(script, parameters, &mut ambient(1)).unwrap_or_else(|error| panic!("{script}: {error}"));
    assert_eq!(shown(&answer), expected, "{script}");
}

#[test]
fn statements_answer() {
    let cases: &[(&str, &[Value], &str)] = &[
        ("SELECT id, email FROM users ORDER BY id", &[], "1|ann@example.com\n2|bob@example.com"),
        ("SELECT count(*) FROM orders WHERE cents > ?", &[Value::Integer(600)], "2"),
        ("SELECT ?1, ?2, typeof(?3)", &[Value::Null, Value::Real(1.5), Value::Blob(vec![1])], "NULL|1.5|blob"),
        ("UPDATE orders SET cents = cents + 1; SELECT sum(cents), changes() FROM orders", &[], "2103|3"),
        ("INSERT INTO users VALUES (7, 'c@example.com', 20); SELECT last_insert_rowid(), total_changes()", &[], "7|1"),
        // Nothing of an earlier call shows.
        ("SELECT last_insert_rowid(), changes(), total_changes()", &[], "0|0|0"),
        ("CREATE TABLE t (x); SELECT changes()", &[], "0"),
        ("BEGIN; DELETE FROM orders; ROLLBACK; SELECT count(*) FROM orders", &[], "3"),
        ("SAVEPOINT a; DELETE FROM orders; ROLLBACK TO a; RELEASE a; SELECT count(*) FROM orders", &[], "3"),
        ("INSERT INTO orders VALUES (4, 2, 1) RETURNING id, cents", &[], "4|1"),
        (
            "SELECT datetime('now'), unixepoch(), CURRENT_TIMESTAMP",
            &[],
            "2023-11-14 22:13:20|1700000000|2023-11-14 22:13:20",
        ),
        ("SELECT strftime('%f', 'now'), datetime('now', 'localtime')", &[], "20.123|2023-11-14 22:13:20"),
        (
            "SELECT datetime('2024-07-01 12:00', 'localtime'), datetime('2024-07-01 12:00', 'utc')",
            &[],
            "2024-07-01 12:00:00|2024-07-01 12:00:00",
        ),
        ("SELECT value FROM json_each('[1, 2]')", &[], "1\n2"),
        ("SELECT name FROM pragma_table_info('users')", &[], "id\nemail\nage"),
        ("PRAGMA foreign_keys", &[], "1"),
        ("PRAGMA foreign_keys = ON; PRAGMA user_version = 7; PRAGMA user_version", &[], "7"),
        (
            "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 3) SELECT x FROM c",
            &[],
            "1\n2\n3",
        ),
        (
            "CREATE VIEW totals AS SELECT user_id, sum(cents) AS cents FROM orders GROUP BY 1; SELECT * FROM totals",
            &[],
            "1|1200\n2|900",
        ),
        ("SELECT CAST(x'ff41' AS TEXT)", &[], "ff41"),
        ("SELECT ';' || \";\" -- ; nothing\n; /* ; */ ;", &[], ";;"),
        (
            "CREATE TRIGGER t AFTER INSERT ON users BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM orders; END; SELECT 5",
            &[],
            "5",
        ),
        // A width that no value can have.
        ("SELECT printf('%1000000000d', 1), printf('%.*c', 1000000000, 'x')", &[], "NULL|NULL"),
        ("", &[], ""),
    ];
    for (script, parameters, expected) in cases {
        check(script, parameters, expected);
    }
}

/// Statement, kind, extended code, SQLite's words; SQLSTATE, PostgreSQL's words.
const ERRORS: &[(&str, ErrorKind, i32, &str, &str, &str)] = &[
    (
        "INSERT INTO users VALUES (3, 'ann@example.com', 20)",
        ErrorKind::Constraint,
        2067,
        "UNIQUE constraint failed: users.email",
        "23505",
        "duplicate key value violates unique constraint \"users_email_key\"",
    ),
    (
        "INSERT INTO users VALUES (1, 'x', 20)",
        ErrorKind::Constraint,
        1555,
        "UNIQUE constraint failed: users.id",
        "23505",
        "duplicate key value violates unique constraint \"users_pkey\"",
    ),
    (
        "INSERT INTO users VALUES (3, NULL, 20)",
        ErrorKind::Constraint,
        1299,
        "NOT NULL constraint failed: users.email",
        "23502",
        "null value in column \"email\" of relation \"users\" violates not-null constraint",
    ),
    (
        "INSERT INTO orders VALUES (9, 99, 1)",
        ErrorKind::Constraint,
        787,
        "FOREIGN KEY constraint failed",
        "23503",
        "a change of table \"orders\" violates foreign key constraint",
    ),
    (
        "INSERT INTO users VALUES (3, 'x', 3)",
        ErrorKind::Constraint,
        275,
        "CHECK constraint failed: grown",
        "23514",
        "new row for relation \"users\" violates check constraint \"grown\"",
    ),
    ("UPDATE orders SET cents = -1", ErrorKind::Constraint, 1811, "no refunds", "P0001", "no refunds"),
    (
        "SELECT * FROM nobody",
        ErrorKind::Statement,
        1,
        "no such table: nobody",
        "42P01",
        "relation \"nobody\" does not exist",
    ),
    (
        "SELECT missing FROM users",
        ErrorKind::Statement,
        1,
        "no such column: missing",
        "42703",
        "column \"missing\" does not exist",
    ),
    (
        "INSERT INTO users (missing) VALUES (1)",
        ErrorKind::Statement,
        1,
        "table users has no column named missing",
        "42703",
        "column of relation \"missing\" does not exist",
    ),
    ("SELEC 1", ErrorKind::Statement, 1, "near \"SELEC\": syntax error", "42601", "syntax error at or near \"SELEC\""),
    ("SELECT", ErrorKind::Statement, 1, "incomplete input", "42601", "syntax error at end of input"),
    ("SELECT f(1)", ErrorKind::Statement, 1, "no such function: f", "42883", "function f() does not exist"),
    (
        "CREATE TABLE users (x)",
        ErrorKind::Statement,
        1,
        "table users already exists",
        "42P07",
        "relation \"users\" already exists",
    ),
    (
        "INSERT INTO users (id) VALUES ('x')",
        ErrorKind::Statement,
        20,
        "datatype mismatch",
        "22P02",
        "datatype mismatch",
    ),
    (
        "SELECT id FROM users, orders",
        ErrorKind::Statement,
        1,
        "ambiguous column name: id",
        "42702",
        "column reference \"id\" is ambiguous",
    ),
    (
        "COMMIT",
        ErrorKind::Statement,
        1,
        "cannot commit - no transaction is active",
        "25P01",
        "cannot commit - no transaction is active",
    ),
    (
        "BEGIN; DELETE FROM orders",
        ErrorKind::OpenTransaction,
        1,
        "the script leaves a transaction open",
        "25001",
        "the script leaves a transaction open",
    ),
    (
        "SELECT ?",
        ErrorKind::Parameters,
        25,
        "the statement has 1 parameters, 0 were given",
        "08P01",
        "the statement has 1 parameters, 0 were given",
    ),
];

#[test]
fn errors_are_said_twice() {
    for (script, kind, code, sqlite, sqlstate, postgres) in ERRORS {
        let mut database = database(SHOP);
        let before = database.pages_digest();
        let error = database.run(script, &[], &mut ambient(1)).expect_err(script);
        assert_eq!((error.kind, error.code, error.message.as_str()), (*kind, *code, *sqlite), "{script}");
        let said = error.postgres();
        assert_eq!((said.sqlstate, said.message.as_str()), (*sqlstate, *postgres), "{script}");
        assert_eq!(database.pages_digest(), before, "{script}");
    }
}

#[test]
fn a_script_happens_whole_or_not_at_all() {
    let mut database = database(SHOP);
    let before = database.export();
    let script = "DELETE FROM orders; CREATE TABLE more (x); INSERT INTO users VALUES (1, 'x', 20); DELETE FROM users";
    let error = database.run(script, &[], &mut ambient(1)).expect_err("the third statement fails");
    assert_eq!(
        error.to_string(),
        "statement 3: UNIQUE constraint failed: users.id (SQLITE_CONSTRAINT_PRIMARYKEY 1555)"
    );
    assert_eq!(database.export(), before);
    let answer = database.query("SELECT count(*) FROM orders", &[], &mut ambient(1)).expect("the table is there");
    assert_eq!(shown(&answer), "3");
}

#[test]
fn a_query_only_reads() {
    let database = database(SHOP);
    let before = database.export();
    for script in ["DELETE FROM orders", "BEGIN", "SELECT 1; CREATE TABLE t (x)", "PRAGMA user_version = 3", "COMMIT"] {
        let error = database.query(script, &[], &mut ambient(1)).expect_err(script);
        assert_eq!((error.kind, error.postgres().sqlstate), (ErrorKind::ReadOnly, "25006"), "{script}");
    }
    assert_eq!(database.export(), before);
    assert_eq!(shown(&database.query("SELECT max(id) FROM orders", &[], &mut ambient(1)).expect("reads")), "3");
}

/// Where each call is looked at, nothing can be done and undone within one, nor changed where nobody looks.
#[test]
fn of_a_step_one_statement_writes() {
    for script in [
        "DELETE FROM orders; DELETE FROM users",
        "BEGIN; UPDATE users SET age = age * 2; UPDATE users SET age = age / 2; COMMIT",
        "CREATE TABLE more (x); DROP TABLE more",
        "PRAGMA user_version = 7",
        "PRAGMA application_id(7)",
        "ANALYZE",
        "DELETE FROM sqlite_sequence",
        "UPDATE sqlite_sequence SET seq = 100",
    ] {
        let mut database = database(SHOP);
        run(&mut database, "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT)");
        let before = database.pages_digest();
        let error = database.step(script, &[], &mut ambient(1)).expect_err(script);
        assert_eq!(error.kind, ErrorKind::Refused, "{script}: {error}");
        assert_eq!(database.pages_digest(), before, "{script}");
    }
    let mut database = database(SHOP);
    for script in [
        "SELECT 1; UPDATE users SET age = 50; SELECT count(*) FROM users",
        "BEGIN IMMEDIATE; UPDATE users SET age = 60; COMMIT;",
        "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT)",
        "INSERT INTO counted DEFAULT VALUES",
        "ALTER TABLE counted RENAME TO recounted",
        "DROP TABLE recounted",
        "PRAGMA user_version",
    ] {
        database.step(script, &[], &mut ambient(1)).unwrap_or_else(|error| panic!("{script}: {error}"));
    }
}

#[test]
fn fuel_is_counted_in_steps_and_spent_by_failures_too() {
    let mut database = Database::new();
    let spent = |database: &mut Database, script: &str| {
        let mut ambient = ambient(1);
        let answer = database.run(script, &[], &mut ambient);
        (answer.map(|answer| answer.fuel).map_err(|error| error.kind), crate::FUEL - ambient.fuel)
    };
    let (answered, left) = spent(&mut database, "SELECT 1");
    assert_eq!(answered, Ok(left));
    assert!((1..100).contains(&left), "{left}");
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    assert_eq!(spent(&mut database, endless), (Err(ErrorKind::Fuel), crate::FUEL));
}
