//! Several strategies in one market, and episodes run in pieces: neither changes what it must not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{
    AgentIndex, Episode, Event, EventKind, EventSink, Inert, SEATS_MAX, Scenario, Summary, Trader, roster, simulate,
    simulate_seats,
};
use assay_model::{Desk, Nanos, OrderUpdate, Qualifiers, RequestKind, Seed, Side, StrategyConfig, Time, UpdateKind};
use std::ops::ControlFlow;

const SEED: Seed = Seed(4);

/// Draws at each tick and trades a little: at random, or always at the touch.
struct Trades {
    desk: Desk,
    draws: Vec<u64>,
    config: Option<StrategyConfig>,
}

impl Trades {
    fn new(scenario: &Scenario, seat: usize) -> Self {
        Self { desk: scenario.new_desk_for(SEED, seat), draws: Vec::new(), config: None }
    }
}

impl Trader for Trades {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.config = Some(config.clone());
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        let draw = self.desk.random();
        self.draws.push(draw);
        let side = if draw.is_multiple_of(2) { Side::Buy } else { Side::Sell };
        let best = match side {
            Side::Buy => self.desk.quote().bid,
            Side::Sell => self.desk.quote().ask,
        };
        let kind = match best.filter(|_| draw % 5 < 3) {
            Some(level) => {
                let (price, qualifiers) = (level.price.cents(), Qualifiers::default());
                RequestKind::Limit { side, price, quantity: 20, qualifiers }
            }
            None => RequestKind::Market { side, quantity: 1 + draw % 50 },
        };
        self.desk.submit(kind).unwrap();
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

#[derive(Default)]
struct Record(Vec<Event>);

impl EventSink for Record {
    fn event(&mut self, event: &Event) {
        self.0.push(*event);
    }
}

/// A market in which most messages have random latency and some get lost, so that a draw too many would show.
fn market() -> Scenario {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let chance = "[network]\njitter = { clip = 0.1 }\nmessages = { snapshot = { loss = 0.1 } }";
    assert!(text.contains("[network]"));
    let mut scenario = Scenario::parse(&text.replace("[network]", chance)).unwrap();
    scenario.fees = assay_market::metrics::Fees::NONE;
    scenario
}

fn trade(scenario: &Scenario, seats: usize) -> (Summary, Vec<Trades>, Vec<Event>) {
    let mut traders: Vec<Trades> = (0..seats).map(|seat| Trades::new(scenario, seat)).collect();
    let mut lent: Vec<&mut dyn Trader> = traders.iter_mut().map(|trader| trader as &mut dyn Trader).collect();
    let mut record = Record::default();
    let summary = simulate_seats(scenario, SEED, &mut lent, &mut record);
    (summary, traders, record.0)
}

fn first_requests(events: &[Event]) -> Vec<(AgentIndex, Time)> {
    let mut seen: Vec<(AgentIndex, Time)> = Vec::new();
    for event in events {
        if let EventKind::Request { agent, .. } = event.kind
            && seen.iter().all(|(other, _)| *other != agent)
        {
            seen.push((agent, event.at));
        }
    }
    seen.sort_unstable();
    seen
}

#[test]
fn a_seat_that_does_nothing_changes_nothing() {
    for preset in ["smoke", "rmsc04", "lively"] {
        let scenario = Scenario::preset(preset).unwrap();
        let mut alone = Trades::new(&scenario, 0);
        let expected = simulate(&scenario, SEED, &mut alone, &mut ());
        let mut trader = Trades::new(&scenario, 0);
        let (mut second, mut third) =
            (Inert::new(scenario.new_desk_for(SEED, 1)), Inert::new(scenario.new_desk_for(SEED, 2)));
        let summary = simulate_seats(&scenario, SEED, &mut [&mut trader, &mut second, &mut third], &mut ());
        assert_eq!((summary.log_hash, &summary.seats[..1]), (expected.log_hash, &expected.seats[..]), "{preset}");
        assert_eq!((trader.draws, trader.desk.cash()), (alone.draws, alone.desk.cash()), "{preset}");
        // Nor does one that is not there.
        let mut inert = Inert::new(scenario.new_desk(SEED));
        let with = simulate(&scenario, SEED, &mut inert, &mut ());
        assert_eq!(simulate_seats(&scenario, SEED, &mut [], &mut ()).log_hash, with.log_hash, "{preset}");
    }
}

#[test]
fn a_seat_that_trades_changes_nobodys_draws() {
    let scenario = market();
    let (alone, lone, alone_events) = trade(&scenario, 1);
    let (together, both, events) = trade(&scenario, 2);
    assert_ne!(alone.log_hash, together.log_hash, "the second one does trade");
    assert_eq!(lone[0].draws, both[0].draws);
    assert_ne!(both[0].draws, both[1].draws, "each has a stream of its own");
    let (one, two) = (roster(&scenario, SEED, 1), roster(&scenario, SEED, 2));
    assert_eq!(one[..], two[..one.len()]);
    assert_eq!((two[one.len() - 1].name.as_str(), two[one.len()].name.as_str()), ("strategy", "strategy-2"));
    // Everybody's first request comes when it came: latency, jitter and wake-ups were drawn as before.
    let (before, after) = (first_requests(&alone_events), first_requests(&events));
    assert_eq!(before[..], after[..before.len()]);
    assert_eq!(after.len(), before.len() + 1);
}

#[test]
fn many_seats_repeat_and_each_has_its_own_purse() {
    let scenario = market();
    for seats in [2, 4, SEATS_MAX] {
        let (first, traders, events) = trade(&scenario, seats);
        let (again, ..) = trade(&scenario, seats);
        assert_eq!(first, again);
        assert_eq!(first.seats.len(), seats);
        for (number, (mut trader, seat)) in traders.into_iter().zip(&first.seats).enumerate() {
            assert_eq!(seat.agent, scenario.seat(number));
            assert_eq!(trader.config, Some(scenario.strategy_config()));
            let mut cash = scenario.starting_cash;
            let mut position = 0;
            let mut sides = std::collections::BTreeMap::new();
            for event in events.iter() {
                match event.kind {
                    EventKind::Request { agent, request } if agent == seat.agent => match request.kind {
                        RequestKind::Limit { side, .. } | RequestKind::Market { side, .. } => {
                            sides.insert(request.id, side.sign());
                        }
                        _ => {}
                    },
                    EventKind::Update { agent, update } if agent == seat.agent => {
                        if let UpdateKind::Fill { price, quantity, .. } = update.kind {
                            let signed = sides[&update.order] * i64::from(quantity);
                            position += signed;
                            cash -= signed * price.cents();
                        }
                    }
                    _ => {}
                }
            }
            assert_eq!((trader.desk().cash(), trader.desk().position()), (cash, position), "seat {number}");
        }
    }
}

/// All who watch are sent the same quotes at the same time.
#[test]
fn quotes_go_to_every_seat() {
    #[derive(Debug)]
    struct Watches(Desk, Vec<(Time, u64, usize)>);
    impl Trader for Watches {
        fn desk(&mut self) -> &mut Desk {
            &mut self.0
        }
        fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn on_tick(&mut self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn on_market_data(&mut self) -> ControlFlow<()> {
            let depth = self.0.depth(Side::Buy).len() + self.0.depth(Side::Sell).len();
            self.1.push((self.0.now(), self.0.quote().sequence, depth));
            ControlFlow::Continue(())
        }
        fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn on_simulation_end(&mut self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }
    let scenario = Scenario::preset("smoke").unwrap();
    let [mut a, mut b, mut c] = [0, 1, 2].map(|seat| Watches(scenario.new_desk_for(SEED, seat), Vec::new()));
    let mut deaf = Inert::new(scenario.new_desk_for(SEED, 3));
    simulate_seats(&scenario, SEED, &mut [&mut a, &mut b, &mut deaf, &mut c], &mut ());
    assert!(a.1.len() > 100);
    assert!(a.1 == b.1 && a.1 == c.1);
}

#[test]
fn an_episode_in_pieces_is_the_same() {
    for scenario in [Scenario::preset("rmsc04").unwrap(), market()] {
        let whole = trade(&scenario, 2).0;
        for step in [Nanos::SECOND, Nanos(977_777_777), Nanos::from_secs(600)] {
            let (mut a, mut b) = (Trades::new(&scenario, 0), Trades::new(&scenario, 1));
            let mut traders: [&mut dyn Trader; 2] = [&mut a, &mut b];
            let mut record = Record::default();
            let mut episode = Episode::new(&scenario, SEED, &mut traders, &mut record);
            let mut until = scenario.open;
            while !episode.is_over() {
                episode.run_until(until, &mut traders, &mut record);
                assert!(record.0.last().is_none_or(|event| event.at < until));
                assert!(episode.next_at().is_none_or(|at| at >= until));
                until = until + step;
            }
            assert_eq!(episode.finish(&mut traders, &mut record), whole);
        }
        // It may also be finished before it is over.
        let (mut a, mut b) = (Trades::new(&scenario, 0), Trades::new(&scenario, 1));
        let mut traders: [&mut dyn Trader; 2] = [&mut a, &mut b];
        let mut episode = Episode::new(&scenario, SEED, &mut traders, &mut ());
        episode.run_until(scenario.open + Nanos::from_secs(30), &mut traders, &mut ());
        assert_eq!(episode.finish(&mut traders, &mut ()), whole);
    }
}

/// One that fails is taken out; the others go on.
#[test]
fn one_that_is_stopped_leaves_the_others_alone() {
    struct Breaks(Trades, u32);
    impl Trader for Breaks {
        fn desk(&mut self) -> &mut Desk {
            self.0.desk()
        }
        fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
            self.0.initialize(config)
        }
        fn on_tick(&mut self) -> ControlFlow<()> {
            self.1 -= 1;
            if self.1 == 0 { ControlFlow::Break(()) } else { self.0.on_tick() }
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
    let scenario = Scenario::preset("smoke").unwrap();
    let mut fails = Breaks(Trades::new(&scenario, 0), 10);
    let mut lives = Trades::new(&scenario, 1);
    let summary = simulate_seats(&scenario, SEED, &mut [&mut fails, &mut lives], &mut ());
    assert_eq!(fails.0.draws.len(), 9);
    assert!(summary.seats[0].stopped.is_some() && summary.seats[1].stopped.is_none());
    assert!(lives.draws.len() > 100, "{}", lives.draws.len());
}
