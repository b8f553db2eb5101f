//! The desk seen from outside: what a trader reads after what it was told, and the limits on what it may queue.

use assay_model::{
    Desk, DeskLimit, FOLLOWED_MAX, LOG_BYTES_MAX, Level, Liquidity, OrderUpdate, PRINTS_KEPT, Phase, Price, Print,
    Qualifiers, Quote, REQUESTS_PER_CALLBACK_MAX, Reason, RequestId, RequestKind, Seed, SessionState, Side,
    SymbolIndex, Time, UpdateKind, WAKEUPS_PER_CALLBACK_MAX,
};

const LIMIT: RequestKind = RequestKind::Limit {
    side: Side::Buy,
    price: 10_000,
    quantity: 10,
    qualifiers: Qualifiers { hidden: false, post_only: false },
};

fn update(request: u64, order: u64, remaining: u32, kind: UpdateKind) -> OrderUpdate {
    OrderUpdate { request: RequestId(request), order: RequestId(order), at: Time(1), remaining, kind }
}

fn fill(order: u64, cents: i64, quantity: u32, remaining: u32) -> OrderUpdate {
    let price = Price::new(cents).expect("a valid price");
    update(order, order, remaining, UpdateKind::Fill { price, quantity, liquidity: Liquidity::Maker })
}

/// Submits one buy of 10 at 100.00 with 1,000.00 in cash, plays the updates, and compares (position, cash, remaining of open orders).
fn check(updates: &[OrderUpdate], position: i64, cash: i64, open: &[u64]) {
    let mut desk = Desk::new(Seed(1), "strategy", 100_000);
    assert_eq!(desk.submit(LIMIT), Ok(RequestId(1)));
    for update in updates {
        desk.receive_update(update);
    }
    let remaining: Vec<u64> = desk.open_orders().map(|order| order.remaining).collect();
    assert_eq!((desk.position(), desk.cash(), remaining.as_slice()), (position, cash, open), "after {updates:?}");
}

#[test]
fn position_cash_and_open_orders_follow_the_updates() {
    let accepted = update(1, 1, 10, UpdateKind::Accepted);
    check(&[], 0, 100_000, &[10]);
    check(&[accepted], 0, 100_000, &[10]);
    check(&[accepted, fill(1, 9_900, 4, 6)], 4, 60_400, &[6]);
    check(&[accepted, fill(1, 9_900, 4, 6), fill(1, 10_000, 6, 0)], 10, 400, &[]);
    check(&[accepted, update(2, 1, 10, UpdateKind::Cancelled { reason: Reason::Requested })], 0, 100_000, &[]);
    check(&[update(1, 1, 0, UpdateKind::Rejected { reason: Reason::InvalidPrice })], 0, 100_000, &[]);
    // A refused cancel of a live order leaves it alone.
    check(&[accepted, update(2, 1, 0, UpdateKind::Rejected { reason: Reason::UnknownOrder })], 0, 100_000, &[10]);
    check(&[accepted, update(2, 1, 7, UpdateKind::Reduced { by: 3 })], 0, 100_000, &[7]);
    // An update about an order that was never submitted moves nothing.
    check(&[fill(9, 9_900, 4, 0)], 0, 100_000, &[10]);
}

#[test]
fn every_buffer_has_its_limit() {
    let mut desk = Desk::new(Seed(1), "strategy", 0);
    for _ in 0..REQUESTS_PER_CALLBACK_MAX {
        assert!(desk.submit(LIMIT).is_ok());
    }
    assert_eq!(desk.submit(LIMIT), Err(DeskLimit::Requests));
    for _ in 0..WAKEUPS_PER_CALLBACK_MAX {
        assert!(desk.wake_at(Time(5)).is_ok());
    }
    assert_eq!(desk.wake_at(Time(5)), Err(DeskLimit::Wakeups));
    for _ in 0..LOG_BYTES_MAX {
        desk.log("");
    }
    let (kept, dropped) = desk.log_lines();
    assert!(size_of_val(kept) <= LOG_BYTES_MAX, "empty lines are not free");
    assert_eq!(kept.len() as u64 + dropped, LOG_BYTES_MAX as u64, "what is not kept is counted");

    // Collecting the requests makes room again, and ids are never reused.
    desk.drain_requests(&mut Vec::new());
    assert_eq!(desk.submit(LIMIT), Ok(RequestId(REQUESTS_PER_CALLBACK_MAX as u64 + 1)));
}

fn print(at: u64) -> Print {
    let price = Price::new(10_000).expect("a valid price");
    Print { at: Time(at), price, quantity: 1, aggressor: Some(Side::Buy) }
}

fn times<'a>(prints: impl Iterator<Item = &'a Print>) -> Vec<u64> {
    prints.map(|print| print.at.0).collect()
}

#[test]
fn prints_are_kept_in_a_ring_and_taken_once() {
    let mut desk = Desk::new(Seed(1), "strategy", 0);
    assert_eq!((desk.print_counts(), times(desk.take_prints())), ((0, 0), vec![]));
    desk.receive_prints(SymbolIndex::FIRST, &[print(1), print(2)]);
    assert_eq!(times(desk.prints(1)), [2]);
    assert_eq!(times(desk.prints(usize::MAX)), [1, 2]);
    assert_eq!(times(desk.take_prints()), [1, 2]);
    desk.receive_prints(SymbolIndex::FIRST, &[print(3)]);
    assert_eq!(desk.print_counts(), (3, 1));
    assert_eq!(times(desk.take_prints()), [3]);
    assert_eq!(times(desk.take_prints()), []);
    // More than there is room for, one by one and at once.
    for batch in [1, 7, PRINTS_KEPT, 3 * PRINTS_KEPT] {
        let last = 4 * PRINTS_KEPT as u64;
        let prints: Vec<Print> = (0..=last).map(print).collect();
        prints.chunks(batch).for_each(|prints| desk.receive_prints(SymbolIndex::FIRST, prints));
        assert_eq!(desk.print_counts(), (PRINTS_KEPT, PRINTS_KEPT));
        assert_eq!(times(desk.take_prints()), (last + 1 - PRINTS_KEPT as u64..=last).collect::<Vec<_>>());
    }
}

#[test]
fn prints_session_and_queue_are_of_their_symbol() {
    let mut desk = Desk::new(Seed(1), "strategy", 0).with_symbols(["A".to_owned(), "B".to_owned()]);
    let second = SymbolIndex(1);
    let halt = SessionState { phase: Phase::Halt, ends: Some(Time(9)), indicative: None };
    desk.receive_prints(second, &[print(1)]);
    desk.receive_session(second, halt);
    assert_eq!((desk.print_counts(), desk.session().phase), ((0, 0), Phase::BeforeOpen));
    assert!(desk.select(1));
    assert_eq!((desk.print_counts(), *desk.session()), ((1, 1), halt));
    let order = desk.submit(LIMIT).expect("there is room");
    assert_eq!(desk.queue_ahead(order), None, "asked for the first time");
    assert_eq!(desk.followed(), [order]);
    desk.receive_queue(second, &[(order, 30)]);
    // Named by its number, an order is found whatever is selected.
    assert!(desk.select(0));
    assert_eq!(desk.queue_ahead(order), Some(30));
}

#[test]
fn as_many_orders_are_followed_as_were_asked_about_last() {
    let mut desk = Desk::new(Seed(1), "strategy", 0);
    let orders: Vec<RequestId> = (0..=FOLLOWED_MAX).map(|_| desk.submit(LIMIT).expect("there is room")).collect();
    for unknown in [0, 99, u64::MAX] {
        assert_eq!(desk.queue_ahead(RequestId(unknown)), None);
    }
    assert_eq!(desk.followed(), []);
    orders.iter().for_each(|order| _ = desk.queue_ahead(*order));
    assert_eq!(desk.followed(), &orders[1..]);
    // One that has ended is followed no more.
    desk.receive_update(&fill(orders[3].0, 10_000, 10, 0));
    assert_eq!((desk.update_side(), desk.queue_ahead(orders[3])), (Some(Side::Buy), None));
    assert_eq!(desk.followed().len(), FOLLOWED_MAX - 1);
    desk.receive_update(&update(50, 99, 0, UpdateKind::Rejected { reason: Reason::UnknownOrder }));
    assert_eq!(desk.update_side(), None);
}

#[test]
fn there_is_a_market_once_there_were_both_sides() {
    let mut desk = Desk::new(Seed(1), "strategy", 0);
    let level = Price::new(10_000).map(|price| Level { price, quantity: 1 });
    for (bid, ask, has_market) in [(None, None, false), (level, None, false), (level, level, true), (None, level, true)]
    {
        desk.receive_quote(SymbolIndex::FIRST, Quote { bid, ask, ..Quote::default() }, &[], &[]);
        assert_eq!(desk.has_market(SymbolIndex::FIRST), has_market);
    }
}

#[test]
fn fees_are_told_apart_from_what_trading_earned() {
    let mut desk = Desk::new(Seed(1), "strategy", 100_000);
    desk.submit(LIMIT).expect("there is room");
    desk.receive_update(&fill(1, 9_900, 4, 6));
    desk.charge(3);
    assert_eq!((desk.cash(), desk.fees(), desk.average_cost(), desk.realised()), (60_397, 3, Some(9_900_000), 0));
}
