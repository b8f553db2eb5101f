//! A trial with and without a recorder, on any number of threads: the same record, and what was recorded is what happened.

use crate::support::{Told, rows, text};
use assay_data::{AGENTS, DEPTH, DataRecorder, FUNDAMENTAL, ORDERS, QUOTES, TABLES};
use assay_evaluate::{Native, Recorder, RunRecord, Seeds, StrategyRecord, ToolRecord, Trial, evaluate};
use assay_market::{Event, EventKind, EventLog, EventSink, LevelChange, Scenario, Trader, simulate};
use assay_model::{Desk, OrderUpdate, Qualifiers, RequestKind, Seed, Side, StrategyConfig, SymbolIndex};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Buys and offers in turn, and says so.
struct Busy(Desk);

impl Trader for Busy {
    fn desk(&mut self) -> &mut Desk {
        &mut self.0
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.0.log(&config.symbol);
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        let ask = self.0.quote().ask;
        let kind = match ask {
            Some(ask) if self.0.random().is_multiple_of(2) => RequestKind::Limit {
                side: Side::Sell,
                price: ask.price.cents(),
                quantity: 5,
                qualifiers: Qualifiers::default(),
            },
            _ => RequestKind::Market { side: Side::Buy, quantity: 3 },
        };
        let _limit = self.0.submit(kind);
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn run(scenario: &Scenario, seeds: &Seeds, threads: usize, recorder: Option<&dyn Recorder>) -> RunRecord {
    let trial = Trial {
        scenario,
        seeds,
        threads: NonZeroUsize::new(threads).unwrap(),
        tool: ToolRecord { assay: "0.0.0".to_owned(), wasmtime: "0.0.0".to_owned() },
        command: "assay run busy.rs".to_owned(),
        strategy: StrategyRecord {
            file_name: "busy.rs".to_owned(),
            source: None,
            source_hash: None,
            component_hash: "0".to_owned(),
            sdk_version: None,
            rustc_version: None,
        },
        findings: Vec::new(),
        findings_omitted: 0,
        recorder,
        baselines: None,
    };
    evaluate(&trial, &Native(Busy), &(), &AtomicBool::new(false)).unwrap()
}

#[test]
fn a_recorded_trial_has_the_same_record() {
    let scenario = Scenario::preset("smoke").unwrap();
    let seeds = Seeds::count(6).unwrap();
    let plain = run(&scenario, &seeds, 1, None).without_timing();
    let mut tables = Vec::new();
    for threads in [1, 2, 9] {
        let folder = tempfile::tempdir().unwrap();
        let recorder =
            DataRecorder::create(folder.path(), &scenario, "run", NonZeroUsize::new(threads).unwrap()).unwrap();
        let recorded = run(&scenario, &seeds, threads, Some(&recorder)).without_timing();
        recorder.finish().unwrap();
        assert!(recorded == plain, "{threads} threads: recording changed the record");
        tables.push(TABLES.map(|table| rows(folder.path(), table)));
    }
    assert!(tables.iter().all(|other| *other == tables[0]), "the data depends on the number of threads");
}

/// Keeps everything, and the hash of the log.
#[derive(Default)]
struct All(Told);

impl EventSink for All {
    fn event(&mut self, event: &Event) {
        self.0.events.push(*event);
    }
    fn watches_depth(&self) -> bool {
        true
    }
    fn level(&mut self, change: &LevelChange) {
        self.0.levels.push((self.0.events.len(), *change));
    }
}

#[test]
fn the_data_gives_the_event_log_of_the_record() {
    for preset in ["smoke", "rmsc04"] {
        let scenario = Scenario::preset(preset).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let recorder = DataRecorder::create(folder.path(), &scenario, "run", NonZeroUsize::MIN).unwrap();
        let record = run(&scenario, &Seeds::list(vec![11]).unwrap(), 1, Some(&recorder));
        recorder.finish().unwrap();
        // Only the strategy's episode: the other is equal but for the strategy.
        let mut all = All::default();
        let summary = simulate(&scenario, Seed(11), &mut Busy(scenario.new_desk(Seed(11))), &mut all);
        assert_eq!(summary.log_hash.to_hex().to_string(), record.episodes[0].event_log_hash, "{preset}");
        let mut log = EventLog::hash_only();
        all.0.events.iter().for_each(|event| log.event(event));
        assert_eq!(log.summary().hash, summary.log_hash);
        let alone = tempfile::tempdir().unwrap();
        crate::support::record(alone.path(), 11, assay_evaluate::EpisodeKind::Strategy, &all.0).unwrap();
        let told = crate::events::back(alone.path());
        assert_eq!(told.events, all.0.events, "{preset}");
        for table in [&ORDERS, &DEPTH] {
            let without_labels = |folder: &std::path::Path| {
                let rows =
                    rows(folder, table).into_iter().filter(|row| crate::support::text(row, "episode") == "strategy");
                rows.map(|mut row| {
                    row.retain(|name, _| !["run", "symbol"].contains(name));
                    row
                })
                .collect::<Vec<_>>()
            };
            assert!(without_labels(folder.path()) == without_labels(alone.path()), "{preset}: {}", table.name);
        }
    }
}

#[test]
fn every_symbol_has_its_rows() {
    let toml = format!("{}\n[[symbols]]\nsymbol = \"XYZ\"\n", Scenario::preset("smoke").unwrap().to_toml());
    let scenario = Scenario::parse(&toml).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let recorder = DataRecorder::create(folder.path(), &scenario, "run", NonZeroUsize::MIN).unwrap();
    run(&scenario, &Seeds::list(vec![11]).unwrap(), 1, Some(&recorder));
    recorder.finish().unwrap();
    let mut all = All::default();
    simulate(&scenario, Seed(11), &mut Busy(scenario.new_desk(Seed(11))), &mut all);
    for (name, index) in scenario.symbols().zip(0..) {
        let symbol = SymbolIndex(index);
        let of_strategy = |table| {
            let rows = rows(folder.path(), table).into_iter();
            rows.filter(|row| text(row, "symbol") == name && text(row, "episode") == "strategy").count()
        };
        let events = all.0.events.iter().filter(|event| event.symbol == symbol);
        let quotes = events.clone().filter(|event| matches!(event.kind, EventKind::Quote(_))).count();
        let orders = events.filter(|event| matches!(event.kind, EventKind::Request { .. } | EventKind::Update { .. }));
        assert_eq!((of_strategy(&QUOTES), of_strategy(&ORDERS)), (quotes, orders.count()), "{name}");
        let levels = all.0.levels.iter().filter(|(_, change)| change.symbol == symbol).count();
        assert_eq!(of_strategy(&DEPTH), levels, "{name}");
        let once = |table| rows(folder.path(), table).iter().filter(|row| text(row, "symbol") == name).count();
        assert!(quotes > 0 && once(&FUNDAMENTAL) > 0, "{name}");
        assert_eq!(once(&AGENTS), scenario.agent_count() as usize / 2 + usize::from(index == 0), "{name}");
    }
}
