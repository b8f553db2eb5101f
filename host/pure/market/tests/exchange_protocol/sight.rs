//! What the venue tells beside quotes and answers: session states, indicative prices, places in a queue.

use crate::floor::{Floor, HIDDEN, bid, buy, cancel, limit, market, order, reduce, sell, under};
use Side::{Buy, Sell};
use assay_market::{AgentIndex, Exchange, Halt, QUEUE_STEPS_MAX, SelfTrade, SessionState, TraderLimits, Venue};
use assay_model::{Display, Nanos, RequestId, Side, Terms, Time, TimeInForce};

#[test]
fn the_state_of_the_session_follows_it() {
    let venue = Venue {
        opening_auction: Nanos(10),
        closing_auction: Some(Time(60)),
        halts: vec![Halt { at: Time(5), lasts: Nanos(15) }, Halt { at: Time(30), lasts: Nanos(9) }],
        ..Venue::default()
    };
    let mut floor = Floor::new();
    floor.exchange = under(venue);
    floor.tape = Default::default();
    assert_eq!(floor.exchange.session_state(), SessionState::BeforeOpen);
    floor.exchange.open(Time(0), &mut floor.tape);
    let call = |until| SessionState::Call { until: Some(Time(until)) };
    let states = [
        (1, call(10)),
        // A halt puts the auction off.
        (5, call(20)),
        (19, call(20)),
        (20, SessionState::Continuous),
        (30, call(39)),
        (39, SessionState::Continuous),
        // Nobody is told when the market closes.
        (60, SessionState::Call { until: None }),
    ];
    for (at, state) in states {
        floor.wait_until(at);
        assert_eq!(floor.exchange.session_state(), state, "at {at}");
    }
    floor.close();
    assert_eq!(floor.exchange.session_state(), SessionState::Closed);
}

#[test]
fn the_indicative_price_is_that_of_the_auction_if_it_were_now() {
    let venue = Venue { opening_auction: Nanos(50), closing_auction: Some(Time(90)), ..Venue::default() };
    let mut floor = Floor::of(under(venue));
    let price = |floor: &Floor| floor.exchange.indicative().map(|(price, volume, rest)| (price.cents(), volume, rest));
    assert_eq!(price(&floor), None);
    floor.send(0, buy(5, 102));
    assert_eq!(price(&floor), None, "nobody sells");
    floor.send(1, sell(3, 100));
    assert_eq!(price(&floor), Some((102, 3, 2)));
    floor.send(1, sell(9, 101));
    assert_eq!(price(&floor), Some((102, 5, -7)));
    floor.send(2, order(Terms::market(Buy, 7).with(TimeInForce::AtOpen)));
    assert_eq!(price(&floor), Some((102, 12, 0)));
    // An order of one's own moves nothing where it would not trade.
    floor.send(0, sell(50, 90));
    assert_eq!(price(&floor), Some((102, 12, 0)));
    let before = price(&floor).map(|(price, volume, _)| (price, volume));
    floor.forget();
    floor.wait_until(50);
    let traded: Vec<&str> = floor.said().lines().filter(|line| line.starts_with("trade")).collect();
    assert!(traded.iter().all(|trade| trade.contains(" at 102: ")), "{traded:?}");
    assert_eq!(before, Some((102, 12)));
    assert_eq!(price(&floor), None, "trading goes on");
    // What waits for the close counts in its call only.
    floor.play(&[(0, order(Terms::market(Buy, 2).with(TimeInForce::AtClose))), (1, sell(1, 120))]);
    assert_eq!(price(&floor), None);
    floor.wait_until(90);
    assert_eq!(price(&floor), Some((120, 1, 1)));
    floor.close();
    assert_eq!(price(&floor), None);
}

#[test]
fn looking_at_an_auction_changes_nothing_about_it() {
    for self_trade in SelfTrade::ALL {
        let script = [(0, buy(5, 100)), (0, sell(3, 99)), (1, sell(4, 100)), (2, market(Buy, 2))];
        let play = |looks: bool| {
            let mut floor = Floor::of(under(Venue { opening_auction: Nanos(50), self_trade, ..Venue::default() }));
            for (agent, kind) in script {
                floor.send(agent, kind);
                if looks {
                    let _ = (floor.exchange.indicative(), floor.exchange.queue_ahead(AgentIndex(0), RequestId(1)));
                }
            }
            floor.wait_until(50);
            floor.close();
            floor.said().to_owned()
        };
        assert_eq!(play(true), play(false));
    }
}

#[test]
fn a_place_in_the_queue_is_the_visible_shares_before_it() {
    let mut floor = Floor::open();
    let ahead = |floor: &Floor, agent, order| floor.exchange.queue_ahead(AgentIndex(agent), RequestId(order));
    floor.play(&[
        (1, buy(3, 100)),
        (0, buy(2, 100)),
        (1, order(bid(9, 100).iceberg(4))),
        (0, buy(7, 100)),
        (0, limit(Buy, 5, 100, HIDDEN)),
        (2, buy(1, 101)),
        (0, order(bid(1, 90).stop(200))),
        (0, order(bid(2, 99).shown_as(Display::Comply))),
    ]);
    let places = |floor: &Floor| [1, 2, 3, 4, 5, 99].map(|order| ahead(floor, 0, order));
    // A better price is not before it; hidden shares are behind all of them; what waits has no place. The price-to-comply order trades at 100,
    // out of sight.
    assert_eq!(places(&floor), [Some(3), Some(9), Some(16), None, Some(16), None]);
    assert_eq!(ahead(&floor, 1, 2), Some(5));
    // The first is taken, then the slice of the iceberg, which goes to the end.
    floor.play(&[(2, cancel(1)), (2, market(Sell, 5)), (2, market(Sell, 4))]);
    assert_eq!(places(&floor), [None, Some(0), Some(11), None, Some(11), None]);
    assert_eq!(ahead(&floor, 1, 2), Some(7));
    floor.play(&[(0, reduce(2, 3))]);
    assert_eq!(ahead(&floor, 1, 2), Some(4));
    assert_eq!(ahead(&floor, 77, 1), None, "there is no such agent");
}

/// Orders piled up at a price make looking no dearer: near either end the place is told, in between it is not.
#[test]
fn a_long_queue_is_not_counted_to_the_end() {
    for watched in [false, true] {
        let mut floor = Floor::open();
        if watched {
            let limits = TraderLimits { position: 100_000, loss: None, margin: None };
            let exchange = std::mem::replace(&mut floor.exchange, Exchange::new(3));
            floor.exchange = exchange.with_trader_limits(AgentIndex(0), limits);
        }
        let all = 4 * QUEUE_STEPS_MAX as u64;
        for _ in 0..all {
            floor.send(0, sell(2, 50));
        }
        let steps = QUEUE_STEPS_MAX as u64;
        for order in [1, 2, steps + 1, steps + 2, all / 2, all - steps - 1, all - steps, all] {
            let ahead = floor.exchange.queue_ahead(AgentIndex(0), RequestId(order));
            let near = order <= steps + 1 || order >= all - steps;
            let told = near && (watched || order <= steps);
            assert_eq!(ahead, told.then_some(2 * (order - 1)), "{order} of {all}, watched {watched}");
        }
        floor.send(1, market(Buy, 1));
        assert_eq!(floor.exchange.queue_ahead(AgentIndex(0), RequestId(2)), Some(1));
    }
}
