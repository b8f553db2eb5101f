//! The `halt` preset: a halt that is known beforehand, a sell-off that trips the circuit breaker, and what a strategy is told of both.

use assay_market::{Event, EventKind, EventSink, Scenario, Session, Trader, simulate};
use assay_model::{
    Desk, Nanos, OrderUpdate, Reason, RequestKind, Seed, Side, StrategyConfig, Terms, Time, TimeInForce, UpdateKind,
};
use std::ops::{ControlFlow, Range};

/// Each second trades one share, in turn by an order at market and by one at the last price that is not to wait.
struct Prober {
    desk: Desk,
    heard: Vec<OrderUpdate>,
}

impl Trader for Prober {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        let second = self.desk.now().0 / 1_000_000_000;
        let side = if second.is_multiple_of(2) { Side::Buy } else { Side::Sell };
        let kind = match self.desk.quote().last {
            Some(last) if second % 4 < 2 => {
                RequestKind::Order(Terms::limit(side, last.cents(), 1).with(TimeInForce::ImmediateOrCancel))
            }
            _ => RequestKind::Market { side, quantity: 1 },
        };
        // A full outbox is no matter: there is one request a callback.
        let _ = self.desk.submit(kind);
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.heard.push(*update);
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Tape {
    sessions: Vec<(Time, Session)>,
    /// Time and price in cents.
    trades: Vec<(Time, i64)>,
    /// How many trades there were when trading became continuous, by that time: continuous trading may begin within the auction's nanosecond.
    reopened: Vec<(Time, usize)>,
}

impl EventSink for Tape {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Session(session) => {
                self.sessions.push((event.at, session));
                if session == Session::Continuous {
                    self.reopened.push((event.at, self.trades.len()));
                }
            }
            EventKind::Trade { price, .. } => self.trades.push((event.at, price.cents())),
            _ => {}
        }
    }
}

impl Tape {
    fn prices(&self, during: Range<Time>) -> Vec<i64> {
        self.trades.iter().filter(|(at, _)| during.contains(at)).map(|(_, price)| *price).collect()
    }

    /// Prices of the auction that ended a halt.
    fn auction(&self, until: Time) -> Vec<i64> {
        let before = self.reopened.iter().find(|(at, _)| *at == until).map_or(0, |(_, count)| *count);
        self.trades[..before].iter().filter(|(at, _)| *at == until).map(|(_, price)| *price).collect()
    }

    /// The session's first price, and the last before `at`.
    fn first_and_last(&self, at: Time) -> (i64, i64) {
        let before = self.trades.iter().rev().find(|(time, _)| *time <= at);
        (self.trades[0].1, before.map_or(0, |(_, price)| *price))
    }
}

#[test]
fn trading_stops_twice_and_begins_again_with_an_auction() {
    // The prober is there to be told, and buys more than it could pay for.
    let text = Scenario::preset("halt").unwrap().to_toml().to_owned();
    let scenario =
        Scenario::parse(&text.replace("[strategy]", "[strategy]\nmargin_long = 0\nmargin_short = 0")).unwrap();
    let mut tripped = 0;
    for seed in (1..=8).map(Seed) {
        let mut prober = Prober { desk: scenario.new_desk(seed), heard: Vec::new() };
        let mut tape = Tape::default();
        simulate(&scenario, seed, &mut prober, &mut tape);
        let stops: Vec<_> = tape.sessions.chunks(2).collect();
        let known = stops.iter().filter(|stop| stop[1].0.since(stop[0].0) == Nanos::from_secs(600)).count();
        assert_eq!(known, 1, "{seed:?}: one halt is announced: {:?}", tape.sessions);
        for stop in stops {
            let (from, until) = (stop[0].0, stop[1].0);
            if until.since(from) == Nanos::from_secs(300) {
                tripped += 1;
                let (first, last) = tape.first_and_last(from);
                assert!((first - last) * 10_000 >= 200 * first, "{seed:?}: from {first} to {last}");
            }
            check(seed, &tape, &prober.heard, from, until);
            let after = tape.prices(until + Nanos(1)..until + Nanos::from_secs(60)).len();
            assert!(after > 0, "{seed:?}: nobody trades in the minute after");
        }
    }
    assert!(tripped > 0, "a circuit breaker acts in some of the seeds");
}

/// Nobody trades from `from` to `until`, then all at one price; the strategy is told.
fn check(seed: Seed, tape: &Tape, heard: &[OrderUpdate], from: Time, until: Time) {
    let expected = [(from, Session::Call), (until, Session::Continuous)];
    assert!(tape.sessions.windows(2).any(|pair| pair == expected), "{seed:?}: {:?}", tape.sessions);
    assert_eq!(tape.prices(from + Nanos(1)..until), [], "{seed:?}: nobody trades");
    let auction = tape.auction(until);
    assert!(auction.len() > 10 && auction.iter().all(|price| *price == auction[0]), "{seed:?}: {auction:?}");
    let during: Vec<&OrderUpdate> =
        heard.iter().filter(|update| (from + Nanos(1)..until).contains(&update.at)).collect();
    let count = |kind: UpdateKind| during.iter().filter(|update| update.kind == kind).count();
    let half = until.since(from).0 as usize / 2_000_000_000;
    // All of one kind are refused, all of the other wait, and nothing else is said.
    let (refused, waiting) = (count(UpdateKind::Rejected { reason: Reason::InAuction }), count(UpdateKind::Accepted));
    assert!(refused.abs_diff(half) <= 2 && waiting.abs_diff(half) <= 2, "{seed:?}: {refused} and {waiting} of {half}");
    assert_eq!(refused + waiting, during.len(), "{seed:?}");
    let filled = heard.iter().filter(|update| {
        update.at == until && matches!(update.kind, UpdateKind::Fill { price, .. } if price.cents() == auction[0])
    });
    assert!(filled.count() > 0, "{seed:?}: the strategy takes part in the auction");
}
