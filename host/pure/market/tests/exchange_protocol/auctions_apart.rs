//! Attacks with oneself in auctions: whichever way orders come in, nobody trades with himself unless the venue lets him.

use crate::floor::{Floor, HIDDEN, bid, buy, limit, market, modify, offer, order, sell, under};
use Side::{Buy, Sell};
use TimeInForce::{AtClose, AtOpen};
use assay_market::{Halt, SelfTrade, Venue};
use assay_model::{Display, Nanos, RequestKind, Side, Terms, Time, TimeInForce};

/// What three kinds of auction make of the same orders, all collected: trades, and what becomes of orders that met their trader's.
#[track_caller]
fn check_auctions(self_trade: SelfTrade, script: &[(u32, RequestKind)], expected: &str) {
    let venue = Venue { self_trade, ..Venue::default() };
    let opening = Venue { opening_auction: Nanos(50), ..venue.clone() };
    let reopening = Venue { halts: vec![Halt { at: Time(1), lasts: Nanos(49) }], ..venue.clone() };
    let closing = Venue { closing_auction: Some(Time(1)), ..venue };
    for (name, venue) in [("opening", opening), ("reopening", reopening), ("closing", closing)] {
        let mut floor = Floor::of(under(venue));
        floor.wait_until(1);
        floor.play(script);
        floor.forget();
        if name == "closing" {
            floor.close();
        } else {
            floor.wait_until(50);
        }
        let told = |line: &&str| line.starts_with("trade") || line.contains("SelfTrade") || line.contains("reduced");
        let said: Vec<&str> = floor.said().lines().filter(told).collect();
        let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(said, expected, "{name}, {self_trade:?}:\n{}", floor.said());
    }
}

#[test]
fn an_auction_deals_with_a_traders_own_orders_as_the_venue_does() {
    // A painted auction: everything with oneself.
    let script = [(0, buy(5, 100)), (0, sell(3, 100))];
    check_auctions(SelfTrade::Allow, &script, "trade 3 at 100: 0#2 by 0#1 Buy");
    check_auctions(SelfTrade::CancelNewest, &script, "0#2 cancelled SelfTrade, 0 left");
    check_auctions(SelfTrade::CancelOldest, &script, "0#1 cancelled SelfTrade, 0 left");
    check_auctions(SelfTrade::Decrement, &script, "0#1 reduced 3, 2 left\n0#2 cancelled SelfTrade, 0 left");
    // Equal ones both end, and at market one crosses everything.
    let script = [(0, market(Sell, 3)), (0, buy(3, 1))];
    check_auctions(SelfTrade::Decrement, &script, "0#1 cancelled SelfTrade, 0 left\n0#2 cancelled SelfTrade, 0 left");
    check_auctions(SelfTrade::CancelNewest, &script, "0#2 cancelled SelfTrade, 0 left");
}

#[test]
fn what_is_left_trades_with_others() {
    // The own sale would have come first, being the older: the other's takes its place.
    let script = [(0, sell(5, 99)), (1, sell(5, 100)), (0, buy(5, 100)), (2, buy(2, 99))];
    check_auctions(
        SelfTrade::CancelOldest,
        &script,
        "0#1 cancelled SelfTrade, 0 left
         trade 5 at 100: 1#1 by 0#2 Buy",
    );
    check_auctions(
        SelfTrade::CancelNewest,
        &script,
        "0#2 cancelled SelfTrade, 0 left
         trade 2 at 99: 2#1 by 0#1 Sell",
    );
}

#[test]
fn several_own_orders_are_met_best_price_first_and_then_by_age() {
    let script = [(0, buy(1, 101)), (0, buy(2, 103)), (0, buy(4, 103)), (0, buy(9, 100)), (0, sell(7, 101))];
    check_auctions(
        SelfTrade::Decrement,
        &script,
        "0#2 cancelled SelfTrade, 0 left
         0#5 reduced 2, 5 left
         0#3 cancelled SelfTrade, 0 left
         0#5 reduced 4, 1 left
         0#1 cancelled SelfTrade, 0 left
         0#5 cancelled SelfTrade, 0 left",
    );
    check_auctions(
        SelfTrade::CancelOldest,
        &script,
        "0#2 cancelled SelfTrade, 0 left
         0#3 cancelled SelfTrade, 0 left
         0#1 cancelled SelfTrade, 0 left",
    );
}

#[test]
fn own_orders_that_do_not_cross_stay() {
    let script = [(0, buy(5, 100)), (0, sell(5, 101)), (1, sell(2, 100)), (2, buy(3, 101))];
    // At 100 two could trade, at 101 three.
    check_auctions(
        SelfTrade::CancelNewest,
        &script,
        "trade 2 at 101: 2#1 by 1#1 Sell
         trade 1 at 101: 2#1 by 0#2 Sell",
    );
}

#[test]
fn every_way_into_an_auction_is_looked_at() {
    // Rests before the call, and met by what is collected: plain, hidden, iceberg, price-to-comply, changed into crossing, at the auction.
    let halts = vec![Halt { at: Time(10), lasts: Nanos(20) }];
    let rests = [
        buy(6, 100),
        limit(Buy, 6, 100, HIDDEN),
        order(bid(6, 100).iceberg(1)),
        order(bid(6, 99).shown_as(Display::Comply)),
    ];
    let comes: [&[RequestKind]; 4] =
        [&[sell(6, 100)], &[market(Sell, 6)], &[order(offer(6, 100).iceberg(2))], &[sell(6, 200), modify(2, 6, 100)]];
    for first in rests {
        for then in comes {
            let mut floor = Floor::of(under(Venue { halts: halts.clone(), ..Venue::default() }));
            floor.send(0, first);
            floor.wait_until(10);
            then.iter().for_each(|kind| floor.send(0, *kind));
            floor.forget();
            floor.wait_until(30);
            assert!(floor.said().contains("0#2 cancelled SelfTrade, 0 left"), "{first:?} {then:?}: {}", floor.said());
            assert!(!floor.said().contains("trade "), "{first:?} {then:?}: {}", floor.said());
            floor.close();
        }
    }
    let venue = Venue { opening_auction: Nanos(9), closing_auction: Some(Time(20)), ..Venue::default() };
    for (force, at) in [(AtOpen, 9), (AtClose, 30)] {
        let mut floor = Floor::of(under(venue.clone()));
        floor.play(&[
            (0, order(Terms::market(Buy, 4).with(force))),
            (0, order(offer(4, 100).with(force))),
            (1, order(offer(4, 101).with(force))),
        ]);
        floor.forget();
        if force == AtOpen {
            floor.wait_until(at);
        } else {
            floor.now = Time(at);
            floor.close();
        }
        assert!(
            floor.said().contains("0#2 cancelled SelfTrade, 0 left\ntrade 4 at 101: 1#1 by 0#1"),
            "{}",
            floor.said()
        );
    }
}
