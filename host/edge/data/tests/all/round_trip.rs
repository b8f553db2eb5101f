//! What is told to a recorder is what the files say.

use crate::events::{back, random};
use crate::support::{Cell, Told, integer, record, recorder, rows, smoke, tell, text};
use assay_data::{
    AGENTS, DataRecorder, FUNDAMENTAL, LOG, MANIFEST, Manifest, ORDERS, PARTIAL, QUOTES, TABLES, WriteError,
};
use assay_evaluate::EpisodeKind;
use assay_market::{AgentIndex, Fundamental};
use assay_model::{Nanos, Seed, SymbolIndex};
use std::num::NonZeroUsize;

fn check(name: &str, told: &Told) {
    let folder = tempfile::tempdir().unwrap();
    let manifest = record(folder.path(), 7, EpisodeKind::Strategy, told).unwrap();
    let found = back(folder.path());
    for (number, (found, told)) in found.events.iter().zip(&told.events).enumerate() {
        assert_eq!(found, told, "{name}: event {number}");
    }
    assert_eq!(found.events.len(), told.events.len(), "{name}");
    assert_eq!(found.levels, told.levels, "{name}");
    assert_eq!(found.log, told.log, "{name}");
    let written: u64 = TABLES.iter().map(|table| rows(folder.path(), table).len() as u64).sum();
    assert_eq!(manifest.rows(), written, "{name}");
}

#[test]
fn every_kind_of_event_comes_back() {
    for (seed, count) in [(1, 0), (2, 1), (3, 7), (4, 33), (5, 129), (6, 1_000), (7, 9_000)] {
        check(&format!("{count} random events"), &random(seed, count));
    }
}

/// More than one page of each table that has that many.
#[test]
fn long_episodes_come_back() {
    check("long", &random(8, 160_000));
}

#[test]
fn numbers_too_large_for_a_signed_integer_become_the_largest() {
    use assay_market::{Event, EventKind};
    use assay_model::{Request, RequestId, RequestKind, Time};
    let kind = RequestKind::Reduce { order: RequestId(u64::MAX), by: u64::MAX };
    let request = Request { id: RequestId(1), kind };
    let event =
        Event { at: Time(5), symbol: SymbolIndex::FIRST, kind: EventKind::Request { agent: AgentIndex(3), request } };
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, EpisodeKind::Strategy, &Told { events: vec![event], ..Told::default() }).unwrap();
    let rows = rows(folder.path(), &ORDERS);
    assert_eq!((integer(&rows[0], "order"), integer(&rows[0], "quantity")), (i64::MAX, i64::MAX));
}

#[test]
fn every_row_says_where_it_belongs() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = recorder(folder.path(), 1);
    let told = random(9, 60);
    let seeds = [u64::MAX, 3, 1 << 63];
    for seed in seeds {
        tell(&recorder, seed, &[(EpisodeKind::Strategy, &told), (EpisodeKind::Baseline, &told)], true);
    }
    let manifest = recorder.finish().unwrap();
    assert_eq!(manifest.seeds, [3, 1 << 63, u64::MAX]);
    for table in [&QUOTES, &ORDERS, &LOG] {
        let rows = rows(folder.path(), table);
        // Seeds ascending, the strategy's episode first, whatever the order in which they came.
        let mut places: Vec<_> =
            rows.iter().map(|row| (row["seed"].clone(), text(row, "episode").to_owned())).collect();
        places.dedup();
        let wanted = manifest
            .seeds
            .iter()
            .flat_map(|seed| ["strategy", "baseline"].map(|episode| (Cell::Seed(*seed), episode.to_owned())));
        assert_eq!(places, wanted.collect::<Vec<_>>(), "{}", table.name);
        for row in rows {
            assert_eq!((text(&row, "run"), text(&row, "symbol")), ("0123456789abcdef", smoke().symbol.as_str()));
        }
    }
}

#[test]
fn roster_and_fundamental_value_are_those_of_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 5, EpisodeKind::Baseline, &random(1, 5)).unwrap();
    let scenario = smoke();
    let agents = rows(folder.path(), &AGENTS);
    assert_eq!(agents.len() as u32, scenario.agent_count() + 1);
    for (row, number) in agents.iter().zip(0..) {
        assert_eq!(integer(row, "agent"), i64::from(number));
        assert_eq!(text(row, "name"), scenario.agent_name(AgentIndex(number)));
    }
    assert_eq!(text(agents.last().unwrap(), "kind"), "strategy");
    let values = rows(folder.path(), &FUNDAMENTAL);
    let mut truth = Fundamental::new(&scenario.fundamental, Seed(5), scenario.open);
    let mut at = scenario.open;
    for row in &values {
        assert_eq!(integer(row, "time") as u64, at.0);
        assert_eq!(row["value"], Cell::Number(truth.value_at(at)));
        at = at + Nanos::SECOND;
    }
    assert_eq!(values.len() as u64, 1 + scenario.close.since(scenario.open).0 / Nanos::SECOND.0);
}

#[test]
fn what_is_not_kept_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = recorder(folder.path(), 1);
    let (first, second) = (random(1, 20_000), random(2, 50));
    // Infrastructure failed in the middle of the baseline; the seed is tried again.
    tell(&recorder, 4, &[(EpisodeKind::Strategy, &first), (EpisodeKind::Baseline, &second)], false);
    tell(&recorder, 4, &[(EpisodeKind::Strategy, &second)], true);
    tell(&recorder, 5, &[(EpisodeKind::Strategy, &first)], false);
    assert_eq!(recorder.finish().unwrap().seeds, [4]);
    assert_eq!(back(folder.path()).events, second.events);
}

#[test]
fn a_new_recording_replaces_an_old_one_and_names_come_last() {
    let folder = tempfile::tempdir().unwrap();
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    record(folder.path(), 1, EpisodeKind::Strategy, &random(1, 10)).unwrap();
    let finished = names();
    let mut wanted: Vec<String> = TABLES.iter().map(|table| table.file_name()).collect();
    wanted.push(MANIFEST.to_owned());
    wanted.sort();
    assert_eq!(finished, wanted);
    let recorder = recorder(folder.path(), 1);
    tell(&recorder, 2, &[(EpisodeKind::Strategy, &random(2, 30_000))], true);
    assert!(names().iter().all(|name| name.ends_with(PARTIAL)), "{:?}", names());
    // A process that is killed here leaves just that.
    recorder.finish().unwrap();
    assert_eq!(names(), wanted);
    let text = std::fs::read_to_string(folder.path().join(MANIFEST)).unwrap();
    let manifest: Manifest = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest.seeds, [2]);
    for table in &manifest.tables {
        let bytes = std::fs::read(folder.path().join(&table.file)).unwrap();
        assert_eq!((bytes.len() as u64, blake3::hash(&bytes).to_string()), (table.bytes, table.hash.clone()));
    }
}

#[test]
fn a_folder_with_a_foreign_manifest_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(MANIFEST), "{}").unwrap();
    std::fs::write(folder.path().join("orders.parquet"), "mine").unwrap();
    let refused = DataRecorder::create(folder.path(), &smoke(), "run", NonZeroUsize::MIN);
    assert!(matches!(refused, Err(WriteError::Taken { .. })), "{refused:?}");
    assert_eq!(std::fs::read(folder.path().join("orders.parquet")).unwrap(), b"mine");
}
