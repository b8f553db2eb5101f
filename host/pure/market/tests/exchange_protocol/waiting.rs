//! Orders that wait for a trade: stops, stop-limits, trailing stops, what they set off in turn, and changes to them while they wait.

use crate::floor::{
    Floor, band, bid, buy, cancel, check, check_in, market, modify, offer, order, reduce, replace, sell, under,
};
use Side::{Buy, Sell};
use TimeInForce::{AtClose, AtOpen, FillOrKill, ImmediateOrCancel};
use assay_market::{AgentIndex, Exchange, OPEN_ORDERS_MAX, TRAILING_STOPS_MAX, Venue};
use assay_model::{Display, Nanos, RequestKind, Side, Terms, Time, TimeInForce};

fn stop(side: Side, quantity: u64, at: i64) -> RequestKind {
    order(Terms::market(side, quantity).stop(at))
}

fn trail(side: Side, quantity: u64, by: i64) -> RequestKind {
    order(Terms::market(side, quantity).trail(by))
}

/// Whether the orders of agent 0 have been set off, and which, as its ids in order.
fn set_off(floor: &mut Floor) -> String {
    let ids: Vec<&str> =
        floor.said().lines().filter_map(|line| line.split_once(" triggered").map(|(id, _)| id)).collect();
    let ids = ids.join(" ");
    floor.forget();
    ids
}

/// Sends an order, then prints one price after the other; the first that sets it off must be the last.
#[track_caller]
fn check_trigger(kind: RequestKind, prices: &[i64]) {
    let mut floor = Floor::open();
    floor.print(100);
    floor.send(0, kind);
    let (last, before) = prices.split_last().expect("some price sets it off");
    for price in before {
        floor.print(*price);
        assert_eq!(set_off(&mut floor), "", "{kind:?} at {price}");
    }
    floor.print(*last);
    assert_eq!(set_off(&mut floor), "0#1", "{kind:?} at {last}");
}

#[test]
fn a_stop_waits_for_a_trade_at_its_price_or_beyond() {
    check_trigger(stop(Buy, 1, 103), &[102, 99, 103]);
    check_trigger(stop(Buy, 1, 103), &[50, 110]);
    check_trigger(stop(Sell, 1, 97), &[98, 101, 97]);
    check_trigger(stop(Sell, 1, 97), &[150, 90]);
}

#[test]
fn a_stop_waits_out_of_sight_and_then_trades_at_market() {
    let mut floor = Floor::open();
    floor.print(100);
    floor.forget();
    floor.send(0, stop(Buy, 4, 103));
    floor.expect("0#1 accepted, 4 left");
    // Quotes do not set it off, trades do.
    floor.send(1, sell(3, 103));
    floor.expect("1#2 accepted, 3 left\nquote 3: - 3@103, last 100, volume 1");
    floor.send(2, buy(1, 103));
    floor.expect(
        "2#2 accepted, 1 left
         trade 1 at 103: 1#2 by 2#2 Buy
         1#2 fill 1 at 103 Maker, 2 left
         2#2 fill 1 at 103 Taker, 0 left
         0#1 triggered, 4 left
         trade 2 at 103: 1#2 by 0#1 Buy
         1#2 fill 2 at 103 Maker, 0 left
         0#1 fill 2 at 103 Taker, 2 left
         0#1 cancelled NoLiquidity, 0 left
         quote 4: - -, last 103, volume 4",
    );
}

#[test]
fn a_stop_that_the_last_trade_has_reached_is_set_off_at_once() {
    for (kind, reached) in [
        (stop(Buy, 1, 100), true),
        (stop(Buy, 1, 99), true),
        (stop(Buy, 1, 101), false),
        (stop(Sell, 1, 100), true),
        (stop(Sell, 1, 101), true),
        (stop(Sell, 1, 99), false),
    ] {
        let mut floor = Floor::open();
        floor.print(100);
        floor.send(0, kind);
        assert_eq!(set_off(&mut floor), if reached { "0#1" } else { "" }, "{kind:?}");
    }
    // Before the first trade nothing has been reached.
    check(&[(0, stop(Sell, 1, 1_000))], "0#1 accepted, 1 left");
}

#[test]
fn a_stop_limit_rests_at_its_limit() {
    let mut floor = Floor::open();
    floor.send(0, order(bid(4, 102).stop(103)));
    floor.send(1, sell(2, 102));
    floor.forget();
    floor.play(&[(1, sell(1, 103)), (2, order(bid(3, 103).with(FillOrKill)))]);
    floor.expect(
        "1#2 accepted, 1 left
         2#1 accepted, 3 left
         trade 2 at 102: 1#1 by 2#1 Buy
         1#1 fill 2 at 102 Maker, 0 left
         2#1 fill 2 at 102 Taker, 1 left
         trade 1 at 103: 1#2 by 2#1 Buy
         1#2 fill 1 at 103 Maker, 0 left
         2#1 fill 1 at 103 Taker, 0 left
         0#1 triggered, 4 left
         quote 2: 4@102 -, last 103, volume 3",
    );
    // With its other terms: an iceberg shows its part.
    let mut floor = Floor::open();
    floor.send(0, order(offer(4, 103).iceberg(1).stop(100)));
    floor.print(100);
    assert_eq!(floor.exchange.bid_ask_totals(), (0, 1));
}

#[test]
fn a_stop_that_cannot_be_entered_when_it_is_set_off_is_cancelled() {
    for (terms, reason) in [
        (bid(2, 100).with(FillOrKill).stop(99), "CannotFill"),
        (bid(2, 99).with(ImmediateOrCancel).stop(99), "NoLiquidity"),
        (Terms::market(Buy, 2).with(FillOrKill).stop(99), "CannotFill"),
    ] {
        let mut floor = Floor::open();
        floor.send(0, order(terms));
        floor.play(&[(1, sell(2, 99)), (1, sell(1, 100))]);
        floor.forget();
        floor.send(2, buy(2, 99));
        assert!(
            floor.said().contains(&format!("0#1 triggered, 2 left\n0#1 cancelled {reason}, 0 left")),
            "{}",
            floor.said()
        );
    }
    // The band has moved away from its limit.
    let mut floor = Floor::of(Exchange::new(3).with_band(band(100)));
    floor.send(0, order(bid(1, 1_010).stop(990)));
    floor.send(0, order(offer(1, 1_010).stop(990)));
    floor.print(1_000);
    assert_eq!(set_off(&mut floor), "0#1");
    let mut floor = Floor::of(Exchange::new(3).with_band(band(100)));
    floor.send(0, order(offer(1, 1_010).stop(990)));
    floor.forget();
    floor.print(990);
    assert!(floor.said().contains("0#1 triggered, 1 left\n0#1 cancelled OutsideBand, 0 left"), "{}", floor.said());
}

#[test]
fn a_stop_set_off_while_orders_are_collected_is_collected_or_cancelled() {
    let venue = Venue { halts: vec![assay_market::Halt { at: Time(3), lasts: Nanos(50) }], ..Venue::default() };
    let script = |terms: Terms| [(1, sell(1, 100)), (2, buy(1, 100)), (0, order(terms))];
    for at_once in [bid(1, 100).with(ImmediateOrCancel), bid(1, 100).with(FillOrKill)] {
        check_in(
            under(venue.clone()),
            &script(at_once.stop(100)),
            "call
             0#1 accepted, 1 left
             0#1 triggered, 1 left
             0#1 cancelled InAuction, 0 left",
        );
    }
    let mut floor = Floor::of(under(venue));
    floor.play(&script(Terms::market(Buy, 1).stop(100)));
    floor.send(1, sell(1, 99));
    floor.forget();
    floor.wait_until(60);
    floor.expect_trades("trade 1 at 100: 1#2 by 0#1 Buy");
}

#[test]
fn a_trailing_stop_follows_the_best_price() {
    check_trigger(trail(Sell, 1, 3), &[98, 105, 103, 106, 104, 103]);
    check_trigger(trail(Sell, 1, 3), &[97]);
    check_trigger(trail(Buy, 1, 3), &[102, 95, 97, 94, 96, 97]);
    check_trigger(trail(Buy, 1, 3), &[110]);
    // Before the first trade there is no best price: that trade is it.
    let mut floor = Floor::open();
    floor.send(0, trail(Sell, 1, 3));
    for (price, expected) in [(50, ""), (48, ""), (47, "0#1")] {
        floor.print(price);
        assert_eq!(set_off(&mut floor), expected, "at {price}");
    }
    // What has traded before it came does not count, but for the last.
    let mut floor = Floor::open();
    floor.print(200);
    floor.print(100);
    floor.send(0, trail(Sell, 1, 3));
    floor.print(98);
    assert_eq!(set_off(&mut floor), "");
}

#[test]
fn a_trailing_stop_with_a_limit_rests() {
    let mut floor = Floor::open();
    floor.send(0, order(offer(2, 105).trail(1)));
    floor.print(100);
    floor.forget();
    floor.print(99);
    assert!(floor.said().ends_with("0#1 triggered, 2 left\nquote 4: - 2@105, last 99, volume 2\n"), "{}", floor.said());
}

#[test]
fn one_trade_sets_off_the_nearest_first_and_trailing_stops_last() {
    let mut floor = Floor::open();
    floor.print(100);
    floor.play(&[
        (0, trail(Buy, 1, 2)),
        (0, stop(Buy, 1, 104)),
        (0, stop(Buy, 1, 102)),
        (0, stop(Buy, 1, 104)),
        (0, trail(Buy, 1, 1)),
        (0, stop(Buy, 1, 106)),
    ]);
    floor.forget();
    floor.print(105);
    assert_eq!(set_off(&mut floor), "0#3 0#2 0#4 0#1 0#5");
    let mut floor = Floor::open();
    floor.print(100);
    floor.play(&[(0, stop(Sell, 1, 96)), (0, trail(Sell, 1, 1)), (0, stop(Sell, 1, 98)), (0, stop(Sell, 1, 97))]);
    floor.forget();
    floor.print(97);
    assert_eq!(set_off(&mut floor), "0#3 0#4 0#2");
    // Before the first trade both sides can wait for the same price: buyers first.
    let mut floor = Floor::open();
    floor.play(&[(0, stop(Sell, 1, 101)), (0, stop(Buy, 1, 99))]);
    floor.print(100);
    assert_eq!(set_off(&mut floor), "0#2 0#1");
}

#[test]
fn a_cascade_goes_one_after_the_other_and_ends() {
    let mut floor = Floor::open();
    floor.print(100);
    // The first stop trades down to 97 and sets off the next; that waits behind the one of the same trade as the first.
    floor.play(&[(2, buy(1, 99)), (2, buy(1, 97)), (2, buy(1, 96)), (2, buy(1, 95))]);
    floor.play(&[(0, stop(Sell, 1, 97)), (0, stop(Sell, 1, 99)), (0, stop(Sell, 1, 98))]);
    floor.forget();
    floor.send(1, market(Sell, 1));
    floor.expect(
        "1#2 accepted, 1 left
         trade 1 at 99: 2#2 by 1#2 Sell
         2#2 fill 1 at 99 Maker, 0 left
         1#2 fill 1 at 99 Taker, 0 left
         0#2 triggered, 1 left
         trade 1 at 97: 2#3 by 0#2 Sell
         2#3 fill 1 at 97 Maker, 0 left
         0#2 fill 1 at 97 Taker, 0 left
         0#3 triggered, 1 left
         trade 1 at 96: 2#4 by 0#3 Sell
         2#4 fill 1 at 96 Maker, 0 left
         0#3 fill 1 at 96 Taker, 0 left
         0#1 triggered, 1 left
         trade 1 at 95: 2#5 by 0#1 Sell
         2#5 fill 1 at 95 Maker, 0 left
         0#1 fill 1 at 95 Taker, 0 left
         quote 4: - -, last 95, volume 5",
    );
    // A stop's own trade moves the trailing stops, too.
    let mut floor = Floor::open();
    floor.print(100);
    floor.play(&[(2, buy(1, 98)), (0, trail(Sell, 1, 2)), (0, stop(Sell, 1, 99))]);
    floor.forget();
    floor.print(99);
    assert_eq!(set_off(&mut floor), "0#2 0#1");
}

#[test]
fn each_trade_of_a_sweep_counts() {
    let mut floor = Floor::open();
    floor.play(&[(1, sell(1, 100)), (1, sell(1, 110)), (1, sell(5, 120))]);
    floor.play(&[(0, stop(Buy, 1, 110)), (0, stop(Buy, 1, 100)), (0, trail(Sell, 1, 5)), (0, trail(Buy, 1, 10))]);
    floor.forget();
    floor.send(2, market(Buy, 2));
    // 100 sets off the second, 110 the first and the last; their own trades at 120 nothing more.
    assert_eq!(set_off(&mut floor), "0#2 0#1 0#4");
}

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
    assert_eq!(set_off(&mut floor), "");
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
        assert_eq!(set_off(&mut floor), expected, "{change:?}");
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

#[test]
fn a_waiting_order_expires() {
    let mut floor = Floor::open();
    floor.send(0, order(Terms::market(Buy, 5).stop(103).good_till(Time(5))));
    floor.forget();
    floor.wait_until(4);
    floor.expect("");
    floor.wait_until(5);
    floor.expect("0#1 cancelled Expired, 0 left");
}

#[test]
fn orders_that_wait_are_limited_with_those_that_rest() {
    let mut floor = Floor::open();
    for _ in 0..OPEN_ORDERS_MAX / 2 {
        floor.play(&[(0, buy(1, 10)), (0, stop(Buy, 1, 900))]);
    }
    floor.forget();
    let one_more = [buy(1, 10), stop(Buy, 1, 900), order(bid(1, 10).with(ImmediateOrCancel))];
    floor.play(&one_more.map(|kind| (0, kind)));
    floor.expect(
        "0#10001 rejected TooManyOpenOrders, 0 left
         0#10002 rejected TooManyOpenOrders, 0 left
         0#10003 rejected TooManyOpenOrders, 0 left",
    );
    // One less is room for one.
    floor.play(&[(0, cancel(2)), (0, stop(Buy, 1, 900)), (0, buy(1, 10))]);
    floor.expect(
        "0#2>10004 cancelled Requested, 0 left
         0#10005 accepted, 1 left
         0#10006 rejected TooManyOpenOrders, 0 left",
    );
}

#[test]
fn trailing_stops_are_limited_more_narrowly() {
    let mut floor = Floor::open();
    (0..TRAILING_STOPS_MAX).for_each(|_| floor.send(0, trail(Buy, 1, 5)));
    floor.forget();
    floor.play(&[
        (0, trail(Buy, 1, 5)),
        (0, stop(Buy, 1, 5)),
        (1, trail(Buy, 1, 5)),
        (0, cancel(7)),
        (0, trail(Buy, 1, 5)),
    ]);
    floor.expect(
        "0#101 rejected TooManyOpenOrders, 0 left
         0#102 accepted, 1 left
         1#1 accepted, 1 left
         0#7>103 cancelled Requested, 0 left
         0#104 accepted, 1 left",
    );
    assert_eq!(TRAILING_STOPS_MAX, 100);
}

#[test]
fn the_close_and_the_kill_switch_end_what_waits() {
    let mut floor = Floor::open();
    floor.play(&[(0, stop(Sell, 1, 90)), (1, order(offer(1, 80).shown_as(Display::Hidden).stop(90)))]);
    floor.forget();
    floor.exchange.stop(Time(9), AgentIndex(0), &mut floor.tape);
    floor.now = Time(10);
    floor.close();
    floor.expect(
        "0#1 cancelled TraderStopped, 0 left
         closed
         1#1 cancelled MarketClosed, 0 left",
    );
}
