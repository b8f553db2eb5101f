//! The rarer terms of orders that go to the book at once: how long they live, post-only that slides, price-to-comply. Icebergs have a
//! file of their own.

use crate::floor::{
    Floor, HIDDEN, bid, buy, cancel, check, check_in, limit, market, modify, offer, order, reduce, replace, sell, under,
};
use Display::{Comply, Hidden};
use PostOnly::{Reject, Slide};
use Side::{Buy, Sell};
use TimeInForce::{AtClose, AtOpen, FillOrKill, ImmediateOrCancel};
use assay_market::{SelfTrade, Venue};
use assay_model::{Display, PRICE_MAX_CENTS, PostOnly, QUANTITY_MAX, RequestKind, Side, Terms, Time, TimeInForce};

#[test]
fn an_immediate_order_trades_what_it_can_and_ends() {
    for terms in [bid(5, 101).with(ImmediateOrCancel), Terms::market(Buy, 5).with(ImmediateOrCancel)] {
        check(
            &[(0, sell(2, 100)), (2, limit(Sell, 1, 101, HIDDEN)), (1, order(terms))],
            "1#1 accepted, 5 left
             trade 2 at 100: 0#1 by 1#1 Buy
             0#1 fill 2 at 100 Maker, 0 left
             1#1 fill 2 at 100 Taker, 3 left
             trade 1 at 101: 2#1 by 1#1 Buy
             2#1 fill 1 at 101 Maker, 0 left
             1#1 fill 1 at 101 Taker, 2 left
             1#1 cancelled NoLiquidity, 0 left
             quote 2: - -, last 101, volume 3",
        );
    }
    check(
        &[(0, sell(2, 102)), (1, order(bid(5, 101).with(ImmediateOrCancel)))],
        "1#1 accepted, 5 left
         1#1 cancelled NoLiquidity, 0 left",
    );
}

#[test]
fn a_fill_or_kill_order_trades_in_full_or_not_at_all() {
    let book = [(0, sell(2, 100)), (0, limit(Sell, 3, 101, HIDDEN)), (0, sell(9, 102))];
    for refused in [bid(6, 101), bid(3, 100), bid(1, 99), bid(15, 102), Terms::market(Buy, 15)] {
        let fok = order(refused.with(FillOrKill));
        check(&[book[0], book[1], book[2], (1, fok)], "1#1 rejected CannotFill, 0 left");
    }
    for filled in [bid(5, 101), Terms::market(Buy, 5)] {
        check(
            &[book[0], book[1], book[2], (1, order(filled.with(FillOrKill)))],
            "1#1 accepted, 5 left
             trade 2 at 100: 0#1 by 1#1 Buy
             0#1 fill 2 at 100 Maker, 0 left
             1#1 fill 2 at 100 Taker, 3 left
             trade 3 at 101: 0#2 by 1#1 Buy
             0#2 fill 3 at 101 Maker, 0 left
             1#1 fill 3 at 101 Taker, 0 left
             quote 2: - 9@102, last 101, volume 5",
        );
    }
}

#[test]
fn a_fill_or_kill_order_counts_what_is_not_shown_and_nothing_twice() {
    let fok = |quantity| (1, order(bid(quantity, 101).with(FillOrKill)));
    let iceberg = (0, order(offer(6, 101).iceberg(1)));
    check(&[iceberg, fok(7)], "1#1 rejected CannotFill, 0 left");
    let mut floor = Floor::open();
    floor.play(&[iceberg, fok(6)]);
    assert!(floor.said().contains("1#1 fill 1 at 101 Taker, 0 left"), "{}", floor.said());
    // Shown at 101, to be had at 100: three shares, not six.
    let comply = (0, order(offer(3, 101).shown_as(Comply)));
    check(&[comply, fok(4)], "1#1 rejected CannotFill, 0 left");
    let mut floor = Floor::open();
    floor.play(&[comply, fok(3)]);
    floor.expect_trades("trade 3 at 100: 0#1 by 1#1 Buy");
}

#[test]
fn what_a_fill_or_kill_order_makes_of_its_traders_own_orders_is_the_venues_to_say() {
    use SelfTrade::{Allow, CancelNewest, CancelOldest, Decrement};
    let outcome = |self_trade, quantity, own_price| {
        let mut floor = Floor::of(under(Venue { self_trade, ..Venue::default() }));
        floor.play(&[(0, sell(5, 100)), (1, sell(5, own_price))]);
        floor.forget();
        floor.send(1, order(bid(quantity, 101).with(FillOrKill)));
        floor.said().lines().next().unwrap_or_default().trim_start_matches("1#2 ").to_owned()
    };
    let (filled, refused) = (|quantity| format!("accepted, {quantity} left"), "rejected CannotFill, 0 left");
    for own_price in [99, 100, 101] {
        assert_eq!(outcome(Allow, 10, own_price), filled(10));
        assert_eq!(outcome(Allow, 11, own_price), refused);
        // Its own would be cancelled: what others offer must do.
        assert_eq!(outcome(CancelOldest, 5, own_price), filled(5));
        assert_eq!(outcome(CancelOldest, 6, own_price), refused);
    }
    for mode in [CancelNewest, Decrement] {
        assert_eq!(outcome(mode, 5, 101), filled(5), "it never gets to its own");
        assert_eq!(outcome(mode, 6, 101), refused);
        assert_eq!(outcome(mode, 5, 99), refused);
        assert_eq!(outcome(mode, 5, 100), refused);
    }
}

#[test]
fn a_dated_order_expires_before_anything_else_at_its_time() {
    let mut floor = Floor::open();
    floor.send(0, order(bid(5, 100).good_till(Time(3))));
    floor.send(1, sell(1, 100));
    floor.forget();
    floor.send(2, sell(1, 100));
    floor.expect(
        "0#1 cancelled Expired, 0 left
         quote 3: - -, last 100, volume 1
         2#1 accepted, 1 left
         quote 4: - 1@100, last 100, volume 1",
    );
    // At its own time, even if nobody asks for long.
    floor.send(0, order(bid(5, 99).good_till(Time(7))));
    floor.wait_until(6);
    assert_eq!((floor.exchange.quote().at, floor.exchange.next_due()), (Time(4), Time(7)));
    floor.wait_until(50);
    assert_eq!((floor.exchange.quote().at, floor.exchange.next_due()), (Time(7), Time(u64::MAX)));
}

#[test]
fn a_date_that_has_come_is_refused() {
    for date in [0, 1] {
        check(&[(0, order(bid(5, 100).good_till(Time(date))))], "0#1 rejected Expired, 0 left");
    }
    check(&[(0, order(bid(5, 100).good_till(Time(2))))], "0#1 accepted, 5 left\nquote 1: 5@100 -, last -, volume 0");
}

#[test]
fn a_date_stays_with_its_order_and_goes_over_to_what_replaces_it() {
    let dated = (0, order(bid(5, 100).good_till(Time(10))));
    for (change, ended) in [(modify(1, 7, 99), "0#1"), (reduce(1, 2), "0#1"), (replace(1, 5, 98), "0#2")] {
        let mut floor = Floor::open();
        floor.play(&[dated, (0, change)]);
        floor.wait_until(9);
        floor.forget();
        floor.wait_until(10);
        floor.expect(&format!("{ended} cancelled Expired, 0 left\nquote 3: - -, last -, volume 0"));
    }
    // Whatever has ended earlier expires in silence.
    for end in [(0, cancel(1)), (1, sell(5, 100))] {
        let mut floor = Floor::open();
        floor.play(&[dated, end]);
        floor.forget();
        floor.wait_until(99);
        floor.expect("");
    }
}

#[test]
fn a_day_order_and_one_with_a_later_date_end_at_the_close() {
    let mut floor = Floor::open();
    floor.play(&[(0, order(bid(1, 100))), (1, order(bid(2, 100).good_till(Time(1_000))))]);
    floor.forget();
    floor.close();
    floor.expect(
        "closed
         0#1 cancelled MarketClosed, 0 left
         1#1 cancelled MarketClosed, 0 left",
    );
    floor.wait_until(2_000);
    floor.expect("");
}

#[test]
fn a_sliding_order_moves_to_the_best_price_at_which_it_does_not_take() {
    let slide = |terms: Terms| (1, order(terms.post_only(Slide)));
    check(
        &[(0, sell(5, 100)), slide(bid(5, 102))],
        "1#1 accepted, 5 left
         1#1 modified at 99, 5 left
         quote 2: 5@99 5@100, last -, volume 0",
    );
    check(
        &[(0, buy(5, 100)), slide(offer(5, 98))],
        "1#1 accepted, 5 left
         1#1 modified at 101, 5 left
         quote 2: 5@100 5@101, last -, volume 0",
    );
    // Hidden orders, and the hidden part of price-to-comply orders, are not taken from either.
    check(
        &[(0, sell(5, 100)), (0, limit(Sell, 5, 99, HIDDEN)), slide(bid(5, 100))],
        "1#1 accepted, 5 left
         1#1 modified at 98, 5 left
         quote 2: 5@98 5@100, last -, volume 0",
    );
    check(
        &[(0, order(offer(5, 100).shown_as(Comply))), slide(bid(5, 99))],
        "1#1 accepted, 5 left
         1#1 modified at 98, 5 left
         quote 2: 5@98 5@100, last -, volume 0",
    );
    // Where it does not take, it stays.
    check(
        &[(0, sell(5, 100)), slide(bid(5, 99))],
        "1#1 accepted, 5 left
         quote 2: 5@99 5@100, last -, volume 0",
    );
}

#[test]
fn a_sliding_order_that_has_nowhere_to_go_is_refused() {
    check(&[(0, sell(5, 1)), (1, order(bid(5, 1).post_only(Slide)))], "1#1 rejected WouldTrade, 0 left");
    let top = PRICE_MAX_CENTS;
    check(&[(0, buy(5, top)), (1, order(offer(5, top).post_only(Slide)))], "1#1 rejected WouldTrade, 0 left");
}

#[test]
fn a_sliding_order_slides_again_when_it_is_changed() {
    let script = [(0, sell(5, 100)), (1, order(bid(5, 98).post_only(Slide)))];
    check(
        &[script[0], script[1], (1, modify(1, 6, 101))],
        "1#1>2 modified at 99, 6 left
         quote 3: 6@99 5@100, last -, volume 0",
    );
    check(
        &[script[0], script[1], (1, replace(1, 6, 100))],
        "1#1>2 cancelled Replaced, 0 left
         1#2 accepted, 6 left
         1#2 modified at 99, 6 left
         quote 3: 6@99 5@100, last -, volume 0",
    );
    // It does not slide back when there is room.
    check(
        &[(0, sell(5, 100)), (1, order(bid(5, 102).post_only(Slide))), (0, cancel(1))],
        "0#1>2 cancelled Requested, 0 left
         quote 3: 5@99 -, last -, volume 0",
    );
}

#[test]
fn a_post_only_order_by_its_terms_is_refused_where_it_would_take() {
    let post = order(bid(5, 100).post_only(Reject));
    check(&[(0, limit(Sell, 5, 100, HIDDEN)), (1, post)], "1#1 rejected WouldTrade, 0 left");
    check(&[(0, order(offer(5, 101).shown_as(Comply))), (1, post)], "1#1 rejected WouldTrade, 0 left");
}

#[test]
fn a_price_to_comply_order_is_shown_at_its_price_and_trades_a_tick_better() {
    let comply = (0, order(bid(5, 100).shown_as(Comply)));
    check(&[comply], "0#1 accepted, 5 left\nquote 1: 5@100 -, last -, volume 0");
    check(
        &[comply, (1, sell(2, 100))],
        "1#1 accepted, 2 left
         trade 2 at 101: 0#1 by 1#1 Sell
         0#1 fill 2 at 101 Maker, 3 left
         1#1 fill 2 at 101 Taker, 0 left
         quote 2: 3@100 -, last 101, volume 2",
    );
    // It is one order: all of it goes.
    for end in [(0, cancel(1)), (0, reduce(1, 5)), (1, sell(5, 101))] {
        let mut floor = Floor::open();
        floor.play(&[comply, end]);
        assert_eq!((floor.exchange.quote().bid, floor.exchange.bid_ask_totals()), (None, (0, 0)));
    }
    // Reduced in both places.
    check(&[comply, (0, reduce(1, 3))], "0#1>2 reduced 3, 2 left\nquote 2: 2@100 -, last -, volume 0");
    check(
        &[comply, (0, reduce(1, 3)), (1, sell(9, 99))],
        "1#1 accepted, 9 left
         trade 2 at 101: 0#1 by 1#1 Sell
         0#1 fill 2 at 101 Maker, 0 left
         1#1 fill 2 at 101 Taker, 7 left
         quote 3: - 7@99, last 101, volume 2",
    );
}

#[test]
fn a_price_to_comply_order_neither_locks_nor_crosses() {
    let comply = (0, order(bid(5, 100).shown_as(Comply)));
    // A tick better would meet a visible offer, a hidden one, or another that complies: it rests at its price like any other.
    for first in [sell(5, 101), limit(Sell, 5, 101, HIDDEN), order(offer(5, 102).shown_as(Comply))] {
        let mut floor = Floor::open();
        floor.play(&[(1, first), comply, (2, sell(1, 100))]);
        floor.expect_trades("trade 1 at 100: 0#1 by 2#1 Sell");
    }
    // One tick more, and there is room.
    let mut floor = Floor::open();
    floor.play(&[(1, sell(5, 102)), comply, (2, sell(1, 100))]);
    floor.expect_trades("trade 1 at 101: 0#1 by 2#1 Sell");
    // It takes up to its price and no further, and what comes to meet its hidden price trades.
    check(
        &[(1, sell(2, 100)), (1, sell(2, 101)), comply],
        "0#1 accepted, 5 left
         trade 2 at 100: 1#1 by 0#1 Buy
         1#1 fill 2 at 100 Maker, 0 left
         0#1 fill 2 at 100 Taker, 3 left
         quote 2: 3@100 2@101, last 100, volume 2",
    );
    check(
        &[comply, (1, sell(6, 101))],
        "1#1 accepted, 6 left
         trade 5 at 101: 0#1 by 1#1 Sell
         0#1 fill 5 at 101 Maker, 0 left
         1#1 fill 5 at 101 Taker, 1 left
         quote 2: - 1@101, last 101, volume 5",
    );
    // At the highest price there is no better one.
    let top = PRICE_MAX_CENTS;
    let mut floor = Floor::open();
    floor.play(&[(0, order(bid(5, top).shown_as(Comply))), (1, market(Sell, 1))]);
    floor.expect_trades(&format!("trade 1 at {top}: 0#1 by 1#1 Sell"));
}

#[test]
fn a_price_to_comply_order_ranks_hidden() {
    let mut floor = Floor::open();
    let comply = order(bid(5, 100).shown_as(Comply));
    floor.play(&[(0, comply), (1, buy(1, 101)), (1, limit(Buy, 1, 101, HIDDEN)), (2, sell(8, 100))]);
    // The visible one first, then by time; and nobody at 100 is left.
    floor.expect_trades(
        "trade 1 at 101: 1#1 by 2#1 Sell
         trade 5 at 101: 0#1 by 2#1 Sell
         trade 1 at 101: 1#2 by 2#1 Sell",
    );
    // Moved, it complies again.
    let mut floor = Floor::open();
    floor.play(&[(0, comply), (0, modify(1, 5, 90)), (0, replace(1, 4, 95)), (2, sell(1, 95))]);
    floor.expect_trades("trade 1 at 96: 0#3 by 2#1 Sell");
}

#[test]
fn terms_that_contradict_each_other_are_refused() {
    let limit = bid(5, 100);
    let market = Terms::market(Buy, 5);
    let mut contradictions: Vec<Terms> = vec![
        market.shown_as(Hidden),
        market.shown_as(Comply),
        market.iceberg(1),
        market.post_only(Reject),
        market.post_only(Slide),
        market.good_till(Time(9)),
        limit.shown_as(Comply).post_only(Reject),
        limit.shown_as(Comply).post_only(Slide),
    ];
    for force in [ImmediateOrCancel, FillOrKill, AtOpen, AtClose] {
        let terms = limit.with(force);
        let never_rests = [terms.shown_as(Hidden), terms.shown_as(Comply), terms.iceberg(1), terms.post_only(Reject)];
        contradictions.extend(never_rests);
    }
    for force in [AtOpen, AtClose] {
        contradictions.extend([limit.stop(100).with(force), market.trail(1).with(force)]);
    }
    for waits in [limit.stop(100), limit.trail(1)] {
        contradictions.extend([waits.post_only(Reject), waits.post_only(Slide), waits.shown_as(Comply)]);
        contradictions.extend([waits.with(ImmediateOrCancel).iceberg(1), waits.with(FillOrKill).shown_as(Hidden)]);
    }
    contradictions.extend([market.stop(100).shown_as(Hidden), market.trail(1).iceberg(1)]);
    for terms in contradictions {
        check(&[(0, order(terms))], "0#1 rejected InvalidTerms, 0 left");
    }
    let sound = [
        limit.shown_as(Hidden).post_only(Slide),
        limit.iceberg(1).post_only(Reject).good_till(Time(9)),
        limit.stop(100).iceberg(1),
        limit.trail(1).shown_as(Hidden).good_till(Time(9)),
        market.stop(100).good_till(Time(9)),
        market.trail(1).with(ImmediateOrCancel),
        limit.stop(100).with(FillOrKill),
    ];
    for terms in sound {
        let mut floor = Floor::open();
        floor.send(0, order(terms));
        assert!(floor.said().starts_with("0#1 accepted, 5 left\n"), "{terms:?}: {}", floor.said());
    }
}

#[test]
fn the_numbers_of_the_terms_are_checked() {
    for price in [-1, PRICE_MAX_CENTS + 1, i64::MAX, i64::MIN] {
        check(&[(0, order(Terms::pressed(Buy, price, 1)))], "0#1 rejected InvalidPrice, 0 left");
    }
    for trigger_at in [0, -1, PRICE_MAX_CENTS + 1, i64::MAX] {
        check(&[(0, order(bid(1, 9).stop(trigger_at)))], "0#1 rejected InvalidPrice, 0 left");
        check(&[(0, order(bid(1, 9).trail(trigger_at)))], "0#1 rejected InvalidPrice, 0 left");
    }
    for quantity in [0, QUANTITY_MAX + 1, u64::MAX] {
        check(&[(0, order(bid(quantity, 9)))], "0#1 rejected InvalidQuantity, 0 left");
        check(&[(0, order(bid(1, 9).iceberg(quantity)))], "0#1 rejected InvalidQuantity, 0 left");
    }
}

#[test]
fn an_order_with_no_rarer_terms_is_a_limit_or_market_order() {
    let pairs: [(RequestKind, Terms); 2] = [(sell(4, 99), offer(4, 99)), (market(Sell, 4), Terms::market(Sell, 4))];
    for (plain, terms) in pairs {
        let [first, second] = [plain, order(terms)].map(|kind| {
            let mut floor = Floor::open();
            floor.play(&[(0, buy(3, 100)), (1, kind)]);
            floor.said().to_owned()
        });
        assert_eq!(first, second);
    }
    check_in(
        under(Venue::default()),
        &[(0, order(bid(1, 9)))],
        "0#1 accepted, 1 left\nquote 1: 1@9 -, last -, volume 0",
    );
}
