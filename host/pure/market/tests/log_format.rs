//! The event log: what goes in comes out, the hash is that of the bytes, and foreign bytes are refused without a panic.

use assay_market::log::{DecodeError, Expected, decode};
use assay_market::{AgentIndex, Event, EventKind, EventLog, EventSink, LogSummary, Session};
use assay_model::{
    Display, Level, Liquidity, OrderUpdate, PRICE_MAX_CENTS, PostOnly, Price, Qualifiers, Quote, Reason, Request,
    RequestId, RequestKind, SYMBOLS_MAX, Side, SymbolIndex, Terms, Time, TimeInForce, Trigger, UpdateKind,
};
use proptest::prelude::*;
use std::io;

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Buy), Just(Side::Sell)]
}

fn price() -> impl Strategy<Value = Price> {
    (1..=PRICE_MAX_CENTS).prop_map(Price::clamped)
}

fn id() -> impl Strategy<Value = RequestId> {
    any::<u64>().prop_map(RequestId)
}

fn agent() -> impl Strategy<Value = AgentIndex> {
    any::<u32>().prop_map(AgentIndex)
}

fn reason() -> impl Strategy<Value = Reason> {
    proptest::sample::select(Reason::ALL.to_vec())
}

fn level() -> impl Strategy<Value = Option<Level>> {
    proptest::option::of((price(), any::<u64>()).prop_map(|(price, quantity)| Level { price, quantity }))
}

fn request_kind() -> impl Strategy<Value = RequestKind> {
    let limit = (side(), any::<(i64, u64, bool, bool)>());
    prop_oneof![
        limit.prop_map(|(side, (price, quantity, hidden, post_only))| {
            RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers { hidden, post_only } }
        }),
        (side(), any::<u64>()).prop_map(|(side, quantity)| RequestKind::Market { side, quantity }),
        id().prop_map(|order| RequestKind::Cancel { order }),
        Just(RequestKind::CancelAll),
        (id(), any::<(i64, u64)>()).prop_map(|(order, (price, quantity))| RequestKind::Modify {
            order,
            price,
            quantity
        }),
        (id(), any::<u64>()).prop_map(|(order, by)| RequestKind::Reduce { order, by }),
        (id(), any::<(i64, u64)>()).prop_map(|(order, (price, quantity))| RequestKind::Replace {
            order,
            price,
            quantity
        }),
        terms().prop_map(RequestKind::Order),
    ]
}

fn terms() -> impl Strategy<Value = Terms> {
    let numbers = any::<(u64, i32, u32, u32, i32)>();
    let (force, display) = (0..TimeInForce::ALL.len(), 0..Display::ALL.len());
    let (post_only, trigger) = (0..PostOnly::ALL.len(), 0..Trigger::ALL.len());
    (numbers, side(), force, display, post_only, trigger).prop_map(
        |((expires, price, quantity, shown, trigger_at), side, force, display, post_only, trigger)| Terms {
            expires: Time(expires),
            price,
            quantity,
            shown,
            trigger_at,
            side,
            time_in_force: TimeInForce::ALL[force],
            display: Display::ALL[display],
            post_only: PostOnly::ALL[post_only],
            trigger: Trigger::ALL[trigger],
        },
    )
}

fn update_kind() -> impl Strategy<Value = UpdateKind> {
    let liquidity = prop_oneof![Just(Liquidity::Maker), Just(Liquidity::Taker)];
    prop_oneof![
        Just(UpdateKind::Accepted),
        Just(UpdateKind::Triggered),
        (price(), any::<u32>(), liquidity).prop_map(|(price, quantity, liquidity)| UpdateKind::Fill {
            price,
            quantity,
            liquidity
        }),
        reason().prop_map(|reason| UpdateKind::Cancelled { reason }),
        any::<u32>().prop_map(|count| UpdateKind::CancelledAll { count }),
        price().prop_map(|price| UpdateKind::Modified { price }),
        any::<u32>().prop_map(|by| UpdateKind::Reduced { by }),
        reason().prop_map(|reason| UpdateKind::Rejected { reason }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let update = (id(), id(), any::<(u64, u32)>(), update_kind());
    let trade = (price(), any::<u32>(), side(), (agent(), id()), (agent(), id()));
    let quote = (any::<(u64, u64, u64)>(), level(), level(), proptest::option::of(price()));
    let kind = prop_oneof![
        Just(EventKind::Opened),
        Just(EventKind::Closed),
        Just(EventKind::Session(Session::Call)),
        Just(EventKind::Session(Session::Continuous)),
        (agent(), id(), request_kind())
            .prop_map(|(agent, id, kind)| EventKind::Request { agent, request: Request { id, kind } }),
        (agent(), update).prop_map(|(agent, (request, order, (at, remaining), kind))| {
            EventKind::Update { agent, update: OrderUpdate { request, order, at: Time(at), remaining, kind } }
        }),
        trade.prop_map(|(price, quantity, taker_side, maker, taker)| {
            EventKind::Trade { price, quantity, taker_side, maker, taker }
        }),
        quote.prop_map(|((sequence, at, volume), bid, ask, last)| {
            EventKind::Quote(Quote { sequence, at: Time(at), bid, ask, last, volume })
        }),
    ];
    (any::<u64>(), 0..SYMBOLS_MAX as u8, kind).prop_map(|(at, symbol, kind)| Event {
        at: Time(at),
        symbol: SymbolIndex(symbol),
        kind,
    })
}

fn write(events: &[Event]) -> (LogSummary, Vec<u8>) {
    let mut log = EventLog::new(Vec::new());
    events.iter().for_each(|event| log.event(event));
    log.finish().expect("memory takes every write")
}

proptest! {
    #[test]
    fn what_goes_in_comes_out(events in proptest::collection::vec(event(), 0..60)) {
        let (summary, bytes) = write(&events);
        let read: Result<Vec<Event>, DecodeError> = decode(&bytes).unwrap().collect();
        prop_assert_eq!(&read.unwrap(), &events);
        prop_assert_eq!(summary.events, events.len() as u64);
        prop_assert_eq!(summary.bytes, bytes.len() as u64);
    }

    #[test]
    fn a_spoilt_log_is_refused_or_means_exactly_what_it_says(
        events in proptest::collection::vec(event(), 1..8),
        spoils in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<proptest::sample::Index>(),
    ) {
        let (_, mut bytes) = write(&events);
        for (place, byte) in spoils {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        check_foreign(&bytes)?;
    }

    #[test]
    fn foreign_bytes_do_no_harm(tail in proptest::collection::vec(any::<u8>(), 0..200), with_header in any::<bool>()) {
        let header = if with_header { write(&[]).1 } else { Vec::new() };
        check_foreign(&[header, tail].concat())?;
    }
}

/// Either an error within the bytes, or events that are written as the same bytes.
fn check_foreign(bytes: &[u8]) -> Result<(), TestCaseError> {
    match decode(bytes).and_then(Iterator::collect::<Result<Vec<Event>, DecodeError>>) {
        Ok(events) => prop_assert_eq!(write(&events).1, bytes),
        Err(error) => prop_assert!(error.offset <= bytes.len()),
    }
    Ok(())
}

/// One quote event, whose bytes the format promises.
fn sample() -> Vec<u8> {
    let bid = Some(Level { price: Price::clamped(0x0102), quantity: 3 });
    let quote = Quote { sequence: 4, at: Time(5), bid, ask: None, last: None, volume: 6 };
    write(&[Event { at: Time(7), symbol: SymbolIndex::FIRST, kind: EventKind::Quote(quote) }]).1
}

#[test]
fn the_layout_is_the_documented_one() {
    let expected = [
        b"assaylog".as_slice(),
        &[1, 0, 0, 0],
        &[5, 7, 0, 0, 0, 0, 0, 0, 0],
        &[4, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0],
        &[2, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0],
        &[0; 12],
        &[0; 4],
        &[6, 0, 0, 0, 0, 0, 0, 0],
    ];
    assert_eq!(sample(), expected.concat());
}

#[test]
fn an_error_says_where_and_what() {
    let check = |place: usize, byte: u8, expected: Expected, offset: usize| {
        let mut bytes = sample();
        bytes[place] = byte;
        let read = decode(&bytes).and_then(Iterator::collect::<Result<Vec<Event>, DecodeError>>);
        assert_eq!(read, Err(DecodeError { offset, expected }), "byte {place} set to {byte}");
    };
    check(0, b'A', Expected::Magic, 0);
    check(8, 2, Expected::Version, 8);
    check(10, 1, Expected::Version, 8);
    check(12, 7, Expected::Event, 12);
    // A bid at 2^24 and more cents, and shares without a price.
    check(40, 9, Expected::Price, 37);
    check(53, 1, Expected::Level, 49);
    // A trade instead of a quote: the side is not one.
    check(12, 4, Expected::Side, 29);
    let bytes = sample();
    let error = decode(&bytes[..bytes.len() - 1]).unwrap().last().unwrap().unwrap_err();
    assert_eq!(error.to_string(), format!("read the event log: at byte {}, expected 1 more bytes", bytes.len() - 1));
}

#[test]
fn nothing_follows_an_error() {
    let bytes = [write(&[]).1, vec![9; 100]].concat();
    let read: Vec<_> = decode(&bytes).unwrap().collect();
    assert_eq!(read, [Err(DecodeError { offset: 12, expected: Expected::Event })]);
}

/// Events enough to empty the buffer several times.
fn many() -> Vec<Event> {
    let opened = |at| Event { at: Time(at), symbol: SymbolIndex::FIRST, kind: EventKind::Opened };
    (0..10_000).map(opened).collect()
}

#[test]
fn the_hash_is_that_of_the_bytes_kept_or_not() {
    let (kept, bytes) = write(&many());
    let mut hashed = EventLog::hash_only();
    let mut summaries_on_the_way = 0;
    for event in many() {
        hashed.event(&event);
        // Looking must not change anything.
        if event.at.0 % 999 == 0 {
            summaries_on_the_way += hashed.summary().events;
        }
    }
    assert!(summaries_on_the_way > 0);
    assert_eq!(hashed.finish().unwrap().0, kept);
    assert_eq!(kept.hash, blake3::hash(&bytes));
    assert_ne!(kept.hash, write(&many()[1..]).0.hash);
}

/// A disk that is full after some bytes.
struct Full(usize);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_is_told_at_the_end_and_does_not_change_the_hash() {
    let mut log = EventLog::new(Full(40_000));
    many().iter().for_each(|event| log.event(event));
    assert_eq!(log.summary(), write(&many()).0);
    assert_eq!(log.finish().err().map(|error| error.kind()), Some(io::ErrorKind::StorageFull));
}
