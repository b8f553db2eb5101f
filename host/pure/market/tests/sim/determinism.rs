//! Same scenario, seed and trader: the same event log, whoever listens and however many run at once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{
    AgentIndex, Event, EventKind, EventLog, EventSink, Exchange, Inert, Scenario, Summary, Trader, simulate,
};
use assay_model::{
    Desk, Nanos, OpenOrder, OrderUpdate, Qualifiers, Quote, RequestKind, Seed, Side, StrategyConfig, Time,
};
use std::ops::ControlFlow;

fn run(scenario: &Scenario, seed: u64) -> Summary {
    let seed = Seed(seed);
    simulate(scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut ())
}

/// The smoke preset with something in it replaced.
fn smoke(from: &str, to: &str) -> Scenario {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    assert!(text.contains(from), "the preset says {from}");
    Scenario::parse(&text.replace(from, to)).unwrap()
}

#[test]
fn a_run_repeats_and_seeds_differ() {
    let jitter = smoke("computation_delay = \"50ns\"", "computation_delay = \"50ns\"\njitter = { scale = 0.5 }");
    let held_back = smoke("tick_interval = \"1s\"", "market_data_interval = \"100ms\"");
    for scenario in [Scenario::preset("smoke").unwrap(), Scenario::preset("rmsc04").unwrap(), jitter, held_back] {
        let (first, again, other) = (run(&scenario, 1), run(&scenario, 1), run(&scenario, 2));
        assert_eq!(first, again, "{}", scenario.name);
        assert_ne!(first.log_hash, other.log_hash, "{}", scenario.name);
        assert!(first.events > 1_000, "{}: a market of {} events is dead", scenario.name, first.events);
    }
}

/// To the latest close, so that the drawing of the close does not show. These hashes hold on every machine and in every build profile. Whoever changes the market on purpose changes them, and says so in the
/// changelog: results from before and after cannot be compared.
#[test]
fn the_market_is_still_the_same() {
    let cases = [
        ("lively", "2f7870812b25cdafe8ad59523de64546f146a45e2c41964ecc3c79f2b9d8648c"),
        ("rmsc03", "b8118444ba63fe4954cfa103d90af22ae64128a1f18e953fafbe78ac5df65b64"),
        ("rmsc04", "b795fb41d3a2aafcff680121985db2ef308b1f8b27801b896eca1722bdabdc7f"),
        ("smoke", "e38c4a8ed57fdaac19d34848d78e9bd3fea5dd75d9e029d0e674cfe8d52472a0"),
    ];
    for (preset, expected) in cases {
        let mut scenario = Scenario::preset(preset).unwrap();
        scenario.close_window = Nanos(0);
        assert_eq!(run(&scenario, 1).log_hash.to_string(), expected, "{preset}");
    }
}

#[test]
fn one_thread_and_eight_agree() {
    let scenario = &Scenario::preset("rmsc04").unwrap();
    let alone: Vec<_> = (1..=8).map(|seed| run(scenario, seed)).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..=8).map(|seed| scope.spawn(move || run(scenario, seed))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
}

/// A listener that is busy with other things.
#[derive(Default)]
struct Counter(u64);

impl EventSink for Counter {
    fn event(&mut self, _: &Event) {
        self.0 += 1;
    }
}

#[test]
fn listeners_change_nothing() {
    let scenario = Scenario::preset("smoke").unwrap();
    let silent = run(&scenario, 3);
    let desk = || scenario.new_desk(Seed(3));
    let mut counter = Counter::default();
    assert_eq!(simulate(&scenario, Seed(3), &mut Inert::new(desk()), &mut counter), silent);
    assert_eq!(counter.0, silent.events);
    let mut log = EventLog::new(Vec::new());
    assert_eq!(simulate(&scenario, Seed(3), &mut Inert::new(desk()), &mut log), silent);
    let (summary, bytes) = log.finish().unwrap();
    assert_eq!((summary.hash, blake3::hash(&bytes)), (silent.log_hash, silent.log_hash));
}

/// Does nothing, but not in the way of [`Inert`]: it reads, logs, draws and sets timers.
struct Idle(Desk);

impl Idle {
    fn look(&mut self) -> ControlFlow<()> {
        let later = self.0.now() + assay_model::Nanos(1_000_000);
        let _ = self.0.wake_at(later);
        self.0.log("nothing to do");
        self.0.random();
        ControlFlow::Continue(())
    }
}

impl Trader for Idle {
    fn desk(&mut self) -> &mut Desk {
        &mut self.0
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        self.look()
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.look()
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.look()
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        self.look()
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.look()
    }
}

#[test]
fn any_trader_without_orders_leaves_the_same_log() {
    let scenario = Scenario::preset("smoke").unwrap();
    let idle = simulate(&scenario, Seed(4), &mut Idle(scenario.new_desk(Seed(4))), &mut ());
    assert_eq!(idle.log_hash, run(&scenario, 4).log_hash);
    let no_ticks = smoke("tick_interval = \"1s\"", "tick_interval = \"0s\"");
    assert_eq!(run(&no_ticks, 4).log_hash, idle.log_hash);
}

/// Looks at the book every so often and compares its top with the last quote.
struct Watching {
    interval: Nanos,
    quote: Quote,
    seen: Vec<Time>,
}

impl EventSink for Watching {
    fn event(&mut self, event: &Event) {
        if let EventKind::Quote(quote) = event.kind {
            assert!(self.seen.last().is_none_or(|seen| *seen <= event.at), "shown before what comes at that time");
            self.quote = quote;
        }
    }
    fn depth_interval(&self) -> Option<Nanos> {
        Some(self.interval)
    }
    fn depth(&mut self, at: Time, exchange: &Exchange) {
        let mut levels = Vec::new();
        for (side, top) in [(Side::Buy, self.quote.bid), (Side::Sell, self.quote.ask)] {
            exchange.depth(side, 5, &mut levels);
            assert_eq!(levels.first().copied(), top);
        }
        self.seen.push(at);
    }
}

#[test]
fn whoever_wants_to_sees_the_book_on_a_grid_and_changes_nothing() {
    let scenario = Scenario::preset("smoke").unwrap();
    let session = scenario.close_at(Seed(1)).since(scenario.open).0;
    for (interval, times) in [(7_000_000_000, session / 7_000_000_000), (session, 1), (session + 1, 0), (0, 0)] {
        let mut watching = Watching { interval: Nanos(interval), quote: Quote::default(), seen: Vec::new() };
        let seed = Seed(1);
        let summary = simulate(&scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut watching);
        assert_eq!(summary, run(&scenario, 1), "every {interval} ns");
        let expected: Vec<Time> = (1..=times).map(|index| scenario.open + Nanos(index * interval)).collect();
        assert_eq!(watching.seen, expected, "every {interval} ns");
    }
}

/// Rests hidden orders far from the market at each tick, changes them, and takes them back.
struct Lurker(Desk);

impl Trader for Lurker {
    fn desk(&mut self) -> &mut Desk {
        &mut self.0
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        let Some(last) = self.0.quote().last else { return ControlFlow::Continue(()) };
        let open: Vec<OpenOrder> = self.0.open_orders().copied().collect();
        for (order, number) in open.iter().zip(0u32..) {
            let (id, price) = (order.id, order.price);
            let change = match number % 4 {
                0 => RequestKind::Cancel { order: id },
                1 => RequestKind::Modify { order: id, price, quantity: 7 },
                2 => RequestKind::Reduce { order: id, by: 1 },
                _ => RequestKind::Replace { order: id, price, quantity: 9 },
            };
            self.0.submit(change).unwrap();
        }
        let qualifiers = Qualifiers { hidden: true, ..Qualifiers::default() };
        for side in [Side::Buy, Side::Sell] {
            let price = last.cents() - side.sign() * last.cents() * 3 / 100;
            self.0.submit(RequestKind::Limit { side, price, quantity: 5, qualifiers }).unwrap();
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

/// Everybody's events but one agent's own, and how many those were.
struct Others {
    agent: AgentIndex,
    events: Vec<Event>,
    own: usize,
}

impl EventSink for Others {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Request { agent, .. } | EventKind::Update { agent, .. } if agent == self.agent => self.own += 1,
            _ => self.events.push(*event),
        }
    }
}

/// What a strategy did not cause is, event for event, what happens in its baseline.
#[test]
fn orders_that_nobody_meets_change_nothing() {
    for preset in ["smoke", "rmsc04"] {
        let scenario = Scenario::preset(preset).unwrap();
        for seed in [Seed(1), Seed(2)] {
            let others = |trader: &mut dyn Trader| {
                let mut others = Others { agent: scenario.trader(), events: Vec::new(), own: 0 };
                simulate(&scenario, seed, trader, &mut others);
                others
            };
            let baseline = others(&mut Inert::new(scenario.new_desk(seed)));
            let lurker = others(&mut Lurker(scenario.new_desk(seed)));
            assert_eq!(baseline.own, 0, "{preset}, {seed:?}: an inert trader has no entries");
            assert!(lurker.own > 300, "{preset}, {seed:?}: {} entries", lurker.own);
            assert!(lurker.events == baseline.events, "{preset}, {seed:?}: the others noticed");
        }
    }
}
