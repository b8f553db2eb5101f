//! Contents: equal however they were reached, and what changed between two of them.

use crate::{database, run};
use assay_sql::{Database, RowChange, Value};

const START: &str = "
    CREATE TABLE t (id INTEGER PRIMARY KEY, a, twice AS (a || a));
    CREATE TABLE pairs (x TEXT, y INTEGER, z, PRIMARY KEY (y, x)) WITHOUT ROWID;
    CREATE TABLE bag (v);
    INSERT INTO t (id, a) VALUES (1, 'one'), (2, 'two'), (3, NULL);
    INSERT INTO pairs VALUES ('a', 1, 0), ('b', 1, 0);
    INSERT INTO bag VALUES (1), (1), (2);";

/// A change as `table[key] before -> after`.
fn shown(change: &RowChange) -> String {
    let values = |values: &[Value]| {
        let texts: Vec<String> = values
            .iter()
            .map(|value| match value {
                Value::Null => "NULL".to_owned(),
                Value::Integer(integer) => integer.to_string(),
                Value::Real(real) => format!("{real:?}"),
                Value::Text(text) => text.clone(),
                Value::Blob(_) => "blob".to_owned(),
            })
            .collect();
        texts.join(",")
    };
    let side = |row: &Option<Vec<Value>>| row.as_deref().map_or("-".to_owned(), values);
    format!("{}[{}] {} -> {}", change.table, values(&change.key), side(&change.before), side(&change.after))
}

#[test]
fn changes_are_by_row_and_key() {
    let cases: &[(&str, &[&str])] = &[
        ("SELECT 1", &[]),
        ("UPDATE t SET a = a", &[]),
        ("UPDATE t SET a = 'zwei' WHERE id = 2", &["t[2] 2,two -> 2,zwei"]),
        ("UPDATE t SET a = 0 WHERE a IS NULL", &["t[3] 3,NULL -> 3,0"]),
        (
            "DELETE FROM t WHERE id = 1; INSERT INTO t (id, a) VALUES (9, 'nine')",
            &["t[1] 1,one -> -", "t[9] - -> 9,nine"],
        ),
        ("DELETE FROM t; INSERT INTO t (id, a) VALUES (3, NULL), (1, 'one'), (2, 'two')", &[]),
        ("UPDATE pairs SET z = 5 WHERE x = 'b'", &["pairs[1,b] b,1,0 -> b,1,5"]),
        ("DELETE FROM bag WHERE rowid = 1", &["bag[] 1 -> -"]),
        ("INSERT INTO bag VALUES (2)", &["bag[] - -> 2"]),
        // Typed: 1 and 1.0 are two values, as a column without a type keeps them.
        ("UPDATE bag SET v = 2.0 WHERE v = 2", &["bag[] 2 -> -", "bag[] - -> 2.0"]),
        ("UPDATE bag SET rowid = rowid + 10", &[]),
        ("CREATE INDEX i ON t (a)", &["sqlite_schema[index,i] - -> index,i,t,CREATE INDEX i ON t (a)"]),
        (
            "CREATE TABLE n (x); INSERT INTO n VALUES (1)",
            &["n[] - -> 1", "sqlite_schema[table,n] - -> table,n,n,CREATE TABLE n (x)"],
        ),
        (
            "DROP TABLE bag",
            &[
                "bag[] 1 -> -",
                "bag[] 1 -> -",
                "bag[] 2 -> -",
                "sqlite_schema[table,bag] table,bag,bag,CREATE TABLE bag (v) -> -",
            ],
        ),
        ("ANALYZE", &[]),
    ];
    for (script, expected) in cases {
        let before = database(START);
        let mut after = before.clone();
        run(&mut after, script);
        let changes: Vec<String> = before.changes(&after).expect("both are read").iter().map(shown).collect();
        assert_eq!(changes, *expected, "{script}");
        let digests = (before.content_digest().expect("read"), after.content_digest().expect("read"));
        assert_eq!(digests.0 == digests.1, expected.is_empty(), "{script}");
    }
}

#[test]
fn equal_contents_reached_differently_have_one_digest() {
    let there = database(START);
    let mut detour = database(START);
    run(&mut detour, "UPDATE t SET a = 'x'; DELETE FROM bag; INSERT INTO bag VALUES (2), (1), (1)");
    run(&mut detour, "UPDATE t SET a = CASE id WHEN 1 THEN 'one' WHEN 2 THEN 'two' END");
    assert_ne!(there.pages_digest(), detour.pages_digest());
    assert_eq!(there.content_digest(), detour.content_digest());
    assert_eq!(there.content(), detour.content());
}

#[test]
fn the_content_of_nothing_is_empty() {
    let content = Database::new().content().expect("read");
    assert_eq!(content.tables.len(), 1);
    assert_eq!(content.tables[0].rows.len(), 0);
}
