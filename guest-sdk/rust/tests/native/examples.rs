//! Every example, and the file that `assay new` starts from, does on paper what its first line says.

use crate::paper::{self, Ask, Session};
use crate::{
    breakout, buy_and_hold, market_maker, mean_reversion, momentum, queue_aware_maker, reckless, template, twap,
};
use assay_sdk::Side::{Buy, Sell};
use assay_sdk::native::Driver;
use assay_sdk::{Duration, Order, Price, Quantity, TimeInForce};
use std::path::Path;

type Make = fn() -> Box<dyn Driver>;

/// The files of `examples/strategies`.
const EXAMPLES: &[(&str, Make)] = &[
    ("breakout.rs", breakout::strategy),
    ("buy_and_hold.rs", buy_and_hold::strategy),
    ("market_maker.rs", market_maker::strategy),
    ("mean_reversion.rs", mean_reversion::strategy),
    ("momentum.rs", momentum::strategy),
    ("queue_aware_maker.rs", queue_aware_maker::strategy),
    ("reckless.rs", reckless::strategy),
    ("twap.rs", twap::strategy),
];

/// A price that goes up and down by a few cents every three seconds.
fn wobble(second: i64) -> i64 {
    100_000 + 4 * (second % 3)
}

#[test]
fn every_example_is_here_and_trades() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/strategies");
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .expect("the examples are there")
        .map(|entry| entry.expect("the folder is readable").file_name().into_string().expect("names are UTF-8"))
        .collect();
    files.retain(|name| name.ends_with(".rs"));
    files.sort();
    assert_eq!(files, EXAMPLES.iter().map(|(file, _)| *file).collect::<Vec<_>>());

    for (file, make) in EXAMPLES.iter().chain(&[("template", template::strategy as Make)]) {
        let session = &mut Session::start(make());
        session.sizes = (300, 100);
        session.run(2, |second| wobble(second) + second / 400 * 40);
        assert!(!session.paper().asked.is_empty(), "{file} did not ask for anything");
    }
}

#[test]
fn breakout_waits_above_the_market() {
    let session = &mut Session::start(breakout::strategy());
    session.second(99_998, 100_000);
    let price = |cents| Price::of(cents);
    let lives = TimeInForce::GoodTill(paper::OPEN + Duration::from_secs(60));
    let entry = Order::limit(Buy, price(100_005), Quantity::of(100)).stop(price(100_003)).time_in_force(lives);
    assert_eq!(session.paper().asked, [Ask::Order(entry)]);
}

#[test]
fn buy_and_hold_buys_once() {
    let session = &mut Session::start(buy_and_hold::strategy());
    session.run(2, |second| 100_000 + second);
    assert_eq!((session.paper().asked.len(), session.position()), (1, 100));
    assert!(session.profit() > 0.0);
    assert_eq!(session.paper().log, ["holding 100 shares"]);
}

#[test]
fn market_maker_quotes_both_sides_and_skews_against_its_position() {
    let session = &mut Session::start(market_maker::strategy());
    session.second(99_990, 100_010);
    let (flat_bid, flat_ask) = (session.resting(Buy)[0], session.resting(Sell)[0]);
    assert!(flat_bid < 100_000 && flat_ask > 100_000);
    assert_eq!(100_000 - flat_bid, flat_ask - 100_000, "quotes are centred while there is no position");

    // Twice the market comes down to the bid and goes back: the same mid, now with a long position.
    session.second(99_990, flat_bid).second(99_990, 100_010);
    session.second(99_990, session.resting(Buy)[0]).second(99_990, 100_010);
    assert_eq!(session.position(), 100);
    assert!(session.resting(Buy)[0] < flat_bid && session.resting(Sell)[0] < flat_ask);
}

#[test]
fn market_maker_stops_buying_into_a_fall() {
    let session = &mut Session::start(market_maker::strategy());
    let mut longest = 0;
    for second in 0..200 {
        session.second(100_000 - 20 * second, 100_002 - 20 * second);
        longest = longest.max(session.position());
        assert!(session.resting(Buy).len() <= 1 && session.resting(Sell).len() <= 1, "one order a side");
    }
    assert_eq!(longest, 500);
    assert_eq!(session.resting(Buy), [], "no bid at the limit");
    assert_eq!(session.resting(Sell).len(), 1);
}

#[test]
fn market_maker_earns_the_spread_when_both_sides_come_to_it() {
    let session = &mut Session::start(market_maker::strategy());
    for _ in 0..100 {
        session.second(99_990, 100_010).second(99_990, 99_998).second(99_990, 100_010).second(100_002, 100_010);
    }
    assert_eq!(session.end().position(), 0);
    assert!(session.profit() > 0.0, "{}", session.profit());
}

#[test]
fn momentum_follows_the_trend() {
    for (slope, position) in [(1, 50), (-1, -50), (0, 0)] {
        let session = &mut Session::start(momentum::strategy());
        session.run(2, |second| 100_000 + slope * second);
        assert_eq!(session.position(), position, "slope {slope}");
        assert!(session.profit() >= 0.0, "slope {slope}: {}", session.profit());
    }
}

#[test]
fn mean_reversion_fades_a_jump_and_takes_profit() {
    let session = &mut Session::start(mean_reversion::strategy());
    for second in 0..330 {
        session.second(wobble(second), wobble(second) + 2);
    }
    assert_eq!(session.paper().asked, [], "nothing to do near the average");
    for second in 330..340 {
        session.second(wobble(second) + 20, wobble(second) + 22);
    }
    assert_eq!(session.position(), -100, "short above the average");
    for second in 340..600 {
        session.second(wobble(second), wobble(second) + 2);
    }
    assert_eq!(session.position(), 0, "out at the average");
    assert!(session.profit() > 0.0);
}

#[test]
fn twap_buys_evenly_and_finishes_exactly() {
    for slope in [-1, 0, 1] {
        let session = &mut Session::start(twap::strategy());
        for second in 0..600 {
            session.second(100_000 + slope * second, 100_002 + slope * second);
            let even = 1_000 * second / 600;
            assert!((session.position() - even).abs() <= 40, "second {second}: {} of {even}", session.position());
        }
        assert_eq!(session.end().position(), 1_000);
        assert_eq!(session.paper().log, ["done 1000 of 1000 shares"]);
    }
}

#[test]
fn reckless_pays_the_spread_every_second() {
    let session = &mut Session::start(reckless::strategy());
    session.run(2, |_| 100_000);
    let orders = session.paper().asked.iter().filter(|ask| matches!(ask, Ask::Market(_, 20))).count();
    assert_eq!((orders, session.paper().asked.len()), (600, 600));
    // Half the spread of 2 cents on each of 20 shares.
    assert_eq!(session.profit(), -600.0 * 20.0);
}

#[test]
fn template_goes_with_the_pressure_and_home_before_the_close() {
    for (sizes, position) in [((300, 100), 100), ((100, 100), 0), ((100, 300), -100)] {
        let session = &mut Session::start(template::strategy());
        session.sizes = sizes;
        for second in 0..560 {
            session.second(wobble(second), wobble(second) + 2);
        }
        assert_eq!(session.position(), position, "{sizes:?}");
        for second in 560..600 {
            session.second(wobble(second), wobble(second) + 2);
        }
        assert_eq!(session.end().position(), 0, "{sizes:?}");
    }
}
