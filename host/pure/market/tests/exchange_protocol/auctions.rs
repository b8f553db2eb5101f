//! Auctions: at which price, who trades, in what order, what becomes of the rest.

use crate::floor::{
    Floor, HIDDEN, POST_ONLY, band, bid, buy, limit, market, modify, offer, order, reduce, sell, under,
};
use Display::{Comply, Hidden};
use PostOnly::{Reject, Slide};
use Side::{Buy, Sell};
use TimeInForce::{AtClose, AtOpen};
use assay_market::{AgentIndex, Exchange, Halt, PriceBand, SelfTrade, TraderLimits, Venue};
use assay_model::{Display, Nanos, PostOnly, Price, RequestKind, Side, Terms, Time, TimeInForce};

/// An exchange that opens with an auction at 50, and its reference before the first trade.
fn opening(reference: Option<i64>) -> Exchange {
    let exchange = under(Venue { opening_auction: Nanos(50), ..Venue::default() });
    let Some(reference) = reference else { return exchange };
    let opening_reference = Price::clamped(reference);
    exchange.with_band(PriceBand { opening_reference, basis_points: 5_000, ..band(0) })
}

/// What the opening auction makes of the orders.
#[track_caller]
fn check_opening(reference: Option<i64>, script: &[(u32, RequestKind)], trades: &str) {
    let mut floor = Floor::of(opening(reference));
    floor.play(script);
    floor.forget();
    floor.wait_until(50);
    floor.expect_trades(trades);
    floor.close();
}

#[test]
fn the_price_is_that_at_which_most_shares_trade() {
    // At 100 three trade, at 101 six, at 102 four.
    check_opening(
        None,
        &[(0, buy(4, 102)), (0, buy(2, 101)), (0, buy(9, 99)), (1, sell(3, 100)), (1, sell(4, 101)), (1, sell(9, 103))],
        "trade 3 at 101: 0#1 by 1#1 Sell
         trade 1 at 101: 0#1 by 1#2 Sell
         trade 2 at 101: 0#2 by 1#2 Sell",
    );
    // Six trade at 100 and leave fourteen buyers; at 101 five trade and leave one seller.
    check_opening(
        None,
        &[(0, buy(5, 101)), (0, buy(15, 100)), (1, sell(6, 100))],
        "trade 5 at 100: 1#1 by 0#1 Buy\ntrade 1 at 100: 1#1 by 0#2 Buy",
    );
    check_opening(None, &[(0, buy(4, 99)), (1, sell(4, 100))], "");
    check_opening(None, &[(0, buy(4, 99))], "");
    check_opening(None, &[], "");
}

#[test]
fn of_several_prices_the_one_with_the_fewest_left_over_counts() {
    // Five trade from 100 to 102. At 100 seven buyers are left over, at 101 two.
    check_opening(
        Some(100),
        &[(0, buy(5, 100)), (0, buy(7, 101)), (1, sell(5, 100))],
        "trade 5 at 101: 1#1 by 0#2 Buy",
    );
    check_opening(
        Some(102),
        &[(0, sell(5, 102)), (0, sell(7, 101)), (1, buy(5, 102))],
        "trade 5 at 101: 1#1 by 0#2 Sell",
    );
}

#[test]
fn then_the_nearest_to_the_reference_counts_and_then_the_highest() {
    let script = [(0, buy(5, 104)), (1, sell(5, 100))];
    for (reference, price) in [(Some(99), 100), (Some(101), 101), (Some(103), 103), (Some(110), 104), (None, 104)] {
        check_opening(reference, &script, &format!("trade 5 at {price}: 1#1 by 0#1 Buy"));
    }
    // As far above as below.
    let script = [(0, buy(5, 104)), (2, buy(1, 100)), (1, sell(5, 100)), (2, sell(1, 104))];
    check_opening(Some(102), &script, "trade 5 at 102: 1#1 by 0#1 Buy");
    // The last trade is the reference once there is one.
    let venue = Venue { halts: vec![Halt { at: Time(3), lasts: Nanos(20) }], ..Venue::default() };
    let mut floor = Floor::of(under(venue).with_band(PriceBand { basis_points: 5_000, ..band(0) }));
    floor.print(996);
    floor.play(&[(0, buy(5, 1_004)), (1, sell(5, 990))]);
    floor.forget();
    floor.wait_until(40);
    floor.expect_trades("trade 5 at 996: 1#2 by 0#1 Buy");
}

#[test]
fn market_orders_have_only_the_reference_for_a_price() {
    let script = [(0, market(Buy, 5)), (1, order(Terms::market(Sell, 5).with(AtOpen)))];
    check_opening(Some(100), &script, "trade 5 at 100: 1#1 by 0#1 Buy");
    check_opening(None, &script, "");
    // Or a limit of somebody who can trade.
    check_opening(
        None,
        &[script[0], (1, sell(2, 120)), (1, sell(2, 110))],
        "trade 2 at 120: 1#2 by 0#1 Buy\ntrade 2 at 120: 1#1 by 0#1 Buy",
    );
}

#[test]
fn the_better_order_trades_first_whenever_it_came() {
    // At market, by limit, visible before hidden, by time.
    let buyers = [
        (0, order(bid(1, 101).shown_as(Hidden))),
        (0, buy(1, 101)),
        (2, buy(1, 102)),
        (0, buy(1, 101)),
        (2, order(Terms::market(Buy, 1).with(AtOpen))),
        (0, order(bid(1, 103).with(AtOpen))),
        (0, market(Buy, 1)),
    ];
    let mut script = buyers.to_vec();
    script.push((1, sell(6, 101)));
    check_opening(
        Some(101),
        &script,
        "trade 1 at 101: 1#1 by 2#2 Buy
         trade 1 at 101: 1#1 by 0#5 Buy
         trade 1 at 101: 1#1 by 0#4 Buy
         trade 1 at 101: 1#1 by 2#1 Buy
         trade 1 at 101: 1#1 by 0#2 Buy
         trade 1 at 101: 1#1 by 0#3 Buy",
    );
    // The same for sellers.
    check_opening(
        Some(101),
        &[(0, sell(1, 101)), (0, sell(1, 100)), (2, market(Sell, 1)), (1, buy(2, 101))],
        "trade 1 at 100: 2#1 by 1#1 Buy\ntrade 1 at 100: 0#2 by 1#1 Buy",
    );
}

#[test]
fn the_heavier_side_takes_and_buyers_if_neither_is() {
    check_opening(None, &[(0, buy(5, 100)), (1, sell(4, 100))], "trade 4 at 100: 1#1 by 0#1 Buy");
    check_opening(None, &[(0, buy(4, 100)), (1, sell(5, 100))], "trade 4 at 100: 0#1 by 1#1 Sell");
    check_opening(None, &[(0, buy(4, 100)), (1, sell(4, 100))], "trade 4 at 100: 1#1 by 0#1 Buy");
}

#[test]
fn after_the_opening_limits_go_on_and_the_rest_is_cancelled() {
    let mut floor = Floor::of(opening(None));
    floor.play(&[
        (0, buy(5, 100)),
        (0, order(bid(3, 100).with(AtOpen))),
        (2, order(bid(9, 100).iceberg(2))),
        (2, order(offer(1, 101).shown_as(Hidden))),
        (1, sell(4, 100)),
        (1, market(Sell, 3)),
        (1, order(offer(2, 102).with(AtOpen))),
    ]);
    floor.forget();
    floor.wait_until(50);
    floor.expect(
        "trade 3 at 100: 1#2 by 0#1 Buy
         1#2 fill 3 at 100 Maker, 0 left
         0#1 fill 3 at 100 Taker, 2 left
         trade 2 at 100: 1#1 by 0#1 Buy
         1#1 fill 2 at 100 Maker, 2 left
         0#1 fill 2 at 100 Taker, 0 left
         trade 2 at 100: 1#1 by 0#2 Buy
         1#1 fill 2 at 100 Maker, 0 left
         0#2 fill 2 at 100 Taker, 1 left
         continuous
         0#2 cancelled NoLiquidity, 0 left
         1#3 cancelled NoLiquidity, 0 left
         quote 1: 2@100 -, last 100, volume 7",
    );
    floor.send(2, modify(2, 1, 102));
    floor.expect("2#2>3 modified at 102, 1 left");
    floor.close();
}

/// Halted from 10 to 30; what rests before has traded nothing. Three traders are few, so they may trade with themselves.
fn halted() -> Exchange {
    let halts = vec![Halt { at: Time(10), lasts: Nanos(20) }];
    under(Venue { halts, self_trade: SelfTrade::Allow, ..Venue::default() })
}

#[test]
fn what_rests_comes_before_what_was_collected_and_keeps_its_place() {
    let mut floor = Floor::of(halted());
    floor.play(&[(0, buy(5, 100)), (2, buy(5, 100))]);
    floor.wait_until(10);
    floor.play(&[(1, buy(2, 100)), (0, reduce(1, 1)), (1, sell(6, 100))]);
    floor.forget();
    floor.wait_until(30);
    floor.expect_trades("trade 4 at 100: 1#2 by 0#1 Buy\ntrade 2 at 100: 1#2 by 2#1 Buy");
    floor.send(0, market(Sell, 4));
    floor.expect_trades("trade 3 at 100: 2#1 by 0#3 Sell\ntrade 1 at 100: 1#1 by 0#3 Sell");
}

#[test]
fn icebergs_take_part_whole_and_price_to_comply_orders_a_tick_better() {
    let mut floor = Floor::of(halted());
    floor.play(&[(0, order(bid(9, 100).iceberg(2))), (2, buy(1, 100)), (2, order(bid(3, 100).shown_as(Comply)))]);
    floor.wait_until(10);
    floor.play(&[(1, buy(1, 101)), (1, sell(12, 100))]);
    floor.forget();
    floor.wait_until(30);
    // Heavy with buyers at 100, where all twelve trade.
    floor.expect_trades(
        "trade 1 at 100: 1#2 by 1#1 Buy
         trade 3 at 100: 1#2 by 2#2 Buy
         trade 8 at 100: 1#2 by 0#1 Buy",
    );
    assert_eq!(floor.exchange.quote().bid.map(|level| level.quantity), Some(2));
}

#[test]
fn a_post_only_order_meets_in_the_auction_what_rests() {
    let mut floor = Floor::of(halted());
    floor.send(0, sell(2, 100));
    floor.wait_until(10);
    floor.play(&[(1, limit(Buy, 1, 101, POST_ONLY)), (2, order(bid(1, 101).post_only(Slide)))]);
    floor.forget();
    floor.wait_until(30);
    floor.expect_trades("trade 1 at 101: 0#1 by 1#1 Buy\ntrade 1 at 101: 0#1 by 2#1 Buy");
}

#[test]
fn the_closing_auction_is_held_at_the_close() {
    let venue = Venue { closing_auction: Some(Time(10)), ..Venue::default() };
    let mut floor = Floor::of(under(venue.clone()));
    floor.play(&[
        (0, order(Terms::market(Buy, 4).with(AtClose))),
        (0, order(bid(1, 98).with(AtClose))),
        (1, sell(1, 100)),
    ]);
    // They wait beside continuous trading, out of its way.
    floor.send(2, market(Sell, 1));
    assert!(floor.said().ends_with("2#1 cancelled NoLiquidity, 0 left\n"), "{}", floor.said());
    floor.wait_until(10);
    floor.play(&[(1, sell(2, 99)), (2, market(Buy, 1))]);
    floor.forget();
    floor.close();
    floor.expect(
        "trade 2 at 100: 1#2 by 0#1 Buy
         1#2 fill 2 at 100 Maker, 0 left
         0#1 fill 2 at 100 Taker, 2 left
         trade 1 at 100: 1#1 by 0#1 Buy
         1#1 fill 1 at 100 Maker, 0 left
         0#1 fill 1 at 100 Taker, 1 left
         quote 2: - -, last 100, volume 3
         closed
         0#1 cancelled MarketClosed, 0 left
         0#2 cancelled MarketClosed, 0 left
         2#2 cancelled MarketClosed, 0 left",
    );
    // Without the call, which comes later than the close here, there is none.
    let mut floor = Floor::of(under(venue));
    floor.play(&[(0, order(Terms::market(Buy, 4).with(AtClose))), (1, sell(4, 100))]);
    floor.forget();
    floor.close();
    floor.expect_trades("");
}

#[test]
fn an_auction_sets_off_stops_once_trading_goes_on() {
    let mut floor = Floor::of(halted());
    floor.play(&[(0, order(Terms::market(Sell, 1).stop(95))), (2, buy(1, 90))]);
    floor.wait_until(10);
    floor.play(&[(1, buy(2, 95)), (2, sell(1, 95))]);
    floor.forget();
    floor.wait_until(30);
    floor.expect(
        "trade 1 at 95: 2#2 by 1#1 Buy
         2#2 fill 1 at 95 Maker, 0 left
         1#1 fill 1 at 95 Taker, 1 left
         continuous
         0#1 triggered, 1 left
         trade 1 at 95: 1#1 by 0#1 Sell
         1#1 fill 1 at 95 Maker, 0 left
         0#1 fill 1 at 95 Taker, 0 left
         quote 2: 1@90 -, last 95, volume 2",
    );
}

#[test]
fn market_orders_keep_to_the_band_in_auctions_too() {
    let banded = || opening(None).with_band(band(100));
    // Nobody could set a limit out there now; what rests from before may lie there.
    let venue = Venue { halts: vec![Halt { at: Time(4), lasts: Nanos(20) }], ..Venue::default() };
    let mut floor = Floor::of(under(venue).with_band(band(100)));
    floor.send(1, sell(5, 1_010));
    floor.print(990);
    floor.play(&[(0, market(Buy, 5)), (2, order(offer(1, 999)))]);
    floor.forget();
    floor.wait_until(40);
    floor.expect(
        "trade 1 at 999: 2#2 by 0#1 Buy
         2#2 fill 1 at 999 Maker, 0 left
         0#1 fill 1 at 999 Taker, 4 left
         continuous
         0#1 cancelled NoLiquidity, 0 left
         quote 4: - 5@1010, last 999, volume 2",
    );
    // They come before a limit at the edge.
    let mut floor = Floor::of(banded());
    floor.play(&[(0, buy(1, 1_010)), (2, market(Buy, 1)), (1, sell(1, 1_000))]);
    floor.forget();
    floor.wait_until(50);
    floor.expect_trades("trade 1 at 1000: 1#1 by 2#1 Buy");
    // At the edge itself they do trade.
    for (order, against, price) in [(market(Buy, 1), sell(1, 1_010), 1_010), (market(Sell, 1), buy(1, 990), 990)] {
        let mut floor = Floor::of(banded());
        floor.play(&[(0, order), (1, against)]);
        floor.forget();
        floor.wait_until(50);
        assert!(floor.said().starts_with(&format!("trade 1 at {price}: ")), "{}", floor.said());
    }
}

#[test]
fn a_post_only_order_collected_for_an_auction_does_not_take_afterwards() {
    // Once trading goes on the first order complies, a tick above where it is shown, and the second would take from it.
    let comply = (0, order(bid(5, 100).shown_as(Comply)));
    let mut floor = Floor::of(opening(None));
    floor.play(&[comply, (1, limit(Sell, 5, 101, POST_ONLY)), (2, order(offer(5, 101).post_only(Slide)))]);
    floor.forget();
    floor.wait_until(50);
    floor.expect(
        "continuous
         1#1 cancelled WouldTrade, 0 left
         2#1 modified at 102, 5 left
         quote 1: 5@100 5@102, last -, volume 0",
    );
    // Nor does what was for the auction only.
    let mut floor = Floor::of(opening(None));
    floor.play(&[comply, (1, order(offer(5, 101).with(AtOpen)))]);
    floor.forget();
    floor.wait_until(50);
    floor.expect("continuous\n1#1 cancelled NoLiquidity, 0 left\nquote 1: 5@100 -, last -, volume 0");
    // In the auction itself nobody takes: the sides meet.
    check_opening(
        None,
        &[(0, buy(5, 100)), (1, order(offer(5, 99).post_only(Reject)))],
        "trade 5 at 100: 1#1 by 0#1 Buy",
    );
}

#[test]
fn an_auction_counts_against_limits_like_any_trade() {
    let limits = TraderLimits { position: 10, loss: None, margin: None };
    let mut floor = Floor::of(opening(None).with_trader_limits(AgentIndex(0), limits));
    floor.play(&[(0, buy(6, 100)), (0, market(Buy, 5)), (0, order(bid(4, 100).with(AtOpen))), (1, sell(7, 100))]);
    floor.expect(
        "0#1 accepted, 6 left
         0#2 rejected PositionLimit, 0 left
         0#3 accepted, 4 left
         1#1 accepted, 7 left",
    );
    floor.wait_until(50);
    floor.forget();
    // Seven held, nothing open: three to go, and seventeen the other way.
    floor.play(&[(0, buy(4, 90)), (0, buy(3, 90)), (0, sell(18, 110)), (0, limit(Sell, 17, 110, HIDDEN))]);
    floor.expect(
        "0#4 rejected PositionLimit, 0 left
         0#5 accepted, 3 left
         quote 2: 3@90 -, last 100, volume 7
         0#6 rejected PositionLimit, 0 left
         0#7 accepted, 17 left",
    );
}
