//! Every call of `Exchange` reaches the host with its arguments in place, and every callback the strategy.

use crate::every_call;
use crate::paper::{self, Ask, Session};
use assay_sdk::*;

#[test]
fn every_call_arrives_as_it_was_made() {
    let session = &mut Session::start(every_call::strategy());
    session.second(99_000, 99_010);
    let limit = |side, cents, shares| Limit::new(side, Price::of(cents), Quantity::of(shares));
    let order = OrderId::from_number;
    assert_eq!(
        session.paper().asked,
        [
            Ask::Limit(limit(Side::Buy, 99_001, 11).hidden()),
            Ask::Limit(limit(Side::Sell, 99_002, 12).post_only()),
            Ask::Market(Side::Sell, 13),
            Ask::Order(
                Order::from(limit(Side::Sell, 99_010, 17))
                    .iceberg(Quantity::of(18))
                    .slide()
                    .time_in_force(TimeInForce::GoodTill(Time(19)))
                    .stop(Price::of(99_009))
            ),
            Ask::Modify(order(1), Price::of(99_003), 14),
            Ask::Reduce(order(1), 15),
            Ask::Replace(order(1), Price::of(99_004), 16),
            Ask::Cancel(order(7)),
            Ask::CancelAll,
        ]
    );
}

#[test]
fn every_callback_sees_its_own_time_and_the_last_quote() {
    let session = &mut Session::start(every_call::strategy());
    session.second(99_000, 99_010);
    let log = session.paper().log.join("\n");
    let quote = wire::quote(99_000, 100, 99_010, 100, 0, 0);
    let now = paper::OPEN;
    for line in [
        format!("{quote:?} {now:?}"),
        format!("{now:?} {quote:?}"),
        format!("AllCancelled {{ count: 1 }} }} {now:?}"),
        "Config { symbol: \"PAPER\"".to_owned(),
        "[(Symbol(0), \"PAPER\")] Some(Symbol(0))".to_owned(),
    ] {
        assert!(log.contains(&line), "{line} is not in\n{log}");
    }
}

#[test]
fn a_bounded_random_number_is_fair_and_in_bounds() {
    /// Rolls a die at every tick.
    struct Roller;
    impl Strategy for Roller {
        fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
            assert_eq!(exchange.random_below(0), 0);
            Roller
        }
        fn on_tick(&mut self, exchange: &mut Exchange) {
            let eyes = exchange.random_below(6);
            exchange.log(eyes.to_string());
        }
    }
    let session = &mut Session::start(native::driver::<Roller>());
    session.run(2, |_| 100_000);
    let mut counts = [0; 6];
    for line in &session.paper().log {
        counts[line.parse::<usize>().expect("a number")] += 1;
    }
    assert!(counts.iter().all(|count| (80..120).contains(count)), "{counts:?}");
}
