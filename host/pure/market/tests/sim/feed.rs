//! What is published besides quotes: trade prints, the course of the session, a place in the queue. Each arrives with latency, once and in order, and never
//! from the future.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{Event, EventKind, EventSink, Scenario, Session, Trader, simulate};
use assay_model::{
    Desk, Nanos, OrderId, OrderUpdate, Phase, Print, Qualifiers, RequestKind, Seed, SessionState, Side, StrategyConfig,
    Time,
};
use std::ops::ControlFlow;

/// Takes in everything, and keeps an order at the best bid to see its place.
struct Watcher {
    desk: Desk,
    config: Option<StrategyConfig>,
    /// When each print was heard of.
    prints: Vec<(Time, Print)>,
    sessions: Vec<(Time, SessionState)>,
    /// Times of `on_market_data`, and whether both sides were there.
    market_data: Vec<(Time, bool)>,
    order: Option<OrderId>,
    /// What was told of its place, since it was entered.
    places: Vec<u64>,
}

impl Watcher {
    fn new(desk: Desk) -> Self {
        let (prints, sessions, market_data, places) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { desk, config: None, prints, sessions, market_data, order: None, places }
    }

    fn look(&mut self) -> ControlFlow<()> {
        let now = self.desk.now();
        let new: Vec<Print> = self.desk.take_prints().copied().collect();
        self.prints.extend(new.into_iter().map(|print| (now, print)));
        let session = *self.desk.session();
        if self.sessions.last().is_none_or(|(_, last)| *last != session) {
            self.sessions.push((now, session));
        }
        if let Some(order) = self.order
            && let Some(ahead) = self.desk.queue_ahead(order)
        {
            self.places.push(ahead);
        }
        ControlFlow::Continue(())
    }
}

impl Trader for Watcher {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.config = Some(config.clone());
        self.look()
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        if self.order.is_none()
            && let Some(bid) = self.desk.quote().bid
        {
            let (side, price, quantity) = (Side::Buy, bid.price.cents() - 2, 100);
            let kind = RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() };
            self.order = self.desk.submit(kind).ok();
        }
        self.look()
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        let quote = self.desk.quote();
        self.market_data.push((self.desk.now(), quote.bid.is_some() && quote.ask.is_some()));
        self.look()
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        self.look()
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.look()
    }
}

/// Trades and changes of session as they happened.
#[derive(Default)]
struct Truth {
    prints: Vec<Print>,
    sessions: Vec<(Time, Session)>,
    in_call: bool,
}

impl EventSink for Truth {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Trade { price, quantity, taker_side, .. } => {
                let aggressor = Some(taker_side).filter(|_| !self.in_call);
                self.prints.push(Print { at: event.at, price, quantity, aggressor });
            }
            EventKind::Session(session) => {
                self.in_call = session == Session::Call;
                self.sessions.push((event.at, session));
            }
            _ => {}
        }
    }
}

fn run(preset: &str, seed: u64) -> (Scenario, Watcher, Truth) {
    let scenario = Scenario::preset(preset).unwrap();
    let (mut watcher, mut truth) = (Watcher::new(scenario.new_desk(Seed(seed))), Truth::default());
    simulate(&scenario, Seed(seed), &mut watcher, &mut truth);
    (scenario, watcher, truth)
}

#[test]
fn every_trade_is_printed_once_in_order_and_late() {
    for (preset, seed) in [("smoke", 1), ("smoke", 2), ("halt", 1)] {
        let (scenario, watcher, truth) = run(preset, seed);
        assert!(watcher.prints.len() > 10, "{preset} {seed}: {} prints", watcher.prints.len());
        let told: Vec<Print> = watcher.prints.iter().map(|(_, print)| *print).collect();
        // What trades in the last latencies, or at the close, is published no more.
        assert_eq!(told, truth.prints[..told.len()], "{preset} {seed}");
        let untold = &truth.prints[told.len()..];
        let late = Time(scenario.close_at(Seed(seed)).0 - 10 * Nanos::SECOND.0);
        assert!(untold.iter().all(|print| print.at >= late), "{preset} {seed}: {untold:?}");
        for (heard, print) in &watcher.prints {
            assert!(*heard >= print.at + scenario.latency, "{preset} {seed}: {print:?} heard at {heard:?}");
        }
    }
}

#[test]
fn market_data_begins_with_a_market() {
    for preset in ["smoke", "rmsc04", "halt"] {
        let (scenario, watcher, _) = run(preset, 3);
        let (first, both_sides) = watcher.market_data[0];
        assert!(first >= scenario.trader_open() && both_sides, "{preset}: {first:?}");
        // What happened before has reached the desk all the same.
        assert!(watcher.prints.iter().any(|(_, print)| print.at < scenario.trader_open()) || preset == "smoke");
    }
}

#[test]
fn a_halt_is_seen_with_its_end_and_its_indicative_price() {
    let (scenario, watcher, truth) = run("halt", 1);
    let calls: Vec<Time> =
        truth.sessions.iter().filter(|(_, kind)| *kind == Session::Call).map(|(at, _)| *at).collect();
    assert!(!calls.is_empty());
    for call in calls {
        let heard = watcher.sessions.iter().find(|(at, _)| *at >= call + scenario.latency).unwrap();
        assert_eq!(heard.1.phase, Phase::Halt, "{call:?}");
        assert!(heard.0.since(call) < Nanos(10_000_000), "heard of at {:?}, happened at {call:?}", heard.0);
        assert!(heard.1.ends.is_some_and(|ends| ends > heard.0));
        // Continuous trading is heard of after the end that was announced, and not before.
        let over = watcher.sessions.iter().find(|(at, state)| *at > heard.0 && state.phase == Phase::Continuous);
        let (over, _) = over.unwrap();
        let ends =
            watcher.sessions.iter().filter(|(at, _)| *at < *over).filter_map(|(_, state)| state.ends).next_back();
        assert!(*over >= ends.unwrap() + scenario.latency);
    }
    assert!(watcher.sessions.iter().any(|(_, state)| state.indicative.is_some()), "orders were collected");
    let during: Vec<_> =
        watcher.sessions.windows(2).filter(|pair| pair.iter().all(|(_, state)| state.phase == Phase::Halt)).collect();
    let gaps = during.iter().map(|pair| pair[1].0.since(pair[0].0));
    assert!(gaps.min().is_none_or(|gap| gap >= Nanos(900_000_000)), "at most one a second");
    assert!(
        watcher.prints.iter().any(|(_, print)| print.aggressor.is_none()),
        "the auction's prints have no aggressor"
    );
    assert_eq!(watcher.sessions.last().unwrap().1.phase, Phase::Closed);
}

#[test]
fn a_place_in_the_queue_only_gets_better() {
    let mut seen = 0;
    for seed in 1..=4 {
        let (_, watcher, _) = run("rmsc04", seed);
        seen += watcher.places.len();
        for pair in watcher.places.windows(2) {
            assert!(pair[1] <= pair[0], "seed {seed}: {pair:?}, though nobody gets before an order that stays");
        }
    }
    assert!(seen > 10, "{seen} places were told");
}
