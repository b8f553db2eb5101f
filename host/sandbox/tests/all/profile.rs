//! Profiles: the same fuel and outcome as without, booked on the right functions, to the unit.

use crate::support::{Guest, budget, load, play, sandbox};
use assay_model::Budget;
use assay_sandbox::{Callback, Frame, Outcome, Verdict};
use std::fmt::Write as _;

fn profiled(guest: &Guest<'_>, budget: &Budget) -> Verdict {
    play(&sandbox().load_profiled(&guest.checked()).expect("the guest loads"), budget)
}

/// Name, calls, own fuel, and the caller's name.
fn rows(verdict: &Verdict) -> Vec<(&str, u64, u64, &str)> {
    let frames = &verdict.profile.as_ref().expect("a profiled program tells").frames;
    let caller = |frame: &Frame| frame.parent.map_or("", |parent| frames[parent].name.as_str());
    frames.iter().map(|frame| (frame.name.as_str(), frame.calls, frame.fuel, caller(frame))).collect()
}

const LEAF: &str = "(func $leaf (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))";

#[test]
fn every_unit_is_booked_on_the_function_that_used_it() {
    let guest = Guest {
        items: LEAF,
        on_tick: "(drop (call $leaf (i32.const 1))) (drop (call $leaf (call $leaf (i32.const 2)))) (drop (call $position))",
        ..Guest::default()
    };
    let verdict = profiled(&guest, &budget());
    assert_eq!(verdict.outcome, Outcome::Finished);
    let found = rows(&verdict);
    // Three ticks. A leaf: its entry and three operators. A tick: its entry, two constants, four calls. A host call: its price.
    for expected in [
        ("on-tick", 3, 300, ""),
        ("on_tick", 3, 3 * 7, "on-tick"),
        ("leaf", 9, 9 * 4, "on_tick"),
        ("exchange.position", 3, 3 * 50, "on_tick"),
        ("on-simulation-end", 1, 100, ""),
    ] {
        assert!(found.contains(&expected), "{expected:?} is not among {found:#?}");
    }
    // Instantiation is a call, too.
    assert_eq!(found.first(), Some(&("initialize", 1, 200, "")));
}

#[test]
fn fuel_and_outcome_are_those_without_a_profile() {
    let spin = "(loop $again (br $again))";
    let recursion = "(func $down (param i64) (result i64) (if (result i64) (i64.eqz (local.get 0))
        (then (i64.const 0)) (else (call $down (i64.sub (local.get 0) (i64.const 1))))))";
    let table = "(type $t (func (param i32) (result i32))) (table 1 funcref) (elem (i32.const 0) $leaf)";
    let cases = [
        ("nothing", Guest::default()),
        ("recursion", Guest { items: recursion, on_tick: "(drop (call $down (i64.const 50)))", ..Guest::default() }),
        (
            "through a table",
            Guest {
                items: &format!("{table} {LEAF}"),
                on_tick: "(drop (call_indirect (type $t) (i32.const 7) (i32.const 0)))",
                ..Guest::default()
            },
        ),
        (
            "lists, for which the host calls the allocator",
            Guest {
                allocate: "(i32.const 65536) (drop (i32.const 1))",
                on_market_data: "(call $depth (i32.const 0) (i32.const 5) (i32.const 1024))",
                ..Guest::default()
            },
        ),
        ("growth", Guest { on_tick: "(drop (memory.grow (i32.const 3)))", ..Guest::default() }),
        (
            "early return",
            Guest { on_tick: "(if (i64.eqz (local.get $bid)) (then return)) (drop (call $cash))", ..Guest::default() },
        ),
        ("trap below", Guest { items: "(func $bad unreachable)", on_tick: "(call $bad)", ..Guest::default() }),
        ("out of fuel", Guest { items: &format!("(func $spin {spin})"), on_tick: "(call $spin)", ..Guest::default() }),
        ("host limit", Guest { on_tick: "(call $log (i32.const 0) (i32.const 9000000))", ..Guest::default() }),
        ("no such side", Guest { on_tick: "(drop (call $market (i32.const 9) (i64.const 1)))", ..Guest::default() }),
    ];
    for (name, guest) in cases {
        let (plain, with) = (play(&load(&guest), &budget()), profiled(&guest, &budget()));
        assert_eq!(with.outcome, plain.outcome, "{name}");
        assert_eq!(with.usage, plain.usage, "{name}");
        assert_eq!(with.fuel_by_call, plain.fuel_by_call, "{name}");
        let booked: u64 = rows(&with).iter().map(|(_, _, fuel, _)| fuel).sum();
        assert_eq!(booked, plain.usage.fuel(), "{name}: {:#?}", rows(&with));
        assert_eq!(with.profile, profiled(&guest, &budget()).profile, "{name}");
        assert!(plain.profile.is_none());
    }
}

#[test]
fn a_guest_cannot_make_a_profile_grow_without_end() {
    // Two ways at each of 18 depths: a quarter of a million paths.
    let tree = "(func $tree (param i32) (if (i32.eqz (local.get 0)) (then return))
        (call $left (i32.sub (local.get 0) (i32.const 1))) (call $right (i32.sub (local.get 0) (i32.const 1))))
        (func $left (param i32) (call $tree (local.get 0))) (func $right (param i32) (call $tree (local.get 0)))";
    let guest = Guest { items: tree, on_simulation_end: "(call $tree (i32.const 18))", ..Guest::default() };
    let budget = Budget { fuel_callback: 50_000_000, ..budget() };
    let verdict = profiled(&guest, &budget);
    assert_eq!(verdict.outcome, Outcome::Finished);
    let profile = verdict.profile.as_ref().expect("a profile");
    assert_eq!(profile.frames.len(), assay_sandbox::FRAMES_MAX);
    assert!(profile.calls_dropped > 0);
    assert_eq!(rows(&verdict).iter().map(|row| row.2).sum::<u64>(), verdict.usage.fuel());
    assert_eq!(profile.totals()[..5].iter().sum::<u64>(), verdict.usage.fuel());
}

#[test]
fn the_dearest_call_has_a_time_and_quantiles() {
    let guest = Guest {
        items: LEAF,
        // Only the tick at 3,000 ns does anything.
        on_tick: "(if (i64.eq (local.get $now) (i64.const 3000)) (then (drop (call $position))))",
        ..Guest::default()
    };
    let verdict = play(&load(&guest), &budget());
    let tick = verdict.usage.on_tick;
    assert_eq!((tick.calls, tick.fuel_max_at_ns), (3, 3_000));
    let histogram = &verdict.fuel_by_call[Callback::OnTick as usize];
    assert_eq!(histogram.percentile(50), Some(105));
    assert!(histogram.percentile(99).is_some_and(|most| most >= tick.fuel_max && most <= tick.fuel_max * 33 / 32));
}

/// A Rust name that repeats itself by reference: taken apart, it doubles with each level. Each number makes another name of the same length.
fn doubling(number: usize, levels: usize) -> String {
    const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let digit = |n: usize| char::from(DIGITS[n]);
    let reference = |at: usize| match at - 1 {
        n @ 0..62 => format!("B{}_", digit(n)),
        n => format!("B{}{}_", digit(n / 62), digit(n % 62)),
    };
    let mut name = format!("INvC1c5f{number:04}");
    let mut last = name.len();
    name.push_str("TuuE");
    for _ in 0..levels {
        let at = name.len();
        write!(name, "T{0}{0}E", reference(last)).expect("text takes any text");
        last = at;
    }
    format!("_R{name}E")
}

/// A C++ name whose text, taken apart, grows sixteenfold with each of eleven levels.
fn itanium(number: usize) -> String {
    let mut name = format!("_Z5f{number:04}1AIiiE");
    for level in 0..11_usize {
        let substitution = level.checked_sub(1).map_or_else(|| "S_".to_owned(), |before| format!("S{before}_"));
        write!(name, "S_I{}E", substitution.repeat(16)).expect("text takes any text");
    }
    name
}

/// Profiles a guest with so many functions of such names, the first three of which are called: what is shown of a name is bounded.
fn check_profile_with(what: &str, count: usize, make: fn(usize) -> String) {
    // The most that is shown of a name, and the mark where it was cut.
    let bytes_max = 512 + "…".len();
    let names: Vec<String> = (0..count).map(make).collect();
    let items: String = names.iter().map(|name| format!("(func ${name})")).collect();
    let on_tick: String = names.iter().take(3).map(|name| format!("(call ${name})")).collect();
    let checked = Guest { items: &items, on_tick: &on_tick, ..Guest::default() }.checked();
    let verdict = play(&sandbox().load_profiled(&checked).expect("the guest loads"), &budget());
    assert_eq!(verdict.outcome, Outcome::Finished, "{what}");
    let shown = rows(&verdict);
    assert!(shown.iter().all(|(name, ..)| name.len() <= bytes_max), "{what}");
    assert_eq!(shown.iter().filter(|row| row.3 == "on_tick").count(), 3, "{what}: {shown:?}");
}

#[test]
fn names_in_a_profile_cost_no_more_than_is_shown_of_them() {
    // Without a bound on what is made of a name, all but the first take minutes or gigabytes.
    check_profile_with("honest", 2_800, |n| format!("strategy_function_{n:04}"));
    check_profile_with("doubled thirty times", 2_800, |n| doubling(n, 30));
    check_profile_with("doubled 300 times", 250, |n| doubling(n, 300));
    check_profile_with("of C++", 1_000, itanium);
    check_profile_with("of thousands of parts", 200, |n| format!("_ZN{}5f{n:04}E", "1a".repeat(1_800)));
    check_profile_with("of nested types", 200, |n| {
        format!("_RINvC1c5f{n:04}{}u{}E", "T".repeat(1_800), "E".repeat(1_800))
    });
    check_profile_with("as long as may be", 60, |n| format!("{n:04}{}", "x".repeat(16_000)));
}
