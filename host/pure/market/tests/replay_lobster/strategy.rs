//! What a strategy does to a recorded market, and what is counted of it.

use super::{draft, scenario, settings};
use assay_market::replay::lobster::read;
use assay_market::{Event, EventKind, EventSink, Inert, ReplayCounts, Scenario, Trader, simulate};
use assay_model::{Desk, OrderUpdate, Qualifiers, RequestKind, Seed, Side, StrategyConfig, Time};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A bid of 100 and an offer of 50 are entered; the offer is executed in part and deleted, the bid executed twice.
const MESSAGES: &str = "34200.1,1,11,100,1000000,1\n\
    34200.2,1,12,50,1001000,-1\n\
    34205,4,12,20,1001000,-1\n\
    34206,3,12,30,1001000,-1\n\
    34207,4,11,60,1000000,1\n\
    34208,4,11,40,1000000,1\n";
const BOOK: &str = "1002000,300,1000000,100,9999999999,0,999900,200\n\
    1001000,50,1000000,100,1002000,300,999900,200\n\
    1001000,30,1000000,100,1002000,300,999900,200\n\
    1002000,300,1000000,100,9999999999,0,999900,200\n\
    1002000,300,1000000,40,9999999999,0,999900,200\n\
    1002000,300,999900,200,9999999999,0,-9999999999,0\n";

fn market() -> Scenario {
    scenario(read(MESSAGES.as_bytes(), BOOK.as_bytes(), &settings()).unwrap())
}

/// Sends one order at its first tick.
struct Once(Desk, Option<RequestKind>);

impl Trader for Once {
    fn desk(&mut self) -> &mut Desk {
        &mut self.0
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        // The first is at the open, before anything has happened.
        if self.0.now() > settings().open
            && let Some(kind) = self.1.take()
        {
            self.0.submit(kind).unwrap();
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

/// What was traded: seconds after the open, price, shares.
#[derive(Default)]
struct Trades(Vec<(u64, i64, u32)>);

impl EventSink for Trades {
    fn event(&mut self, event: &Event) {
        if let EventKind::Trade { price, quantity, .. } = event.kind {
            self.0.push((event.at.since(settings().open).0 / 1_000_000_000, price.cents(), quantity));
        }
    }
}

fn check(order: Option<RequestKind>, trades: &[(u64, i64, u32)], position: i64, expected: ReplayCounts) {
    let scenario = market();
    let mut sink = Trades::default();
    let mut trader = Once(scenario.new_desk(Seed(1)), order);
    let summary = simulate(&scenario, Seed(1), &mut trader, &mut sink);
    assert_eq!(sink.0, trades, "{order:?}");
    assert_eq!(trader.0.position(), position, "{order:?}");
    assert_eq!(summary.replay, Some(expected), "{order:?}");
}

fn limit(side: Side, price: i64, quantity: u64) -> Option<RequestKind> {
    Some(RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() })
}

#[test]
fn what_the_strategy_changes_is_counted() {
    // Two of the book before, two submissions, three takers, one deletion.
    let undisturbed = ReplayCounts { requests: 8, traded: 120, ..ReplayCounts::default() };
    check(None, &[(5, 10_010, 20), (7, 10_000, 60), (8, 10_000, 40)], 0, undisturbed);
    // It takes the whole offer: the recorded taker finds nothing there, nor the deletion.
    check(
        limit(Side::Buy, 10_010, 50),
        &[(1, 10_010, 50), (7, 10_000, 60), (8, 10_000, 40)],
        50,
        ReplayCounts { traded: 100, taken_by_others: 50, unfilled: 20, late: 1, ..undisturbed },
    );
    // It takes a part: the taker is served, the deletion takes what is left.
    check(
        limit(Side::Buy, 10_010, 25),
        &[(1, 10_010, 25), (5, 10_010, 20), (7, 10_000, 60), (8, 10_000, 40)],
        25,
        ReplayCounts { taken_by_others: 25, ..undisturbed },
    );
    // It bids more: the recorded seller hits it first, and the recorded bid rests on.
    check(
        limit(Side::Buy, 10_005, 70),
        &[(5, 10_010, 20), (7, 10_005, 60), (8, 10_005, 10), (8, 10_000, 30)],
        70,
        ReplayCounts { traded: 50, taken_from_others: 70, ..undisturbed },
    );
    // It stands behind in the queue: nobody gets to it.
    check(limit(Side::Buy, 10_000, 10), &[(5, 10_010, 20), (7, 10_000, 60), (8, 10_000, 40)], 0, undisturbed);
}

#[test]
fn seeds_do_not_change_a_recorded_market() {
    let scenario = market();
    let hash = |seed| simulate(&scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut ()).log_hash;
    assert_eq!(hash(Seed(1)), hash(Seed(2)));
}

#[test]
fn agents_can_trade_beside_a_recording() {
    let text = super::SCENARIO.to_owned()
        + "[network]\nline_metres = 0\ncomputation_delay = \"50ns\"\n\
        [fundamental]\nmean = 10_000\nmean_reversion_per_second = 0\nvolatility_per_root_second = 0\n\
        [[agents]]\nkind = \"noise\"\ncount = 50\nown_size = { least = 5, most = 5 }\nactive_from = 09:30:00\nactive_until = 09:31:00\n";
    let draft = assay_market::Draft::parse(&text).unwrap();
    let recording = Arc::clone(&market().replay.unwrap().recording);
    let data = assay_market::ScenarioData { recording: Some(recording), series: None };
    let scenario = draft.complete(data).unwrap();
    assert_eq!((scenario.agent_count(), scenario.recorded(), scenario.trader().0), (50, 50..53, 53));
    let roster = assay_market::roster(&scenario, Seed(1), 1);
    assert_eq!((roster.len(), roster[50].name.as_str(), roster[53].name.as_str()), (54, "replay-1", "strategy"));
    let summary = simulate(&scenario, Seed(1), &mut Inert::new(scenario.new_desk(Seed(1))), &mut ());
    assert!(summary.replay.unwrap().taken_by_others > 0);
}

#[test]
fn a_scenario_needs_its_recording_and_no_other() {
    let error = Scenario::parse(super::SCENARIO).unwrap_err();
    assert_eq!(error.to_string(), "line 7, `replay`: its data has not been loaded");
    assert!(error.hint.is_some());
    let later = super::SCENARIO.replace("open = 09:30:00", "open = 09:31:00");
    let recording = Arc::clone(&market().replay.unwrap().recording);
    let data = || assay_market::ScenarioData { recording: Some(Arc::clone(&recording)), series: None };
    let error = assay_market::Draft::parse(&later).unwrap().complete(data()).unwrap_err();
    let expected =
        "line 7, `replay`: the recording has a request at 09:30:00, outside the session from 09:31:00 to 16:00:00";
    assert_eq!(error.to_string(), expected);
    let smoke = Scenario::preset("smoke").unwrap();
    let error = assay_market::Draft::parse(smoke.to_toml()).unwrap().complete(data()).unwrap_err();
    assert!(error.to_string().contains("does not name"), "{error}");
    assert_eq!(draft().session().0, Time(1_340_236_800_000_000_000), "midnight of 2012-06-21");
}
