//! What every store must do: cases as data, each against SQLite and PostgreSQL.

use super::*;
use assay_store::{COUNTED_MAX, Filter, Page, Total};
use futures::future::{BoxFuture, join_all};

type Case = fn(&Ground) -> BoxFuture<'_, ()>;

const CASES: &[(&str, Case)] = &[
    ("what is written is read", |ground| Box::pin(what_is_written_is_read(ground))),
    ("writing again changes nothing", |ground| Box::pin(writing_again_changes_nothing(ground))),
    ("an end is not replaced by a beginning", |ground| Box::pin(an_end_stays(ground))),
    ("what is known stays, if that is asked for", |ground| Box::pin(what_is_known_stays(ground))),
    ("listings are newest first, with a tie-breaker", |ground| Box::pin(listings_are_ordered(ground))),
    ("filters", |ground| Box::pin(filters(ground))),
    ("runs whose process is gone", |ground| Box::pin(lost(ground))),
    ("a listing of very many runs", |ground| Box::pin(very_many(ground))),
    ("ids by their beginning", |ground| Box::pin(ids_by_their_beginning(ground))),
    ("boards hold what is completed", |ground| Box::pin(boards(ground))),
    ("removal cascades and leaves what others use", |ground| Box::pin(removal(ground))),
    ("hostile text comes back, or nearly", |ground| Box::pin(hostile_text(ground))),
    ("no duration is negative", |ground| Box::pin(no_duration_is_negative(ground))),
    ("many writers at once", |ground| Box::pin(many_writers(ground))),
    ("all or none", |ground| Box::pin(all_or_none(ground))),
];

#[test]
fn sqlite() {
    block_on(async {
        for (name, case) in CASES {
            eprintln!("sqlite: {name}");
            let ground = Ground::sqlite();
            case(&ground).await;
            ground.remove().await;
        }
    });
}

#[test]
fn postgres() {
    block_on(async {
        for (name, case) in CASES {
            eprintln!("postgres: {name}");
            let ground = Ground::postgres().await;
            case(&ground).await;
            ground.remove().await;
        }
    });
}

const EVERYTHING: Page = Page { number: 0, size: 100 };

async fn ids(store: &Store, filter: &Filter, page: Page) -> (Vec<RunId>, u64) {
    let (rows, total) = store.list(filter, page, None).await.unwrap();
    assert!(total.is_exact, "{total:?}");
    (rows.iter().map(|row| row.run.id).collect(), total.runs)
}

async fn what_is_written_is_read(ground: &Ground) {
    let store = ground.open().await;
    let entry = full(RunId::now(), 1_000);
    store.put(&entry).await.unwrap();
    let hash = store.attach(entry.run.id, "run.json", b"{}").await.unwrap();
    store.close().await;

    let store = ground.try_open(Access::Read).await.unwrap();
    let found = store.get(entry.run.id).await.unwrap();
    assert_eq!(found.entry, entry);
    let artifacts: Vec<_> = found.artifacts.iter().map(|a| (a.name.as_str(), a.hash, a.bytes)).collect();
    assert_eq!(artifacts, [("run.json", hash, 2)]);
    assert_eq!(store.artifact(hash).await.unwrap(), b"{}");

    // A listing leaves the backtrace out, and shows a measure only where it is that of the whole run.
    let (rows, total) = store.list(&Filter::default(), EVERYTHING, Some("pnl")).await.unwrap();
    let trouble = entry.run.trouble.clone().map(|trouble| Trouble { backtrace: None, ..trouble });
    assert_eq!((rows.len(), total), (1, Total { runs: 1, is_exact: true }));
    assert_eq!(rows[0].run, Run { trouble, ..entry.run });
    assert_eq!(rows[0].scenarios, ["calm", "wild"]);
    assert_eq!(rows[0].kpi, None);
    store.close().await;
}

async fn writing_again_changes_nothing(ground: &Ground) {
    let store = ground.open().await;
    let entry = full(RunId::of_content(b"the same verdict"), 1_000);
    for _ in 0..3 {
        store.put(&entry).await.unwrap();
        store.attach(entry.run.id, "run.json", b"{}").await.unwrap();
    }
    let later = RunEntry { run: Run { created: Time(9_000), ..entry.run.clone() }, ..entry.clone() };
    store.put(&later).await.unwrap();
    let found = store.get(entry.run.id).await.unwrap();
    assert_eq!((found.entry, found.artifacts.len()), (entry, 1));
    assert_eq!(ids(&store, &Filter::default(), EVERYTHING).await.1, 1);
    store.close().await;
}

async fn an_end_stays(ground: &Ground) {
    let store = ground.open().await;
    let id = RunId::now();
    for (status, expected) in [
        (Status::Pending, Status::Pending),
        (Status::Running, Status::Running),
        (Status::Completed, Status::Completed),
        (Status::Running, Status::Completed),
        (Status::Pending, Status::Completed),
        (Status::Cancelled, Status::Cancelled),
        (Status::Running, Status::Cancelled),
    ] {
        store.put(&RunEntry::of(run(id, status, 1_000))).await.unwrap();
        assert_eq!(store.get(id).await.unwrap().entry.run.status, expected);
    }
    // It ended at 1,010. Whoever resumes it begins later, and what it had done stays meanwhile.
    let interrupted = RunEntry { run: run(id, Status::Cancelled, 1_000), ..full(id, 1_000) };
    store.put(&interrupted).await.unwrap();
    for (status, started, expected) in [
        (Status::Running, 1_010, Status::Cancelled),
        (Status::Running, 1_011, Status::Running),
        (Status::Failed, 1_011, Status::Failed),
        (Status::Running, 2_000, Status::Running),
        (Status::Completed, 2_000, Status::Completed),
        (Status::Running, 3_000, Status::Completed),
    ] {
        let run = Run { started: Some(Time(started)), ..run(id, status, 1_000) };
        let run = Run { finished: status.is_end().then_some(Time(started + 10)), ..run };
        store.put(&RunEntry::of(run)).await.unwrap();
        let found = store.get(id).await.unwrap().entry;
        let is_first = started <= 1_011 && status == Status::Running;
        assert_eq!((found.run.status, found.iterations.is_empty()), (expected, !is_first), "{started}");
    }
    store.close().await;
}

async fn what_is_known_stays(ground: &Ground) {
    let store = ground.open().await;
    let id = RunId::of_content(b"a verdict");
    let entry = |status, verdict: &str| {
        let mut entry = full(id, 1_000);
        entry.run = Run { verdict: Some(verdict.to_owned()), ..run(id, status, 1_000) };
        entry
    };
    let files = |text: &str| vec![("verdict.json".to_owned(), text.as_bytes().to_vec())];
    for (status, verdict, known, is_written, expected) in [
        (Status::Failed, "unscored", Known::KeptIfCompleted, true, "unscored"),
        (Status::Failed, "again", Known::KeptIfCompleted, true, "again"),
        (Status::Completed, "pass", Known::KeptIfCompleted, true, "pass"),
        (Status::Completed, "poorer", Known::KeptIfCompleted, false, "pass"),
        (Status::Failed, "unscored", Known::KeptIfCompleted, false, "pass"),
        (Status::Completed, "richer", Known::Replaced, true, "richer"),
        (Status::Running, "beginning", Known::Replaced, false, "richer"),
    ] {
        let written = store.keep(&entry(status, verdict), &files(verdict), known).await.unwrap();
        assert_eq!(written, is_written, "{verdict}");
        let found = store.get(id).await.unwrap();
        let file = store.artifact(found.artifacts[0].hash).await.unwrap();
        let is = (found.entry.run.verdict.as_deref(), file.as_slice(), found.entry.kpis.len(), found.artifacts.len());
        assert_eq!(is, (Some(expected), expected.as_bytes(), 2, 1));
    }
    // All or nothing: a file that cannot be kept leaves no run behind.
    let other = RunEntry::of(run(RunId::now(), Status::Completed, 1_000));
    let folder = ground.folder.path().join("artifacts");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    assert!(store.keep(&other, &files("x"), Known::Replaced).await.is_err());
    assert!(matches!(store.get(other.run.id).await, Err(StoreError::NoRun(_))));
    assert!(store.keep(&other, &[], Known::Replaced).await.unwrap());
    store.close().await;
}

async fn listings_are_ordered(ground: &Ground) {
    let store = ground.open().await;
    // Two of the same millisecond, and one from before the clock was set back.
    let times = [3_000, 1_000, 2_000, 2_000, 5_000, 4_000];
    let mut runs: Vec<(i64, RunId)> = times.iter().map(|time| (*time, RunId::now())).collect();
    for (time, id) in &runs {
        store.put(&RunEntry::of(run(*id, Status::Completed, *time))).await.unwrap();
    }
    runs.sort();
    let expected: Vec<RunId> = runs.iter().rev().map(|(_, id)| *id).collect();
    assert_eq!(ids(&store, &Filter::default(), EVERYTHING).await, (expected.clone(), 6));
    for (number, part) in expected.chunks(4).enumerate() {
        let page = Page { number: u32::try_from(number).unwrap(), size: 4 };
        assert_eq!(ids(&store, &Filter::default(), page).await, (part.to_vec(), 6));
    }
    assert_eq!(ids(&store, &Filter::default(), Page { number: u32::MAX, size: u32::MAX }).await, (vec![], 6));
    store.close().await;
}

async fn filters(ground: &Ground) {
    let store = ground.open().await;
    let mut entries = Vec::new();
    for (index, (kind, status, subject, scenarios)) in [
        (Kind::Run, Status::Completed, "maker.rs", vec!["calm"]),
        (Kind::Run, Status::Failed, "maker.rs", vec!["calm", "wild"]),
        (Kind::Gate, Status::Completed, "taker.rs", vec!["wild"]),
        (Kind::Rollout, Status::Running, "some-model", vec![]),
    ]
    .into_iter()
    .enumerate()
    {
        let created = i64::try_from(index).unwrap() * 1_000;
        let mut entry = RunEntry::of(Run { kind, subject: subject.to_owned(), ..run(RunId::now(), status, created) });
        entry.scenarios = scenarios.into_iter().map(scenario).collect();
        store.put(&entry).await.unwrap();
        entries.push(entry.run.id);
    }
    let subject = |name: &str| vec![name.to_owned(), format!("{name}.rs")];
    for (filter, expected) in [
        (Filter::default(), vec![3, 2, 1, 0]),
        (Filter { kind: Some(Kind::Run), ..Filter::default() }, vec![1, 0]),
        (Filter { status: Some(Status::Completed), ..Filter::default() }, vec![2, 0]),
        (Filter { subjects: subject("maker"), ..Filter::default() }, vec![1, 0]),
        (Filter { subjects: subject("nobody' OR 1=1 --"), ..Filter::default() }, vec![]),
        (Filter { scenario: Some("wild".to_owned()), ..Filter::default() }, vec![2, 1]),
        (Filter { since: Some(Time(2_000)), ..Filter::default() }, vec![3, 2]),
        (
            Filter {
                kind: Some(Kind::Run),
                status: Some(Status::Failed),
                is_lost: false,
                subjects: subject("maker"),
                scenario: Some("calm".to_owned()),
                since: Some(Time(1_000)),
            },
            vec![1],
        ),
    ] {
        let expected: Vec<RunId> = expected.into_iter().map(|index: usize| entries[index]).collect();
        let total = expected.len() as u64;
        assert_eq!(ids(&store, &filter, EVERYTHING).await, (expected, total), "{filter:?}");
    }
    store.close().await;
}

async fn lost(ground: &Ground) {
    let store = ground.open().await;
    let own = Owner::this_process().unwrap().to_string();
    let other = |place: usize, word: &str| {
        let mut words: Vec<&str> = own.split(' ').collect();
        words[place] = word;
        Owner::parse(&words.join(" "))
    };
    let mut expected = Vec::new();
    for (created, (status, owner, is_lost)) in (0..).zip([
        (Status::Running, Owner::this_process(), false),
        (Status::Running, other(4, "1"), true),
        (Status::Pending, other(4, "1"), true),
        (Status::Running, other(1, "another-boot"), true),
        (Status::Running, other(0, "another-machine"), false),
        (Status::Completed, other(4, "1"), false),
        (Status::Running, None, false),
    ]) {
        let id = RunId::now();
        let entry = RunEntry::of(Run { owner, ..run(id, status, created) });
        assert_eq!(entry.run.is_lost(), is_lost, "{created}");
        store.put(&entry).await.unwrap();
        if is_lost {
            expected.insert(0, id);
        }
    }
    let lost = Filter { is_lost: true, ..Filter::default() };
    for (number, part) in expected.chunks(2).enumerate() {
        let page = Page { number: u32::try_from(number).unwrap(), size: 2 };
        assert_eq!(ids(&store, &lost, page).await, (part.to_vec(), 3));
    }
    for (filter, total) in [
        (Filter { subjects: vec!["maker.rs".to_owned(), "maker".to_owned()], ..lost.clone() }, 3),
        (Filter { status: Some(Status::Running), ..lost.clone() }, 2),
        (Filter { kind: Some(Kind::Gate), ..lost.clone() }, 0),
        (Filter { scenario: Some("calm".to_owned()), ..lost.clone() }, 0),
    ] {
        assert_eq!(ids(&store, &filter, EVERYTHING).await.1, total, "{filter:?}");
    }
    store.remove(&expected).await.unwrap();
    assert_eq!(ids(&store, &lost, EVERYTHING).await, (vec![], 0));
    store.close().await;
}

/// So many that what they have in common counts as common.
const MANY: u32 = 21_000;

async fn very_many(ground: &Ground) {
    let store = ground.open().await;
    let script = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY}) \
         INSERT INTO runs (id, kind, status, subject, command, tool, created_ms) \
         SELECT '01800000-0000-7000-9000-' || substr('000000000000' || i, length('000000000000' || i) - 11), 'run', \
         CASE i % 2 WHEN 0 THEN 'completed' ELSE 'failed' END, CASE i % 100 WHEN 0 THEN 'rare.rs' ELSE 'maker.rs' END, 'c', 't', i FROM n; \
         INSERT INTO scenarios (hash, name, summary, source) VALUES ('h', 'calm', 's', 'x'); \
         INSERT INTO run_scenarios (run_id, scenario_hash) SELECT id, 'h' FROM runs; \
         INSERT INTO listed (run_id, scenario_name, subject, kind, status, created_ms) \
         SELECT id, 'calm', subject, kind, status, created_ms FROM runs;"
    );
    execute(&ground.url(), &script).await;
    let subject = |name: &str| vec![name.to_owned(), format!("{name}.rs")];
    // Plain functions, so that the case can move to another thread.
    let all: fn(u32) -> bool = |_| true;
    let is_failed: fn(u32) -> bool = |i| !i.is_multiple_of(2);
    let calm = Filter { scenario: Some("calm".to_owned()), ..Filter::default() };
    for (filter, is_it) in [
        (Filter::default(), all),
        (calm.clone(), all),
        (Filter { status: Some(Status::Failed), ..calm.clone() }, is_failed),
        (Filter { kind: Some(Kind::Run), status: Some(Status::Failed), ..Filter::default() }, is_failed),
        (Filter { kind: Some(Kind::Gate), ..calm.clone() }, |_| false),
        (Filter { subjects: subject("maker"), ..Filter::default() }, |i| !i.is_multiple_of(100)),
        (Filter { subjects: subject("maker"), ..calm.clone() }, |i| !i.is_multiple_of(100)),
        (Filter { subjects: subject("rare"), ..calm.clone() }, |i| i.is_multiple_of(100)),
        (Filter { subjects: subject("maker"), status: Some(Status::Failed), ..Filter::default() }, |i| {
            !i.is_multiple_of(2) && !i.is_multiple_of(100)
        }),
        // Each of two is very common, and they never occur together.
        (Filter { status: Some(Status::Pending), ..calm.clone() }, |_| false),
        (Filter { subjects: subject("maker"), kind: Some(Kind::Gate), ..calm.clone() }, |_| false),
        (Filter { since: Some(Time(i64::from(MANY) - 5)), ..calm.clone() }, |i| i >= MANY - 5),
    ] {
        let expected: Vec<u32> = (1..=MANY).rev().filter(|i| is_it(*i)).collect();
        for number in [0, 3] {
            let (rows, total) = store.list(&filter, Page { number, size: 10 }, None).await.unwrap();
            let found: Vec<i64> = rows.iter().map(|row| row.run.created.0).collect();
            let page = expected.iter().skip(10 * number as usize).take(10).map(|i| i64::from(*i));
            assert_eq!(found, page.collect::<Vec<_>>(), "{filter:?} {number}");
            let (all, most) = (expected.len() as u64, u64::from(10 * (number + 1) + COUNTED_MAX));
            assert_eq!(total, Total { runs: all.min(most), is_exact: all < most }, "{filter:?} {number}");
        }
    }
    store.close().await;
}

async fn ids_by_their_beginning(ground: &Ground) {
    let store = ground.open().await;
    assert!(matches!(store.resolve("latest").await, Err(StoreError::NoRun(_))));
    let ids: [RunId; 3] = ["aaaa0000", "aaaa1111", "bbbb0000"]
        .map(|start| format!("{start}-0000-7000-8000-000000000000").parse().unwrap());
    for (id, created) in ids.iter().zip([1_000, 3_000, 2_000]) {
        store.put(&RunEntry::of(run(*id, Status::Completed, created))).await.unwrap();
    }
    for (prefix, expected) in
        [("b", Some(2)), ("BBBB0000-00", Some(2)), ("aaaa1", Some(1)), (" aaaa0 ", Some(0)), ("latest", Some(1))]
    {
        assert_eq!(store.resolve(prefix).await.ok(), expected.map(|index: usize| ids[index]), "{prefix}");
    }
    assert!(matches!(store.resolve("aaaa").await, Err(StoreError::Ambiguous(_))));
    for none in ["c", "", "%", "a_", "'; DROP TABLE runs; --"] {
        assert!(matches!(store.resolve(none).await, Err(StoreError::NoRun(_))), "{none}");
    }
    assert!(matches!(store.get(RunId::now()).await, Err(StoreError::NoRun(_))));
    store.close().await;
}

async fn boards(ground: &Ground) {
    let store = ground.open().await;
    let mut expected = Vec::new();
    for (kind, status, name) in [
        (Kind::Run, Status::Completed, "calm"),
        (Kind::Run, Status::Failed, "calm"),
        (Kind::Gate, Status::Completed, "calm"),
        (Kind::Run, Status::Completed, "wild"),
        (Kind::Run, Status::Completed, "calm"),
    ] {
        let created = 1_000 * i64::try_from(expected.len()).unwrap();
        let mut entry = RunEntry::of(Run { kind, ..run(RunId::now(), status, created) });
        entry.scenarios = vec![scenario(name)];
        entry.kpis = vec![kpi(name, &[1.0, 2.0])];
        store.put(&entry).await.unwrap();
        if (kind, status, name) == (Kind::Run, Status::Completed, "calm") {
            expected.insert(0, (entry.run, entry.kpis.remove(0)));
        }
    }
    assert_eq!(store.board("calm", "pnl").await.unwrap(), expected);
    assert_eq!(store.board("calm", "sharpe").await.unwrap(), []);
    store.close().await;
}

async fn removal(ground: &Ground) {
    let store = ground.open().await;
    let [first, second] = [1_000, 2_000].map(|created| full(RunId::now(), created));
    let mut hashes = Vec::new();
    for (entry, own) in [(&first, b"first".as_slice()), (&second, b"second")] {
        store.put(entry).await.unwrap();
        store.attach(entry.run.id, "shared", b"both").await.unwrap();
        hashes.push(store.attach(entry.run.id, "own", own).await.unwrap());
    }
    assert_eq!(store.remove(&[first.run.id, first.run.id, RunId::now()]).await.unwrap(), 1);
    assert!(matches!(store.get(first.run.id).await, Err(StoreError::NoRun(_))));
    assert!(store.artifact(hashes[0]).await.is_err());
    let rest = store.get(second.run.id).await.unwrap();
    assert_eq!(rest.entry, second);
    for artifact in &rest.artifacts {
        store.artifact(artifact.hash).await.unwrap();
    }
    store.remove(&[second.run.id]).await.unwrap();
    store.close().await;
    // Not a row is left in any table that belongs to runs.
    for table in ["runs", "run_scenarios", "scenarios", "iterations", "kpis", "trajectories", "artifacts"] {
        assert_eq!(count(&ground.url(), table).await, 0, "{table}");
    }
}

async fn count(url: &str, table: &str) -> i64 {
    use sqlx::{Connection as _, Row as _};
    let mut connection = sqlx::AnyConnection::connect(url).await.unwrap();
    let row = sqlx::query(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}")));
    let count = row.fetch_one(&mut connection).await.unwrap().get(0);
    connection.close().await.unwrap();
    count
}

async fn hostile_text(ground: &Ground) {
    let store = ground.open().await;
    let long = "ü".repeat(100_000);
    for (text, expected) in [
        ("'; DROP TABLE runs; --", "'; DROP TABLE runs; --"),
        ("a\0b", "a\u{fffd}b"),
        ("\u{1b}[31m\u{202e}", "\u{1b}[31m\u{202e}"),
        (&long, &long[..64 << 10]),
    ] {
        let id = RunId::now();
        let trouble = Some(Trouble { error: text.to_owned(), backtrace: Some(text.to_owned()) });
        let run = Run { subject: text.to_owned(), trouble, ..run(id, Status::Failed, 1_000) };
        store.put(&RunEntry::of(run)).await.unwrap();
        let found = store.get(id).await.unwrap().entry.run;
        let trouble = found.trouble.unwrap();
        for text in [found.subject, trouble.error, trouble.backtrace.unwrap()] {
            assert_eq!(text, expected);
        }
    }
    store.close().await;
}

async fn no_duration_is_negative(ground: &Ground) {
    let store = ground.open().await;
    let id = RunId::now();
    let run = Run { finished: Some(Time(-5)), ..run(id, Status::Completed, 1_000) };
    store.put(&RunEntry::of(run)).await.unwrap();
    let found = store.get(id).await.unwrap().entry.run;
    assert_eq!((found.started, found.finished), (Some(Time(1_000)), Some(Time(1_000))));
    store.close().await;
}

async fn many_writers(ground: &Ground) {
    let shared = full(RunId::now(), 500);
    // Each opens the store itself, and with it makes its tables.
    let writers = (0..8).map(async |writer| {
        let store = ground.open().await;
        for index in 0..10 {
            let entry = full(RunId::now(), 1_000 * writer + index);
            store.put(&entry).await.unwrap();
            store.attach(entry.run.id, "shared", b"the same").await.unwrap();
            store.put(&shared).await.unwrap();
            if index % 2 == 0 {
                store.remove(&[entry.run.id]).await.unwrap();
            }
        }
        store.close().await;
    });
    join_all(writers).await;
    let store = ground.open().await;
    let (rows, total) = ids(&store, &Filter::default(), EVERYTHING).await;
    assert_eq!(total, 8 * 5 + 1);
    for id in rows {
        for artifact in store.get(id).await.unwrap().artifacts {
            assert_eq!(store.artifact(artifact.hash).await.unwrap(), b"the same");
        }
    }
    store.close().await;
}

async fn all_or_none(ground: &Ground) {
    let store = ground.open().await;
    let good = full(RunId::now(), 1_000);
    let mut bad = full(RunId::now(), 1_000);
    bad.kpis[0].scenario = "of a scenario that is not among them".to_owned();
    assert!(matches!(store.put_all(&[good.clone(), bad]).await, Err(StoreError::Database { .. })));
    assert_eq!(ids(&store, &Filter::default(), EVERYTHING).await.1, 0);
    assert!(matches!(store.attach(good.run.id, "x", b"").await, Err(StoreError::NoRun(_))));
    store.close().await;
}
