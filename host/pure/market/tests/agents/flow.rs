//! What the agents of order flow do: metaorders keep their side, crowds keep their number of orders, the informed trade at wrong prices only, spoofers
//! retreat. In a market without latency, so that what an agent sees is what is.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{AgentIndex, Event, EventKind, EventSink, Inert, Scenario, simulate};
use assay_model::{Nanos, OrderUpdate, Quote, Request, RequestKind, Seed, Side, UpdateKind};
use std::collections::BTreeSet;

/// The smoke market, five hours long and without latency, with one agent more.
fn market(kind: &str, keys: &str) -> Scenario {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let group = format!("[[agents]]\nkind = \"{kind}\"\nname = \"tested\"\ncount = 1\n{keys}\n\n[strategy]");
    let text = text
        .replace("line_metres = 3_866_660", "line_metres = 0")
        .replace("computation_delay = \"50ns\"", "computation_delay = \"0ns\"")
        .replace("close = 09:32:00", "close = 11:30:00")
        .replace("volatility_per_root_second = 1.5", "volatility_per_root_second = 0")
        .replace("tick_interval = \"1s\"", "tick_interval = \"0s\"")
        .replace("[strategy]", &group);
    Scenario::parse(&text).unwrap()
}

/// What is known when something happens to the tested agent: the quote before, and what.
enum Seen {
    Asked(Quote, Request),
    Told(OrderUpdate),
}

struct Watch {
    tested: AgentIndex,
    quote: Quote,
    seen: Vec<Seen>,
}

impl EventSink for Watch {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Request { agent, request } if agent == self.tested => {
                self.seen.push(Seen::Asked(self.quote, request));
            }
            EventKind::Update { agent, update } if agent == self.tested => self.seen.push(Seen::Told(update)),
            EventKind::Quote(quote) => self.quote = quote,
            _ => {}
        }
    }
}

fn watch(scenario: &Scenario) -> Vec<Seen> {
    let tested = AgentIndex(scenario.trader().0 - 1);
    let mut watch = Watch { tested, quote: Quote::default(), seen: Vec::new() };
    simulate(scenario, Seed(11), &mut Inert::new(scenario.new_desk(Seed(11))), &mut watch);
    watch.seen
}

fn asked(seen: &[Seen]) -> impl Iterator<Item = (&Quote, &Request)> {
    seen.iter().filter_map(|seen| match seen {
        Seen::Asked(quote, request) => Some((quote, request)),
        Seen::Told(_) => None,
    })
}

fn touch(quote: &Quote) -> (i64, i64) {
    (quote.bid.unwrap().price.cents(), quote.ask.unwrap().price.cents())
}

#[test]
fn the_pieces_of_a_metaorder_have_one_side() {
    // Share of neighbouring market orders on the same side: one half where every order is a piece of its own, near one for long orders.
    for (keys, range) in [
        ("most_pieces = 1", 0.45..0.55),
        ("tail_exponent = 1.5", 0.75..0.95),
        ("tail_exponent = 0.5\nmost_pieces = 500", 0.97..1.0),
    ] {
        let scenario = market("metaorder", &format!("wake_interval = \"3s\"\n{keys}"));
        let sides: Vec<Side> = asked(&watch(&scenario))
            .map(|(_, request)| match request.kind {
                RequestKind::Market { side, .. } => side,
                other => panic!("{other:?} is not a market order"),
            })
            .collect();
        let same = sides.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64 / (sides.len() - 1) as f64;
        assert!(sides.len() > 1_500 && range.contains(&same), "{keys}: {same} of {} have the side before", sides.len());
    }
}

#[test]
fn a_crowd_keeps_its_number_of_orders_and_its_share_of_takers() {
    let keys = "wake_interval = \"1s\"\nself_excitation = 0.5\ntaker_share = 0.3\ndepth = 4\nresting_orders = 12";
    let seen = watch(&market("hawkes", keys));
    let (mut resting, mut most) = (BTreeSet::new(), 0);
    let (mut makers, mut takers, mut distance) = (0.0, 0.0, 0.0);
    for seen in &seen {
        match seen {
            Seen::Asked(quote, Request { kind: RequestKind::Limit { side, price, .. }, .. }) => {
                let behind = match (side, quote.bid, quote.ask) {
                    (Side::Buy, _, Some(ask)) => ask.price.cents() - 1 - price,
                    (Side::Sell, Some(bid), _) => price - bid.price.cents() - 1,
                    _ => 0,
                };
                assert!(behind >= 0, "a limit order rests: it is {behind} behind");
                makers += 1.0;
                distance += behind as f64;
            }
            Seen::Asked(_, Request { kind: RequestKind::Market { .. }, .. }) => takers += 1.0,
            Seen::Asked(..) => {}
            Seen::Told(update) => {
                match update.kind {
                    UpdateKind::Accepted => resting.insert(update.order),
                    _ if update.remaining == 0 => resting.remove(&update.order),
                    _ => false,
                };
                most = most.max(resting.len());
            }
        }
    }
    assert_eq!(most, 13, "twelve rest while a market order is handled");
    let share = takers / (makers + takers);
    assert!(makers + takers > 5_000.0 && (0.28..0.32).contains(&share), "{share} of {} take", makers + takers);
    // The mean of an exponential of mean 4 cut to whole numbers: 1 / (e^¼ − 1) = 3.52.
    let mean = distance / makers;
    assert!((3.3..3.75).contains(&mean), "the mean distance is {mean}");
}

#[test]
fn the_informed_trade_at_wrong_prices_only() {
    let mut orders = 0;
    for (quote, request) in asked(&watch(&market("informed", "wake_interval = \"1s\"\nedge = 3"))) {
        if let RequestKind::Limit { side, price, .. } = request.kind {
            orders += 1;
            let (bid, ask) = (quote.bid.map(|level| level.price.cents()), quote.ask.map(|level| level.price.cents()));
            // The value is 10,000 always.
            match side {
                Side::Buy => assert!(price < 9_997 && ask == Some(price), "buys at {price} of {ask:?}"),
                Side::Sell => assert!(price > 10_003 && bid == Some(price), "sells at {price} of {bid:?}"),
            }
        }
    }
    assert!(orders > 20, "prices are wrong at times: {orders}");
}

#[test]
fn a_spoofer_shows_an_order_and_retreats_before_it_trades() {
    let keys =
        "wake_interval = \"100ms\"\nown_size = { least = 7, most = 7 }\nshown_size = 5_000\ndistance = 6\nretreat = 2";
    let seen = watch(&market("spoofer", keys));
    let mut shown = None;
    let (mut traded, mut retreats, mut large_fills, mut cycles) = (false, 0, 0, 0);
    for seen in &seen {
        match seen {
            Seen::Asked(quote, Request { id, kind: RequestKind::Limit { side, price, quantity: 5_000, .. } }) => {
                let (bid, ask) = touch(quote);
                assert_eq!(*price, if *side == Side::Buy { bid - 6 } else { ask + 6 }, "at its distance");
                if let Some((_, last, _)) = shown {
                    assert_ne!(*side, last, "it changes sides");
                }
                (shown, traded, cycles) = (Some((*id, *side, *price)), false, cycles + 1);
            }
            Seen::Asked(_, Request { kind: RequestKind::Limit { side, quantity, .. }, .. }) => {
                assert_eq!((*quantity, Some(side.opposite())), (7, shown.map(|(_, side, _)| side)), "its own order");
            }
            Seen::Asked(quote, Request { kind: RequestKind::CancelAll, .. }) => {
                let ((bid, ask), (_, side, price)) = (touch(quote), shown.unwrap());
                let room = if side == Side::Buy { bid - price } else { price - ask };
                assert!(traded || room <= 2, "it stays while there is room: {room}");
                retreats += usize::from(!traded);
            }
            Seen::Asked(_, request) => panic!("{request:?} is none of its requests"),
            Seen::Told(OrderUpdate { order, kind: UpdateKind::Fill { .. }, .. }) => {
                traded = true;
                large_fills += usize::from(shown.is_some_and(|(id, ..)| id == *order));
            }
            Seen::Told(_) => {}
        }
    }
    assert!(cycles > 50 && retreats > 5, "{cycles} large orders, {retreats} retreats");
    assert!(large_fills * 10 < cycles, "{large_fills} of {cycles} large orders were hit");
}

#[test]
fn when_they_act_does_not_depend_on_the_market() {
    let keys = "wake_interval = \"1s\"\nself_excitation = 0.8\nedge_ratio = 3";
    let times = |scenario: &Scenario| -> Vec<_> {
        let mut times = Vec::new();
        let tested = scenario.trader().0 - 1;
        let mut sink = Sink(|event: &Event| {
            if let EventKind::Request { agent: AgentIndex(agent), request } = event.kind
                && agent == tested
            {
                times.push((event.at, request.kind));
            }
        });
        simulate(scenario, Seed(3), &mut Inert::new(scenario.new_desk(Seed(3))), &mut sink);
        times
    };
    let market = market("metaorder", keys);
    let emptier = Scenario::parse(&market.to_toml().replace("count = 20", "count = 3")).unwrap();
    let (full, empty) = (times(&market), times(&emptier));
    assert_eq!(full, empty, "a metaorder agent sends the same orders into another market");
    assert!(full.len() > 5_000 && full[0].0.since(market.open) < Nanos::from_secs(60));
}

/// Calls a closure with each event.
struct Sink<F>(F);

impl<F: FnMut(&Event)> EventSink for Sink<F> {
    fn event(&mut self, event: &Event) {
        self.0(event);
    }
}
