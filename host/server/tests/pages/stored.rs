//! A store with runs to compare, boards, a run in a world and an arena, with a text of choice in every field that somebody else writes.

use crate::fixture::{evil, trajectory_line, write_trajectory};
use crate::impossible::{as_earlier, record as run_record};
use assay_evaluate::board::{BOARD_FORMAT, BoardDefinition, BoardScenario, BoardTry, SealedSeeds, TryOutcome};
use assay_results::board::Season;
use assay_rollout::run::RunRecord;
use assay_server::{ArtifactPlace, Check, Condition, Examine, Location, Settings};
use assay_store::{
    Access, Better, Kind, Known, Kpi, Limits, Owner, Run, RunEntry, RunId, Scenario, Spread, Status, Store, Time,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Seeds of every run.
const SEEDS: u64 = 12;

/// A finished run whose measure is `value` of each seed.
fn entry(kind: Kind, text: &str, value: impl Fn(u64) -> f64) -> RunEntry {
    let samples: Vec<(u64, f64)> = (1..=SEEDS).map(|seed| (seed, value(seed))).collect();
    let mean = samples.iter().map(|(_, value)| value).sum::<f64>() / SEEDS as f64;
    let run = Run {
        id: RunId::now(),
        kind,
        status: Status::Completed,
        subject: text.to_owned(),
        subject_hash: None,
        command: text.to_owned(),
        tool: "0.1.0".to_owned(),
        verdict: None,
        trouble: None,
        owner: None,
        created: Time(1_700_000_000_000),
        started: Some(Time(1_700_000_000_000)),
        finished: Some(Time(1_700_000_001_000)),
    };
    let kpi = |measure: &str| Kpi {
        scenario: "market".to_owned(),
        measure: measure.to_owned(),
        unit: text.to_owned(),
        better: Better::Higher,
        spread: Spread { n: SEEDS as u32, mean, interval: Some((mean - 1.0, mean + 1.0)) },
        samples: samples.clone(),
    };
    let scenario =
        Scenario { hash: "market".to_owned(), name: text.to_owned(), summary: text.to_owned(), source: String::new() };
    RunEntry { scenarios: vec![scenario], kpis: vec![kpi("pnl"), kpi(text)], ..RunEntry::of(run) }
}

/// The record of a run that can be compared, and whose report cannot be drawn.
fn record(version: &str, source: &str) -> Vec<u8> {
    static WHOLE: OnceLock<Value> = OnceLock::new();
    let mut record = WHOLE.get_or_init(|| run_record(SEEDS)).clone();
    if version.starts_with("1.") {
        as_earlier(&mut record);
    }
    record["schema"]["version"] = json!(version);
    (record["strategy"]["file_name"], record["strategy"]["source"]) = (json!("s.rs"), json!(source));
    (record["scenario"]["text"], record["series"]) = (json!("base = \"calm\"\n"), Value::Null);
    // All seeds but the first leave other events in each run.
    let hash = |seed: u64| if seed == 1 { "same".to_owned() } else { format!("{version} {seed}") };
    for (seed, episode) in (1..=SEEDS).zip(record["episodes"].as_array_mut().expect("episodes")) {
        (episode["event_log_hash"], episode["pnl_curve"]) = (json!(hash(seed)), json!([1e300]));
    }
    record.to_string().into_bytes()
}

/// Runs of the store, to be compared.
pub(crate) struct Stored {
    /// Earns more than `b` in every seed, with another source.
    pub a: RunId,
    pub b: RunId,
    /// Of an earlier meaning of the figures.
    pub old: RunId,
    /// A rollout.
    pub rollout: RunId,
    location: Location,
    artifacts: ArtifactPlace,
}

/// Writes runs to a store, which is made if it is not there.
fn keep(location: &Location, artifacts: &ArtifactPlace, runs: Vec<(RunEntry, Option<Vec<u8>>)>) {
    let write = async {
        let store = Store::open(location, artifacts, Access::Write, Limits::STANDARD).await.expect("a store");
        for (entry, record) in runs {
            let files: Vec<_> = record.into_iter().map(|bytes| ("run.json".to_owned(), bytes)).collect();
            store.keep(&entry, &files, Known::Replaced).await.expect("kept");
        }
        store.close().await;
    };
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("threads")
        .block_on(write);
}

/// Makes a store with a refinement that was begun by this command. Its sealed seeds are still sealed.
pub(crate) fn refined(folder: &Path, command: &str) -> (Location, ArtifactPlace) {
    one(folder, Kind::Refine, command)
}

/// Makes a store with a verdict that was given by this command.
pub(crate) fn judged(folder: &Path, command: &str) -> (Location, ArtifactPlace) {
    one(folder, Kind::Gate, command)
}

/// Makes a store with a run that says it is running, by a process that is no more.
pub(crate) fn lost(folder: &Path) -> (Location, ArtifactPlace) {
    let (location, artifacts) =
        (Location::Sqlite(folder.join("store.db")), ArtifactPlace::Folder(folder.join("artifacts")));
    let mut lost = entry(Kind::Run, "maker.rs", |seed| seed as f64);
    let own = Owner::this_process().expect("this machine has /proc").to_string();
    // A process of the same number that began at another time.
    let gone = own.rsplit_once(' ').map(|(rest, _)| format!("{rest} 1")).expect("its fields");
    (lost.run.status, lost.run.finished, lost.run.owner) = (Status::Running, None, Owner::parse(&gone));
    keep(&location, &artifacts, vec![(lost, None)]);
    (location, artifacts)
}

/// Makes a store with something about `maker.rs` that has no figures.
fn one(folder: &Path, kind: Kind, command: &str) -> (Location, ArtifactPlace) {
    let (location, artifacts) =
        (Location::Sqlite(folder.join("store.db")), ArtifactPlace::Folder(folder.join("artifacts")));
    let mut one = entry(kind, "maker.rs", |seed| seed as f64);
    one.run.command = command.to_owned();
    one.kpis = Vec::new();
    keep(&location, &artifacts, vec![(one, None)]);
    (location, artifacts)
}

/// Makes a store with a run for each of these records.
pub(crate) fn recorded(folder: &Path, records: Vec<Vec<u8>>) -> (Vec<RunId>, Location, ArtifactPlace) {
    let (location, artifacts) =
        (Location::Sqlite(folder.join("store.db")), ArtifactPlace::Folder(folder.join("artifacts")));
    let run = |record| (entry(Kind::Run, "maker.rs", |seed| seed as f64), Some(record));
    let runs: Vec<(RunEntry, Option<Vec<u8>>)> = records.into_iter().map(run).collect();
    let ids = runs.iter().map(|(entry, _)| entry.run.id).collect();
    keep(&location, &artifacts, runs);
    (ids, location, artifacts)
}

/// Makes a store with four runs.
pub(crate) fn store(folder: &Path, text: &str) -> Stored {
    let (location, artifacts) =
        (Location::Sqlite(folder.join("store.db")), ArtifactPlace::Folder(folder.join("artifacts")));
    // A source is a text: with a zero byte it would be none.
    let source = |last: &str| format!("same\n{}\n{last}\n", text.replace('\0', ""));
    let runs = [
        (entry(Kind::Run, text, |seed| 100.0 + seed as f64), Some(record("2.0", &source("new")))),
        (entry(Kind::Run, text, |seed| 10.0 + 0.5 * seed as f64), Some(record("2.1", &source("old")))),
        (entry(Kind::Run, text, |seed| seed as f64), Some(record("1.0", "same\n"))),
        (entry(Kind::Rollout, text, |seed| seed as f64), None),
    ];
    let ids: Vec<RunId> = runs.iter().map(|(entry, _)| entry.run.id).collect();
    keep(&location, &artifacts, runs.into());
    Stored { a: ids[0], b: ids[1], old: ids[2], rollout: ids[3], location, artifacts }
}

/// A board with a closed season, and one with two entries and a repeat.
pub(crate) fn boards(boards: &Path, text: &str) {
    for number in [1, 2] {
        let definition = BoardDefinition {
            format: BOARD_FORMAT.to_owned(),
            name: "spring".to_owned(),
            season: number,
            release: text.to_owned(),
            schema: "2.0".to_owned(),
            measure: "pnl".to_owned(),
            scenario: BoardScenario {
                reference: text.to_owned(),
                name: text.to_owned(),
                hash: "0".to_owned(),
                recording: None,
                series: None,
            },
            public: (1..=SEEDS).collect(),
            sealed: SealedSeeds { count: SEEDS, commitment: text.to_owned() },
            step: 1.0,
            created_ms: 1_700_000_000_000,
        };
        let season = Season::create(boards, definition).expect("a season");
        if number == 1 {
            season.open().and_then(|open| open.close()).expect("closed");
            continue;
        }
        for (place, author) in ["ada", text, "ada"].into_iter().enumerate() {
            let value = |seed: u64| 100.0 * (place as f64 + 1.0) + seed as f64;
            let outcome = if place == 2 { TryOutcome::Again { of: 1 } } else { TryOutcome::Entry };
            let ran = outcome == TryOutcome::Entry;
            let entry = BoardTry {
                number: 0,
                at_ms: 1,
                author: author.to_owned(),
                file: text.to_owned(),
                content: Some(text.to_owned()),
                outcome,
                public: if ran {
                    (1..=SEEDS).map(|seed| (seed, format!("p{seed}"), value(seed))).collect()
                } else {
                    Vec::new()
                },
            };
            let sealed = ran.then(|| (1..=SEEDS).map(|seed| (format!("s{seed}"), value(seed))).collect());
            season.open().and_then(|open| open.enter(entry, sealed)).expect("entered");
        }
    }
}

/// A run in a world: two tasks, two samples, one of them with a trajectory in which something changes.
pub(crate) fn world_folder(path: &Path, text: &str) {
    let names: BTreeMap<String, String> =
        ["refund", "seating"].iter().map(|task| ((*task).to_owned(), "0".to_owned())).collect();
    let settings = BTreeMap::from([
        ("world".to_owned(), json!(text)),
        ("agent".to_owned(), json!(text)),
        ("faults".to_owned(), json!("none")),
        ("model_url".to_owned(), json!(null)),
        ("samples".to_owned(), json!(2)),
    ]);
    fs::create_dir_all(path.join("episodes")).expect("made");
    fs::write(path.join("run.json"), serde_json::to_vec(&RunRecord::new(settings, names)).expect("JSON"))
        .expect("written");
    let mut journal = String::new();
    for (id, task, sample, reward) in
        [("refund.s1", "refund", 1, 1.0), ("refund.s2", "refund", 2, 0.25), ("seating.s1", "seating", 1, 1.0)]
    {
        let outcome = if reward == 1.0 { "success" } else { "failure" };
        let line = json!({
            "id": id, "task": task, "sample": sample, "attempt": 1, "seed": 7, "result": {"scored": {"reward": reward, "outcome": outcome}}, "reason": text,
            "steps": 1, "tokens": 10, "cost_microdollars": null, "flags": [], "duration_ns": 5, "hash": null,
        });
        journal.push_str(&format!("{line}\n"));
    }
    fs::write(path.join("results.jsonl"), journal).expect("written");
    let changes = json!({"_type": "event", "at_ns": 1, "kind": "changes", "body": {"changes": [
        {"path": text, "after": {"status": text}}, {"path": "documents/orders/1/status", "before": "open", "after": text},
        {"path": "mail/x", "before": 7},
    ], "count": 3}, "_hash": "0".repeat(64)});
    write_trajectory(
        &path.join("episodes/refund.s1.jsonl"),
        &[trajectory_line(0, text), trajectory_line(1, "hello"), changes.to_string()],
    );
}

/// Games of two strategies.
pub(crate) fn arena_folder(path: &Path, text: &str) {
    let entrant = |name: &str, rank: u64| {
        json!({
            "name": name,
            "strategy": {"file_name": text, "source": null, "source_hash": null, "component_hash": text, "sdk_version": null, "rustc_version": null},
            "rating": {"rating": 1_100.0 - 100.0 * rank as f64, "low": 900.0, "high": 1_100.0, "rank": rank},
            "pnl_mean_cents": 1_234.0, "pnl_interval": {"low": 1.0, "high": 2_000.0, "degenerate": false}, "pnl_by_seat_cents": [12.0, null], "failed": 0,
        })
    };
    let record = json!({
        "schema": {"name": "assay.arena", "version": "1.0"}, "complete": true, "tool": {"assay": text, "wasmtime": text}, "command": text,
        "scenario": {"name": text, "summary": text, "hash": text, "text": text}, "seeds": [1], "unscored": [],
        "entrants": [entrant(text, 1), entrant("other.rs", 2)],
        "pairs": [{"better": text, "worse": "other.rs", "difference_cents": 5.0, "interval": null, "meeting_odds": 40.0, "linked": true}],
        "flows": [{"to": text, "from": "other.rs", "shares": 3.0, "paid_cents": 4.0, "excess_cents": 2.0, "interval": null, "feeds": true}],
        "games": [],
    });
    fs::create_dir_all(path).expect("made");
    fs::write(path.join("arena.json"), record.to_string()).expect("written");
}

/// All of these in a folder, and how a server finds them.
pub(crate) fn everything(folder: &Path) -> (Stored, impl FnOnce(&mut Settings) + use<>) {
    let stored = store(folder, &evil());
    boards(&folder.join("boards"), &evil());
    world_folder(&folder.join("results/desk"), &evil());
    arena_folder(&folder.join("results/arena"), &evil());
    let (location, artifacts, boards) = (stored.location.clone(), stored.artifacts.clone(), folder.join("boards"));
    let change = move |settings: &mut Settings| {
        (settings.sources.store, settings.sources.artifacts) = (location, artifacts);
        settings.sources.boards = Some(boards);
        settings.examine = Some(Examine(Arc::new(|| {
            let check = |condition, hint| Check { name: evil(), condition, found: evil(), hint };
            vec![check(Condition::Ok, None), check(Condition::Missing, Some(evil())), check(Condition::Limited, None)]
        })));
    };
    (stored, change)
}
