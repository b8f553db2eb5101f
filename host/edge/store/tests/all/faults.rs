//! Stores that are locked, full, damaged, in the way, or gone: a clear error after a bounded time, and nothing lost.

use super::*;
use sqlx::Connection as _;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::time::Instant;

/// What a store says when it cannot: a word of its message and of its hint.
#[track_caller]
fn check(error: StoreError, message: &str, hint: &str) {
    assert!(error.to_string().contains(message), "{error}");
    assert!(error.hint().unwrap_or_default().contains(hint), "{error}: {:?}", error.hint());
}

#[test]
fn locked_by_another_process() {
    block_on(async {
        for ground in [Ground::sqlite(), Ground::postgres().await] {
            let store = Store::open(&ground.location, &ground.artifacts(), Access::Write, SHORT).await.unwrap();
            let mut other = sqlx::AnyConnection::connect(&ground.url()).await.unwrap();
            let lock = match ground.location {
                Location::Sqlite(_) => "BEGIN IMMEDIATE",
                Location::Postgres(_) => "BEGIN; LOCK TABLE runs IN ACCESS EXCLUSIVE MODE",
            };
            sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
            let (entry, began) = (full(RunId::now(), 1_000), Instant::now());
            check(store.put(&entry).await.unwrap_err(), "is locked by another process; gave up after 2 s", "try again");
            assert!(began.elapsed() < LIMITS.wait, "{:?}", began.elapsed());

            // A lock that goes away in time is only waited for.
            let waiting = store.put(&entry);
            let letting_go = async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
            };
            let (written, ()) = futures::future::join(waiting, letting_go).await;
            written.unwrap();
            assert_eq!(store.get(entry.run.id).await.unwrap().entry, entry);

            // Writers do not hold up those who only look, and what is there already is found by looking.
            if let Location::Sqlite(_) = ground.location {
                let completed = RunEntry::of(run(RunId::of_content(b"a verdict"), Status::Completed, 1_000));
                store.put(&completed).await.unwrap();
                sqlx::raw_sql("BEGIN EXCLUSIVE").execute(&mut other).await.unwrap();
                assert!(!store.keep(&completed, &[], Known::KeptIfCompleted).await.unwrap());
                sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
            }
            store.close().await;
            drop(other);
            ground.remove().await;
        }
    });
}

#[test]
fn a_full_store_says_so_and_keeps_what_it_has() {
    block_on(async {
        let ground = Ground::sqlite();
        let limits = Limits { bytes_max: 1 << 20, ..LIMITS };
        let store = Store::open(&ground.location, &ground.artifacts(), Access::Write, limits).await.unwrap();
        let (mut written, lost, error) = fill(&store).await;
        check(error, "is full", "assay rm");
        assert!(written.len() > 8);
        // It says so as often as it is asked, in whatever way.
        for _ in 0..3 {
            check(store.put(&lost).await.unwrap_err(), "is full", "assay rm");
            let files = [("verdict.json".to_owned(), b"{}".to_vec())];
            check(store.keep(&lost, &files, Known::KeptIfCompleted).await.unwrap_err(), "is full", "assay rm");
        }
        for entry in &written {
            assert_eq!(&store.get(entry.run.id).await.unwrap().entry, entry);
        }
        // Room that is made is used, by the process that found none as well as by the next one.
        for _ in 0..2 {
            let mut gone: Vec<RunEntry> = written.drain(..3).collect();
            let ids: Vec<RunId> = gone.iter().map(|entry| entry.run.id).collect();
            assert_eq!(store.remove(&ids).await.unwrap(), 3);
            gone.truncate(2);
            store.put(&gone[0]).await.unwrap();
            assert!(store.keep(&gone[1], &[], Known::KeptIfCompleted).await.unwrap());
            written.extend(gone);
            check(fill(&store).await.2, "is full", "assay rm");
        }
        store.close().await;
        let store = Store::open(&ground.location, &ground.artifacts(), Access::Write, limits).await.unwrap();
        let mut small = written.remove(0);
        store.remove(&[small.run.id]).await.unwrap();
        small.run.command.clear();
        store.put(&small).await.unwrap();
        for entry in &written {
            assert_eq!(&store.get(entry.run.id).await.unwrap().entry, entry);
        }
        store.close().await;
    });
}

/// Writes long runs until there is no room for one: those that are in, the one that is not, and what was said of it.
async fn fill(store: &Store) -> (Vec<RunEntry>, RunEntry, StoreError) {
    let mut written = Vec::new();
    loop {
        let mut entry = full(RunId::now(), 1_000);
        entry.run.command = "x".repeat(50_000);
        match store.put(&entry).await {
            Ok(()) => written.push(entry),
            Err(error) => return (written, entry, error),
        }
        assert!(written.len() < 1_000, "the limit does not hold");
    }
}

#[test]
fn what_is_no_store_is_left_alone() {
    block_on(async {
        for (content, message) in [
            (
                b"this is not a database, but somebody's only copy of something".repeat(100),
                "is damaged, or is not a store",
            ),
            (b"SQLite format 3\0".repeat(300), "is damaged, or is not a store"),
        ] {
            let ground = Ground::sqlite();
            fs::create_dir_all(ground.file().parent().unwrap()).unwrap();
            fs::write(ground.file(), &content).unwrap();
            for access in [Access::Read, Access::Write] {
                check(ground.try_open(access).await.unwrap_err(), message, "restore it from a backup");
            }
            assert_eq!(fs::read(ground.file()).unwrap(), content);
        }

        let ground = Ground::sqlite();
        fs::create_dir_all(ground.file().parent().unwrap()).unwrap();
        let url = format!("sqlite://{}?mode=rwc", ground.file().display());
        execute(&url, "CREATE TABLE diary (day TEXT)").await;
        let content = fs::read(ground.file()).unwrap();
        for access in [Access::Read, Access::Write] {
            check(ground.try_open(access).await.unwrap_err(), "another program", "move it away");
        }
        assert_eq!(fs::read(ground.file()).unwrap(), content);
        execute(&url, "INSERT INTO diary VALUES ('still here')").await;
    });
}

#[test]
fn a_schema_that_is_not_ours_is_refused() {
    let endless = "(WITH RECURSIVE t (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT max(x) FROM t)";
    let changes = [
        format!(
            "CREATE TRIGGER tt AFTER INSERT ON runs BEGIN UPDATE runs SET error = {endless} WHERE id = new.id; END"
        ),
        format!("DROP TABLE kpis; CREATE VIEW kpis AS SELECT {endless} AS run_id"),
        format!("DROP TABLE assay_schema; CREATE VIEW assay_schema AS SELECT {endless} AS version"),
        "DROP TABLE assay_schema; CREATE TABLE assay_schema (version BIGINT, applied_ms BIGINT AS (1))".to_owned(),
        "CREATE TABLE diary (day TEXT)".to_owned(),
        "CREATE INDEX more ON runs (error)".to_owned(),
        "CREATE VIRTUAL TABLE words USING fts5(word)".to_owned(),
        "ALTER TABLE runs ADD COLUMN more TEXT DEFAULT 'x'".to_owned(),
        "DROP INDEX runs_newest".to_owned(),
        "ANALYZE".to_owned(),
    ];
    block_on(async {
        for change in changes {
            let ground = Ground::sqlite();
            let store = ground.open().await;
            store.put(&full(RunId::now(), 1_000)).await.unwrap();
            store.close().await;
            execute(&ground.url(), &format!("PRAGMA journal_mode = DELETE; {change}")).await;
            let content = fs::read(ground.file()).unwrap();
            for access in [Access::Read, Access::Change, Access::Write] {
                let error = ground.try_open(access).await.unwrap_err();
                assert!(error.is_of_store(), "{change}: {error}");
                check(error, "is damaged, or is not a store", "move it away");
            }
            assert_eq!(fs::read(ground.file()).unwrap(), content, "{change}");
        }
    });
}

/// The guard is of the process, so it holds for a connection behind the store's back as well.
#[test]
fn what_a_file_says_is_not_run_without_end() {
    block_on(async {
        let ground = Ground::sqlite();
        let store = ground.open().await;
        let entry = full(RunId::now(), 1_000);
        store.put(&entry).await.unwrap();
        let mut connection = sqlx::AnyConnection::connect(&ground.url()).await.unwrap();
        let mut ask = async |statement: &str| {
            let done = sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut connection).await;
            done.map_err(|error| error.to_string())
        };
        let endless = "WITH RECURSIVE t (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT max(x) FROM t";
        assert!(ask(endless).await.unwrap_err().contains("interrupted"));
        assert!(ask("SELECT zeroblob(9000000)").await.unwrap_err().contains("too big"));
        ask("CREATE TRIGGER tt AFTER UPDATE ON runs BEGIN DELETE FROM artifacts; DELETE FROM kpis; END").await.unwrap();
        ask("UPDATE runs SET command = 'x'").await.unwrap();
        assert!(ask("CREATE VIEW v AS SELECT 1").await.is_ok() && ask("SELECT * FROM v").await.is_err());
        assert!(ask("PRAGMA writable_schema = ON; DELETE FROM sqlite_master").await.is_err());
        // No trigger ran, and what depends on a run still goes with it.
        assert_eq!(store.get(entry.run.id).await.unwrap().entry.kpis, entry.kpis);
        assert_eq!(store.remove(&[entry.run.id]).await.unwrap(), 1);
        assert!(store.get(entry.run.id).await.is_err());
        store.close().await;
        let reader = ground.try_open(Access::Read).await;
        check(reader.unwrap_err(), "which Assay did not make", "move it away");
    });
}

#[test]
fn a_damaged_store_says_so() {
    block_on(async {
        let ground = Ground::sqlite();
        let store = ground.open().await;
        for created in 0..50 {
            store.put(&full(RunId::now(), created)).await.unwrap();
        }
        store.close().await;
        let mut content = fs::read(ground.file()).unwrap();
        // Everything but the first page, which holds the header and the tables' names.
        content[4096..].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(ground.file(), &content).unwrap();
        let found = match ground.try_open(Access::Read).await {
            Ok(store) => {
                store.list(&assay_store::Filter::default(), assay_store::Page { number: 0, size: 10 }, None).await
            }
            Err(error) => Err(error),
        };
        check(found.unwrap_err(), "is damaged, or is not a store", "left as it is");
        assert_eq!(fs::read(ground.file()).unwrap(), content);
    });
}

#[test]
fn values_changed_by_hand_are_found() {
    block_on(async {
        for change in [
            "UPDATE kpis SET samples = '[[1'",
            "UPDATE kpis SET better = 'sideways'",
            "UPDATE trajectories SET seed = 'x'",
            "UPDATE runs SET kind = 'walk'",
        ] {
            let ground = Ground::sqlite();
            let store = ground.open().await;
            let entry = full(RunId::now(), 1_000);
            store.put(&entry).await.unwrap();
            execute(&ground.url(), change).await;
            check(store.get(entry.run.id).await.unwrap_err(), "is damaged", "backup");
            store.close().await;
        }
    });
}

#[test]
fn places_that_cannot_be_written() {
    block_on(async {
        let ground = Ground::sqlite();
        let folder = ground.folder.path();
        fs::write(folder.join("file"), "").unwrap();
        fs::create_dir(folder.join("folder.db")).unwrap();
        for place in ["/proc/assay/store.db".into(), folder.join("file/store.db"), folder.join("folder.db")] {
            let location = Location::Sqlite(place);
            let opened = Store::open(&location, &ground.artifacts(), Access::Write, LIMITS).await;
            check(opened.unwrap_err(), "cannot be written", "ASSAY_STORE");
        }
        check(ground.try_open(Access::Read).await.unwrap_err(), "there is no store", "assay run");
        assert!(!ground.file().exists() && !ground.file().parent().unwrap().exists());
    });
}

/// A store in a folder that may only be read, as somebody who is not root: this test starts itself again.
#[test]
fn a_folder_that_is_only_read() {
    const PLACE: &str = "ASSAY_TEST_READ_ONLY_STORE";
    if let Some(place) = std::env::var_os(PLACE) {
        return block_on(async {
            let location = Location::Sqlite(place.into());
            let artifacts = ArtifactPlace::parse("/nowhere");
            let store = Store::open(&location, &artifacts, Access::Read, LIMITS).await.unwrap();
            let id = store.resolve("latest").await.unwrap();
            let mut found = store.get(id).await.unwrap().entry;
            // The process that wrote it is another one.
            found.run.owner = Owner::this_process();
            assert_eq!(found, full(id, 1_000));
            check(store.put(&full(RunId::now(), 1)).await.unwrap_err(), "cannot be written", "--store");
            store.close().await;
            let store = Store::open(&location, &artifacts, Access::Write, LIMITS).await;
            let written = match store {
                Ok(store) => store.put(&full(RunId::now(), 1)).await,
                Err(error) => Err(error),
            };
            check(written.unwrap_err(), "cannot be written", "--store");
        });
    }
    let ground = Ground::sqlite();
    block_on(async {
        let store = ground.open().await;
        store.put(&full(RunId::now(), 1_000)).await.unwrap();
        store.close().await;
    });
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    mode(ground.folder.path(), 0o755);
    mode(ground.file().parent().unwrap(), 0o555);
    // The test's own program may lie where nobody else may read.
    let program = ground.folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut again = Command::new(program);
    again.args(["faults::a_folder_that_is_only_read", "--exact"]).env(PLACE, ground.file()).current_dir("/");
    if rustix::process::getuid().is_root() {
        again.uid(65_534).gid(65_534);
    }
    let output = again.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    mode(ground.file().parent().unwrap(), 0o755);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn servers_that_are_not_there() {
    block_on(async {
        let ground = Ground::postgres().await;
        let Location::Postgres(url) = &ground.location else { panic!("a server") };
        for (url, message) in [
            ("postgres://me:secret@127.0.0.1:1/db".to_owned(), "postgres://127.0.0.1:1/db cannot be reached"),
            (url.replace("assay@", "nobody:secret@"), "cannot be reached"),
            (url.replace("localhost/t", "localhost/nothing"), "cannot be reached"),
        ] {
            let location = Location::parse(&url).unwrap();
            let error = Store::open(&location, &ground.artifacts(), Access::Write, SHORT).await.unwrap_err();
            assert!(!format!("{error} {error:?} {location:?}").contains("secret"), "{error:?}");
            check(error, message, "check the URL");
        }
        ground.remove().await;
        assert!(Location::parse("mysql://host/db").is_err());
    });
}

#[test]
fn owners_are_told_from_the_dead() {
    use assay_store::Presence;
    let this = Owner::this_process().unwrap();
    assert_eq!(Owner::parse(&this.to_string()), Some(this.clone()));
    assert_eq!(this.presence(), Presence::Here);
    let fields: Vec<String> = this.to_string().split(' ').map(str::to_owned).collect();
    for (field, value, expected) in [
        (0, "another-machine", Presence::Elsewhere),
        (1, "another-boot", Presence::Gone),
        (2, "pid:[1]", Presence::Elsewhere),
        (4, "1", Presence::Gone),
    ] {
        let mut fields = fields.clone();
        fields[field] = value.to_owned();
        assert_eq!(Owner::parse(&fields.join(" ")).unwrap().presence(), expected, "{field}");
    }
    let mut child = Command::new("sleep").arg("60").spawn().unwrap();
    let mut of_child = fields;
    of_child[3] = child.id().to_string();
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    of_child[4] = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    let of_child = Owner::parse(&of_child.join(" ")).unwrap();
    assert_eq!(of_child.presence(), Presence::Here);
    child.kill().unwrap();
    // Dead, but not yet waited for: a zombie runs nothing.
    while of_child.presence() == Presence::Here {
        std::thread::yield_now();
    }
    child.wait().unwrap();
    assert_eq!(of_child.presence(), Presence::Gone);
    for wrong in ["", "a b c", "a b c d e", "a b c 1"] {
        assert_eq!(Owner::parse(wrong), None);
    }
}
