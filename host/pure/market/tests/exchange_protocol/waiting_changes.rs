//! Changes to orders that wait: for a trade, or for an auction.

use crate::floor::{
    Floor, band, bid, buy, cancel, check, check_in, market, modify, offer, order, reduce, replace, sell, stop, trail,
    under,
};
use Side::{Buy, Sell};
use TimeInForce::{AtClose, AtOpen};
use assay_market::{Exchange, Venue};
use assay_model::{Nanos, RequestKind, Side, Terms, Time, TimeInForce};

#[test]
fn a_waiting_order_can_be_cancelled_reduced_and_listed() {
    let waits = [(0, order(bid(5, 101).stop(103)))];
    check(&[waits[0], (0, cancel(1))], "0#1>2 cancelled Requested, 0 left");
    check(&[waits[0], (0, reduce(1, 2))], "0#1>2 reduced 2, 3 left");
    check(&[waits[0], (0, reduce(1, 5))], "0#1>2 cancelled Requested, 0 left");
    check(&[waits[0], (1, cancel(1))], "1#1 rejected UnknownOrder, 0 left");
    // Resting orders first, then those that wait, by id.
    check(
        &[
            (0, stop(Sell, 1, 90)),
            (0, trail(Buy, 1, 9)),
            (0, buy(1, 95)),
            (1, stop(Buy, 1, 99)),
            (0, RequestKind::CancelAll),
        ],
        "0#3 cancelled Requested, 0 left
         0#1 cancelled Requested, 0 left
         0#2 cancelled Requested, 0 left
         0#4 all cancelled 3, 0 left
         quote 2: - -, last -, volume 0",
    );
    // What was cancelled is not set off.
    let mut floor = Floor::open();
    floor.play(&[(0, stop(Sell, 1, 90)), (0, trail(Sell, 1, 9)), (0, cancel(1)), (0, cancel(2))]);
    floor.print(100);
    floor.print(80);
    assert_eq!(floor.set_off(), "");
}

#[test]
fn a_waiting_order_with_a_limit_can_be_modified() {
    let waits = [(0, order(bid(5, 101).stop(103)))];
    check(&[waits[0], (0, modify(1, 7, 102))], "0#1>2 modified at 102, 7 left");
    // The new limit and quantity are what is entered.
    let mut floor = Floor::open();
    floor.play(&[waits[0], (0, modify(1, 7, 102))]);
    floor.print(103);
    assert!(
        floor.said().ends_with("0#1 triggered, 7 left\nquote 2: 7@102 -, last 103, volume 1\n"),
        "{}",
        floor.said()
    );
    // Like resting ones: place kept by the smaller, lost by the larger or moved; a trailing stop keeps its best price.
    let trails = [(0, order(offer(3, 90).trail(2))), (0, order(offer(3, 90).trail(2)))];
    for (change, expected) in [
        (modify(1, 2, 90), "0#1 0#2"),
        (modify(1, 3, 90), "0#1 0#2"),
        (modify(1, 4, 90), "0#2 0#1"),
        (modify(1, 3, 91), "0#2 0#1"),
    ] {
        let mut floor = Floor::open();
        floor.print(100);
        floor.play(&trails);
        floor.print(105);
        floor.send(0, change);
        floor.print(103);
        assert_eq!(floor.set_off(), expected, "{change:?}");
    }
}

#[test]
fn what_a_waiting_order_cannot_become_is_refused() {
    let waits = (0, order(bid(5, 101).stop(103)));
    check(&[waits, (0, modify(1, 0, 101))], "0#1>2 rejected InvalidQuantity, 5 left");
    check(&[waits, (0, modify(1, 5, 0))], "0#1>2 rejected InvalidPrice, 5 left");
    check_in(
        Exchange::new(3).with_band(band(100)),
        &[(0, order(bid(5, 1_000).stop(1_005))), (0, modify(1, 5, 1_011))],
        "0#1>2 rejected OutsideBand, 5 left",
    );
    // At market there is no limit to set, and nothing that waits is replaced.
    for terms in [Terms::market(Buy, 5).stop(103), Terms::market(Buy, 5).trail(3)] {
        check(&[(0, order(terms)), (0, modify(1, 4, 101))], "0#1>2 rejected OrderWaits, 5 left");
    }
    check(&[waits, (0, replace(1, 5, 101))], "0#2 rejected OrderWaits, 0 left");
}

#[test]
fn an_order_collected_for_an_auction_can_be_modified() {
    let venue = Venue { opening_auction: Nanos(50), closing_auction: Some(Time(60)), ..Venue::default() };
    for waits in [bid(5, 100), bid(5, 100).with(AtOpen), bid(5, 100).with(AtClose)] {
        check_in(under(venue.clone()), &[(0, order(waits)), (0, modify(1, 6, 101))], "0#1>2 modified at 101, 6 left");
    }
    check_in(under(venue.clone()), &[(0, market(Buy, 5)), (0, modify(1, 6, 101))], "0#1>2 rejected OrderWaits, 5 left");
    // It goes behind who has come in between, unless it only became smaller.
    for (change, first) in [(modify(1, 4, 100), "0#1"), (modify(1, 6, 100), "1#1")] {
        let mut floor = Floor::of(under(venue.clone()));
        floor.play(&[(0, buy(5, 100)), (1, buy(5, 100)), (0, change), (2, sell(1, 100))]);
        floor.forget();
        floor.wait_until(50);
        floor.expect_trades(&format!("trade 1 at 100: 2#1 by {first} Buy"));
    }
}
