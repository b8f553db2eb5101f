//! The desk seen from outside: what a trader reads after what it was told, and the limits on what it may queue.

use assay_model::{
    Desk, DeskLimit, LOG_BYTES_MAX, Liquidity, OrderUpdate, Price, Qualifiers, REQUESTS_PER_CALLBACK_MAX, Reason,
    RequestId, RequestKind, Seed, Side, Time, UpdateKind, WAKEUPS_PER_CALLBACK_MAX,
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
