//! What becomes of a strategy: one guest for each way to end, in each place where it can happen.

use crate::support::{self, Guest, budget, config, desk, load, play};
use assay_model::{Budget, LOG_BYTES_MAX, Nanos, StrategyConfig, SymbolIndex, Time};
use assay_sandbox::{
    Callback, FuelScope, HOST_CALL_BYTES_MAX, Limit, MEMORY_BYTES_MAX, Outcome, PANIC_BYTES_MAX, StartError, TRAP_FUEL,
    TrapKind, Verdict,
};

#[track_caller]
fn check(guest: &Guest<'_>, expected: &Outcome) -> Verdict {
    let verdict = play(&load(guest), &budget());
    assert_eq!(&verdict.outcome, expected);
    verdict
}

/// The guest that runs `body` in one callback.
fn in_callback<'a>(callback: Callback, body: &'a str, items: &'a str) -> Guest<'a> {
    let mut guest = Guest { items, ..Guest::default() };
    match callback {
        Callback::Initialize => guest.initialize = body,
        Callback::OnTick => guest.on_tick = body,
        Callback::OnMarketData => guest.on_market_data = body,
        Callback::OnOrderUpdate => guest.on_order_update = body,
        Callback::OnSimulationEnd => guest.on_simulation_end = body,
    }
    guest
}

#[test]
fn a_strategy_that_does_nothing_finishes() {
    let verdict = check(&Guest::default(), &Outcome::Finished);
    let usage = verdict.usage;
    assert_eq!((usage.initialize.calls, usage.on_tick.calls, usage.on_simulation_end.calls), (1, 3, 1));
    assert_eq!(usage.host_calls, 0);
    assert_eq!(usage.memory_bytes_peak, 2 << 16);
    assert_eq!(usage.fuel(), Callback::ALL.iter().map(|&callback| usage.of(callback).fuel).sum::<u64>());
    assert_eq!(usage.on_tick.fuel, 3 * usage.on_tick.fuel_max);
    assert_eq!(verdict.backtrace, None);
}

#[test]
fn an_endless_loop_runs_out_of_fuel_in_any_callback() {
    for callback in Callback::ALL {
        let verdict = check(
            &in_callback(callback, "(loop $forever (br $forever))", ""),
            &Outcome::OutOfFuel { callback, scope: FuelScope::Callback, limit: 1_000_000 },
        );
        let billed = verdict.usage.of(callback).fuel_max;
        assert!(billed >= 999_000, "{callback}: {billed}");
    }
}

#[test]
fn straight_line_code_that_overdraws_is_out_of_fuel_though_it_returns() {
    // The engine looks at the tank at branches and calls only; there are none here.
    let body = "(drop (i64.mul (local.get $now) (i64.const 3)))".repeat(10_000);
    let guest = Guest { on_tick: &body, ..Guest::default() };
    let budget = Budget { fuel_callback: 5_000, ..budget() };
    let verdict = play(&load(&guest), &budget);
    let scope = FuelScope::Callback;
    assert_eq!(verdict.outcome, Outcome::OutOfFuel { callback: Callback::OnTick, scope, limit: 5_000 });
    assert_eq!(verdict.usage.on_tick.fuel, 5_000);
}

#[test]
fn the_episode_runs_out_of_fuel_between_callbacks_too() {
    let program = load(&Guest { on_tick: "(drop (call $position))", ..Guest::default() });
    let used = play(&program, &budget()).usage;
    let before_second_tick = used.initialize.fuel + used.on_tick.fuel_max + used.on_market_data.fuel_max;
    for fuel_episode in [0, 1, before_second_tick, used.fuel() - 1] {
        let verdict = play(&program, &Budget { fuel_episode, ..budget() });
        assert!(
            matches!(verdict.outcome, Outcome::OutOfFuel { scope: FuelScope::Episode, limit, .. } if limit == fuel_episode),
            "{fuel_episode}: {:?}",
            verdict.outcome
        );
        assert!(verdict.usage.fuel() <= fuel_episode);
    }
    assert_eq!(play(&program, &Budget { fuel_episode: used.fuel() + 1, ..budget() }).outcome, Outcome::Finished);
}

#[test]
fn growth_beyond_the_budget_is_out_of_memory() {
    let grow = "(loop $again (drop (memory.grow (i32.const 1))) (br $again))";
    let leap = "(drop (memory.grow (i32.const 3000)))";
    for (body, requested_bytes) in [(grow, (4 << 20) + 65536), (leap, 3_002 << 16)] {
        for callback in Callback::ALL {
            let verdict = check(
                &in_callback(callback, body, ""),
                &Outcome::OutOfMemory { callback, requested_bytes, limit_bytes: 4 << 20 },
            );
            assert!(verdict.usage.memory_bytes_peak <= 4 << 20);
            assert!(verdict.backtrace.is_some_and(|frames| frames.contains("guest!")));
        }
    }
}

#[test]
fn a_budget_below_the_initial_memory_ends_the_strategy_and_one_above_the_pool_is_refused() {
    let program = load(&Guest::default());
    let verdict = play(&program, &Budget { memory_bytes: 65536, ..budget() });
    let callback = Callback::Initialize;
    let (requested_bytes, limit_bytes) = (2 << 16, 65536);
    assert_eq!(verdict.outcome, Outcome::OutOfMemory { callback, requested_bytes, limit_bytes });
    let asked = MEMORY_BYTES_MAX + 1;
    let refused = program.start(desk(), &Budget { memory_bytes: asked, ..budget() }).err();
    assert!(matches!(refused, Some(StartError::MemoryBudget { asked: found }) if found == asked));
}

#[test]
fn traps_say_what_the_strategy_did() {
    const TABLE: &str = "(table 4 funcref) (elem (i32.const 0) $on_tick) (type $nullary (func))
        (type $unary (func (param i64)))";
    let cases = [
        ("unreachable", "", TrapKind::Unreachable),
        ("(drop (i64.div_s (i64.const 1) (i64.const 0)))", "", TrapKind::DivisionByZero),
        ("(drop (i32.rem_u (i32.const 1) (i32.const 0)))", "", TrapKind::DivisionByZero),
        ("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))", "", TrapKind::IntegerOverflow),
        ("(drop (i32.trunc_f64_s (f64.const nan)))", "", TrapKind::FloatToInteger),
        ("(drop (i32.load (i32.const 0x7fffffff)))", "", TrapKind::MemoryOutOfBounds),
        ("(drop (i32.load (i32.const -4)))", "", TrapKind::MemoryOutOfBounds),
        ("(drop (i32.load (i32.const 131072)))", "", TrapKind::MemoryOutOfBounds),
        ("(i64.store (i32.const 131065) (i64.const 1))", "", TrapKind::MemoryOutOfBounds),
        ("(memory.fill (i32.const 131000) (i32.const 0) (i32.const 1000))", "", TrapKind::MemoryOutOfBounds),
        ("(call_indirect (type $nullary) (i32.const 0))", TABLE, TrapKind::SignatureMismatch),
        ("(call_indirect (type $unary) (i64.const 0) (i32.const 1))", TABLE, TrapKind::NullCall),
        ("(call_indirect (type $unary) (i64.const 0) (i32.const 9))", TABLE, TrapKind::TableOutOfBounds),
        (
            "(call $deeper (i64.const 1))",
            "(func $deeper (param i64) (call $deeper (i64.add (local.get 0) (call $position))))",
            TrapKind::StackOverflow,
        ),
        // A string beyond the memory, a string that is not UTF-8, an enum value that does not exist.
        ("(call $log (i32.const 131000) (i32.const 1000))", "", TrapKind::Interface),
        ("(call $log (i32.const 64) (i32.const 2))", r#"(data (i32.const 64) "\ff\fe")"#, TrapKind::Interface),
        ("(drop (call $market (i32.const 2) (i64.const 1)))", "", TrapKind::Interface),
    ];
    for (body, items, expected) in cases {
        let verdict = play(&load(&in_callback(Callback::OnSimulationEnd, body, items)), &budget());
        let Outcome::Trapped { callback: Callback::OnSimulationEnd, trap, message } = &verdict.outcome else {
            panic!("{body}: {:?}", verdict.outcome)
        };
        assert_eq!(*trap, expected, "{body}: {message}");
        assert!(!message.is_empty());
        assert!(verdict.usage.on_simulation_end.fuel >= TRAP_FUEL, "{body}: a trap is not free");
        let frames = verdict.backtrace.unwrap_or_default();
        assert!(frames.contains("guest!"), "{body}: {frames}");
    }
}

#[test]
fn names_of_functions_are_shown_within_bounds() {
    // Taken apart, the first stands for 16^12 words and the second for 2^40.
    let cpp = (1..12).fold("_Z1f1AIiiES_I".to_owned() + &"S_".repeat(16) + "E", |name, level| {
        let level = char::from_digit(level - 1, 36).unwrap_or('0').to_ascii_uppercase();
        format!("{name}S{level}_I{}E", format!("S{level}_").repeat(16))
    });
    let doubled = "_RINvC1c1fTuuETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_EE".to_owned();
    for name in [cpp, doubled, "x".repeat(16_000), format!("_ZN{}E", "1a".repeat(4_000))] {
        let items = format!("(func ${name} unreachable)");
        let verdict = play(&load(&in_callback(Callback::OnTick, &format!("(call ${name})"), &items)), &budget());
        assert!(
            matches!(verdict.outcome, Outcome::Trapped { trap: TrapKind::Unreachable, .. }),
            "{:?}",
            verdict.outcome
        );
        let frames = verdict.backtrace.unwrap_or_default();
        assert!(frames.contains("guest!") && frames.len() < 2_500, "{frames}");
    }
}

#[test]
fn a_hostile_allocator_hurts_only_its_guest() {
    // The host calls it to hand over the symbol, and in the middle of a host call to hand over a list.
    let interface = Some(TrapKind::Interface);
    let cases = [
        ("calls the host from within a host call", "(drop (call $position)) (i32.const 65536)", interface),
        ("returns an address outside", "(i32.const 131064)", interface),
        ("returns the last address there is", "(i32.const -8)", interface),
        ("returns an address that is not aligned", "(i32.const 65537)", interface),
        ("traps", "unreachable", Some(TrapKind::Unreachable)),
        ("never returns", "(loop $forever (br $forever)) unreachable", None),
        ("recurses", "(call $deeper (i32.const 1))", Some(TrapKind::StackOverflow)),
    ];
    let items = "(func $deeper (param i32) (result i32)
        (i32.add (call $deeper (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))";
    for (name, allocate, expected) in cases {
        let guest = Guest {
            items,
            allocate,
            on_tick: "(call $depth (i32.const 0) (i32.const 9) (i32.const 8))",
            ..Guest::default()
        };
        let program = load(&guest);
        let mut in_callback = program.start(desk(), &budget()).expect("the instance starts");
        let _ = in_callback.initialize(&support::config());
        let mut in_host_call = program.start(desk(), &budget()).expect("the instance starts");
        let level = support::level(10_000, 5);
        in_host_call.desk().receive_quote(SymbolIndex::FIRST, support::quote(), &[level, level], &[level]);
        assert!(in_host_call.on_tick().is_break(), "{name}");
        let verdicts = [(Callback::OnTick, in_host_call.finish()), (Callback::Initialize, in_callback.finish())];
        for (callback, verdict) in verdicts {
            match (&verdict.outcome, expected) {
                (Outcome::Trapped { callback: found, trap, .. }, Some(expected)) => {
                    assert_eq!((*found, *trap), (callback, expected), "{name}");
                }
                (Outcome::OutOfFuel { callback: found, .. }, None) => assert_eq!(*found, callback, "{name}"),
                // The symbol needs no alignment and three bytes only, so some of these are harmless there.
                (Outcome::Finished, _) if callback == Callback::Initialize => {}
                (outcome, _) => panic!("{name}: {outcome:?}"),
            }
        }
    }
}

#[test]
fn a_panic_keeps_its_message() {
    const ITEMS: &str = r#"(data (i32.const 16) "index out of bounds: 7 in \"orders\"")"#;
    const BODY: &str = "(call $panicked (i32.const 16) (i32.const 34)) unreachable";
    for callback in Callback::ALL {
        let message = "index out of bounds: 7 in \"orders\"".to_owned();
        check(
            &in_callback(callback, BODY, ITEMS),
            &Outcome::Trapped { callback, trap: TrapKind::Unreachable, message },
        );
    }
}

#[test]
fn a_panic_message_is_cut_at_a_character() {
    // 0xc3 0xa9 is é: two bytes, so that the limit falls inside a character for one of the two starts.
    let items = r#"(data (i32.const 0) "x") (func $fill (local $at i32) (local.set $at (i32.const 1))
        (loop $next (i32.store16 (local.get $at) (i32.const 0xa9c3))
            (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 2))) (i32.const 10001)))))"#;
    for (start, length) in [(0, 9_001), (1, 9_000)] {
        let body = format!("(call $fill) (call $panicked (i32.const {start}) (i32.const {length})) unreachable");
        let verdict = play(&load(&in_callback(Callback::OnTick, &body, items)), &budget());
        let Outcome::Trapped { message, .. } = verdict.outcome else { panic!("{:?}", verdict.outcome) };
        assert!(message.ends_with("é…"));
        assert!((PANIC_BYTES_MAX - 2..=PANIC_BYTES_MAX + '…'.len_utf8()).contains(&message.len()));
    }
}

#[test]
fn floods_meet_their_limit() {
    let cases = [
        (
            "(drop (call $limit (i32.const 0) (i64.const 1) (i64.const 1) (i32.const 0) (i32.const 0)))",
            Limit::Requests,
            1_000,
        ),
        ("(drop (call $cancel_all))", Limit::Requests, 1_000),
        ("(call $wake_at (i64.const 0))", Limit::Wakeups, 100),
    ];
    for (body, limit, allowed) in cases {
        let callback = Callback::OnTick;
        let body = format!("(loop $again {body} (br $again))");
        let budget = Budget { fuel_callback: 10_000_000, ..budget() };
        let verdict = play(&load(&in_callback(callback, &body, "")), &budget);
        assert_eq!(verdict.outcome, Outcome::LimitExceeded { callback, limit, allowed });
        assert_eq!(verdict.usage.host_calls, allowed + 1);
    }
}

#[test]
fn a_log_flood_is_paid_for_and_bounded() {
    let body = "(loop $again (call $log (i32.const 0) (i32.const 1000)) (br $again))";
    let guest = Guest { on_tick: body, ..Guest::default() };
    let verdict = play(&load(&guest), &Budget { fuel_callback: 10_000_000, ..budget() });
    assert!(matches!(verdict.outcome, Outcome::OutOfFuel { callback: Callback::OnTick, .. }), "{:?}", verdict.outcome);
    assert!(verdict.log.iter().map(|line| line.text.len()).sum::<usize>() <= LOG_BYTES_MAX);
    assert!(verdict.log_lines_dropped > 1_000);
}

#[test]
fn a_giant_string_meets_the_limit_of_a_host_call() {
    let body = format!(
        "(drop (memory.grow (i32.const 32))) (call $log (i32.const 0) (i32.const {}))",
        HOST_CALL_BYTES_MAX + 1
    );
    let (callback, limit) = (Callback::OnTick, Limit::HostCallBytes);
    let allowed = HOST_CALL_BYTES_MAX as u64;
    check(&in_callback(callback, &body, ""), &Outcome::LimitExceeded { callback, limit, allowed });
}

#[test]
fn nothing_is_called_after_a_failure() {
    let program = load(&Guest { on_tick: "unreachable", ..Guest::default() });
    let mut instance = program.start(desk(), &budget()).expect("the instance starts");
    assert!(instance.initialize(&support::config()).is_continue());
    assert!(instance.failure().is_none());
    assert!(instance.on_tick().is_break());
    let usage = instance.usage();
    assert!(instance.failure().is_some());
    assert!(instance.initialize(&support::config()).is_break());
    assert!(instance.on_tick().is_break());
    assert!(instance.on_market_data().is_break());
    assert!(instance.on_order_update(&support::accepted()).is_break());
    assert!(instance.on_simulation_end().is_break());
    assert_eq!(instance.finish().usage, usage);
}

#[test]
fn an_outcome_reads_as_data() {
    let outcome = Outcome::Trapped {
        callback: Callback::OnMarketData,
        trap: TrapKind::DivisionByZero,
        message: "divide by zero".to_owned(),
    };
    let text = serde_json::to_string(&outcome).expect("an outcome serialises");
    assert_eq!(
        text,
        r#"{"kind":"trapped","callback":"on_market_data","trap":"division_by_zero","message":"divide by zero"}"#
    );
    assert_eq!(serde_json::from_str::<Outcome>(&text).expect("and reads back"), outcome);
}

#[test]
fn a_busy_episode_may_have_more_fuel() {
    // Every callback costs the host's work and its entry.
    let program = load(&Guest::default());
    let narrow = Budget { fuel_episode: 450, ..budget() };
    let scope = FuelScope::Episode;
    let outcome = Outcome::OutOfFuel { callback: Callback::OnOrderUpdate, scope, limit: 450 };
    assert_eq!(play(&program, &narrow).outcome, outcome);
    // One kind of event pays for one more callback each time it comes, and is in the limit that is told.
    let outcome = Outcome::OutOfFuel { callback: Callback::OnMarketData, scope, limit: 450 + 2 * 101 };
    assert_eq!(play(&program, &Budget { fuel_per_tick: 101, ..narrow }).outcome, outcome);
    let all = Budget { fuel_per_tick: 101, fuel_per_market_data: 101, fuel_per_order_update: 101, ..narrow };
    assert_eq!(play(&program, &all).outcome, Outcome::Finished);
}

/// With what a tick adds it could call itself for ever. A wake-up is no tick, and adds nothing.
#[test]
fn a_strategy_that_wakes_itself_mints_no_fuel() {
    let program = load(&Guest::default());
    // A call costs as much as a tick adds, so ticks are free, and wake-ups use up what is left.
    let budget = Budget { fuel_episode: 1_260, fuel_per_tick: 101, ..budget() };
    // How many calls of `on-tick` at these times there are until the fuel is used up; at most 1,000.
    let calls = |config: &StrategyConfig, at: fn(u64) -> u64| {
        let mut instance = program.start(desk(), &budget).expect("the instance starts");
        assert!(instance.initialize(config).is_continue());
        let times = (0..1_000).map(at);
        let paid = times.take_while(|time| {
            instance.desk().begin(Time(*time), SymbolIndex::FIRST);
            instance.on_tick().is_continue()
        });
        paid.count()
    };
    // Ticks are at 1,000, 1,100, 1,200, …
    let usual = config();
    let tickless = StrategyConfig { tick_interval: Nanos(0), ..config() };
    let before = calls(&usual, |_| 999);
    assert!((5..20).contains(&before), "{before}");
    let check = |what: &str, config: &StrategyConfig, at: fn(u64) -> u64, expected: usize| {
        assert_eq!(calls(config, at), expected, "{what}");
    };
    check("ticks alone", &usual, |n| 1_000 + 100 * n, 1_000);
    check("now, again and again", &usual, |_| 1_000, before + 1);
    check("a nanosecond later each time", &usual, |n| 1_000 + n.min(99), before + 1);
    check("after a long pause, which is made up for once", &usual, |_| 8_950, before + 1);
    check("one beside each tick", &usual, |n| 1_000 + 50 * n, 2 * before + 1);
    check("back in time", &usual, |n| 9_000 - n.min(8_000), before + 1);
    check("a scenario without ticks", &tickless, |n| 1_000 + 100 * n, before);
}
