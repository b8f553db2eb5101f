//! The defects of ABIDES (jpmorganchase/abides-jpmc-public f9cbe51) that this market must not have, each with a test that fails on it.
//!
//! [`TESTS`] names the test of each, wherever it is, and every one that it names is there. Those that no other file is about are here.

use assay_market::{
    AgentIndex, Event, EventKind, EventSink, Exchange, Fundamental, Inert, Scenario, Trader, TraderLimits, simulate,
};
use assay_model::{
    Desk, Nanos, OrderUpdate, Qualifiers, Reason, Request, RequestId, RequestKind, Seed, Side, StrategyConfig, Time,
    UpdateKind,
};
use std::ops::ControlFlow;

/// The defect, and the file and name of the test that fails on it.
const TESTS: [(&str, &str, &str); 17] = [
    ("post-only orders take what is visible", "exchange_protocol", "a_post_only_order_never_takes"),
    ("market orders do not move the last price", "exchange_protocol", "a_market_order_moves_the_last_price"),
    ("so shares are marked at a stale price", "abides_defects", "a_loss_by_market_orders_is_seen"),
    ("what is published moves on cancels only", "exchange_protocol", "every_visible_change_is_published_with_its_time"),
    ("so subscribers with an interval starve", "sim::trader", "held_back_quotes_do_not_starve"),
    ("a partial cancel works from a copy", "exchange_protocol", "a_reduce_counts_from_what_remains_at_the_exchange"),
    ("late cancels meet silence", "abides_defects", "every_request_is_answered"),
    ("invalid orders meet silence", "exchange_protocol", "invalid_numbers_are_rejected"),
    ("so do market orders at an empty side", "exchange_protocol", "what_a_market_order_does_not_trade_is_cancelled"),
    ("self-trades match", "exchange_protocol", "nobody_trades_with_himself"),
    ("hidden orders leak into the best price", "exchange_protocol", "hidden_orders_never_show"),
    (
        "executions have no price",
        "exchange_protocol",
        "a_trade_is_told_before_its_fills_and_the_makers_before_the_takers",
    ),
    ("a belief's variance is not carried on", "abides_defects", "a_belief_is_as_sure_as_its_observations_make_it"),
    ("a delay while handling a message is lost", "abides_defects", "handling_a_message_takes_its_time"),
    ("a told market maker crashes", "abides_defects", "a_market_maker_quotes_into_a_one_sided_book"),
    ("one symbol is hard-coded", "abides_defects", "the_symbol_is_a_name_and_nothing_else"),
    ("another agent changes everyone's draws", "sim::composition", "places_and_wake_ups_stay"),
];

#[test]
fn every_defect_has_its_test() {
    let sources = [
        ("abides_defects", include_str!("abides_defects.rs")),
        (
            "exchange_protocol",
            concat!(include_str!("exchange_protocol/plain.rs"), include_str!("exchange_protocol/changes.rs")),
        ),
        ("sim::composition", include_str!("sim/composition.rs")),
        ("sim::trader", include_str!("sim/trader.rs")),
    ];
    for (defect, file, test) in TESTS {
        let (_, source) = sources.iter().find(|(name, _)| *name == file).unwrap();
        assert!(source.contains(&format!("#[test]\nfn {test}()")), "{defect}: there is no test {test} in {file}");
    }
}

fn limit(side: Side, quantity: u64, price: i64) -> RequestKind {
    RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() }
}

/// What the exchange said to whom.
#[derive(Default)]
struct Updates(Vec<(u32, OrderUpdate)>);

impl EventSink for Updates {
    fn event(&mut self, event: &Event) {
        if let EventKind::Update { agent, update } = event.kind {
            self.0.push((agent.0, update));
        }
    }
}

/// Sends requests of agents to `exchange`; ids count up from 1 for each.
fn send(exchange: &mut Exchange, script: &[(u32, RequestKind)]) -> Vec<(u32, OrderUpdate)> {
    let (mut ids, mut updates) = ([0; 3], Updates::default());
    exchange.open(Time(0), &mut ());
    for ((agent, kind), now) in script.iter().zip(1..) {
        let id = &mut ids[*agent as usize];
        *id += 1;
        exchange.handle(Time(now), AgentIndex(*agent), &Request { id: RequestId(*id), kind: *kind }, &mut updates);
    }
    updates.0
}

#[test]
fn every_request_is_answered() {
    let filled = [(0, limit(Side::Sell, 5, 100)), (1, limit(Side::Buy, 5, 100))];
    let cases = [
        RequestKind::Cancel { order: RequestId(1) },
        RequestKind::Reduce { order: RequestId(1), by: 1 },
        RequestKind::Modify { order: RequestId(1), quantity: 6, price: 100 },
        RequestKind::Replace { order: RequestId(1), quantity: 6, price: 100 },
    ];
    for late in cases {
        let updates = send(&mut Exchange::new(3), &[filled[0], filled[1], (0, late)]);
        let (agent, last) = updates.last().unwrap();
        assert_eq!((*agent, last.request), (0, RequestId(2)), "{late:?}");
        assert_eq!(last.kind, UpdateKind::Rejected { reason: Reason::UnknownOrder }, "{late:?}");
    }
}

/// Agent 2 buys ten at 100; then market orders of others take the price to 80. Nobody's limit order trades after that.
#[test]
fn a_loss_by_market_orders_is_seen() {
    let script = [
        (0, limit(Side::Sell, 10, 100)),
        (2, RequestKind::Market { side: Side::Buy, quantity: 10 }),
        (0, limit(Side::Buy, 10, 80)),
        (1, RequestKind::Market { side: Side::Sell, quantity: 1 }),
        (2, limit(Side::Buy, 1, 70)),
    ];
    for (loss, refused) in [(199, true), (201, false)] {
        let limits = TraderLimits { position: 1_000, loss: Some(loss), margin: None };
        let mut exchange = Exchange::new(3).with_trader_limits(AgentIndex(2), limits);
        let updates = send(&mut exchange, &script);
        let told = updates.contains(&(
            2,
            OrderUpdate { kind: UpdateKind::Rejected { reason: Reason::LossLimit }, ..updates.last().unwrap().1 },
        ));
        assert_eq!(told, refused, "a limit of {loss} cents: {updates:?}");
    }
}

/// One value agent and nobody else, in a market whose value only moves by shocks.
const LONELY: &str = r#"
name = "lonely"
summary = "One value agent"
symbol = "ONE"

[market]
date = 2021-02-05
open = 09:30:00
close = 10:00:00
price_band_basis_points = 10_000

[network]
line_metres = 1_000
computation_delay = "50ns"

[fundamental]
mean = 100_000
mean_reversion_per_second = 0
volatility_per_root_second = 0
shock_interval = "20min"
shock_mean = 10_000
shock_variance = 0

[[agents]]
kind = "value"
count = 1
own_size = { least = 1, most = 1 }
wake_interval = "1s"
mean_reversion_per_second = 0
observation_variance = 100
shock_variance_per_nanosecond = 1e-9
aggressive_share = 0
depth_spreads = 1
"#;

/// Prices of limit orders, with their times.
#[derive(Default)]
struct Prices(Vec<(Time, i64)>);

impl EventSink for Prices {
    fn event(&mut self, event: &Event) {
        if let EventKind::Request { request: Request { kind: RequestKind::Limit { price, .. }, .. }, .. } = event.kind {
            self.0.push((event.at, price));
        }
    }
}

/// A lonely value agent asks for what it believes. A second's shocks have a hundredth of the variance of an observation; then a belief whose variance
/// is carried on takes in a tenth of each surprise (the steady state of Kalman's filter), and one that is begun anew takes in a hundredth.
#[test]
fn a_belief_is_as_sure_as_its_observations_make_it() {
    let scenario = Scenario::parse(LONELY).unwrap();
    let minute = |minutes: u64| scenario.open + Nanos::from_secs(60 * minutes);
    let jump = |seed: u64| {
        let mut value = Fundamental::new(&scenario.fundamental, Seed(seed), scenario.open);
        let [before, after, end] = [5, 6, 30].map(|minutes| value.value_at(minute(minutes)));
        (before == 100_000.0 && after != before && end == after).then_some((Seed(seed), after))
    };
    let (seed, after) = (1..10_000).find_map(jump).unwrap();
    let mut prices = Prices::default();
    simulate(&scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut prices);
    let between = |from: u64, to: u64| prices.0.iter().filter(move |(at, _)| (minute(from)..minute(to)).contains(at));
    assert!(between(0, 5).all(|(_, price)| (price - 100_000).abs() < 20), "it knows the value");
    let late = between(7, 8).map(|(_, price)| (*price as f64 - after).abs());
    assert!(late.clone().count() > 30);
    assert!(
        late.clone().all(|off| off < 100.0),
        "a minute later a hundredth of the surprise is left: {:?}",
        late.collect::<Vec<_>>()
    );
}

/// Does what a closure says at each callback, and keeps the times.
struct Scripted<F> {
    desk: Desk,
    symbol: String,
    calls: Vec<Time>,
    script: F,
}

impl<F: FnMut(&mut Desk)> Scripted<F> {
    fn new(scenario: &Scenario, script: F) -> Self {
        Self { desk: scenario.new_desk(Seed(1)), symbol: String::new(), calls: Vec::new(), script }
    }

    fn called(&mut self) -> ControlFlow<()> {
        self.calls.push(self.desk.now());
        (self.script)(&mut self.desk);
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&mut Desk)> Trader for Scripted<F> {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.symbol.clone_from(&config.symbol);
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.called()
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.called()
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        self.called()
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Requests, with the time of arrival.
#[derive(Default)]
struct Requests(Vec<(Time, AgentIndex, RequestKind)>);

impl EventSink for Requests {
    fn event(&mut self, event: &Event) {
        if let EventKind::Request { agent, request } = event.kind {
            self.0.push((event.at, agent, request.kind));
        }
    }
}

/// Whatever the message: who handles one handles no other meanwhile, and what it sends leaves when it is done.
#[test]
fn handling_a_message_takes_its_time() {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let text = text.replace("computation_delay = \"50ns\"", "computation_delay = \"100ms\"");
    let scenario = Scenario::parse(&text).unwrap();
    let mut trader = Scripted::new(&scenario, |desk| {
        let _ = desk.submit(limit(Side::Buy, 1, 99_000));
    });
    let mut requests = Requests::default();
    simulate(&scenario, Seed(1), &mut trader, &mut requests);
    let busy = Nanos(100_000_000);
    assert!(trader.calls.len() > 500, "{} callbacks", trader.calls.len());
    assert!(trader.calls.windows(2).all(|pair| pair[1].since(pair[0]) >= busy));
    let arrived = requests.0.iter().filter(|(_, agent, _)| *agent == scenario.trader()).map(|(at, ..)| *at);
    let sent: Vec<Time> = trader.calls.iter().map(|at| *at + busy + scenario.latency).collect();
    let arrived: Vec<Time> = arrived.collect();
    assert_eq!(arrived, sent[..arrived.len()]);
}

#[test]
fn a_market_maker_quotes_into_a_one_sided_book() {
    let text = Scenario::preset("rmsc04")
        .unwrap()
        .to_toml()
        .replace("position_limit = 5_000 ", "margin_long = 0\nmargin_short = 0\nposition_limit = 1_000_000 ");
    let scenario = Scenario::parse(&text).unwrap();
    let maker =
        |agent: AgentIndex| scenario.group_of(agent).is_some_and(|(_, group, _)| group.kind.name() == "market-maker");
    // Ladders, and how many of them were sent at a wake-up: those follow a cancel of the one before.
    let ladders = |script: fn(&mut Desk)| {
        let mut requests = Requests::default();
        simulate(&scenario, Seed(1), &mut Scripted::new(&scenario, script), &mut requests);
        let count = |wanted: fn(&RequestKind) -> bool| {
            requests.0.iter().filter(|(_, agent, kind)| maker(*agent) && wanted(kind)).count()
        };
        let levels = count(|kind| matches!(kind, RequestKind::Limit { .. }));
        (levels / 20, count(|kind| matches!(kind, RequestKind::CancelAll)))
    };
    let (ladders, wakes) = ladders(|desk| {
        let bids: u64 = desk.depth(Side::Buy).iter().map(|level| level.quantity).sum();
        let _ = desk.submit(RequestKind::Market { side: Side::Sell, quantity: bids.max(1) });
    });
    assert!(ladders > wakes + 10, "{ladders} ladders, {wakes} at wake-ups");
}

#[test]
fn the_symbol_is_a_name_and_nothing_else() {
    let abm = Scenario::preset("rmsc04").unwrap();
    let other = Scenario::parse(&abm.to_toml().replace("symbol = \"ASSAY\"", "symbol = \"BRK.B\"")).unwrap();
    let [abm, other] = [abm, other].map(|scenario| {
        let mut trader = Scripted::new(&scenario, |_| ());
        let summary = simulate(&scenario, Seed(1), &mut trader, &mut ());
        (trader.symbol, summary.log_hash)
    });
    assert_eq!((abm.0.as_str(), other.0.as_str()), ("ASSAY", "BRK.B"));
    assert_eq!(abm.1, other.1);
}
