//! Stores of every released version come up to the present one with everything that is in them; those of later versions are refused.
//!
//! `fixtures/VERSION.sql` is what a store of that version says, made by its own migrations: it is added when a version is released and never changed.

use super::*;
use assay_store::{Filter, Page};
use std::fs;

fn fixtures() -> Vec<(i64, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut found: Vec<(i64, String)> = files
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().parse().unwrap(), fs::read_to_string(path).unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn every_version_has_a_fixture() {
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let known = fs::read_dir(migrations).unwrap().count();
    let versions: Vec<i64> = fixtures().into_iter().map(|(version, _)| version).collect();
    assert_eq!(versions, (1..=i64::try_from(known).unwrap()).collect::<Vec<_>>());
}

#[test]
fn old_stores_are_brought_up() {
    block_on(async {
        for (version, script) in fixtures() {
            for ground in [Ground::sqlite(), Ground::postgres().await] {
                eprintln!("version {version} at {:?}", ground.location);
                if let Location::Sqlite(path) = &ground.location {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, "").unwrap();
                }
                execute(&ground.url(), &script).await;
                let store = ground.open().await;
                let (rows, total) = store.list(&Filter::default(), Page { number: 0, size: 10 }, None).await.unwrap();
                assert_eq!((rows.len(), total.runs), (2, 2));
                let id: RunId = "01800000-0000-7000-8000-000000000001".parse().unwrap();
                let found = store.get(id).await.unwrap();
                assert_eq!(found.entry, kept(id));
                assert_eq!(found.artifacts.len(), 1);
                // What is written now goes beside it.
                store.put(&full(RunId::now(), 9_000)).await.unwrap();
                assert_eq!(store.remove(&[id]).await.unwrap(), 1);
                store.close().await;
                ground.remove().await;
            }
        }
    });
}

#[test]
fn later_versions_are_refused() {
    block_on(async {
        for ground in [Ground::sqlite(), Ground::postgres().await] {
            ground.open().await.close().await;
            execute(&ground.url(), "INSERT INTO assay_schema (version, applied_ms) VALUES (99, 0)").await;
            for access in [Access::Read, Access::Write] {
                let error = ground.try_open(access).await.unwrap_err();
                assert!(
                    error.to_string().contains("has schema version 99, but this Assay supports versions up to"),
                    "{error}"
                );
                assert!(error.hint().unwrap().contains("the Assay that wrote it"));
            }
            ground.remove().await;
        }
    });
}

/// The first run of every fixture.
fn kept(id: RunId) -> RunEntry {
    let trouble = Some(Trouble { error: "fuel ran out".to_owned(), backtrace: Some("at a".to_owned()) });
    let mut entry = full(id, 1_000);
    entry.run.trouble.clone_from(&trouble);
    entry.run.owner = Owner::parse("host boot pid:[1] 7 8");
    entry.iterations.truncate(1);
    entry.iterations[0].trouble = trouble;
    entry.kpis = vec![kpi("wild", &[1.5, -2.5])];
    entry.trajectories.truncate(1);
    entry
}
