//! Trials in a recorded market: the record follows the schema, says which recording it was, and what the strategy changed of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_evaluate::{Native, RunRecord, SCHEMA_JSON, Seeds, StrategyRecord, ToolRecord, Trial, evaluate};
use assay_market::replay::lobster::read;
use assay_market::{Draft, ReplaySource, ScenarioData, Trader};
use assay_model::{Desk, OrderUpdate, RequestKind, Side, StrategyConfig};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const SCENARIO: &str = include_str!("../../../examples/replay/replay.toml");
const MESSAGES: &str = include_str!("../../../examples/replay/messages.csv");
const BOOK: &str = include_str!("../../../examples/replay/orderbook.csv");

/// Buys at every tick.
struct Greedy(Desk);

impl Trader for Greedy {
    fn desk(&mut self) -> &mut Desk {
        &mut self.0
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        let _limit = self.0.submit(RequestKind::Market { side: Side::Buy, quantity: 40 });
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

fn run() -> RunRecord {
    let draft = Draft::parse(SCENARIO).unwrap();
    let Some(ReplaySource::Lobster { tick_cents, .. }) = draft.replay() else {
        panic!("the example is of LOBSTER files")
    };
    let recording = read(MESSAGES.as_bytes(), BOOK.as_bytes(), &draft.lobster_settings(*tick_cents)).unwrap();
    let scenario = draft.complete(ScenarioData { recording: Some(Arc::new(recording)), series: None }).unwrap();
    let trial = Trial {
        scenario: &scenario,
        seeds: &Seeds::count(3).unwrap(),
        threads: NonZeroUsize::MIN,
        tool: ToolRecord { assay: "0.0.0".to_owned(), wasmtime: "0.0.0".to_owned() },
        command: "assay run greedy.rs".to_owned(),
        strategy: StrategyRecord {
            file_name: "greedy.rs".to_owned(),
            source: None,
            source_hash: None,
            component_hash: "0".repeat(64),
            sdk_version: None,
            rustc_version: None,
        },
        findings: Vec::new(),
        findings_omitted: 0,
        recorder: None,
        baselines: None,
    };
    evaluate(&trial, &Native(Greedy), &(), &AtomicBool::new(false)).unwrap()
}

#[test]
fn a_run_in_a_recorded_market_says_so() {
    let record = run();
    let schema = serde_json::from_str(SCHEMA_JSON).unwrap();
    let value = serde_json::to_value(&record).unwrap();
    let errors: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(serde_json::from_value::<RunRecord>(value).unwrap(), record, "survives a round trip");

    let recording = record.scenario.recording.unwrap();
    assert_eq!((recording.hash.len(), recording.participants, recording.halts), (64, 3, 0));
    let executed = recording.findings.map(|findings| findings.executed + findings.executed_hidden).unwrap();
    for episode in &record.episodes {
        let replay = episode.replay.unwrap();
        assert_eq!((replay.baseline.traded, replay.baseline.unfilled, replay.baseline.late), (executed, 0, 0));
        assert_eq!(replay.strategy.requests, recording.requests);
        assert!(replay.strategy.taken_by_others > 0 && replay.strategy.unfilled + replay.strategy.late > 0);
        assert_eq!(
            replay,
            record.episodes[0].replay.unwrap(),
            "seeds do not change what a strategy without luck meets"
        );
    }
}

#[test]
fn a_recording_is_one_observation_however_many_seeds() {
    let record = run();
    let evidence = &record.summary.evidence;
    assert_eq!((evidence.seeds, evidence.observations, evidence.expected_by_chance), (3, 1, 0.0));
    assert!(evidence.cautions[0].contains("3 seeds are 1 observation"), "{:?}", evidence.cautions);
    assert!(evidence.cautions[0].contains("more recordings or another market"));
    for row in &record.summary.measures {
        assert!(row.difference.interval.is_none() && !row.difference.is_told(), "{}", row.key);
    }
    let pnl = record.summary.measures.iter().find(|row| row.key == "pnl").unwrap();
    assert_eq!((pnl.difference.n, pnl.difference.observations), (3, Some(1)));
}
