//! When a market closes: at an instant of each seed's own, which changes nothing before it and which nobody can know.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::metrics::Settings;
use assay_market::{Event, EventKind, EventSink, Exchange, Scenario, Session, Trader, simulate};
use assay_model::{
    Desk, Nanos, OrderUpdate, Qualifiers, Reason, RequestKind, Seed, Side, StrategyConfig, SymbolIndex, Time,
    UpdateKind,
};
use std::ops::ControlFlow;

/// The smoke market, of two minutes, with more in `[market]`.
fn market(keys: &str) -> Scenario {
    let text = Scenario::preset("smoke").unwrap().to_toml().replace("[market]", &format!("[market]\n{keys}"));
    Scenario::parse(&text).unwrap()
}

/// Bids a cent at each tick, for ever, and hears what comes of it.
struct Bids {
    desk: Desk,
    config: Option<StrategyConfig>,
    ticks: Vec<Time>,
    updates: Vec<OrderUpdate>,
}

impl Bids {
    fn new(scenario: &Scenario, seed: u64) -> Self {
        Self { desk: scenario.new_desk(Seed(seed)), config: None, ticks: Vec::new(), updates: Vec::new() }
    }
}

impl Trader for Bids {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.config = Some(config.clone());
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.ticks.push(self.desk.now());
        // So far behind the best that it rests until the close.
        let bid = self.desk.quote().bid.map_or(1, |level| level.price.cents() - 100);
        let qualifiers = Qualifiers::default();
        self.desk.submit(RequestKind::Limit { side: Side::Buy, price: bid, quantity: 1, qualifiers }).unwrap();
        self.desk.wake_at(self.desk.now() + Nanos(50_000_000)).unwrap();
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.updates.push(*update);
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Record {
    events: Vec<Event>,
    closings: Vec<(Time, SymbolIndex, (u64, u64))>,
}

impl EventSink for Record {
    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }
    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        self.closings.push((at, symbol, exchange.bid_ask_totals()));
    }
}

fn run(scenario: &Scenario, seed: u64) -> (Record, Bids) {
    let (mut record, mut trader) = (Record::default(), Bids::new(scenario, seed));
    simulate(scenario, Seed(seed), &mut trader, &mut record);
    (record, trader)
}

fn closed_at(record: &Record) -> Time {
    record.events.iter().find(|event| event.kind == EventKind::Closed).unwrap().at
}

#[test]
fn the_close_is_uniform_in_its_window() {
    const SEEDS: u64 = 10_000;
    let scenario = market("close_window = \"1min\"");
    let early: Vec<u64> = (0..SEEDS).map(|seed| scenario.close.since(scenario.close_at(Seed(seed))).0).collect();
    let window = Nanos::from_secs(60).0;
    assert!(early.iter().all(|early| *early < window), "in (close − window, close]");
    // A tenth of the seeds in each tenth of the window: with 10,000, five standard deviations are 150.
    for tenth in 0..10 {
        let share = early.iter().filter(|early| **early * 10 / window == tenth).count();
        assert!((850..1150).contains(&share), "{tenth}: {share}");
    }
    let never = market("close_window = \"0s\"");
    assert!((0..SEEDS).all(|seed| never.close_at(Seed(seed)) == never.close));
}

#[test]
fn the_window_has_a_default() {
    let window = |preset: &str| Scenario::preset(preset).unwrap().close_window;
    assert_eq!(window("rmsc04"), Nanos::from_secs(120));
    assert_eq!(window("rmsc04-day"), Nanos::from_secs(120));
    // A tenth of two minutes.
    assert_eq!(window("smoke"), Nanos::from_secs(12));
    // Never so long that an auction has no room, however long that is.
    let all_auction = market("closing_auction = \"119999999999ns\"");
    assert_eq!(all_auction.close_window, Nanos(0));
}

#[test]
fn the_market_closes_then_and_not_before() {
    let scenario = market("");
    for seed in 1..=5 {
        let (record, trader) = run(&scenario, seed);
        let close = scenario.close_at(Seed(seed));
        assert!(close > scenario.closes_from() && close < scenario.close);
        assert_eq!(closed_at(&record), close);
        assert_eq!(Settings::of(&scenario, Seed(seed), 0).close, close);
        // What is on its way when the market closes is too late, and nobody sends anything after that.
        let late = record.events.iter().filter(|event| event.at > close);
        let last = late.clone().map(|event| event.at).max().unwrap_or(close);
        assert!(last.since(close) < Nanos(5_000_000), "{last:?}");
        for event in late {
            assert!(match event.kind {
                EventKind::Request { .. } => true,
                EventKind::Update { update, .. } =>
                    update.kind == UpdateKind::Rejected { reason: Reason::MarketClosed },
                _ => false,
            });
        }
        // The strategy is called until then, and hears that its order has expired.
        assert!(trader.ticks.iter().all(|tick| *tick < close));
        assert!(close.since(*trader.ticks.last().unwrap()) <= Nanos(50_000_000));
        let expired = UpdateKind::Cancelled { reason: Reason::MarketClosed };
        assert!(trader.updates.iter().any(|update| update.kind == expired && update.at == close));
    }
}

/// Nothing that anybody is told or draws before the close depends on when it is.
#[test]
fn until_then_nothing_is_different() {
    for preset in ["smoke", "lively"] {
        let drawn = Scenario::preset(preset).unwrap();
        let (mut certain, mut longer) = (drawn.clone(), drawn.clone());
        certain.close_window = Nanos(0);
        longer.close_window = Nanos(drawn.close_window.0 * 2);
        let seed = 3;
        let [(short, _), (whole, _), (other, _)] = [&drawn, &certain, &longer].map(|scenario| run(scenario, seed));
        let close = closed_at(&short).min(closed_at(&other));
        let before = |record: &Record| -> Vec<Event> {
            record.events.iter().take_while(|event| event.at < close).copied().collect()
        };
        assert!(closed_at(&short) != closed_at(&other) && closed_at(&whole) == drawn.close);
        assert!(before(&short) == before(&whole) && before(&other) == before(&whole), "{preset}");
    }
}

#[test]
fn the_strategy_is_told_the_window_only() {
    let scenario = market("close_window = \"10s\"");
    let configs: Vec<_> = (1..=3).map(|seed| run(&scenario, seed).1.config.unwrap()).collect();
    assert!(configs.iter().all(|config| *config == configs[0]), "the same in every seed");
    assert_eq!(configs[0].market_close, Time(scenario.close.0 - 10_000_000_000));
    assert_eq!(configs[0].close_window, Nanos::from_secs(10));
}

#[test]
fn the_listener_sees_the_book_as_it_closes() {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned() + "\n[[symbols]]\nsymbol = \"XYZ\"\n";
    let scenario = Scenario::parse(&text).unwrap();
    let (record, _) = run(&scenario, 2);
    let close = scenario.close_at(Seed(2));
    let seen: Vec<_> = record.closings.iter().map(|(at, symbol, _)| (*at, *symbol)).collect();
    assert_eq!(seen, [(close, SymbolIndex(0)), (close, SymbolIndex(1))]);
    assert!(record.closings.iter().all(|(_, _, (bids, asks))| *bids > 0 && *asks > 0), "not expired yet");
}

/// The call of a closing auction begins at a known time, takes at least as long as the scenario says, and ends when the market closes.
#[test]
fn a_closing_auction_ends_at_random() {
    let scenario = market("closing_auction = \"20s\"\nclose_window = \"10s\"");
    for seed in 1..=3 {
        let (record, _) = run(&scenario, seed);
        let call = record.events.iter().find(|event| event.kind == EventKind::Session(Session::Call)).unwrap();
        assert_eq!(call.at, Time(scenario.close.0 - 30_000_000_000));
        let close = closed_at(&record);
        assert_eq!(close, scenario.close_at(Seed(seed)));
        let trades = record.events.iter().filter(|event| matches!(event.kind, EventKind::Trade { .. }));
        let in_call: Vec<Time> = trades.map(|event| event.at).filter(|at| *at > call.at).collect();
        assert!(!in_call.is_empty() && in_call.iter().all(|at| *at == close), "{in_call:?}");
    }
}
