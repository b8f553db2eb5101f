//! What becomes of two orders of one trader that meet, in each of the four ways that a venue may have.

use crate::floor::{Floor, HIDDEN, bid, buy, check_in, limit, market, offer, order, sell, under};
use Side::{Buy, Sell};
use assay_market::{Exchange, SelfTrade, Venue};
use assay_model::{Display, Side};

/// A venue where orders of one trader meet in this way.
fn meeting(self_trade: SelfTrade) -> Exchange {
    under(Venue { self_trade, ..Venue::default() })
}

#[test]
fn allowed_self_trades_are_trades_like_any_other() {
    check_in(
        meeting(SelfTrade::Allow),
        &[(0, sell(2, 100)), (0, buy(3, 100))],
        "0#2 accepted, 3 left
         trade 2 at 100: 0#1 by 0#2 Buy
         0#1 fill 2 at 100 Maker, 0 left
         0#2 fill 2 at 100 Taker, 1 left
         quote 2: 1@100 -, last 100, volume 2",
    );
}

#[test]
fn the_older_order_gives_way_if_the_venue_says_so() {
    check_in(
        meeting(SelfTrade::CancelOldest),
        &[(0, sell(2, 100)), (0, limit(Sell, 2, 100, HIDDEN)), (1, sell(2, 101)), (0, buy(3, 101))],
        "0#3 accepted, 3 left
         0#1 cancelled SelfTrade, 0 left
         0#2 cancelled SelfTrade, 0 left
         trade 2 at 101: 1#1 by 0#3 Buy
         1#1 fill 2 at 101 Maker, 0 left
         0#3 fill 2 at 101 Taker, 1 left
         quote 2: 1@101 -, last 101, volume 2",
    );
    // The whole of an iceberg, not a slice.
    check_in(
        meeting(SelfTrade::CancelOldest),
        &[(0, order(offer(9, 100).iceberg(2))), (0, buy(3, 100))],
        "0#2 accepted, 3 left
         0#1 cancelled SelfTrade, 0 left
         quote 2: 3@100 -, last -, volume 0",
    );
}

#[test]
fn both_orders_lose_the_shares_of_the_smaller_if_the_venue_says_so() {
    let decrement = || meeting(SelfTrade::Decrement);
    // The resting one is larger, smaller, and as large.
    check_in(
        decrement(),
        &[(0, sell(5, 100)), (0, buy(3, 100))],
        "0#2 accepted, 3 left
         0#1 reduced 3, 2 left
         0#2 cancelled SelfTrade, 0 left
         quote 2: - 2@100, last -, volume 0",
    );
    check_in(
        decrement(),
        &[(0, sell(2, 100)), (1, sell(2, 101)), (0, buy(5, 101))],
        "0#2 accepted, 5 left
         0#1 cancelled SelfTrade, 0 left
         0#2 reduced 2, 3 left
         trade 2 at 101: 1#1 by 0#2 Buy
         1#1 fill 2 at 101 Maker, 0 left
         0#2 fill 2 at 101 Taker, 1 left
         quote 2: 1@101 -, last 101, volume 2",
    );
    check_in(
        decrement(),
        &[(0, sell(3, 100)), (0, market(Buy, 3))],
        "0#2 accepted, 3 left
         0#1 cancelled SelfTrade, 0 left
         0#2 cancelled SelfTrade, 0 left
         quote 2: - -, last -, volume 0",
    );
    // Of an iceberg the hidden shares go first; the reduced order keeps its place.
    let mut floor = Floor::of(decrement());
    floor.play(&[(0, order(offer(9, 100).iceberg(2))), (1, sell(1, 100)), (0, buy(3, 100))]);
    assert_eq!(floor.exchange.bid_ask_totals(), (0, 3));
    floor.send(2, market(Buy, 3));
    floor.expect_trades("trade 2 at 100: 0#1 by 2#1 Buy\ntrade 1 at 100: 1#1 by 2#1 Buy");
}

#[test]
fn the_newer_order_is_cancelled_where_it_meets_by_default() {
    assert_eq!(SelfTrade::default(), SelfTrade::CancelNewest);
    for newer in [buy(5, 101), order(bid(5, 101).iceberg(1)), order(bid(5, 101).shown_as(Display::Comply))] {
        check_in(
            meeting(SelfTrade::CancelNewest),
            &[(1, sell(1, 100)), (0, sell(1, 101)), (0, newer)],
            "0#2 accepted, 5 left
             trade 1 at 100: 1#1 by 0#2 Buy
             1#1 fill 1 at 100 Maker, 0 left
             0#2 fill 1 at 100 Taker, 4 left
             0#2 cancelled SelfTrade, 0 left
             quote 2: - 1@101, last 100, volume 1",
        );
    }
}
