//! Trials of native traders: what is recorded, what is not scored, and that the record depends on nothing else.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_evaluate::{
    BASELINE, Contender, EvidenceRecord, Infrastructure, Native, Progress, RunRecord, RunVerdict, SCHEMA_JSON,
    SeedResult, Seeds, StopCauseRecord, StrategyRecord, ToolRecord, Trial, UNHASHED_FIELDS, evaluate,
};
use assay_market::metrics::DEPTH_COLUMNS;
use assay_market::{Scenario, Trader};
use assay_model::{Desk, LOG_BYTES_MAX, OrderUpdate, Qualifiers, RequestKind, Seed, Side, StrategyConfig};
use assay_sandbox::{Callback, FuelScope, Outcome, Usage, Verdict};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Buys and sells in turn and leaves an offer in the book.
struct Busy {
    desk: Desk,
    ticks: u64,
    fails_at_tick: Option<u64>,
    requests_per_tick: u64,
}

impl Busy {
    fn new(desk: Desk) -> Self {
        Self { desk, ticks: 0, fails_at_tick: None, requests_per_tick: 1 }
    }
}

impl Trader for Busy {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.desk.log(&config.symbol);
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.ticks += 1;
        if self.fails_at_tick == Some(self.ticks) {
            return ControlFlow::Break(());
        }
        for _ in 0..self.requests_per_tick {
            let side = if self.desk.random().is_multiple_of(2) { Side::Buy } else { Side::Sell };
            let kind = match self.desk.quote().ask {
                Some(ask) if self.ticks.is_multiple_of(3) => RequestKind::Limit {
                    side: Side::Sell,
                    price: ask.price.cents() - 1,
                    quantity: 5,
                    qualifiers: Qualifiers::default(),
                },
                _ => RequestKind::Market { side, quantity: 3 },
            };
            let _limit = self.desk.submit(kind);
        }
        if self.requests_per_tick > 1 {
            let _limit = self.desk.wake_at(self.desk.now());
        }
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

/// A contender that starts and finishes as a test tells it to, in the order of the calls.
struct Scripted<S, F> {
    start: S,
    finish: F,
    started: AtomicUsize,
    finished: AtomicUsize,
}

impl<S, F> Scripted<S, F> {
    fn new(start: S, finish: F) -> Self {
        Self { start, finish, started: AtomicUsize::new(0), finished: AtomicUsize::new(0) }
    }
}

impl<S, F> Contender for Scripted<S, F>
where
    S: Fn(usize, Desk) -> Result<Busy, Infrastructure> + Sync,
    F: Fn(usize) -> Outcome + Sync,
{
    type Trader = Busy;
    fn start(&self, desk: Desk) -> Result<Busy, Infrastructure> {
        (self.start)(self.started.fetch_add(1, Ordering::SeqCst), desk)
    }
    fn finish(&self, trader: Busy) -> Verdict {
        let outcome = (self.finish)(self.finished.fetch_add(1, Ordering::SeqCst));
        let (log, log_lines_dropped) = trader.desk.log_lines();
        let backtrace = (outcome != Outcome::Finished).then(|| "0: strategy::on_tick".repeat(10_000));
        let (usage, fuel_by_call) = (Usage::default(), Default::default());
        Verdict { outcome, usage, log: log.to_vec(), log_lines_dropped, fuel_by_call, profile: None, backtrace }
    }
}

fn run_with<C: Contender>(
    contender: &C,
    seeds: u64,
    threads: usize,
    progress: &dyn Progress,
    cancel: &AtomicBool,
) -> RunRecord {
    run_in(&Scenario::preset("smoke").unwrap(), contender, seeds, threads, progress, cancel)
}

fn run_in<C: Contender>(
    scenario: &Scenario,
    contender: &C,
    seeds: u64,
    threads: usize,
    progress: &dyn Progress,
    cancel: &AtomicBool,
) -> RunRecord {
    let trial = Trial {
        scenario,
        seeds: &Seeds::count(seeds).unwrap(),
        threads: NonZeroUsize::new(threads).unwrap(),
        tool: ToolRecord { assay: "0.0.0".to_owned(), wasmtime: "0.0.0".to_owned() },
        command: "assay run busy.rs".to_owned(),
        strategy: StrategyRecord {
            file_name: "busy.rs".to_owned(),
            source: Some("fn main() {}".to_owned()),
            source_hash: Some("0".repeat(64)),
            component_hash: "0".repeat(64),
            sdk_version: None,
            rustc_version: None,
        },
        findings: Vec::new(),
        findings_omitted: 0,
        recorder: None,
        baselines: None,
    };
    evaluate(&trial, contender, progress, cancel).unwrap()
}

fn run<C: Contender>(contender: &C, seeds: u64) -> RunRecord {
    run_with(contender, seeds, 1, &(), &AtomicBool::new(false))
}

fn bytes(record: &RunRecord) -> String {
    serde_json::to_string_pretty(&record.without_timing()).unwrap()
}

/// Every record, whatever happened, must follow the schema, survive a round trip and account for each seed once.
#[track_caller]
fn check(record: &RunRecord) {
    let json = serde_json::to_value(record).unwrap();
    let schema = serde_json::from_str(SCHEMA_JSON).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let again: RunRecord = serde_json::from_value(json).unwrap();
    assert_eq!(bytes(&again), bytes(record));
    let mut seeds: Vec<u64> = record.episodes.iter().map(|episode| episode.seed).collect();
    assert!(seeds.is_sorted());
    seeds.extend(record.unscored.iter().map(|unscored| unscored.seed));
    seeds.extend(&record.not_run);
    seeds.sort_unstable();
    assert_eq!(seeds, record.seeds);
    assert_eq!(record.complete, record.not_run.is_empty());
}

fn value(record: &RunRecord, episode: usize, key: &str) -> Option<f64> {
    record.episodes[episode].measures[key].value
}

#[test]
fn the_same_bytes_from_any_number_of_threads() {
    let contender = Native(Busy::new);
    let records = [1, 2, 5].map(|threads| run_with(&contender, 6, threads, &(), &AtomicBool::new(false)));
    records.iter().for_each(|record| check(record));
    assert_eq!(bytes(&records[0]), bytes(&records[1]));
    assert_eq!(bytes(&records[0]), bytes(&records[2]));
    assert_eq!(records[0].verdict, RunVerdict::Finished);
    let hashes: BTreeSet<_> = records[0].episodes.iter().map(|episode| &episode.event_log_hash).collect();
    assert_eq!(hashes.len(), 6, "seeds differ");
    assert!(value(&records[0], 0, "fills").unwrap() > 20.0);
    let series = records[0].series.as_ref().unwrap();
    assert_eq!(series.seed, 1);
    let depth = series.depth.as_ref().unwrap();
    assert_eq!(depth.columns.len(), DEPTH_COLUMNS);
    assert!(depth.columns.iter().flatten().any(|shares| *shares > 0));
}

#[test]
fn only_the_unhashed_fields_are_emptied() {
    let record = run(&Native(Busy::new), 1);
    let (whole, emptied) =
        (serde_json::to_value(&record).unwrap(), serde_json::to_value(record.without_timing()).unwrap());
    for (key, value) in whole.as_object().unwrap() {
        if !UNHASHED_FIELDS.contains(&key.as_str()) {
            assert_eq!(Some(value), emptied.get(key), "{key}");
        }
    }
    assert!(serde_json::to_string(&record).unwrap().starts_with(r#"{"schema":{"name":"assay.run","version":"2.0"}"#));
}

#[test]
fn a_record_of_1_2_is_still_read() {
    let record = run(&Native(Busy::new), 2);
    let mut json = serde_json::to_value(&record).unwrap();
    json["schema"]["version"] = "1.2".into();
    for (place, field) in [
        ("/series", "order_flow"),
        ("/series", "signature"),
        ("/series", "baseline_signature"),
        ("/series", "depth"),
        ("/summary", "evidence"),
        ("/scenario", "starting_cash"),
    ] {
        assert!(json.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(field).is_some(), "{field}");
    }
    json.as_object_mut().unwrap().remove("score");
    for row in json["summary"]["measures"].as_array_mut().unwrap() {
        if let Some(difference) = row["difference"].as_object_mut() {
            difference.retain(|field, _| !["observations", "p", "p_corrected"].contains(&field.as_str()));
        }
    }
    let old: RunRecord = serde_json::from_value(json).unwrap();
    assert_eq!(old.episodes, record.episodes);
    assert_eq!((old.score, old.summary.evidence), (None, EvidenceRecord::default()));
    assert!(old.series.unwrap().depth.is_none());
}

#[test]
fn an_inert_strategy_is_its_own_baseline() {
    let record = run(&BASELINE, 3);
    check(&record);
    for episode in &record.episodes {
        assert_eq!(episode.event_log_hash, episode.baseline_event_log_hash);
        assert_eq!(episode.measures, episode.baseline_measures);
    }
    for row in &record.summary.measures {
        if let Some(interval) = row.difference.interval {
            assert_eq!((interval.low, interval.high, interval.degenerate), (0.0, 0.0, true), "{}", row.key);
        } else {
            assert!(row.difference.missing.is_some(), "{}", row.key);
        }
    }
}

#[test]
fn a_failed_strategy_is_scored_and_the_market_goes_on() {
    let fails_late = |_, desk| Ok(Busy { fails_at_tick: Some(40), ..Busy::new(desk) });
    let out_of_fuel = |_| Outcome::OutOfFuel { callback: Callback::OnTick, scope: FuelScope::Callback, limit: 7 };
    let record = run(&Scripted::new(fails_late, out_of_fuel), 3);
    check(&record);
    assert_eq!(record.verdict, RunVerdict::Failed);
    assert_eq!(record.summary.outcomes[0].what, "out of fuel in on-tick");
    assert_eq!((record.summary.outcomes[0].seeds, record.summary.outcomes[0].first_seed), (3, 1));
    assert_eq!(record.summary.limits_hit[0].what, "fuel of one callback (7) in on-tick");
    assert_eq!(record.diagnostics.backtraces.len(), 3);
    for episode in &record.episodes {
        assert_eq!(episode.stopped.map(|stop| stop.cause), Some(StopCauseRecord::CallbackFailed));
        assert!(episode.measures["fills"].value.unwrap() > 0.0);
        let (ours, theirs) = (&episode.measures["trades"], &episode.baseline_measures["trades"]);
        assert!(ours.value.unwrap() > 0.5 * theirs.value.unwrap(), "the market stopped with the strategy");
    }
}

#[test]
fn a_strategy_that_the_market_stops_has_failed() {
    let floods = |_, desk| Ok(Busy { requests_per_tick: 1_000, ..Busy::new(desk) });
    let record = run(&Scripted::new(floods, |_| Outcome::Finished), 1);
    check(&record);
    assert_eq!(record.verdict, RunVerdict::Failed);
    assert_eq!(record.episodes[0].stopped.map(|stop| stop.cause), Some(StopCauseRecord::RequestsInFlight));
    assert_eq!(record.summary.outcomes[0].what, "stopped: too many requests in flight");
    assert_eq!(record.summary.limits_hit[0].what, "requests in flight (10000)");
}

#[test]
fn infrastructure_is_tried_twice_and_then_unscored() {
    let broken = |_: usize| Err(Infrastructure { what: "no memory".to_owned() });
    let cases: [(&[usize], RunVerdict, usize); 3] = [
        (&[0], RunVerdict::Finished, 0),
        (&[0, 1], RunVerdict::Finished, 1),
        (&[0, 1, 2, 3, 4, 5], RunVerdict::Unscored, 3),
    ];
    for (broken_starts, verdict, unscored) in cases {
        let start = |call: usize, desk| if broken_starts.contains(&call) { broken(call) } else { Ok(Busy::new(desk)) };
        let record = run(&Scripted::new(start, |_| Outcome::Finished), 3);
        check(&record);
        assert_eq!(
            (record.verdict, record.unscored.len(), record.complete),
            (verdict, unscored, true),
            "{broken_starts:?}"
        );
        assert_eq!(record.series.map(|series| series.seed), record.episodes.first().map(|episode| episode.seed));
    }
}

#[test]
fn an_infrastructure_outcome_is_never_a_score() {
    let killed = |call: usize| {
        if call < 2 { Outcome::Infrastructure { what: "watchdog".to_owned() } } else { Outcome::Finished }
    };
    let record = run(&Scripted::new(|_, desk| Ok(Busy::new(desk)), killed), 2);
    check(&record);
    assert_eq!(record.unscored.iter().map(|unscored| unscored.what.as_str()).collect::<Vec<_>>(), ["watchdog"]);
    assert_eq!(record.episodes.iter().map(|episode| episode.seed).collect::<Vec<_>>(), [2]);
}

/// Interrupts once two seeds are done and keeps what it was told.
struct InterruptAfterTwo<'a>(&'a AtomicBool, Mutex<Vec<(Seed, bool)>>);

impl Progress for InterruptAfterTwo<'_> {
    fn seed_done(&self, seed: Seed, result: SeedResult<'_>, done: usize, total: usize) {
        assert_eq!(total, 5);
        self.1.lock().unwrap().push((seed, matches!(result, SeedResult::Scored { .. })));
        if done == 2 {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn an_interruption_keeps_what_was_finished_and_says_so() {
    let cancel = AtomicBool::new(false);
    let progress = InterruptAfterTwo(&cancel, Mutex::default());
    let record = run_with(&Native(Busy::new), 5, 1, &progress, &cancel);
    check(&record);
    assert!(!record.complete);
    assert_eq!((record.episodes.len(), record.not_run.len()), (2, 3));
    let whole = run(&Native(Busy::new), 5);
    for episode in &record.episodes {
        assert!(whole.episodes.contains(episode), "seed {}", episode.seed);
    }
    let told = progress.1.into_inner().unwrap();
    assert_eq!(told.iter().filter(|(_, scored)| *scored).count(), 2);
    assert_eq!(told.len(), 5);
}

#[test]
fn an_episode_under_way_is_thrown_away() {
    let cancel = AtomicBool::new(false);
    let interrupts = Scripted::new(
        |_, desk| {
            cancel.store(true, Ordering::Relaxed);
            Ok(Busy::new(desk))
        },
        |_| Outcome::Finished,
    );
    let record = run_with(&interrupts, 2, 1, &(), &cancel);
    check(&record);
    assert_eq!(
        (record.episodes.len(), record.not_run.as_slice(), record.verdict),
        (0, [1, 2].as_slice(), RunVerdict::Unscored)
    );
    assert!(record.series.is_none());
}

/// Fails as it begins, at which somebody interrupts: after that, nobody calls it any more.
struct Leaves<'a> {
    desk: Desk,
    cancel: &'a AtomicBool,
}

impl Trader for Leaves<'_> {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        self.cancel.store(true, Ordering::Relaxed);
        ControlFlow::Break(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
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

struct Interrupts<'a>(&'a AtomicBool);

impl<'a> Contender for Interrupts<'a> {
    type Trader = Leaves<'a>;
    fn start(&self, desk: Desk) -> Result<Leaves<'a>, Infrastructure> {
        Ok(Leaves { desk, cancel: self.0 })
    }
    fn finish(&self, _: Leaves<'a>) -> Verdict {
        let (usage, fuel_by_call) = (Usage::default(), Default::default());
        let outcome = Outcome::Finished;
        Verdict { outcome, usage, log: Vec::new(), log_lines_dropped: 0, fuel_by_call, profile: None, backtrace: None }
    }
}

/// The market goes on for hours after its strategy has failed, and an interruption ends it all the same.
#[test]
fn a_busy_market_is_left_without_a_callback() {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let crowd = "[[agents]]\nkind = \"hawkes\"\nname = \"crowd\"\ncount = 20_000\nwake_interval = \"1ms\"\ntaker_share = 0.1\ndepth = 5.0\n\n";
    let scenario = Scenario::parse(&text.replacen("[strategy]", &format!("{crowd}[strategy]"), 1)).unwrap();
    let cancel = AtomicBool::new(false);
    let record = run_in(&scenario, &Interrupts(&cancel), 1, 1, &(), &cancel);
    check(&record);
    assert_eq!((record.episodes.len(), record.not_run.as_slice(), record.complete), (0, [1].as_slice(), false));
}

#[test]
fn logs_and_backtraces_are_bounded() {
    let chatty = |_, mut desk: Desk| {
        (0..10_000).for_each(|_| desk.log(&"\u{1b}[31m".repeat(20)));
        Ok(Busy { fails_at_tick: Some(1), ..Busy::new(desk) })
    };
    let trapped = |_| Outcome::Rejected { reason: "test".to_owned() };
    let record = run(&Scripted::new(chatty, trapped), 40);
    check(&record);
    let bytes: usize = record.episodes.iter().flat_map(|episode| &episode.log).map(|line| line.text.len()).sum();
    assert!(bytes <= assay_evaluate::RECORD_LOG_BYTES_MAX && bytes > LOG_BYTES_MAX, "{bytes}");
    assert!(record.summary.usage.log_lines_dropped > 300_000);
    assert_eq!(record.diagnostics.backtraces.len(), assay_evaluate::BACKTRACES_MAX);
    assert!(
        record
            .diagnostics
            .backtraces
            .iter()
            .all(|backtrace| backtrace.text.len() <= assay_evaluate::BACKTRACE_BYTES_MAX)
    );
}
