//! The book by itself: prices far from each other, and handles of orders that are gone.

use assay_market::AgentIndex;
use assay_market::book::{Book, Handle, Resting, Taken};
use assay_model::{Level, PRICE_MAX_CENTS, Price, Qualifiers, RequestId, Seed, Side, Stream};
use std::collections::BTreeMap;

const TAKER: AgentIndex = AgentIndex(1);

fn rest(book: &mut Book, side: Side, price: i64) -> Handle {
    let (agent, id, qualifiers) = (AgentIndex(0), RequestId(1), Qualifiers::default());
    book.rest(Resting { agent, id, side, price: Price::clamped(price), quantity: 2, qualifiers })
}

/// Rests two shares at each price in this order; the levels must come out sorted, and trade in that order.
#[track_caller]
fn check(side: Side, prices: impl IntoIterator<Item = i64>) {
    let mut book = Book::new();
    let mut wanted: BTreeMap<i64, u64> = BTreeMap::new();
    for price in prices {
        rest(&mut book, side, price);
        // Negated for bids, so that the map is sorted best first on both sides.
        *wanted.entry(-side.sign() * price).or_default() += 2;
    }
    let wanted: Vec<(i64, u64)> = wanted.into_iter().map(|(key, quantity)| (-side.sign() * key, quantity)).collect();
    let levels: Vec<(i64, u64)> =
        book.levels(side).map(|Level { price, quantity }| (price.cents(), quantity)).collect();
    assert_eq!(levels, wanted);
    for (price, quantity) in wanted {
        assert_eq!(book.top(side).map(|level| (level.price.cents(), level.quantity)), Some((price, quantity)));
        let mut traded = Vec::new();
        let taken = book.take(side.opposite(), None, quantity as u32, TAKER, |fill| traded.push(fill.price.cents()));
        assert_eq!(taken, Taken::Filled);
        assert!(traded.iter().all(|at| *at == price), "{traded:?} at {price}");
    }
    assert_eq!((book.top(side), book.visible_quantity(side)), (None, 0));
}

#[test]
fn levels_are_sorted_wherever_they_are() {
    for side in [Side::Buy, Side::Sell] {
        check(side, [1]);
        check(side, [PRICE_MAX_CENTS, 1]);
        check(side, [1, PRICE_MAX_CENTS]);
        check(side, [50_000, 1, 50_001, 49_999, PRICE_MAX_CENTS, 54_096, 45_904, 50_000]);
        // Every price of several windows, both ways.
        check(side, (1..12_000).step_by(3));
        check(side, (1..12_000).rev().step_by(3));
    }
}

#[test]
fn the_book_follows_a_touch_that_runs_away() {
    for (side, seed) in [(Side::Buy, 1), (Side::Sell, 2), (Side::Buy, 3), (Side::Sell, 4)] {
        let mut random = Stream::new(Seed(seed), "test", "prices");
        let mut centre = 1_000_000;
        let prices = std::iter::repeat_with(|| {
            centre += random.below(41) as i64 - if seed < 3 { 10 } else { 30 };
            let far = if random.below(10) == 0 { random.below(40_000) as i64 } else { 0 };
            centre - side.sign() * far
        });
        check(side, prices.take(20_000));
    }
}

#[test]
fn a_handle_of_an_order_that_is_gone_does_nothing() {
    let mut book = Book::new();
    let handles = [1, 2, 3].map(|price| rest(&mut book, Side::Sell, price));
    assert_eq!(book.take(Side::Buy, None, 2, TAKER, |_| {}), Taken::Filled);
    assert!(book.remove(handles[1]).is_some());
    assert_eq!(book.reduce(handles[2], 2), Some(0));
    for handle in handles {
        assert_eq!((book.order(handle), book.remove(handle), book.reduce(handle, 1)), (None, None, None));
    }
    assert_eq!((book.top(Side::Sell), book.visible_quantity(Side::Sell)), (None, 0));
}

#[test]
fn a_taker_stops_at_its_own_order_and_at_its_limit() {
    let mut book = Book::new();
    rest(&mut book, Side::Sell, 10);
    rest(&mut book, Side::Sell, 12);
    assert_eq!(book.take(Side::Buy, Some(Price::clamped(11)), 5, TAKER, |_| {}), Taken::Remaining(3));
    let taken = book.take(Side::Buy, None, 5, AgentIndex(0), |_| {});
    assert!(matches!(taken, Taken::OwnOrder(5)), "{taken:?}");
    assert!(!book.would_take(Side::Buy, Price::clamped(11)) && book.would_take(Side::Buy, Price::clamped(12)));
}
