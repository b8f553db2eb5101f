//! Host calls and callbacks carry the right values and cost what the price list says.

use crate::support::{Guest, accepted, budget, config, desk, level, load, play, quote};
use assay_model::{
    Display, Indicative, Liquidity, OrderUpdate, PRINTS_KEPT, Phase, PostOnly, Price, Print, Qualifiers, Quote, Reason,
    Request, RequestId, RequestKind, Seed, SessionState, Side, Stream, SymbolIndex, Terms, Time, TimeInForce, Trigger,
    UpdateKind,
};
use assay_sandbox::{Callback, HOST_CALL_FUEL, LOG_LINE_BYTES_MAX, Outcome};

/// Runs `body` in `on-market-data` with a quote and an order on the desk; returns the requests and the log.
#[track_caller]
fn run(items: &str, body: &str) -> (Vec<Request>, Vec<String>) {
    let program = load(&Guest { items, on_market_data: body, ..Guest::default() });
    let mut instance = program.start(desk(), &budget()).expect("the instance starts");
    instance.desk().receive_quote(
        SymbolIndex::FIRST,
        quote(),
        &[level(10_000, 5), level(9_999, 6)],
        &[level(10_002, 7)],
    );
    assert!(instance.on_market_data().is_continue(), "{:?}", instance.failure());
    let mut requests = Vec::new();
    instance.desk().drain_requests(&mut requests);
    let verdict = instance.finish();
    let requests = requests.into_iter().map(|queued| queued.request).collect();
    (requests, verdict.log.into_iter().map(|line| line.text).collect())
}

#[test]
fn requests_reach_the_desk_as_they_were_made() {
    let order = RequestId(3);
    let (hidden_only, post_only) =
        (Qualifiers { hidden: true, post_only: false }, Qualifiers { hidden: false, post_only: true });
    let cases = [
        (
            "(call $limit (i32.const 0) (i64.const 101) (i64.const 7) (i32.const 1) (i32.const 0))",
            RequestKind::Limit { side: Side::Buy, price: 101, quantity: 7, qualifiers: hidden_only },
        ),
        (
            "(call $limit (i32.const 1) (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 2))",
            RequestKind::Limit { side: Side::Sell, price: -1, quantity: u64::MAX, qualifiers: post_only },
        ),
        ("(call $market (i32.const 1) (i64.const 9))", RequestKind::Market { side: Side::Sell, quantity: 9 }),
        ("(call $cancel (i64.const 3))", RequestKind::Cancel { order }),
        ("(call $cancel_all)", RequestKind::CancelAll),
        (
            "(call $modify (i64.const 3) (i64.const 5) (i64.const 6))",
            RequestKind::Modify { order, price: 5, quantity: 6 },
        ),
        ("(call $reduce (i64.const 3) (i64.const 4))", RequestKind::Reduce { order, by: 4 }),
        (
            "(call $replace (i64.const 3) (i64.const 5) (i64.const 6))",
            RequestKind::Replace { order, price: 5, quantity: 6 },
        ),
    ];
    for (call, kind) in cases {
        // The id that comes back is 1, then 2; anything else traps.
        let body = format!("(br_if 0 (i64.eq {call} (i64.const 1))) unreachable");
        assert_eq!(run("", &body).0, [Request { id: RequestId(1), kind }], "{call}");
    }
}

#[test]
fn views_show_the_desk() {
    // Lists come back as pointer and length, written to the address given; elements lie where the allocator said.
    let equal = |left: &str, right: i64| format!("(if (i64.ne {left} (i64.const {right})) (then unreachable))");
    let length = "(i64.load32_u (i32.const 12))";
    let word = |offset: u32| format!("(i64.load (i32.const {}))", 65536 + offset);
    let depth = |side: u8, levels: u32| format!("(call $depth (i32.const {side}) (i32.const {levels}) (i32.const 8))");
    let bodies = [
        depth(0, 10) + &equal(length, 2) + &equal(&word(0), 10_000) + &equal(&word(8), 5) + &equal(&word(16), 9_999),
        depth(0, 1) + &equal(length, 1),
        depth(1, u32::MAX) + &equal(length, 1) + &equal(&word(0), 10_002) + &equal(&word(8), 7),
        depth(1, 0) + &equal(length, 0),
        "(call $open_orders (i32.const 8))".to_owned() + &equal(length, 0),
        "(drop (call $limit (i32.const 1) (i64.const 77) (i64.const 5) (i32.const 0) (i32.const 0)))
         (call $open_orders (i32.const 8))"
            .to_owned()
            + &equal(length, 1)
            + &equal(&word(0), 1)
            + &equal("(i64.load8_u (i32.const 65544))", 1)
            + &equal(&word(16), 77)
            + &equal(&word(24), 5)
            + &equal("(i64.load8_u (i32.const 65568))", 0),
        equal("(call $position)", 0) + &equal("(call $cash)", 1_000_000),
        equal("(call $random)", Stream::new(Seed(1), "strategy", "strategy").bits().cast_signed()),
    ];
    for body in bodies {
        run("", &body);
    }
}

#[test]
fn callbacks_receive_what_happened() {
    const ITEMS: &str =
        r#"(func $expect (param i64 i64) (if (i64.ne (local.get 0) (local.get 1)) (then unreachable)))"#;
    let expect = |pairs: &[(&str, i64)]| -> String {
        pairs.iter().map(|(name, value)| format!("(call $expect (local.get ${name}) (i64.const {value}))")).collect()
    };
    // `config` as numbers of eight bytes, from behind the text's place on; four parts of four bytes are two of them.
    let parts = [250_000 | (500_000 << 32), 150_000 | (500 << 32)];
    let terms = [1, 4_000, 77, parts[0], parts[1], -200_000, 1, 300_000, 2, 1_500];
    let numbers = [1_000_000, 1_000, 9_000, 500, 7, 100].into_iter().chain(terms);
    let check = |(at, number): (usize, i64)| {
        format!("(call $expect (i64.load offset={} (local.get $config)) (i64.const {number}))", 8 + 8 * at)
    };
    let initialize = numbers.enumerate().map(check).collect::<String>()
        + "(call $log (i32.load (local.get $config)) (i32.load offset=4 (local.get $config)))";
    let on_market_data = expect(&[
        ("now", 2_000),
        ("bid", 10_000),
        ("bid_size", 5),
        ("ask", 10_002),
        ("ask_size", 7),
        ("last", 10_001),
        ("volume", 12),
    ]);
    let now = expect(&[("now", 2_000)]);
    let guest = Guest {
        items: ITEMS,
        // Text, which needs no alignment, before the record.
        allocate: "(i32.add (i32.const 65536) (i32.mul (i32.const 8) (local.get 2)))",
        initialize: &initialize,
        on_market_data: &on_market_data,
        on_tick: &now,
        on_simulation_end: &now,
        ..Guest::default()
    };
    let mut instance = load(&guest).start(desk(), &budget()).expect("the instance starts");
    assert!(instance.initialize(&config()).is_continue());
    instance.desk().begin(Time(2_000), SymbolIndex::FIRST);
    instance.desk().receive_quote(SymbolIndex::FIRST, quote(), &[], &[]);
    assert!(instance.on_tick().is_continue());
    assert!(instance.on_market_data().is_continue());
    assert!(instance.on_simulation_end().is_continue());
    let verdict = instance.finish();
    assert_eq!(verdict.outcome, Outcome::Finished);
    assert_eq!(verdict.log[0].text, "ABC");
}

#[test]
fn order_updates_are_flattened() {
    // The guest hands every parameter back: as a modify, a replace and a limit order whose flags are status and reason.
    let body = "(drop (call $modify (local.get $now) (local.get $request) (local.get $order)))
        (drop (call $replace (local.get $price) (local.get $quantity) (local.get $remaining)))
        (drop (call $modify (i64.extend_i32_u (local.get $status)) (i64.extend_i32_u (local.get $reason)) (i64.extend_i32_u (local.get $maker))))
        (drop (call $cancel (i64.extend_i32_u (local.get $side))))";
    let program = load(&Guest { on_order_update: body, ..Guest::default() });
    let price = Price::new(250).expect("a valid price");
    let fill = |liquidity| UpdateKind::Fill { price, quantity: 4, liquidity };
    let cases = [
        // kind, remaining → status, reason, price, quantity, maker
        (UpdateKind::Accepted, 10, (0, 0, 0, 0, 0)),
        (fill(Liquidity::Maker), 6, (1, 0, 250, 4, 1)),
        (fill(Liquidity::Taker), 0, (2, 0, 250, 4, 0)),
        (UpdateKind::Cancelled { reason: Reason::Replaced }, 0, (3, 3, 0, 0, 0)),
        (UpdateKind::CancelledAll { count: 8 }, 0, (4, 0, 0, 8, 0)),
        (UpdateKind::Modified { price }, 5, (5, 0, 250, 0, 0)),
        (UpdateKind::Reduced { by: 3 }, 2, (6, 0, 0, 3, 0)),
        (UpdateKind::Rejected { reason: Reason::MarketNotOpen }, 0, (7, 12, 0, 0, 0)),
    ];
    let reasons = Reason::ALL.iter().map(|&reason| (UpdateKind::Rejected { reason }, 0, (7, reason as i64, 0, 0, 0)));
    for (kind, remaining, (status, reason, price, quantity, maker)) in cases.into_iter().chain(reasons) {
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        instance.desk().begin(Time(70), SymbolIndex::FIRST);
        let update = OrderUpdate { request: RequestId(21), order: RequestId(20), at: Time(60), remaining, kind };
        assert!(instance.on_order_update(&update).is_continue(), "{:?}", instance.failure());
        let mut requests = Vec::new();
        instance.desk().drain_requests(&mut requests);
        let kinds: Vec<_> = requests.iter().map(|queued| queued.request.kind).collect();
        let modify = |order, price, quantity| RequestKind::Modify { order: RequestId(order), price, quantity };
        let expected = [
            modify(70, 21, 20),
            RequestKind::Replace { order: RequestId(price), price: quantity, quantity: u64::from(remaining) },
            modify(status, reason, maker),
            // The desk knows no such order.
            RequestKind::Cancel { order: RequestId(0) },
        ];
        assert_eq!(kinds, expected, "{kind:?}");
    }
}

#[test]
fn an_update_has_the_side_of_its_order() {
    let program = load(&Guest {
        on_order_update: "(drop (call $cancel (i64.extend_i32_u (local.get $side))))",
        ..Guest::default()
    });
    for (side, number) in [(Side::Buy, 1), (Side::Sell, 2)] {
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        instance.desk().submit(RequestKind::Market { side, quantity: 4 }).expect("there is room");
        let price = Price::new(250).expect("a valid price");
        // The last fill: the order is gone from the desk when the strategy hears of it.
        let kind = UpdateKind::Fill { price, quantity: 4, liquidity: Liquidity::Taker };
        let update = OrderUpdate { request: RequestId(1), order: RequestId(1), at: Time(60), remaining: 0, kind };
        instance.desk().receive_update(&update);
        assert!(instance.on_order_update(&update).is_continue(), "{:?}", instance.failure());
        let mut requests = Vec::new();
        instance.desk().drain_requests(&mut requests);
        assert_eq!(requests[1].request.kind, RequestKind::Cancel { order: RequestId(number) }, "{side:?}");
    }
}

/// So many prints, the first at 1 ns and of 11 shares; every third in an auction.
fn prints(count: u64) -> Vec<Print> {
    let print = |at| Print {
        at: Time(at),
        price: Price::clamped(10_000 + at.cast_signed()),
        quantity: 10 + at as u32,
        aggressor: [None, Some(Side::Buy), Some(Side::Sell)][at as usize % 3],
    };
    (1..=count).map(print).collect()
}

#[test]
fn what_is_published_reaches_the_guest() {
    let equal = |left: &str, right: i64| format!("(if (i64.ne {left} (i64.const {right})) (then unreachable))");
    let length = "(i64.load32_u (i32.const 12))";
    let word = |offset: u32| format!("(i64.load (i32.const {}))", 65536 + offset);
    let trades = |count: i64| format!("(call $trades (i32.const {count}) (i32.const 8))");
    let new_trades = "(call $new_trades (i32.const 8))";
    let all = trades(-1) + &equal(length, 4) + &equal(&word(0), 1) + &equal(&word(24), 1);
    let last = trades(2) + &equal(length, 2) + &equal(&word(0), 3) + &equal(&word(8), 10_003) + &equal(&word(16), 13);
    let once = new_trades.to_owned() + &equal(length, 4) + new_trades + &equal(length, 0);
    let session = (0..5).map(|field| format!("(i64.load (i32.const {}))", 8 + 8 * field)).zip([3, 99, 10_007, 5, -2]);
    let session = "(call $session (i32.const 8))".to_owned()
        + &session.map(|(left, right)| equal(&left, right)).collect::<String>();
    let money = equal("(call $average_cost)", 10_000_500) + &equal("(call $realised)", 21) + &equal("(call $fees)", -4);
    let queue = equal("(call $queue_ahead (i64.const 3))", 30) + &equal("(call $queue_ahead (i64.const 1))", -1);
    for body in [trades(0) + &equal(length, 0), all, last + &equal(&word(24), 0), once, session, money, queue] {
        let program = load(&Guest { on_tick: &body, ..Guest::default() });
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        let desk = instance.desk();
        desk.receive_prints(SymbolIndex::FIRST, &prints(4));
        let price = Price::clamped(10_007);
        let indicative = Some(Indicative { price, matched: 5, imbalance: -2 });
        desk.receive_session(SymbolIndex::FIRST, SessionState { phase: Phase::Halt, ends: Some(Time(99)), indicative });
        for (order, (side, cents)) in [(Side::Buy, 10_000), (Side::Sell, 10_021)].into_iter().enumerate() {
            let (quantity, order) = ([2, 1][order], RequestId(order as u64 + 1));
            desk.submit(RequestKind::Market { side, quantity: quantity.into() }).expect("there is room");
            let kind = UpdateKind::Fill { price: Price::clamped(cents), quantity, liquidity: Liquidity::Taker };
            desk.receive_update(&OrderUpdate { request: order, order, at: Time(1), remaining: 0, kind });
        }
        let side = Side::Buy;
        let order = desk.submit(RequestKind::Market { side, quantity: 1 }).expect("there is room");
        let kind = UpdateKind::Fill { price: Price::clamped(10_001), quantity: 1, liquidity: Liquidity::Taker };
        desk.receive_update(&OrderUpdate { request: order, order, at: Time(1), remaining: 1, kind });
        desk.charge(-4);
        desk.receive_queue(SymbolIndex::FIRST, &[(order, 30)]);
        assert!(instance.on_tick().is_continue(), "{body}: {:?}", instance.failure());
    }
}

#[test]
fn the_feed_is_bounded_and_paid_for_whatever_is_asked() {
    let price = |name: &str| *HOST_CALL_FUEL.iter().find(|price| price.name == name).expect("it is on the list");
    for (body, price, units) in [
        ("(call $trades (i32.const -1) (i32.const 8))", price("trades"), PRINTS_KEPT as u64),
        ("(call $new_trades (i32.const 8))", price("new-trades"), PRINTS_KEPT as u64),
        ("(drop (call $queue_ahead (i64.const -1)))", price("queue-ahead"), 0),
        ("(drop (call $queue_ahead (i64.const 0)))", price("queue-ahead"), 0),
    ] {
        let program = load(&Guest { on_tick: body, ..Guest::default() });
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        instance.desk().receive_prints(SymbolIndex::FIRST, &prints(3 * PRINTS_KEPT as u64));
        assert!(instance.on_tick().is_continue(), "{body}: {:?}", instance.failure());
        let fuel = instance.usage().on_tick.fuel;
        assert!((price.of(units)..price.of(units) + 200).contains(&fuel), "{body}: {fuel}");

        // With less, nothing is taken.
        let budget = assay_model::Budget { fuel_callback: price.of(units), ..budget() };
        let mut instance = program.start(desk(), &budget).expect("the instance starts");
        instance.desk().receive_prints(SymbolIndex::FIRST, &prints(3 * PRINTS_KEPT as u64));
        assert!(instance.on_tick().is_break(), "{body}");
        assert_eq!(instance.desk().print_counts(), (PRINTS_KEPT, PRINTS_KEPT));
    }
}

/// A market order by the call that takes every term.
const PLAIN_ORDER: &str =
    "(drop (call $order (i32.const 0) (i64.const 0) (i64.const 1) (i32.const 0) (i64.const 0) (i32.const 0)
    (i64.const 0) (i32.const 0) (i32.const 0) (i64.const 0)))";

#[test]
fn every_term_of_an_order_reaches_the_desk() {
    let order = |numbers: [i64; 10]| {
        let [side, price, quantity, life, expires, display, shown, post_only, trigger, at] = numbers;
        format!(
            "(drop (call $order (i32.const {side}) (i64.const {price}) (i64.const {quantity}) (i32.const {life})
                (i64.const {expires}) (i32.const {display}) (i64.const {shown}) (i32.const {post_only})
                (i32.const {trigger}) (i64.const {at})))"
        )
    };
    let buy = Terms::limit(Side::Buy, 7, 9);
    let cases = [
        ([0, 7, 9, 0, 0, 0, 0, 0, 0, 0], buy),
        ([1, 7, 9, 0, 0, 0, 0, 0, 0, 0], Terms::limit(Side::Sell, 7, 9)),
        ([0, 0, 9, 0, 0, 0, 0, 0, 0, 0], Terms::market(Side::Buy, 9)),
        ([0, 7, 9, 1, 0, 0, 0, 0, 0, 0], buy.with(TimeInForce::ImmediateOrCancel)),
        ([0, 7, 9, 2, 0, 0, 0, 0, 0, 0], buy.with(TimeInForce::FillOrKill)),
        ([0, 7, 9, 3, 5, 0, 0, 0, 0, 0], buy.good_till(Time(5))),
        ([0, 7, 9, 4, 0, 0, 0, 0, 0, 0], buy.with(TimeInForce::AtOpen)),
        ([0, 7, 9, 5, 0, 0, 0, 0, 0, 0], buy.with(TimeInForce::AtClose)),
        ([0, 7, 9, 0, 0, 1, 0, 0, 0, 0], buy.shown_as(Display::Hidden)),
        ([0, 7, 9, 0, 0, 2, 3, 0, 0, 0], buy.iceberg(3)),
        ([0, 7, 9, 0, 0, 3, 0, 0, 0, 0], buy.shown_as(Display::Comply)),
        ([0, 7, 9, 0, 0, 0, 0, 1, 0, 0], buy.post_only(PostOnly::Reject)),
        ([0, 7, 9, 0, 0, 0, 0, 2, 0, 0], buy.post_only(PostOnly::Slide)),
        ([0, 7, 9, 0, 0, 0, 0, 0, 1, 6], buy.stop(6)),
        ([0, 7, 9, 0, 0, 0, 0, 0, 2, 6], buy.trail(6)),
        // What does not fit is pressed to the end of its type, which the exchange refuses.
        (
            [0, i64::MIN, -1, 0, 0, 2, -1, 0, 1, i64::MAX],
            Terms::pressed(Side::Buy, i64::MIN, u64::MAX).iceberg(u64::MAX).stop(i64::MAX),
        ),
    ];
    let (lives, displays) = (TimeInForce::ALL.len() as i64, Display::ALL.len() as i64);
    let (post_only, triggers) = (PostOnly::ALL.len() as i64, Trigger::ALL.len() as i64);
    for (place, count) in [(3, lives), (5, displays), (7, post_only), (8, triggers)] {
        let is_sent = |number: i64| cases.iter().any(|(numbers, _)| numbers[place] == number);
        assert!((0..count).all(is_sent), "a value of number {place} is not sent");
    }
    for (numbers, expected) in cases {
        let (requests, _) = run("", &order(numbers));
        assert_eq!(requests, [Request { id: RequestId(1), kind: RequestKind::Order(expected) }], "{numbers:?}");
    }
    for numbers in [
        [2, 7, 9, 0, 0, 0, 0, 0, 0, 0],
        [0, 7, 9, lives, 0, 0, 0, 0, 0, 0],
        [0, 7, 9, 0, 0, displays, 0, 0, 0, 0],
        [0, 7, 9, 0, 0, 0, 0, post_only, 0, 0],
        [0, 7, 9, 0, 0, 0, 0, 0, triggers, 0],
        [0, 7, 9, -1, 0, 0, 0, 0, 0, 0],
    ] {
        let program = load(&Guest { on_market_data: &order(numbers), ..Guest::default() });
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        assert!(instance.on_market_data().is_break(), "{numbers:?} has a number outside its enum");
    }
}

#[test]
fn a_guest_finds_its_way_between_symbols() {
    // Selects the second symbol, orders, and fails unless name, number and quote are the second's.
    let body = "(call $symbol_name (i32.const 1) (i32.const 64))
        (br_if 0 (i32.ne (i32.load (i32.const 68)) (i32.const 3)))
        (call $select (i32.const 1) (i32.const 128))
        (br_if 0 (i32.ne (call $symbol) (i32.const 1)))
        (br_if 0 (i64.ne (i64.load (i32.const 128)) (i64.const 555)))
        (br_if 0 (i64.ne (i64.load (i32.const 168)) (i64.const 77)))
        (drop (call $market (i32.const 0) (i64.const 9)))";
    let program = load(&Guest { on_tick: body, ..Guest::default() });
    let desk = desk().with_symbols(["ABM", "XYZ"].map(str::to_owned));
    let mut instance = program.start(desk, &budget()).expect("the instance starts");
    let second = Quote { bid: Some(level(555, 5)), volume: 77, ..Quote::default() };
    instance.desk().receive_quote(SymbolIndex(1), second, &[], &[]);
    instance.desk().begin(Time(1), SymbolIndex::FIRST);
    assert!(instance.on_tick().is_continue(), "{:?}", instance.failure());
    let mut requests = Vec::new();
    instance.desk().drain_requests(&mut requests);
    let kind = RequestKind::Market { side: Side::Buy, quantity: 9 };
    let requests: Vec<_> = requests.into_iter().map(|queued| (queued.symbol, queued.request)).collect();
    assert_eq!(requests, [(SymbolIndex(1), Request { id: RequestId(1), kind })]);
}

#[test]
fn a_symbol_that_is_not_there_and_a_result_that_is_nowhere_end_the_strategy() {
    for call in [
        "(call $select (i32.const 1) (i32.const 8))",
        "(call $select (i32.const -1) (i32.const 8))",
        "(call $select (i32.const 0) (i32.const 4))",
        "(call $select (i32.const 0) (i32.const -8))",
        "(call $select (i32.const 0) (i32.const 131032))",
        "(call $symbol_name (i32.const 0) (i32.const 2))",
        "(call $symbol_name (i32.const 0) (i32.const -4))",
        "(call $session (i32.const 4))",
        "(call $session (i32.const -8))",
        "(call $session (i32.const 131040))",
        "(call $trades (i32.const 0) (i32.const 2))",
        "(call $new_trades (i32.const -4))",
    ] {
        let program = load(&Guest { on_tick: call, ..Guest::default() });
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        assert!(instance.on_tick().is_break(), "{call}");
    }
}

#[test]
fn every_host_call_costs_what_the_list_says() {
    // One guest for each call; `$now` decides whether it is made, so that the difference is call and price.
    let calls = [
        ("limit", "(drop (call $limit (i32.const 0) (i64.const 1) (i64.const 1) (i32.const 0) (i32.const 0)))", 6, 0),
        ("market", "(drop (call $market (i32.const 0) (i64.const 1)))", 3, 0),
        ("order", PLAIN_ORDER, 11, 0),
        ("cancel", "(drop (call $cancel (i64.const 1)))", 2, 0),
        ("cancel-all", "(drop (call $cancel_all))", 1, 0),
        ("modify", "(drop (call $modify (i64.const 1) (i64.const 1) (i64.const 1)))", 4, 0),
        ("reduce", "(drop (call $reduce (i64.const 1) (i64.const 1)))", 3, 0),
        ("replace", "(drop (call $replace (i64.const 1) (i64.const 1) (i64.const 1)))", 4, 0),
        ("symbol", "(drop (call $symbol))", 1, 0),
        ("select", "(call $select (i32.const 0) (i32.const 8))", 3, 0),
        ("symbol-name", "(call $symbol_name (i32.const 9) (i32.const 8))", 3, 0),
        ("depth", "(call $depth (i32.const 0) (i32.const 9) (i32.const 8))", 4, 2),
        ("trades", "(call $trades (i32.const 2) (i32.const 8))", 3, 2),
        ("new-trades", "(call $new_trades (i32.const 8))", 2, 3),
        ("session", "(call $session (i32.const 8))", 2, 0),
        ("queue-ahead", "(drop (call $queue_ahead (i64.const 1)))", 2, 0),
        ("open-orders", "(call $open_orders (i32.const 8))", 2, 0),
        ("position", "(drop (call $position))", 1, 0),
        ("cash", "(drop (call $cash))", 1, 0),
        ("average-cost", "(drop (call $average_cost))", 1, 0),
        ("realised", "(drop (call $realised))", 1, 0),
        ("fees", "(drop (call $fees))", 1, 0),
        ("wake-at", "(call $wake_at (i64.const 1))", 2, 0),
        ("mute-market-data", "(call $mute_market_data)", 1, 0),
        ("log", "(call $log (i32.const 0) (i32.const 33))", 3, 33),
        ("random", "(drop (call $random))", 1, 0),
        ("parameter", "(drop (call $parameter (i32.const -1) (f64.const nan)))", 2, 0),
        ("panicked", "(call $panicked (i32.const 0) (i32.const 33))", 3, 33),
    ];
    assert_eq!(calls.map(|call| call.0), HOST_CALL_FUEL.map(|price| price.name), "the list is complete and in order");
    for ((name, call, operators, units), price) in calls.into_iter().zip(HOST_CALL_FUEL) {
        let body = format!("(if (i64.ne (local.get $now) (i64.const 0)) (then {call}))");
        let program = load(&Guest { on_tick: &body, ..Guest::default() });
        let fuel = |now| {
            let mut instance = program.start(desk(), &budget()).expect("the instance starts");
            instance.desk().receive_quote(SymbolIndex::FIRST, quote(), &[level(10_000, 5), level(9_999, 6)], &[]);
            instance.desk().receive_prints(SymbolIndex::FIRST, &prints(3));
            instance.desk().begin(Time(now), SymbolIndex::FIRST);
            assert!(instance.on_tick().is_continue(), "{name}: {:?}", instance.failure());
            instance.usage().on_tick.fuel
        };
        let overhead = fuel(1) - fuel(0) - price.of(units);
        // Where a list comes back, the guest's allocator executes a few operators of its own.
        assert!((operators..operators + 10).contains(&overhead), "{name}: {overhead}");
    }
}

#[test]
fn a_call_that_the_fuel_does_not_cover_has_no_effect() {
    let program = load(&Guest { on_tick: "(drop (call $cancel_all))", ..Guest::default() });
    let price = HOST_CALL_FUEL.iter().find(|price| price.name == "cancel-all").expect("it is on the list").base;
    let budget = assay_model::Budget { fuel_callback: price, ..budget() };
    let mut instance = program.start(desk(), &budget).expect("the instance starts");
    assert!(instance.on_tick().is_break());
    let mut requests = Vec::new();
    instance.desk().drain_requests(&mut requests);
    assert_eq!(requests, []);
    assert!(matches!(instance.finish().outcome, Outcome::OutOfFuel { callback: Callback::OnTick, .. }));
}

#[test]
fn long_log_lines_are_cut() {
    let body = format!(
        "(call $log (i32.const 0) (i32.const {})) (call $log (i32.const 0) (i32.const {LOG_LINE_BYTES_MAX}))",
        LOG_LINE_BYTES_MAX + 1
    );
    let lengths: Vec<_> = run("", &body).1.iter().map(String::len).collect();
    assert_eq!(lengths, [LOG_LINE_BYTES_MAX + '…'.len_utf8(), LOG_LINE_BYTES_MAX]);
}

#[test]
fn an_update_for_a_strategy_that_ignores_it_is_harmless() {
    let verdict = play(&load(&Guest::default()), &budget());
    assert_eq!(verdict.usage.on_order_update.calls, 3);
    assert_eq!(accepted().kind, UpdateKind::Accepted);
}

#[test]
fn a_parameter_is_what_it_is_set_to_or_its_default() {
    let asks = |index: u32, expected: f64| {
        format!(
            "(if (f64.ne (call $parameter (i32.const {index}) (f64.const 2.5)) (f64.const {expected})) (then unreachable))"
        )
    };
    let plain = load(&Guest { on_tick: &(asks(0, 2.5) + &asks(u32::MAX, 2.5)), ..Guest::default() });
    let body = asks(0, 2.5) + &asks(1, 7.25) + &asks(2, 2.5);
    let set = load(&Guest { on_tick: &body, ..Guest::default() }).with_parameters([None, Some(7.25)]);
    for program in [plain, set] {
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        assert!(instance.on_tick().is_continue(), "{:?}", instance.failure());
    }
}
