//! What keeps a trader from trading: open orders, the band, position and loss limits, the kill switch, his own orders.

use crate::floor::{
    Floor, band, bid, buy, cancel, check_in, limited, market, modify, offer, order, reduce, replace, sell, under,
};
use Side::{Buy, Sell};
use assay_market::{AgentIndex, Exchange, OPEN_ORDERS_MAX, PriceBand, TraderLimits, Venue};
use assay_model::{Display, Nanos, PostOnly, Price, RequestKind, Side, Terms, Time, TimeInForce};

#[test]
fn resting_orders_are_limited_per_agent() {
    let mut floor = Floor::open();
    for _ in 0..OPEN_ORDERS_MAX {
        floor.send(0, buy(1, 10));
    }
    floor.forget();
    floor.send(0, buy(1, 10));
    floor.expect("0#10001 rejected TooManyOpenOrders, 0 left");
    // Others are not held up, and a replace or a cancel makes its own room.
    floor.send(1, market(Sell, 1));
    assert!(floor.said().contains("0#1 fill 1 at 10 Maker, 0 left"), "{}", floor.said());
    floor.send(0, buy(1, 10));
    floor.forget();
    floor.send(0, replace(10_002, 1, 10));
    floor.expect(
        "0#10002>10003 cancelled Replaced, 0 left
         0#10003 accepted, 1 left",
    );
}

#[test]
fn a_stopped_trader_is_out() {
    let mut floor = Floor::open();
    floor.send(0, buy(1, 10));
    floor.send(1, buy(2, 10));
    floor.forget();
    floor.exchange.stop(Time(5), AgentIndex(0), &mut floor.tape);
    floor.send(0, buy(1, 10));
    floor.expect(
        "0#1 cancelled TraderStopped, 0 left
         quote 3: 2@10 -, last -, volume 0
         0#2 rejected TraderStopped, 0 left",
    );
}

#[test]
fn nobody_quotes_or_trades_beyond_the_band() {
    let mut floor = Floor::open();
    floor.exchange = floor.exchange.with_band(band(100));
    for price in [1, 989, 1_011] {
        floor.send(0, buy(1, price));
    }
    floor.send(0, sell(1, 1_008));
    floor.send(0, sell(1, 1_010));
    floor.expect(
        "0#1 rejected OutsideBand, 0 left
         0#2 rejected OutsideBand, 0 left
         0#3 rejected OutsideBand, 0 left
         0#4 accepted, 1 left
         quote 1: - 1@1008, last -, volume 0
         0#5 accepted, 1 left",
    );
    // The band follows the last trade: down to 990 again, and what rests at 1,010 is beyond its edge.
    floor.send(1, buy(1, 1_008));
    floor.send(1, buy(1, 999));
    floor.send(2, sell(1, 999));
    floor.send(1, buy(1, 990));
    floor.send(2, sell(1, 990));
    floor.forget();
    floor.send(1, market(Buy, 1));
    floor.send(0, modify(5, 1, 1_000));
    floor.send(0, replace(5, 1, 980));
    floor.expect(
        "1#4 accepted, 1 left
         1#4 cancelled NoLiquidity, 0 left
         0#5>6 rejected OutsideBand, 1 left
         0#7 rejected OutsideBand, 0 left",
    );
}

#[test]
fn a_position_limit_counts_what_is_held_and_what_is_open() {
    let mut floor = Floor::open();
    floor.exchange =
        floor.exchange.with_trader_limits(AgentIndex(0), TraderLimits { position: 10, loss: None, margin: None });
    floor.send(1, buy(100, 10));
    floor.send(1, sell(100, 20));
    floor.forget();
    floor.send(0, buy(6, 12));
    floor.send(0, buy(5, 11));
    floor.send(0, market(Buy, 5));
    floor.send(0, market(Buy, 4));
    floor.expect(
        "0#1 accepted, 6 left
         quote 3: 6@12 100@20, last -, volume 0
         0#2 rejected PositionLimit, 0 left
         0#3 rejected PositionLimit, 0 left
         0#4 accepted, 4 left
         trade 4 at 20: 1#2 by 0#4 Buy
         1#2 fill 4 at 20 Maker, 96 left
         0#4 fill 4 at 20 Taker, 0 left
         quote 4: 6@12 96@20, last 20, volume 4",
    );
    // Four held and six bid for: nothing may grow on this side, and fourteen may be sold.
    floor.send(0, modify(1, 7, 13));
    floor.send(0, replace(1, 7, 13));
    floor.send(0, replace(1, 6, 13));
    floor.send(0, reduce(7, 2));
    floor.send(0, modify(7, 6, 13));
    floor.send(0, sell(15, 20));
    floor.send(0, market(Sell, 4));
    floor.expect(
        "0#1>5 rejected PositionLimit, 6 left
         0#6 rejected PositionLimit, 0 left
         0#1>7 cancelled Replaced, 0 left
         0#7 accepted, 6 left
         quote 5: 6@13 96@20, last 20, volume 4
         0#7>8 reduced 2, 4 left
         quote 6: 4@13 96@20, last 20, volume 4
         0#7>9 modified at 13, 6 left
         quote 7: 6@13 96@20, last 20, volume 4
         0#10 rejected PositionLimit, 0 left
         0#11 accepted, 4 left
         0#11 cancelled SelfTrade, 0 left",
    );
    // What has been cancelled counts no more.
    floor.send(0, RequestKind::CancelAll);
    floor.forget();
    floor.send(0, sell(14, 21));
    floor.send(0, buy(6, 9));
    floor.expect(
        "0#13 accepted, 14 left
         0#14 accepted, 6 left",
    );
}

#[test]
fn a_slow_band_is_around_the_mean_of_the_window() {
    // Resting on one share, each trade is as good as another.
    let start = || {
        let mut floor = Floor::of(Exchange::new(3).with_band(PriceBand { window: Nanos(10), shares: 1, ..band(100) }));
        // The opening reference has left the window.
        floor.now = Time(20);
        floor
    };
    let mut floor = start();
    // Trades at 22 and 24; by the last trade the band would be 999 to 1,019.
    floor.print(1_000);
    floor.print(1_009);
    floor.forget();
    floor.play(&[(0, buy(1, 1_015)), (0, buy(1, 1_014)), (0, cancel(2))]);
    floor.expect(
        "0#1 rejected OutsideBand, 0 left
         0#2 accepted, 1 left
         quote 5: 1@1014 -, last 1009, volume 2
         0#2>3 cancelled Requested, 0 left
         quote 6: - -, last 1009, volume 2",
    );
    // The trade at 22 is in the window up to 32, the one at 24 up to 34; afterwards the mean stays as it was.
    for (at, edge) in [(32, 1_014), (33, 1_019), (34, 1_019), (35, 1_019), (1_000, 1_019)] {
        for (price, answer) in [(edge, "accepted, 1 left"), (edge + 1, "rejected OutsideBand, 0 left")] {
            let mut floor = start();
            floor.print(1_000);
            floor.print(1_009);
            floor.now = Time(at - 1);
            floor.forget();
            floor.send(0, buy(1, price));
            assert_eq!(floor.said().lines().next(), Some(format!("0#1 {answer}").as_str()), "{price} at {at}");
        }
    }
    // Who asked meanwhile, and was refused, makes no difference.
    let mut floor = start();
    floor.print(1_000);
    floor.print(1_009);
    floor.now = Time(33);
    floor.send(0, cancel(7));
    floor.now = Time(1_000);
    floor.forget();
    floor.send(0, buy(1, 1_019));
    assert!(floor.said().starts_with("0#2 accepted"), "{}", floor.said());
    // Several trades at one time count each.
    let mut floor = start();
    floor.play(&[(1, sell(1, 1_000)), (1, sell(1, 1_006)), (1, sell(1, 1_009)), (2, market(Buy, 3))]);
    floor.forget();
    floor.play(&[(0, buy(1, 1_016)), (0, buy(1, 1_015))]);
    assert!(floor.said().starts_with("0#1 rejected OutsideBand, 0 left\n0#2 accepted"), "{}", floor.said());
}

#[test]
fn a_band_is_at_least_a_cent_wide() {
    let narrow = PriceBand { opening_reference: Price::clamped(50), ..band(100) };
    let mut floor = Floor::of(Exchange::new(3).with_band(narrow));
    floor.play(&[(0, buy(1, 52)), (0, buy(1, 51)), (1, order(offer(1, 48))), (1, order(offer(1, 53).iceberg(1)))]);
    floor.expect(
        "0#1 rejected OutsideBand, 0 left
         0#2 accepted, 1 left
         quote 1: 1@51 -, last -, volume 0
         1#1 rejected OutsideBand, 0 left
         1#2 rejected OutsideBand, 0 left",
    );
}

#[test]
fn a_market_order_stops_at_the_edge_of_the_band() {
    for terms in [market(Buy, 5), order(Terms::market(Buy, 5))] {
        let mut floor = Floor::of(Exchange::new(3).with_band(band(100)));
        floor.play(&[(1, sell(1, 1_008)), (1, sell(1, 1_009))]);
        // The reference is 999 now: up to 1,008 is within.
        floor.play(&[(1, sell(1, 999)), (2, market(Buy, 1))]);
        floor.forget();
        floor.send(0, terms);
        floor.expect_trades("trade 1 at 1008: 1#1 by 0#1 Buy");
    }
}

#[test]
fn a_slide_beyond_the_band_is_refused() {
    let slide = order(offer(1, 1_000).post_only(PostOnly::Slide));
    check_in(
        Exchange::new(3).with_band(band(100)),
        &[(1, buy(1, 1_010)), (0, slide)],
        "0#1 rejected WouldTrade, 0 left",
    );
}

#[test]
fn a_trader_who_has_lost_his_limit_is_out() {
    let mut floor = Floor::of(limited(1_000, Some(50)));
    floor.play(&[(1, sell(10, 100)), (0, buy(10, 100)), (0, buy(1, 80)), (0, order(offer(1, 120).stop(50)))]);
    // Ten shares down by 4: nothing yet. Down by 5: fifty cents.
    floor.print(96);
    assert!(!floor.said().contains("LossLimit"), "{}", floor.said());
    floor.forget();
    floor.print(95);
    assert!(
        floor.said().ends_with(
            "2#2 fill 1 at 95 Taker, 0 left
             0#2 cancelled LossLimit, 0 left
             0#3 cancelled LossLimit, 0 left
             quote 7: - -, last 95, volume 12\n"
                .replace("             ", "")
                .as_str()
        ),
        "{}",
        floor.said()
    );
    floor.forget();
    // For good, even after the price has come back, and only he.
    floor.print(200);
    floor.forget();
    floor.play(&[(0, buy(1, 80)), (0, RequestKind::CancelAll), (1, buy(1, 80))]);
    floor.expect(
        "0#4 rejected LossLimit, 0 left
         0#5 rejected LossLimit, 0 left
         1#5 accepted, 1 left
         quote 10: 1@80 -, last 200, volume 13",
    );
    // A stop by hand does not change why.
    floor.exchange.stop(Time(99), AgentIndex(0), &mut floor.tape);
    floor.now = Time(99);
    floor.forget();
    floor.send(0, buy(1, 80));
    floor.expect("0#6 rejected LossLimit, 0 left");
}

#[test]
fn a_short_position_loses_as_the_price_rises() {
    let mut floor = Floor::of(limited(1_000, Some(50)));
    floor.play(&[(1, buy(10, 100)), (0, sell(10, 100))]);
    floor.print(104);
    assert!(!floor.said().contains("LossLimit"), "{}", floor.said());
    floor.print(105);
    floor.forget();
    floor.send(0, buy(1, 1));
    floor.expect("0#2 rejected LossLimit, 0 left");
}

#[test]
fn a_position_limit_counts_stops_icebergs_and_orders_for_auctions() {
    let venue = Venue { closing_auction: Some(Time(900)), ..Venue::default() };
    let limits = TraderLimits { position: 10, loss: None, margin: None };
    let exchange = || under(venue.clone()).with_trader_limits(AgentIndex(0), limits);
    let at_close = Terms::market(Buy, 6).with(TimeInForce::AtClose);
    for six in [
        bid(6, 100).iceberg(1),
        bid(6, 100).shown_as(Display::Comply),
        bid(6, 100).stop(200),
        Terms::market(Buy, 6).trail(50),
        at_close,
    ] {
        let mut floor = Floor::of(exchange());
        floor.send(0, order(six));
        floor.forget();
        let five = [buy(5, 90), order(bid(5, 90).stop(200)), order(bid(5, 90).iceberg(1)), market(Buy, 5)];
        for kind in five {
            floor.send(0, kind);
        }
        // A place for four; with two shares less of the first, for six; and without it, for ten.
        floor.play(&[
            (0, order(bid(4, 90).stop(200))),
            (0, cancel(6)),
            (0, reduce(1, 2)),
            (0, buy(7, 80)),
            (0, buy(6, 80)),
        ]);
        floor.play(&[(0, cancel(1)), (0, buy(5, 70)), (0, buy(4, 70))]);
        let refused: Vec<&str> = floor.said().lines().filter(|line| line.contains("PositionLimit")).collect();
        let refused: Vec<&str> = refused.iter().map(|line| line.split(' ').next().unwrap_or_default()).collect();
        assert_eq!(refused, ["0#2", "0#3", "0#4", "0#5", "0#9", "0#12"], "{six:?}: {}", floor.said());
    }
}

#[test]
fn a_position_limit_follows_a_stop_into_the_book_and_out_of_it() {
    let mut floor = Floor::of(limited(10, None));
    floor.play(&[(0, order(bid(6, 100).iceberg(2).stop(100))), (1, sell(2, 100)), (2, buy(1, 100))]);
    // Set off: one bought, five bid for. Then four of these, in slices.
    floor.send(1, sell(4, 100));
    floor.forget();
    floor.play(&[
        (0, modify(1, 6, 100)),
        (0, modify(1, 5, 100)),
        (0, buy(1, 90)),
        (0, sell(15, 200)),
        (0, sell(16, 200)),
    ]);
    floor.expect(
        "0#1>2 rejected PositionLimit, 1 left
         0#1>3 modified at 100, 5 left
         quote 4: 2@100 -, last 100, volume 6
         0#4 rejected PositionLimit, 0 left
         0#5 accepted, 15 left
         quote 5: 2@100 15@200, last 100, volume 6
         0#6 rejected PositionLimit, 0 left",
    );
    // A stop that waits may grow up to the limit.
    check_in(
        limited(10, None),
        &[(0, order(bid(6, 100).stop(200))), (0, modify(1, 10, 100))],
        "0#1>2 modified at 100, 10 left",
    );
    check_in(
        limited(10, None),
        &[(0, order(bid(6, 100).stop(200))), (0, modify(1, 11, 100))],
        "0#1>2 rejected PositionLimit, 6 left",
    );
    let mut floor = Floor::of(limited(10, None));
    floor.play(&[(0, order(bid(6, 100).stop(200))), (0, modify(1, 9, 100))]);
    floor.forget();
    floor.play(&[(0, buy(2, 90)), (0, buy(1, 90)), (0, replace(4, 2, 90))]);
    floor.expect(
        "0#3 rejected PositionLimit, 0 left
         0#4 accepted, 1 left
         quote 1: 1@90 -, last -, volume 0
         0#5 rejected PositionLimit, 0 left",
    );
}

#[test]
fn several_traders_have_limits_of_their_own() {
    // Given in any order; the last limits given to somebody hold.
    let limits = |position, loss| TraderLimits { position, loss, margin: None };
    let exchange = Exchange::new(3)
        .with_trader_limits(AgentIndex(2), limits(1, None))
        .with_trader_limits(AgentIndex(0), limits(10, Some(50)))
        .with_trader_limits(AgentIndex(2), limits(5, Some(20)));
    let mut floor = Floor::of(exchange);
    floor.play(&[(0, buy(11, 9)), (2, buy(6, 9)), (1, buy(1_000, 7)), (0, buy(10, 100)), (2, buy(5, 100))]);
    let said: Vec<&str> = floor.said().lines().filter(|line| !line.starts_with("quote")).collect();
    let answers = [
        "0#1 rejected PositionLimit, 0 left",
        "2#1 rejected PositionLimit, 0 left",
        "1#1 accepted, 1000 left",
        "0#2 accepted, 10 left",
        "2#2 accepted, 5 left",
    ];
    assert_eq!(said, answers);
    // Both buy at 100. At 96 the one has lost his twenty cents, at 94 the other his fifty: each goes alone.
    floor.play(&[(1, sell(15, 100)), (0, order(offer(1, 200))), (2, order(offer(1, 200)))]);
    for (price, gone) in
        [(97, ""), (96, "2#3 cancelled LossLimit, 0 left"), (95, ""), (94, "0#3 cancelled LossLimit, 0 left")]
    {
        floor.forget();
        floor.play(&[(1, buy(1, price)), (0, sell(1, price))]);
        let said: Vec<&str> = floor.said().lines().filter(|line| line.contains("LossLimit")).collect();
        assert_eq!(said.join("\n"), gone, "at {price}: {}", floor.said());
    }
}

#[test]
fn several_traders_come_late_each_at_his_time() {
    let mut floor = Floor::open();
    let exchange = std::mem::replace(&mut floor.exchange, Exchange::new(3));
    floor.exchange = exchange
        .opening_late_for(AgentIndex(2), Time(9))
        .opening_late_for(AgentIndex(0), Time(5))
        .opening_late_for(AgentIndex(2), Time(3));
    floor.play(&[(0, buy(1, 10)), (2, buy(1, 9)), (2, buy(1, 8)), (0, buy(1, 7)), (0, buy(1, 6)), (1, buy(1, 5))]);
    let said: Vec<&str> = floor.said().lines().filter(|line| !line.starts_with("quote")).collect();
    let answers = [
        "0#1 rejected MarketNotOpen, 0 left",
        "2#1 rejected MarketNotOpen, 0 left",
        "2#2 accepted, 1 left",
        "0#2 rejected MarketNotOpen, 0 left",
        "0#3 accepted, 1 left",
        "1#1 accepted, 1 left",
    ];
    assert_eq!(said, answers);
}
