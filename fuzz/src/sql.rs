//! Databases of worlds: images from strangers, and scripts of guests.

use assay_model::{Seed, Stream};
use assay_sql::{Ambient, Database, ErrorKind, Limits};
use std::sync::LazyLock;
use std::time::Duration;

/// Limits small enough for an input to reach them, and no clock.
const LIMITS: Limits = Limits {
    pages: 200,
    value_bytes: 20_000,
    result_rows: 200,
    result_bytes: 50_000,
    temporary_bytes: 200_000,
    own_fuel: 200_000,
    watchdog: Duration::MAX,
    ..Limits::STANDARD
};

fn ambient() -> Ambient {
    Ambient { now: 1_700_000_000_000_000_000, random: Stream::new(Seed(1), "fuzz", "sql"), fuel: 20_000 }
}

/// An image. What is taken can be read, written and exported, in a fork as in the first.
pub fn database(bytes: &[u8]) {
    let Ok(database) = Database::import(bytes, LIMITS) else { return };
    let _ = database.content();
    for script in [
        "SELECT * FROM sqlite_schema",
        "SELECT * FROM t; UPDATE t SET x = id; INSERT INTO t (x) VALUES (zeroblob(9000)); DELETE FROM t",
        "CREATE TABLE more AS SELECT * FROM sqlite_schema; DROP TABLE t",
    ] {
        both(&database, script);
    }
}

static START: LazyLock<Database> = LazyLock::new(|| {
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, x UNIQUE, at DEFAULT CURRENT_TIMESTAMP);
        CREATE TABLE u (t_id REFERENCES t (id) ON DELETE CASCADE, y);
        CREATE VIEW v AS SELECT t.id, u.y FROM t LEFT JOIN u ON u.t_id = t.id;
        CREATE TRIGGER g AFTER UPDATE ON t BEGIN INSERT INTO u VALUES (new.id, old.x); END;
        INSERT INTO t (x) VALUES ('a'), (2), (NULL), (3.5);
        INSERT INTO u VALUES (1, 1), (2, 4);";
    let mut database = Database::with_limits(LIMITS);
    database.run(script, &[], &mut ambient()).expect("the script is right");
    database
});

/// A guest's script. A fork does the same, a failure changes nothing, and what comes out is a database.
pub fn sql(bytes: &[u8]) {
    let Ok(script) = std::str::from_utf8(bytes) else { return };
    let changed = both(&START, script);
    match Database::import(&changed.export(), LIMITS) {
        Ok(_) => {}
        Err(error) => {
            let is_limit = matches!(error.kind, ErrorKind::Fuel | ErrorKind::TooLarge);
            assert!(is_limit, "a guest's script made an image that is refused: {error}");
        }
    }
}

/// Runs a script in two forks, one with the connection that is there and one with a new one.
fn both(database: &Database, script: &str) -> Database {
    let (mut first, mut second) = (database.clone(), database.clone());
    let _ = first.query("SELECT 1", &[], &mut ambient());
    let (mut of_first, mut of_second) = (ambient(), ambient());
    let (one, two) = (first.run(script, &[], &mut of_first), second.run(script, &[], &mut of_second));
    assert_eq!(one, two, "a fork answers otherwise");
    assert_eq!((of_first.fuel, of_first.random.bits()), (of_second.fuel, of_second.random.bits()));
    assert_eq!(first.pages_digest(), second.pages_digest(), "a fork has other bytes");
    if let Err(error) = &one {
        assert_eq!(first.pages_digest(), database.pages_digest(), "a failure changed something: {error}");
        let _ = (error.to_string(), error.postgres().to_string());
    }
    if let (Ok(before), Ok(after), Ok(changes)) = (database.content(), first.content(), database.changes(&first)) {
        assert_eq!(changes, before.changes(&after), "a change is overlooked");
    }
    first
}
