//! Every reason that the protocol knows is given by some script, and every request of all of them ends exactly once.

use crate::floor::{
    Floor, POST_ONLY, band, bid, buy, cancel, limit, limited, market, modify, on_margin, order, replace, sell, under,
};
use Side::{Buy, Sell};
use TimeInForce::{AtClose, FillOrKill, ImmediateOrCancel};
use assay_market::{AgentIndex, Exchange, Halt, OPEN_ORDERS_MAX, Venue};
use assay_model::{Nanos, Reason, RequestKind, Side, Terms, Time, TimeInForce};

/// What is said with a reason.
const REFUSED: &str = "rejected";
const ENDED: &str = "cancelled";

/// An order and a stop that cannot be paid for: forty shares can be had. The stop could be at 1,000, and not at the 1,150 at which it is set off.
fn short_of_capital() -> Floor {
    let mut floor = Floor::of(on_margin(10_000, band(1_000)));
    floor.play(&[(0, buy(41, 1_000)), (0, order(Terms::market(Buy, 28).stop(1_150)))]);
    [1_080, 1_150].into_iter().for_each(|price| floor.print(price));
    floor
}

/// Somebody who has an order when he is ruined, and sends another.
fn ruined() -> Floor {
    let mut floor = Floor::of(on_margin(10_000, band(1_000)));
    floor.play(&[(1, sell(40, 1_000)), (0, buy(40, 1_000)), (0, sell(1, 1_099))]);
    [910, 850].into_iter().for_each(|price| floor.print(price));
    floor.send(0, buy(1, 800));
    floor
}

/// Leads an exchange to give the reason, and says as what; `None` where nothing needs explaining.
fn provoke(reason: Reason) -> Option<(Floor, &'static [&'static str])> {
    let play = |exchange: Exchange, script: &[(u32, RequestKind)]| {
        let mut floor = Floor::of(exchange);
        floor.play(script);
        floor
    };
    let plain = || Exchange::new(3);
    let halted = || under(Venue { halts: vec![Halt { at: Time(1), lasts: Nanos(9) }], ..Venue::default() });
    let given: (Floor, &'static [&'static str]) = match reason {
        Reason::None => return None,
        Reason::Requested => (play(plain(), &[(0, buy(1, 9)), (0, cancel(1))]), &[ENDED]),
        Reason::NoLiquidity => (play(plain(), &[(0, market(Buy, 1))]), &[ENDED]),
        Reason::Replaced => (play(plain(), &[(0, buy(1, 9)), (0, replace(1, 1, 8))]), &[ENDED]),
        Reason::MarketClosed => {
            let mut floor = play(plain(), &[(0, buy(1, 9))]);
            floor.close();
            floor.send(0, buy(1, 9));
            (floor, &[ENDED, REFUSED])
        }
        Reason::TraderStopped => {
            let mut floor = play(plain(), &[(0, buy(1, 9))]);
            floor.exchange.stop(Time(1), AgentIndex(0), &mut floor.tape);
            floor.send(0, buy(1, 9));
            (floor, &[ENDED, REFUSED])
        }
        Reason::WouldTrade => (play(plain(), &[(0, buy(1, 9)), (1, limit(Sell, 1, 9, POST_ONLY))]), &[REFUSED]),
        Reason::InvalidPrice => (play(plain(), &[(0, buy(1, 0))]), &[REFUSED]),
        Reason::InvalidQuantity => (play(plain(), &[(0, buy(0, 9))]), &[REFUSED]),
        Reason::UnknownOrder => (play(plain(), &[(0, modify(7, 1, 9))]), &[REFUSED]),
        Reason::TooManyOpenOrders => (play(plain(), &vec![(0, buy(1, 9)); OPEN_ORDERS_MAX as usize + 1]), &[REFUSED]),
        Reason::SelfTrade => (play(plain(), &[(0, buy(1, 9)), (0, sell(1, 9))]), &[ENDED]),
        Reason::MarketNotOpen => {
            let mut floor = Floor::new();
            floor.send(0, buy(1, 9));
            (floor, &[REFUSED])
        }
        Reason::OutsideBand => {
            // A sale at 1,000 moves the band below the limit of the stop that it sets off.
            let stop = (0, order(Terms::limit(Sell, 1_010, 1).stop(990)));
            let mut floor = play(plain().with_band(band(100)), &[stop, (0, buy(1, 1_011))]);
            floor.print(990);
            (floor, &[ENDED, REFUSED])
        }
        Reason::PositionLimit => (play(limited(5, None), &[(0, buy(6, 9))]), &[REFUSED]),
        Reason::CannotFill => {
            let kill = |terms: Terms| (0, order(terms.with(FillOrKill)));
            let mut floor = play(plain(), &[kill(bid(1, 9)), kill(bid(1, 9).stop(9))]);
            floor.print(9);
            (floor, &[ENDED, REFUSED])
        }
        Reason::Expired => {
            let dated = |date| (0, order(bid(1, 9).good_till(Time(date))));
            (play(plain(), &[dated(1), dated(3), (1, cancel(1))]), &[ENDED, REFUSED])
        }
        Reason::InvalidTerms => (play(plain(), &[(0, order(Terms::market(Buy, 1).iceberg(1)))]), &[REFUSED]),
        Reason::NoAuction => (play(plain(), &[(0, order(bid(1, 9).with(AtClose)))]), &[REFUSED]),
        Reason::OrderWaits => (play(plain(), &[(0, order(bid(1, 9).stop(9))), (0, replace(1, 1, 9))]), &[REFUSED]),
        Reason::InAuction => (play(halted(), &[(0, order(bid(1, 9).with(ImmediateOrCancel)))]), &[REFUSED]),
        Reason::LossLimit => {
            let mut floor = play(limited(100, Some(10)), &[(1, sell(10, 9)), (0, buy(10, 9)), (0, buy(1, 2))]);
            floor.print(8);
            floor.send(0, buy(1, 9));
            (floor, &[ENDED, REFUSED])
        }
        Reason::BuyingPower => (short_of_capital(), &[ENDED, REFUSED]),
        Reason::Ruined => (ruined(), &[ENDED, REFUSED]),
    };
    Some(given)
}

#[test]
fn every_reason_is_given_and_every_request_ends_once() {
    for reason in Reason::ALL {
        let Some((mut floor, said_as)) = provoke(reason) else {
            assert_eq!(reason, Reason::None);
            continue;
        };
        for kind in [REFUSED, ENDED] {
            let found = floor.said().contains(&format!("{kind} {reason:?}, "));
            assert_eq!(found, said_as.contains(&kind), "{kind} {reason:?} in\n{}", floor.said());
        }
        assert!(!floor.said().contains(" None, "), "{}", floor.said());
        // The audit has seen every request and every answer; the close ends what is left.
        match reason {
            Reason::MarketClosed => {}
            Reason::MarketNotOpen => floor.expect_all_ended(),
            _ => floor.close(),
        }
    }
}
