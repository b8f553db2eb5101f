//! Random statements against a plain connection to SQLite in memory: the same answers and the same errors.

use crate::{ambient, shown};
use assay_sql::{Answer, Database};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;

const START: &str = "
    CREATE TABLE a (id INTEGER PRIMARY KEY, x INTEGER CHECK (x < 90), y TEXT UNIQUE);
    CREATE TABLE b (a_id INTEGER NOT NULL REFERENCES a (id) ON DELETE CASCADE, z REAL, PRIMARY KEY (a_id, z)) WITHOUT ROWID;
    CREATE VIEW v AS SELECT a.id, a.y, sum(b.z) AS total FROM a LEFT JOIN b ON b.a_id = a.id GROUP BY a.id;
    CREATE TRIGGER down AFTER UPDATE OF x ON a WHEN new.x < 0 BEGIN DELETE FROM b WHERE a_id = new.id; END";

fn term() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("id".to_owned()),
        Just("x".to_owned()),
        Just("y".to_owned()),
        (-9..100i64).prop_map(|number| number.to_string()),
        "[a-d]{0,3}".prop_map(|text| format!("'{text}'")),
        Just("NULL".to_owned()),
        Just("1.5".to_owned()),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    term().prop_recursive(3, 12, 3, |inner| {
        let operators =
            prop::sample::select(vec!["+", "-", "*", "/", "%", "||", "=", "<", ">=", "<>", "AND", "OR", "LIKE", "IS"]);
        let functions = prop::sample::select(vec!["abs", "length", "upper", "typeof", "quote", "hex", "count", "max"]);
        prop_oneof![
            (inner.clone(), operators, inner.clone()).prop_map(|(a, operator, b)| format!("({a} {operator} {b})")),
            (functions, inner.clone()).prop_map(|(function, a)| format!("{function}({a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("CASE WHEN {a} THEN {b} END")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{a} IN ({b}, 3)")),
        ]
    })
}

fn statement() -> impl Strategy<Value = String> {
    prop_oneof![
        (1..12i64, expression(), "[a-d]{0,2}")
            .prop_map(|(id, x, y)| format!("INSERT INTO a VALUES ({id}, (SELECT {x} FROM a), '{y}')")),
        (1..12i64, 0..90i64, "[a-f]{1,3}")
            .prop_map(|(id, x, y)| format!("INSERT OR IGNORE INTO a VALUES ({id}, {x}, '{y}')")),
        (1..12i64, 0..5i64).prop_map(|(id, z)| format!("INSERT INTO b VALUES ({id}, {z}.5)")),
        (expression(), expression()).prop_map(|(x, condition)| format!("UPDATE a SET x = {x} WHERE {condition}")),
        (expression(), expression())
            .prop_map(|(y, condition)| format!("UPDATE OR REPLACE a SET y = {y} WHERE {condition}")),
        expression().prop_map(|condition| format!("DELETE FROM a WHERE {condition}")),
        (expression(), expression()).prop_map(|(a, b)| format!("SELECT {a}, {b} FROM a")),
        expression().prop_map(|a| format!("SELECT {a}, count(*) FROM a JOIN b ON b.a_id = a.id GROUP BY 1")),
        expression().prop_map(|a| format!("SELECT *, row_number() OVER (ORDER BY {a}) FROM a")),
        Just("SELECT * FROM v".to_owned()),
        expression().prop_map(|a| format!(
            "WITH w AS (SELECT {a} AS q FROM a) SELECT q FROM w UNION SELECT z FROM b ORDER BY 1"
        )),
        Just("INSERT INTO a SELECT id + 20, x, y || id FROM a RETURNING id".to_owned()),
        Just("CREATE INDEX IF NOT EXISTS a_x ON a (x)".to_owned()),
        Just("DROP INDEX IF EXISTS a_x".to_owned()),
    ]
}

/// What plain SQLite answers, in the same words.
fn plainly(connection: &Connection, text: &str) -> Result<String, String> {
    let asked = || -> rusqlite::Result<Answer> {
        let mut statement = connection.prepare(text)?;
        let count = statement.column_count();
        let mut rows = statement.raw_query();
        let mut answer = Answer::default();
        while let Some(row) = rows.next()? {
            let value = |at| {
                Ok(match row.get(at)? {
                    Value::Null => assay_sql::Value::Null,
                    Value::Integer(integer) => assay_sql::Value::Integer(integer),
                    Value::Real(real) => assay_sql::Value::Real(real),
                    Value::Text(text) => assay_sql::Value::Text(text),
                    Value::Blob(blob) => assay_sql::Value::Blob(blob),
                })
            };
            answer.rows.push((0..count).map(value).collect::<rusqlite::Result<_>>()?);
        }
        Ok(answer)
    };
    match asked() {
        Ok(answer) => Ok(shown(&answer)),
        Err(rusqlite::Error::SqlInputError { msg, .. } | rusqlite::Error::SqliteFailure(_, Some(msg))) => Err(msg),
        Err(other) => Err(other.to_string()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn plain_sqlite_says_the_same(statements in prop::collection::vec(statement(), 1..30)) {
        let plain = Connection::open_in_memory().expect("memory");
        plain.execute_batch(START).expect("the schema is right");
        let mut ours = Database::new();
        ours.run(START, &[], &mut ambient(1)).expect("the schema is right");
        for statement in statements {
            let answer = ours.run(&statement, &[], &mut ambient(1));
            let answer = answer.map(|answer| shown(&answer)).map_err(|error| error.message);
            prop_assert_eq!(answer, plainly(&plain, &statement), "{}", statement);
        }
        for table in ["a", "b", "v", "sqlite_schema"] {
            let all = format!("SELECT * FROM {table} ORDER BY 1, 2");
            let answer = ours.query(&all, &[], &mut ambient(1)).map(|answer| shown(&answer));
            prop_assert_eq!(answer.map_err(|error| error.message), plainly(&plain, &all));
        }
    }
}
