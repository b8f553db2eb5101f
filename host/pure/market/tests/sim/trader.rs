//! How a strategy is driven: which callbacks come when, what its desk holds then, and what becomes of its requests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{
    Event, EventKind, EventSink, INITIALIZE_BEFORE_OPEN, Scenario, StopCause, Summary, Trader, WAKEUP_DELAY_MIN,
    simulate,
};
use assay_model::{
    Desk, Nanos, OrderUpdate, Qualifiers, Quote, Reason, RequestKind, Seed, Side, StrategyConfig, Time, UpdateKind,
};
use std::ops::ControlFlow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Initialize,
    Tick,
    MarketData,
    Update(OrderUpdate),
    End,
}

/// Keeps a record of its callbacks and does what a closure says.
struct Scripted<F> {
    desk: Desk,
    calls: Vec<(Time, Call)>,
    quotes: Vec<(Time, Quote)>,
    script: F,
}

impl<F: FnMut(&mut Desk, Call) -> ControlFlow<()>> Scripted<F> {
    fn called(&mut self, call: Call) -> ControlFlow<()> {
        self.calls.push((self.desk.now(), call));
        (self.script)(&mut self.desk, call)
    }
}

impl<F: FnMut(&mut Desk, Call) -> ControlFlow<()>> Trader for Scripted<F> {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        self.called(Call::Initialize)
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.called(Call::Tick)
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.quotes.push((self.desk.now(), *self.desk.quote()));
        self.called(Call::MarketData)
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.called(Call::Update(*update))
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.called(Call::End)
    }
}

#[derive(Default)]
struct Events(Vec<Event>);

impl EventSink for Events {
    fn event(&mut self, event: &Event) {
        self.0.push(*event);
    }
}

struct Run {
    scenario: Scenario,
    summary: Summary,
    calls: Vec<(Time, Call)>,
    quotes: Vec<(Time, Quote)>,
    events: Vec<Event>,
    desk: Desk,
}

impl Run {
    fn times(&self, wanted: impl Fn(Call) -> bool) -> Vec<Time> {
        self.calls.iter().filter(|(_, call)| wanted(*call)).map(|(at, _)| *at).collect()
    }
}

/// Runs the smoke market with `strategy` as its strategy section.
fn run(strategy: &str, script: impl FnMut(&mut Desk, Call) -> ControlFlow<()>) -> Run {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let (market, _) = text.split_once("[strategy]").unwrap();
    // So wide that bids of a cent rest.
    let market = market.replace("price_band_basis_points = 500 ", "price_band_basis_points = 10_000 ");
    run_in(&format!("{market}[strategy]\n{strategy}"), script)
}

fn run_in(scenario: &str, script: impl FnMut(&mut Desk, Call) -> ControlFlow<()>) -> Run {
    let mut scenario = Scenario::parse(scenario).unwrap();
    scenario.close_window = Nanos(0);
    scenario.fees = assay_market::metrics::Fees::NONE;
    let desk = scenario.new_desk(Seed(5));
    let mut trader = Scripted { desk, calls: Vec::new(), quotes: Vec::new(), script };
    let mut events = Events::default();
    let summary = simulate(&scenario, Seed(5), &mut trader, &mut events);
    let Scripted { desk, calls, quotes, .. } = trader;
    Run { scenario, summary, calls, quotes, events: events.0, desk }
}

fn go_on(_: &mut Desk, _: Call) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn buy(desk: &mut Desk, price: i64, quantity: u64) {
    let kind = RequestKind::Limit { side: Side::Buy, price, quantity, qualifiers: Qualifiers::default() };
    desk.submit(kind).unwrap();
}

#[test]
fn callbacks_come_in_order_and_ticks_on_time() {
    let run = run("tick_interval = \"1s\"", go_on);
    let open = run.scenario.open;
    assert_eq!(run.calls.first(), Some(&(Time(open.0 - INITIALIZE_BEFORE_OPEN.0), Call::Initialize)));
    assert_eq!(run.calls.last(), Some(&(run.summary.ended_at, Call::End)));
    assert!(run.calls.is_sorted_by_key(|(at, _)| *at));
    let ticks = run.times(|call| call == Call::Tick);
    assert_eq!(ticks, (0..120).map(|second| open + Nanos::from_secs(second)).collect::<Vec<_>>());
    assert_eq!(run.summary.seats[0].stopped, None);
}

#[test]
fn zero_means_no_ticks() {
    assert_eq!(run("tick_interval = \"0s\"", go_on).times(|call| call == Call::Tick), []);
}

#[test]
fn every_quote_arrives_after_the_latency() {
    let run = run("latency = \"3ms\"", go_on);
    let published = run.events.iter().filter_map(|event| match event.kind {
        EventKind::Quote(quote) => Some(quote),
        _ => None,
    });
    // The first calls come when there is a market to speak of.
    let published: Vec<Quote> = published.skip_while(|quote| quote.bid.is_none() || quote.ask.is_none()).collect();
    assert!(
        published.iter().any(|quote| quote.bid.is_none() || quote.ask.is_none()),
        "sides go empty later all the same"
    );
    assert_eq!(run.quotes.iter().map(|(_, quote)| *quote).collect::<Vec<_>>(), published);
    for (received, quote) in &run.quotes {
        let late = received.since(quote.at + Nanos(3_000_000));
        // A quote may wait while the strategy is busy with those before it.
        assert!(*received >= quote.at + Nanos(3_000_000) && late < Nanos(100_000), "{late:?}");
    }
}

#[test]
fn jitter_delays_but_keeps_the_order() {
    let text = Scenario::preset("smoke").unwrap().to_toml().replace("[network]", "[network]\njitter = { clip = 0.1 }");
    let run = run_in(&text, go_on);
    assert!(run.quotes.is_sorted_by_key(|(_, quote)| quote.sequence));
    let delays: Vec<u64> = run.quotes.iter().map(|(at, quote)| at.since(quote.at).0).collect();
    // The least is 1 ms × (1 + 0.5 / 10); the greatest, at x = 0.1, is 51 ms, and whoever comes right behind waits as long.
    let (least, greatest) = (*delays.iter().min().unwrap(), *delays.iter().max().unwrap());
    assert!((1_050_000..1_060_000).contains(&least), "{least}");
    assert!((20_000_000..51_100_000).contains(&greatest), "{greatest}");
}

#[test]
fn held_back_quotes_do_not_starve() {
    let every = run("", go_on);
    let run = run("market_data_interval = \"250ms\"\nlatency = \"1ms\"", go_on);
    let interval = Nanos(250_000_000);
    let times: Vec<Time> = run.quotes.iter().map(|(at, _)| *at).collect();
    assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) >= interval), "never closer than the interval");
    assert!(run.quotes.len() < every.quotes.len());
    // Whatever changed at the exchange is known here an interval (and a latency, and some waiting) later.
    for (_, quote) in &every.quotes {
        let known_by = quote.at + interval + Nanos(1_100_000);
        if known_by < run.scenario.close {
            let known = run.quotes.iter().any(|(at, known)| *at <= known_by && known.sequence >= quote.sequence);
            assert!(known, "quote {} is not known in time", quote.sequence);
        }
    }
}

#[test]
fn a_request_takes_the_latency_both_ways() {
    let mut sent = None;
    let run = run("latency = \"2ms\"", |desk, call| {
        if call == Call::Tick && desk.now() >= Time(0) && sent.is_none() {
            sent = Some(desk.now());
            buy(desk, 1, 100);
        }
        ControlFlow::Continue(())
    });
    let arrived = run.events.iter().find_map(|event| match event.kind {
        EventKind::Request { agent, .. } if agent == run.summary.seats[0].agent => Some(event.at),
        _ => None,
    });
    let (sent, arrived) = (sent.unwrap(), arrived.unwrap());
    assert_eq!(arrived, sent + run.scenario.network.computation_delay + Nanos(2_000_000));
    let (answered, Call::Update(answer)) =
        run.calls.iter().copied().find(|(_, call)| matches!(call, Call::Update(_))).unwrap()
    else {
        unreachable!("the search is for updates")
    };
    assert_eq!((answer.kind, answer.at), (UpdateKind::Accepted, arrived));
    assert!(answered >= arrived + Nanos(2_000_000));
}

#[test]
fn the_desk_follows_fills_and_every_order_ends() {
    let run = run("", |desk, call| {
        if call == Call::Tick {
            let ask = desk.quote().ask.map_or(1, |ask| ask.price.cents());
            buy(desk, ask, 10);
            buy(desk, ask - 50, 10);
        }
        ControlFlow::Continue(())
    });
    let (mut position, mut cash) = (0, run.scenario.starting_cash);
    for event in &run.events {
        if let EventKind::Trade { price, quantity, maker, taker, taker_side } = event.kind {
            let side = if taker.0 == run.summary.seats[0].agent {
                taker_side.sign()
            } else if maker.0 == run.summary.seats[0].agent {
                -taker_side.sign()
            } else {
                continue;
            };
            position += side * i64::from(quantity);
            cash -= side * i64::from(quantity) * price.cents();
        }
    }
    assert!(position > 0, "it bought something");
    assert_eq!((run.desk.position(), run.desk.cash()), (position, cash));
    assert_eq!(run.desk.open_orders_all(), 0);
    let (_, last) = run.calls[run.calls.len() - 2];
    assert!(matches!(
        last,
        Call::Update(OrderUpdate { kind: UpdateKind::Cancelled { reason: Reason::MarketClosed }, .. })
    ));
}

#[test]
fn wake_ups_come_when_asked_for_and_never_at_once() {
    let ask_for = |asked: Vec<Time>| {
        let run = run("tick_interval = \"0s\"", move |desk, call| {
            if call == Call::Initialize {
                asked.iter().for_each(|at| desk.wake_at(*at).unwrap());
            }
            ControlFlow::Continue(())
        });
        run.times(|call| call == Call::Tick)
    };
    let Scenario { open, close, .. } = Scenario::preset("smoke").unwrap();
    let second = open + Nanos::SECOND;
    assert_eq!(ask_for(vec![second]), [second]);
    assert_eq!(ask_for(vec![second, second, open]), [open, second], "one wake-up at one time");
    assert_eq!(ask_for(vec![Time(0), Time(1), open]), [open], "not before the open");
    assert_eq!(ask_for(vec![close, Time(u64::MAX)]), [], "not after the close");

    let mut asked = false;
    let run = run("tick_interval = \"0s\"", |desk, call| {
        if call == Call::MarketData && !asked {
            asked = true;
            desk.wake_at(Time(0)).unwrap();
        }
        ControlFlow::Continue(())
    });
    let first_quote = run.times(|call| call == Call::MarketData)[0];
    assert_eq!(run.times(|call| call == Call::Tick), [first_quote + WAKEUP_DELAY_MIN]);
}

#[test]
fn a_request_before_the_open_comes_too_early() {
    let run = run("", |desk, call| {
        if call == Call::Initialize {
            buy(desk, 100, 1);
        }
        ControlFlow::Continue(())
    });
    let updates: Vec<_> = run.calls.iter().filter(|(_, call)| matches!(call, Call::Update(_))).collect();
    let Call::Update(update) = updates[0].1 else { unreachable!("these are updates") };
    assert_eq!((updates.len(), update.kind), (1, UpdateKind::Rejected { reason: Reason::MarketNotOpen }));
}

#[test]
fn a_broken_trader_is_called_no_more_and_its_orders_go() {
    for breaks_at in [0, 1, 10] {
        let mut ticks = 0;
        let run = run("", |desk, call| {
            // Not in the first half minute: while the book is empty, somebody sells for a cent.
            let breaks = if call == Call::Tick && desk.now().0 % 60_000_000_000 >= 30_000_000_000 {
                buy(desk, 1, 7);
                ticks += 1;
                ticks > breaks_at
            } else {
                breaks_at == 0 && call == Call::Initialize
            };
            if breaks { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let (stopped_at, last) = *run.calls.last().unwrap();
        assert_eq!(last, if breaks_at == 0 { Call::Initialize } else { Call::Tick });
        assert_eq!(run.summary.seats[0].stopped, Some((stopped_at, StopCause::Broke)));
        assert_eq!(run.desk.open_orders_all(), 0, "what the last callback asked for was refused");
        let taken_out = run.events.iter().filter(|event| match event.kind {
            EventKind::Update { agent, update } => {
                agent == run.summary.seats[0].agent
                    && update.kind == UpdateKind::Cancelled { reason: Reason::TraderStopped }
            }
            _ => false,
        });
        assert_eq!(taken_out.count(), breaks_at);
        assert!(run.summary.ended_at >= run.scenario.close, "the market goes on without it");
    }
}

#[test]
fn in_the_warm_up_quotes_reach_the_desk_but_the_trader_is_not_called_and_does_not_trade() {
    let run = run("warm_up = \"30s\"", |desk, call| {
        let refused = |update: OrderUpdate| matches!(update.kind, UpdateKind::Rejected { .. });
        match call {
            // Again and again, until the market is open.
            Call::Update(update) if refused(update) => buy(desk, 1, 1),
            Call::Initialize => buy(desk, 1, 1),
            Call::Tick => assert!(desk.quote().sequence > 10, "the market has been there for a while"),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    let opens = run.scenario.open + Nanos::from_secs(30);
    assert_eq!(run.scenario.strategy_config().market_open, opens);
    assert_eq!(run.times(|call| call == Call::Tick)[0], opens);
    assert!(run.times(|call| call == Call::MarketData)[0] >= opens);
    let mut seen = (0, 0);
    for event in &run.events {
        let EventKind::Update { agent, update } = event.kind else { continue };
        let early = update.kind == UpdateKind::Rejected { reason: Reason::MarketNotOpen };
        if agent == run.summary.seats[0].agent && (early || update.kind == UpdateKind::Accepted) {
            assert_eq!(early, event.at < opens);
            if early { seen.0 += 1 } else { seen.1 += 1 }
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0, "{seen:?}");
}
