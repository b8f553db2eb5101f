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
        let side = if second % 2 == 0 { Side::Buy } else { Side::Sell };
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
}

impl EventSink for Tape {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Session(session) => self.sessions.push((event.at, session)),
            EventKind::Trade { price, .. } => self.trades.push((event.at, price.cents())),
            _ => {}
        }
    }
}

impl Tape {
    fn prices(&self, during: Range<Time>) -> Vec<i64> {
        self.trades.iter().filter(|(at, _)| during.contains(at)).map(|(_, price)| *price).collect()
    }

    /// The session's first price, and the last before `at`.
    fn first_and_last(&self, at: Time) -> (i64, i64) {
        let before = self.trades.iter().rev().find(|(time, _)| *time <= at);
        (self.trades[0].1, before.map_or(0, |(_, price)| *price))
    }
}

#[test]
fn trading_stops_twice_and_begins_again_with_an_auction() {
    let scenario = Scenario::preset("halt").unwrap();
    let at = |hours: u64, minutes: u64| scenario.open + Nanos::from_secs(hours * 3_600 + minutes * 60);
    for seed in (1..=3).map(Seed) {
        let mut prober = Prober { desk: scenario.new_desk(seed), heard: Vec::new() };
        let mut tape = Tape::default();
        simulate(&scenario, seed, &mut prober, &mut tape);
        let [(known, _), (_, _), (tripped, _), (_, _)] = tape.sessions[..] else {
            panic!("{seed:?}: {:?}", tape.sessions);
        };
        assert_eq!(known, at(1, 30), "11:00");
        assert!((at(4, 30)..at(4, 45)).contains(&tripped), "{seed:?}: in the sell-off from 14:00 on");
        let (first, last) = tape.first_and_last(tripped);
        assert!((first - last) * 10_000 >= 200 * first, "{seed:?}: from {first} to {last}");
        for (from, lasts) in [(known, 600), (tripped, 300)] {
            let until = from + Nanos::from_secs(lasts);
            check(seed, &tape, &prober.heard, from, until);
            let after = tape.prices(until + Nanos(1)..until + Nanos::from_secs(60)).len();
            assert!(after > 10, "{seed:?}: {after} trades in the minute after");
        }
    }
}

/// Nobody trades from `from` to `until`, then all at one price; the strategy is told.
fn check(seed: Seed, tape: &Tape, heard: &[OrderUpdate], from: Time, until: Time) {
    let expected = [(from, Session::Call), (until, Session::Continuous)];
    assert!(tape.sessions.windows(2).any(|pair| pair == expected), "{seed:?}: {:?}", tape.sessions);
    assert_eq!(tape.prices(from + Nanos(1)..until), [], "{seed:?}: nobody trades");
    let auction = tape.prices(until..until + Nanos(1));
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
