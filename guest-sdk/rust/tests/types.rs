//! The types refuse what the exchange would, and do arithmetic without wrapping, whatever the numbers.

use assay_sdk::*;

#[test]
fn prices_stay_in_bounds() {
    let max = PRICE_MAX_CENTS;
    for (cents, valid) in
        [(i64::MIN, false), (-1, false), (0, false), (1, true), (max, true), (max + 1, false), (i64::MAX, false)]
    {
        assert_eq!(Price::new(cents).map(Price::cents), valid.then_some(cents));
    }
    for (price, cents, sum, difference) in [
        (100, 5, 105, 95),
        (100, -5, 95, 105),
        (1, i64::MIN, 1, max),
        (1, i64::MAX, max, 1),
        (max, 1, max, max - 1),
        (max, i64::MIN, 1, max),
    ] {
        let price = Price::of(price);
        assert_eq!(((price + cents).cents(), (price - cents).cents()), (sum, difference), "{price} and {cents}");
    }
    assert_eq!(Price::of(1) - Price::of(max), 1 - max);
    assert_eq!(Price::of(100_005).to_string(), "1000.05");
}

#[test]
fn prices_round_to_the_side_asked_for() {
    for (cents, floor, ceil) in [
        (99.5, Some(99), Some(100)),
        (99.0, Some(99), Some(99)),
        (0.5, None, Some(1)),
        (-3.0, None, None),
        (PRICE_MAX_CENTS as f64 + 0.5, Some(PRICE_MAX_CENTS), None),
        (1e300, None, None),
        (f64::INFINITY, None, None),
        (f64::NAN, None, None),
    ] {
        let got = (Price::floor(cents).map(Price::cents), Price::ceil(cents).map(Price::cents));
        assert_eq!(got, (floor, ceil), "{cents}");
    }
}

#[test]
fn quantities_are_never_nothing() {
    let max = QUANTITY_MAX;
    for (shares, new, up_to) in [
        (0, None, None),
        (1, Some(1), Some(1)),
        (max, Some(max), Some(max)),
        (max + 1, None, Some(max)),
        (u64::MAX, None, Some(max)),
    ] {
        let got = (Quantity::new(shares).map(Quantity::shares), Quantity::up_to(shares).map(Quantity::shares));
        assert_eq!(got, (new, up_to), "{shares}");
    }
}

#[test]
fn times_stop_at_the_ends() {
    let time = Time(5_000_000_000);
    assert_eq!(time + Duration::from_millis(1_500), Time(6_500_000_000));
    assert_eq!(time - Duration::from_secs(6), Time(0));
    assert_eq!(time + Duration::MAX, Time(u64::MAX));
    assert_eq!(time - Time(1), Duration::from_nanos(4_999_999_999));
    assert_eq!(Time(1) - time, Duration::ZERO);
}

#[test]
fn sides_close_gaps() {
    for (gap, side) in [(0, None), (7, Some(Side::Buy)), (-7, Some(Side::Sell)), (i64::MIN, Some(Side::Sell))] {
        assert_eq!(Side::toward(gap), side);
    }
    for side in Side::ALL {
        assert_eq!((side.opposite().opposite(), side.opposite().sign()), (side, -side.sign()));
    }
}

#[test]
fn a_quote_does_not_invent_what_it_lacks() {
    let full = wire::quote(100, 30, 103, 10, 101, 7);
    assert_eq!((full.mid(), full.spread(), full.imbalance()), (Some(101.5), Some(3), Some(0.75)));
    assert_eq!((full.level(Side::Buy), full.level(Side::Sell)), (full.bid, full.ask));
    for (bid, ask) in [(0, 103), (100, 0), (0, 0)] {
        let quote = wire::quote(bid, 30, ask, 10, 0, 0);
        assert_eq!((quote.bid.is_some(), quote.ask.is_some(), quote.last), (bid > 0, ask > 0, None));
        assert_eq!((quote.mid(), quote.spread(), quote.imbalance()), (None, None, None));
    }
}

#[test]
fn one_kind_of_update_ends_an_order() {
    let (accepted, partial, filled, cancelled, all_cancelled, modified, reduced, rejected) = (0, 1, 2, 3, 4, 5, 6, 7);
    for (request, order, status, remaining, ends) in [
        (1, 1, accepted, 10, false),
        (1, 1, partial, 5, false),
        (1, 1, filled, 0, true),
        (1, 1, cancelled, 0, true),
        (2, 1, cancelled, 0, true),
        (2, 2, all_cancelled, 0, false),
        (2, 1, modified, 10, false),
        (2, 1, reduced, 5, false),
        (1, 1, rejected, 0, true),
        (2, 1, rejected, 10, false),
    ] {
        let update = wire::update(request, order, status, 1, 100, 5, remaining, true, 2);
        assert_eq!(update.ends_order(), ends, "{update:?}");
        let fill = matches!(status, 1 | 2).then_some((Side::Sell, -5));
        assert_eq!(update.fill().map(|fill| (fill.side, fill.signed())), fill, "{update:?}");
    }
}

#[test]
fn a_fee_is_charged_by_share_and_by_value() {
    for (microcents_per_share, notional_millionths, cents) in [(0, 0, 0.0), (300_000, 0, 15.0), (-200_000, 10, 40.0)] {
        let fee = Fee::from(wire::RawFee { microcents_per_share, notional_millionths });
        assert!((fee.cents(Price::of(100_000), 50) - cents).abs() < 1e-9, "{fee:?}");
    }
}

#[test]
fn a_trade_is_signed_by_who_took() {
    for (aggressor, signed) in [(0, 0), (1, 7), (2, -7)] {
        let trade = Trade::from(wire::RawTrade { at: 1, price: 100, quantity: 7, aggressor });
        assert_eq!(trade.signed(), signed);
    }
}

#[test]
fn a_session_does_not_invent_what_is_not_announced() {
    let state = SessionState::from(wire::RawSession { phase: 3, ends: 0, price: 0, matched: 5, imbalance: -2 });
    assert_eq!(state, SessionState { phase: Phase::Halt, ends: None, indicative: None });
    assert!(state.phase.is_call());
    let state = SessionState::from(wire::RawSession { phase: 2, ends: 9, price: 100, matched: 5, imbalance: -2 });
    let indicative = Indicative { price: Price::of(100), matched: 5, imbalance: -2 };
    assert_eq!((state.ends, state.indicative), (Some(Time(9)), Some(indicative)));
}
