//! The course of a session: hours, calls, halts, circuit breakers, pauses at the band, and who is let in.

use crate::floor::{
    Floor, HIDDEN, band, bid, buy, cancel, check_in, limit, market, modify, offer, order, reduce, replace, sell, under,
};
use Side::{Buy, Sell};
use TimeInForce::{AtClose, AtOpen, FillOrKill, ImmediateOrCancel};
use assay_market::{AgentIndex, Breaker, Exchange, Halt, LimitPause, PriceBand, Venue};
use assay_model::{Nanos, Reason, RequestKind, Side, Terms, Time, TimeInForce};

#[test]
fn the_market_has_hours() {
    let kinds = [
        buy(1, 1),
        market(Sell, 1),
        RequestKind::CancelAll,
        replace(1, 1, 1),
        cancel(9),
        modify(9, 1, 1),
        reduce(9, 1),
    ];
    let mut floor = Floor::new();
    let refusals = |from: u64, reason: Reason| -> String {
        let order = |place: u64| if place < 4 { (from + place).to_string() } else { format!("9>{}", from + place) };
        (0..7).map(|place| format!("0#{} rejected {reason:?}, 0 left\n", order(place))).collect()
    };
    kinds.iter().for_each(|kind| floor.send(0, *kind));
    floor.expect(&refusals(1, Reason::MarketNotOpen));
    floor.exchange.open(Time(8), &mut floor.tape);
    floor.send(1, buy(1, 10));
    floor.send(0, limit(Sell, 2, 11, HIDDEN));
    floor.exchange.close(Time(20), &mut floor.tape);
    floor.expect(
        "opened
         1#1 accepted, 1 left
         quote 1: 1@10 -, last -, volume 0
         0#8 accepted, 2 left
         closed
         0#8 cancelled MarketClosed, 0 left
         1#1 cancelled MarketClosed, 0 left",
    );
    kinds.iter().for_each(|kind| floor.send(0, *kind));
    floor.expect(&refusals(9, Reason::MarketClosed));
    assert_eq!(floor.exchange.quote().bid.map(|level| level.quantity), Some(1), "the closing quote stands");
}

#[test]
fn a_latecomer_waits_while_the_others_trade() {
    let mut floor = Floor::open();
    floor.exchange = floor.exchange.opening_late_for(AgentIndex(0), Time(3));
    floor.send(0, buy(1, 10));
    floor.send(1, buy(1, 10));
    floor.send(0, buy(1, 9));
    floor.expect(
        "0#1 rejected MarketNotOpen, 0 left
         1#1 accepted, 1 left
         quote 1: 1@10 -, last -, volume 0
         0#2 accepted, 1 left",
    );
}

fn halts(halts: &[(u64, u64)]) -> Venue {
    let halt = |(at, lasts): &(u64, u64)| Halt { at: Time(*at), lasts: Nanos(*lasts) };
    Venue { halts: halts.iter().map(halt).collect(), ..Venue::default() }
}

#[test]
fn in_a_call_orders_are_collected_and_nothing_trades() {
    let mut floor = Floor::of(under(halts(&[(3, 20)])));
    floor.play(&[(0, sell(5, 100)), (1, buy(1, 99))]);
    floor.forget();
    floor.play(&[(1, buy(2, 100)), (2, market(Buy, 1)), (1, order(bid(1, 105).with(ImmediateOrCancel)))]);
    floor.play(&[(1, order(bid(1, 105).with(FillOrKill))), (1, order(Terms::market(Buy, 1).with(ImmediateOrCancel)))]);
    // What is collected is not shown; what rests can be changed, and joins it if it gives up its place.
    floor.play(&[(0, reduce(1, 1)), (1, modify(1, 1, 98)), (1, cancel(2)), (0, replace(1, 3, 101))]);
    floor.expect(
        "call
         1#2 accepted, 2 left
         2#1 accepted, 1 left
         1#3 rejected InAuction, 0 left
         1#4 rejected InAuction, 0 left
         1#5 rejected InAuction, 0 left
         0#1>2 reduced 1, 4 left
         quote 3: 1@99 4@100, last -, volume 0
         1#1>6 modified at 98, 1 left
         quote 4: - 4@100, last -, volume 0
         1#2>7 cancelled Requested, 0 left
         0#1>3 cancelled Replaced, 0 left
         0#3 accepted, 3 left
         quote 5: - -, last -, volume 0",
    );
    floor.wait_until(22);
    floor.expect("");
    floor.wait_until(23);
    floor.expect(
        "trade 1 at 101: 2#1 by 0#3 Sell
         2#1 fill 1 at 101 Maker, 0 left
         0#3 fill 1 at 101 Taker, 2 left
         continuous
         quote 6: 1@98 2@101, last 101, volume 1",
    );
    floor.close();
}

#[test]
fn a_halt_begins_and_ends_at_its_time() {
    let mut floor = Floor::of(under(halts(&[(10, 5)])));
    floor.play(&[(0, sell(5, 100))]);
    floor.forget();
    for (at, said) in [(9, ""), (10, "call"), (14, ""), (15, "continuous"), (99, "")] {
        floor.wait_until(at);
        floor.expect(said);
    }
    // Nobody asked, and still each thing was done at its own time, all in one go.
    let mut floor = Floor::of(under(halts(&[(10, 5), (30, 5)])));
    assert_eq!(floor.exchange.next_due(), Time(10));
    floor.wait_until(32);
    floor.expect("call\ncontinuous\ncall");
    assert_eq!(floor.exchange.next_due(), Time(35));
}

#[test]
fn a_halt_within_a_call_puts_its_auction_off_if_it_ends_later() {
    let mut floor = Floor::of(under(halts(&[(10, 20), (15, 5), (25, 10)])));
    for (at, said) in [(10, "call"), (20, ""), (30, ""), (34, ""), (35, "continuous")] {
        floor.wait_until(at);
        floor.expect(said);
    }
    let opening = |lasts| Venue { opening_auction: Nanos(lasts), ..halts(&[(10, 20)]) };
    let mut floor = Floor::of(under(opening(15)));
    floor.send(0, order(bid(1, 100).with(AtOpen)));
    floor.send(1, sell(1, 100));
    floor.forget();
    for (at, said) in [(15, ""), (29, "")] {
        floor.wait_until(at);
        floor.expect(said);
    }
    floor.wait_until(30);
    floor.expect_trades("trade 1 at 100: 1#1 by 0#1 Buy");
    // A call for the close is not left again.
    let venue = Venue { closing_auction: Some(Time(5)), ..halts(&[(4, 9), (7, 2)]) };
    let mut floor = Floor::of(under(venue));
    floor.wait_until(40);
    floor.expect("call");
    floor.close();
    floor.expect("closed");
}

#[test]
fn an_auction_must_be_ahead_for_an_order_that_waits_for_it() {
    let (at_open, at_close) = (order(bid(1, 100).with(AtOpen)), order(Terms::market(Buy, 1).with(AtClose)));
    for kind in [at_open, at_close] {
        check_in(under(Venue::default()), &[(0, kind)], "0#1 rejected NoAuction, 0 left");
    }
    let venue = Venue { opening_auction: Nanos(3), closing_auction: Some(Time(5)), ..Venue::default() };
    let mut floor = Floor::of(under(venue));
    floor.play(&[(0, at_open), (0, at_close), (0, at_open), (0, at_close), (0, at_open), (0, at_close)]);
    floor.expect(
        "0#1 accepted, 1 left
         0#2 accepted, 1 left
         continuous
         0#1 cancelled NoLiquidity, 0 left
         0#3 rejected NoAuction, 0 left
         0#4 accepted, 1 left
         call
         0#5 rejected NoAuction, 0 left
         0#6 accepted, 1 left",
    );
    // A reopening is not the open.
    let mut floor = Floor::of(under(halts(&[(1, 9)])));
    floor.send(0, at_open);
    floor.expect("call\n0#1 rejected NoAuction, 0 left");
}

#[test]
fn a_fall_from_the_first_trade_halts_once_for_each_level() {
    let breaker = |fall_basis_points, lasts| Breaker { fall_basis_points, lasts: Nanos(lasts) };
    let venue = Venue { breakers: vec![breaker(700, 10), breaker(1_300, 20)], ..Venue::default() };
    let mut floor = Floor::of(under(venue.clone()));
    floor.print(1_000);
    // From the first trade, not from the highest; and not a cent too early.
    floor.print(1_100);
    floor.print(931);
    assert!(!floor.said().contains("call"), "{}", floor.said());
    floor.forget();
    floor.play(&[(1, sell(1, 930)), (2, buy(1, 930))]);
    floor.expect(
        "1#4 accepted, 1 left
         quote 7: - 1@930, last 931, volume 3
         2#4 accepted, 1 left
         trade 1 at 930: 1#4 by 2#4 Buy
         1#4 fill 1 at 930 Maker, 0 left
         2#4 fill 1 at 930 Taker, 0 left
         call
         quote 8: - -, last 930, volume 4",
    );
    floor.wait_until(17);
    floor.expect("");
    floor.wait_until(18);
    floor.expect("continuous");
    // The same fall again halts nobody; the next level does.
    floor.print(990);
    floor.print(871);
    assert!(!floor.said().contains("call"), "{}", floor.said());
    floor.print(870);
    assert!(floor.said().contains("call"), "{}", floor.said());
    // What the trade sets off comes before the halt.
    let mut floor = Floor::of(under(venue.clone()));
    floor.print(1_000);
    floor.play(&[(2, buy(1, 900)), (0, order(Terms::market(Sell, 1).stop(930)))]);
    floor.forget();
    floor.print(930);
    assert!(
        floor.said().contains(
            "0#1 triggered, 1 left
trade 1 at 900: 2#2 by 0#1 Sell
2#2 fill 1 at 900 Maker, 0 left
0#1 fill 1 at 900 Taker, 0 left
call"
        ),
        "{}",
        floor.said()
    );
    // Both levels at once: the longer halt.
    let mut floor = Floor::of(under(venue));
    floor.print(1_000);
    floor.print(500);
    floor.forget();
    floor.wait_until(23);
    floor.expect("");
    floor.wait_until(24);
    floor.expect("continuous");
}

/// A band of 1% around 1,000, and a pause of 10 after 5 at its edge.
fn pausing(window: u64) -> Exchange {
    let limit_pause = Some(LimitPause { after: Nanos(5), lasts: Nanos(10) });
    under(Venue { limit_pause, ..Venue::default() }).with_band(PriceBand { window: Nanos(window), ..band(100) })
}

#[test]
fn pressing_against_the_band_pauses_trading() {
    for press in [buy(1, 1_010), sell(1, 990)] {
        let mut floor = Floor::of(pausing(0));
        floor.send(0, press);
        floor.forget();
        for (at, said) in [(5, ""), (6, "call"), (15, ""), (16, "continuous")] {
            floor.wait_until(at);
            floor.expect(said);
        }
        // It presses still.
        for (at, said) in [(20, ""), (21, "call"), (31, "continuous")] {
            floor.wait_until(at);
            floor.expect(said);
        }
    }
    // Short of the edge, on the passive side of it, or out of sight, nobody presses.
    for quiet in [buy(1, 1_009), sell(1, 991), sell(1, 1_010), buy(1, 990), limit(Buy, 1, 1_010, HIDDEN)] {
        let mut floor = Floor::of(pausing(0));
        floor.send(0, quiet);
        floor.forget();
        floor.wait_until(99);
        floor.expect("");
    }
}

#[test]
fn who_stops_pressing_in_time_is_not_paused() {
    for relief in [(0, cancel(1)), (1, sell(1, 1_010)), (0, modify(1, 1, 1_009))] {
        let mut floor = Floor::of(pausing(0));
        floor.play(&[(0, buy(1, 1_010)), relief]);
        floor.forget();
        floor.wait_until(99);
        floor.expect("");
    }
    // Anew from the beginning.
    let mut floor = Floor::of(pausing(0));
    floor.play(&[(0, buy(1, 1_010)), (0, cancel(1)), (0, buy(1, 1_010))]);
    floor.forget();
    floor.wait_until(7);
    floor.expect("");
    floor.wait_until(8);
    floor.expect("call");
    // The kill switch relieves as well, and so does an expiry.
    let mut floor = Floor::of(pausing(0));
    floor.send(0, buy(1, 1_010));
    floor.exchange.stop(Time(2), AgentIndex(0), &mut floor.tape);
    floor.forget();
    floor.wait_until(99);
    floor.expect("");
    let mut floor = Floor::of(pausing(0));
    floor.send(0, buy(1, 1_010));
    floor.exchange.stop(Time(2), AgentIndex(0), &mut floor.tape);
    floor.now = Time(2);
    floor.send(1, buy(1, 1_010));
    floor.forget();
    for (at, said) in [(7, ""), (8, "call")] {
        floor.wait_until(at);
        floor.expect(said);
    }
    let mut floor = Floor::of(pausing(0));
    floor.send(0, order(bid(1, 1_010).good_till(Time(4))));
    floor.wait_until(99);
    assert!(!floor.said().contains("call"), "{}", floor.said());
}

#[test]
fn a_band_that_has_moved_on_is_pressed_against_no_more() {
    // The mean of the trades falls from 1,005 to 1,000 and rises again as the trade at 1,000 leaves the window of 4.
    let mut floor = Floor::of(pausing(4));
    floor.print(1_000);
    floor.wait_until(2);
    floor.print(1_010);
    // At 4: the mean is 1,005, its edge 1,015, which the bid of 1,015 presses against; at 7 it is 1,010, and at the pause's time it does not.
    floor.send(0, buy(1, 1_015));
    floor.forget();
    floor.wait_until(40);
    floor.expect("");
}

#[test]
fn who_has_stopped_listening_to_the_clock_still_closes() {
    let mut floor = Floor::of(under(halts(&[(3, 100)])));
    floor.play(&[(0, order(offer(1, 100).good_till(Time(50)))), (1, market(Sell, 1)), (1, market(Buy, 1))]);
    floor.forget();
    floor.close();
    floor.expect(
        "closed
         0#1 cancelled MarketClosed, 0 left
         1#2 cancelled MarketClosed, 0 left",
    );
}
