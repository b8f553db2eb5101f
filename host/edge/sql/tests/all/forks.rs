//! Forks against a naive model, in which a fork is a copy of all bytes.

use crate::{ambient, database, run, shown};
use assay_sql::{Ambient, Answer, Database, Limits, SqlError};
use proptest::prelude::*;

const START: &str = "
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT DEFAULT (hex(randomblob(4))), b INTEGER);
    CREATE INDEX t_b ON t (b);
    CREATE TABLE log (at TEXT DEFAULT CURRENT_TIMESTAMP, what);
    CREATE TRIGGER t_log AFTER DELETE ON t BEGIN INSERT INTO log (what) VALUES (old.a); END;
    INSERT INTO t (b) SELECT value FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8]');";

fn statement() -> impl Strategy<Value = String> {
    prop_oneof![
        (1..30i64).prop_map(|b| format!("INSERT INTO t (b) VALUES ({b})")),
        (1..30i64, 1..9000usize).prop_map(|(id, n)| format!("UPDATE t SET a = hex(randomblob({n})) WHERE id = {id}")),
        (1..30i64).prop_map(|b| format!("DELETE FROM t WHERE b % 7 = {b} % 7")),
        (1..30i64).prop_map(|id| format!("INSERT INTO t (id, b) VALUES ({id}, {id})")),
        Just("INSERT INTO t (b) SELECT b + 1 FROM t LIMIT 50".to_owned()),
        Just("UPDATE t SET b = b + abs(random() % 5); SELECT total_changes(), last_insert_rowid()".to_owned()),
        Just("DELETE FROM t; INSERT INTO nowhere VALUES (1)".to_owned()),
        Just("BEGIN; DELETE FROM t; ROLLBACK; SELECT count(*), changes() FROM t".to_owned()),
        Just("ALTER TABLE log ADD COLUMN more".to_owned()),
        Just("CREATE TABLE IF NOT EXISTS extra AS SELECT * FROM t".to_owned()),
        Just("DROP INDEX IF EXISTS t_b".to_owned()),
        Just("SELECT * FROM t WHERE b > 3".to_owned()),
        Just("ANALYZE".to_owned()),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Fork(prop::sample::Index),
    Run(prop::sample::Index, String),
    Forget(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => any::<prop::sample::Index>().prop_map(Step::Fork),
        4 => (any::<prop::sample::Index>(), statement()).prop_map(|(at, statement)| Step::Run(at, statement)),
        1 => any::<prop::sample::Index>().prop_map(Step::Forget),
    ]
}

fn outcome(database: &mut Database, script: &str, ambient: &mut Ambient) -> (Result<Answer, SqlError>, u64) {
    let answer = database.run(script, &[], ambient);
    (answer, ambient.random.clone().bits())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever runs in one fork shows in no other, and each fork does what a database read from its bytes does: answers, errors, fuel, draws and bytes.
    #[test]
    fn forks_are_copies(steps in prop::collection::vec(step(), 1..24)) {
        let first = database(START);
        let mut forks = vec![(first.export(), first)];
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Fork(at) => {
                    let (bytes, fork) = &forks[at.index(forks.len())];
                    let copy = (bytes.clone(), fork.clone());
                    forks.push(copy);
                }
                Step::Forget(at) => forks[at.index(forks.len())].1.rest(),
                Step::Run(at, script) => {
                    let at = at.index(forks.len());
                    let (bytes, fork) = &mut forks[at];
                    let mut naive = Database::import(bytes, Limits::STANDARD).expect("its own bytes");
                    let (mut ambient, mut for_naive) = (ambient(number as u64), ambient(number as u64));
                    prop_assert_eq!(
                        outcome(fork, &script, &mut ambient),
                        outcome(&mut naive, &script, &mut for_naive)
                    );
                    prop_assert_eq!(ambient.fuel, for_naive.fuel);
                    let before = Database::import(bytes, Limits::STANDARD).expect("its own bytes");
                    let by_rows = before.content().expect("read").changes(&naive.content().expect("read"));
                    prop_assert_eq!(before.changes(&naive).expect("read"), by_rows);
                    *bytes = naive.export();
                    prop_assert_eq!(fork.pages_digest(), naive.pages_digest());
                }
            }
            for (bytes, fork) in &forks {
                prop_assert!(fork.export() == *bytes);
            }
        }
    }
}

#[test]
fn a_fork_of_a_large_database_shares_what_is_not_written() {
    let mut first = database("CREATE TABLE t (id INTEGER PRIMARY KEY, x)");
    run(
        &mut first,
        "INSERT INTO t (x) SELECT zeroblob(100000) FROM json_each('[1,2,3,4,5,6,7,8,9]') a, json_each('[1,2,3,4]') b",
    );
    assert!(first.bytes() > 3 << 20);
    let digest = first.pages_digest();
    let mut fork = first.clone();
    assert_eq!(fork.pages_digest(), digest);
    run(&mut fork, "UPDATE t SET x = 'small' WHERE id = 7");
    assert_ne!(fork.pages_digest(), digest);
    assert_eq!(first.pages_digest(), digest);
    let changes = first.changes(&fork).expect("both are read");
    assert_eq!(changes.len(), 1);
    assert_eq!(shown(&run(&mut first, "SELECT length(x) FROM t WHERE id = 7")), "100000");
}
