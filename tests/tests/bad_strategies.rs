//! Strategies that pass the checks and then misbehave: each must end as the documented outcome, exit 3, and still leave a report.

use assay_tests::{assay, show};
use serde_json::Value;

/// A strategy that does `body` in `callback` and trades a little elsewhere, so that order updates come.
fn strategy(callback: &str, body: &str) -> String {
    let here = |name: &str| if name == callback { body } else { "" };
    format!(
        "use assay_sdk::*;
         use std::hint::black_box;
         fn deep(n: u64) -> u64 {{ let a = black_box([n; 64]); if n == 0 {{ 0 }} else {{ deep(n - 1) + a[(n % 64) as usize] }} }}
         struct S;
         impl Strategy for S {{
             fn initialize(_: &Config, exchange: &mut Exchange) -> Self {{ {} ; let _ = exchange; S }}
             fn on_tick(&mut self, exchange: &mut Exchange) {{ {} ; exchange.market(Side::Buy, Quantity::of(1)); }}
             fn on_market_data(&mut self, _: &Quote, exchange: &mut Exchange) {{ {} ; let _ = exchange; }}
             fn on_order_update(&mut self, _: &OrderUpdate, exchange: &mut Exchange) {{ {} ; let _ = exchange; }}
             fn on_simulation_end(&mut self, exchange: &mut Exchange) {{ {} ; let _ = (exchange, black_box(deep(1))); }}
         }}
         export!(S);",
        here("initialize"),
        here("on_tick"),
        here("on_market_data"),
        here("on_order_update"),
        here("on_simulation_end"),
    )
}

const CALLBACKS: [&str; 5] = ["initialize", "on_tick", "on_market_data", "on_order_update", "on_simulation_end"];

/// Runs the strategy for one seed and returns (what was printed, the seed's outcome).
fn trial(source: &str) -> (String, Value) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("s.rs"), source).expect("a file can be written");
    let output = assay(folder.path())
        .args(["run", "s.rs", "--scenario", "smoke", "--seeds", "1"])
        .output()
        .expect("assay starts");
    let printed = show(&output);
    assert_eq!(output.status.code(), Some(3), "{source}\n{printed}");
    assert!(folder.path().join("report/index.html").exists(), "a failed strategy has a page too\n{printed}");
    let record = std::fs::read(folder.path().join("report/run.json")).expect("a failed strategy has a record too");
    let record: Value = serde_json::from_slice(&record).expect("run.json is JSON");
    (printed, record["episodes"][0]["outcome"].clone())
}

/// The strategy must end with an outcome of this kind, in this callback, that mentions `words`.
fn check(callback: &str, body: &str, kind: &str, words: &[&str]) {
    let (printed, outcome) = trial(&strategy(callback, body));
    assert_eq!(outcome["kind"], kind, "{callback}: {body}\n{outcome}\n{printed}");
    assert_eq!(outcome["callback"], callback, "{callback}: {body}\n{outcome}");
    for word in words {
        assert!(outcome.to_string().contains(word), "{callback}: {body} must mention {word}: {outcome}");
    }
}

#[test]
fn a_panic_in_each_callback() {
    for callback in CALLBACKS {
        check(callback, "panic!(\"ouch in {}\", \"here\")", "trapped", &["ouch in here", "strategy.rs:"]);
    }
}

#[test]
fn an_endless_loop_in_each_callback() {
    for callback in CALLBACKS {
        check(callback, "let mut i = 0u64; loop { i = black_box(i.wrapping_add(1)); }", "out_of_fuel", &["limit"]);
    }
}

#[test]
fn memory_stack_and_arithmetic() {
    check(
        "on_tick",
        "let mut v: Vec<Vec<u8>> = Vec::new(); loop { v.push(black_box(Vec::with_capacity(1 << 20))); }",
        "out_of_memory",
        &["limit_bytes"],
    );
    check("on_tick", "let _ = black_box(deep(black_box(10_000_000)));", "trapped", &[]);
    check("on_tick", "let _ = black_box(1 / black_box(0));", "trapped", &["divide by zero"]);
    check(
        "on_tick",
        "let v = black_box(vec![1, 2, 3]); let _ = black_box(v[black_box(3)]);",
        "trapped",
        &["out of bounds"],
    );
    check("on_tick", "let n: Option<u8> = black_box(None); n.unwrap();", "trapped", &["unwrap"]);
    check(
        "on_tick",
        "std::process::abort();"
            .replace("std::process::abort", "core::unreachable!")
            .replace("();", "(\"never\");")
            .as_str(),
        "trapped",
        &["never"],
    );
}

#[test]
fn floods_run_into_named_limits() {
    check(
        "on_tick",
        "for _ in 0..2_000 { exchange.market(Side::Buy, Quantity::of(1)); }",
        "limit_exceeded",
        &["requests"],
    );
    check("on_tick", "for _ in 0..200 { exchange.wake_at(exchange.now()); }", "limit_exceeded", &["wakeups"]);
    check("on_market_data", "loop { exchange.log(\"spam\"); }", "out_of_fuel", &[]);
    check("on_market_data", "loop { let _ = black_box(exchange.depth(Side::Buy, u32::MAX)); }", "out_of_fuel", &[]);
}

#[test]
fn hostile_text_does_not_reach_the_terminal_or_the_page() {
    let (printed, _) = trial(&strategy(
        "on_tick",
        r#"exchange.log("\x1b[2J</script><script>alert(1)</script>"); panic!("\x1b]0;owned\x07<b>")"#,
    ));
    assert!(
        !printed.contains('\x1b') && !printed.contains('\x07'),
        "control characters are shown, not sent:\n{printed:?}"
    );
}
