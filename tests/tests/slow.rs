//! Submissions that are only slow, through `assay gate`: what they compute is counted, wherever they compute it, and once it is what the policy allows they
//! have failed. What the clock alone ends says nothing about them.
//!
//! The market here allows so much fuel that processor time is what ends a guest.

use assay_hostile::Guest;
use assay_tests::gate::{component_of, home, json};
use assay_tests::{assay, show};
use std::path::Path;

const REJECTED: i32 = 1;
const FAIL: i32 = 3;
const PASS: i32 = 0;

const SEEDS: u32 = 4;
/// How often a machine may be too busy.
const TRIES: u32 = 20;

/// `wall` and the market's own file.
fn patient(wall: &str) -> tempfile::TempDir {
    let home = home(&format!(
        "name = \"patient\"\n[budget]\nwall = \"{wall}\"\nwatchdog = \"60s\"\n[[scenarios]]\nscenario = \"patient.toml\"\npublic = {SEEDS}\n\n\
         [[rules]]\nname = \"quiet\"\nmeasure = \"orders\"\nbelow = 500\nwhy = \"It sends too many orders.\"\n"
    ));
    let fuel = "1_000_000_000_000";
    let market = format!(
        "name = \"patient\"\nbase = \"smoke\"\n[strategy]\nbudget = {{ fuel_initialize = {fuel}, fuel_callback = {fuel}, fuel_episode = {fuel} }}\n"
    );
    std::fs::write(home.path().join("patient.toml"), market).expect("written");
    home
}

/// Gates a file twice: the exit code, every word, and the same bytes each time, whatever the clock said.
#[track_caller]
fn check(home: &Path, name: &str, code: i32, words: &[&str]) {
    let gated = |out: &str| {
        let gate = || assay(home).args(["gate", name, "--json", out]).output().expect("assay starts");
        let mut output = gate();
        // That says nothing about the submission: it is gated again.
        for _ in 0..TRIES {
            if !show(&output).contains("the machine was too busy") {
                break;
            }
            output = gate();
        }
        assert_eq!(output.status.code(), Some(code), "{name}\n{}", show(&output));
        for word in words {
            assert!(show(&output).contains(word), "{name}: {word}\n{}", show(&output));
        }
        std::fs::read(home.join(out)).expect("a verdict")
    };
    assert!(gated("first.json") == gated("second.json"), "{name}: the verdict depends on the time");
}

/// Text that keeps the processor busy for seconds. What it counts is in the result, so that no compiler leaves it out.
const BUSY: &str =
    "let mut x = 1u64; for i in 0..8_000_000_000u64 { x = std::hint::black_box(x ^ i); } assert_ne!(x, 7);";

fn source(state: &str, start: &str, tick: &str) -> String {
    format!(
        "use assay_sdk::*;\nstruct S(u64);\nimpl Strategy for S {{\n    fn initialize(_: &Config, _: &mut Exchange) -> Self {{\n        {start}\n        S({state})\n    }}\n    \
         fn on_tick(&mut self, _: &mut Exchange) {{\n        self.0 += 1;\n        {tick}\n    }}\n}}\nexport!(S);\n"
    )
}

#[test]
fn who_computes_for_too_long_has_failed_wherever_it_does_so() {
    // An honest one is far from the limit, its compilation included.
    let home = patient("20s");
    std::fs::write(home.path().join("honest.rs"), source("0", "", "")).expect("written");
    check(home.path(), "honest.rs", PASS, &["Passed: 2 rules"]);

    let home = patient("2s");
    let summed = BUSY.replace("8_000_000_000", "60_000_000");
    let guests = [
        ("start", source("0", BUSY, "")),
        ("callback", source("0", "", &format!("if self.0 == 3 {{ {BUSY} }}"))),
        ("callbacks", source("0", "", &summed)),
        // Below what it would be stopped for in any one seed, above it in all.
        ("seeds", source("0", &BUSY.replace("8_000_000_000", "2_000_000_000"), "")),
    ];
    let words = ["Failed: stopped after it had used more than 2 s of processor time", "`wall`", "--profile"];
    for (name, text) in guests {
        // Compiled beforehand, so that it is the episodes that are slow.
        let path = home.path().join("made.rs");
        std::fs::write(&path, text).expect("written");
        let bytes = component_of(&path);
        let file = format!("{name}.wasm");
        std::fs::write(home.path().join(&file), bytes).expect("written");
        check(home.path(), &file, FAIL, &words);
        let verdict = json(&home.path().join("first.json"));
        assert_eq!((&verdict["decision"], verdict["checks"].as_array().map(Vec::len)), (&"fail".into(), Some(2)));
    }
    // An interpreter's time is its strategy's. It needs the one of `make setup-python-guest`.
    let python = "from assay import Strategy\n\n\nclass S(Strategy):\n    def on_tick(self):\n        for _ in range(1_000_000):\n            pass\n";
    std::fs::write(home.path().join("ticks.py"), python).expect("written");
    check(home.path(), "ticks.py", FAIL, &words);
}

#[test]
fn who_takes_the_compiler_too_long_has_failed() {
    let home = patient("1s");
    // Many functions for the one compiler, much native code for the other. Neither is kept: each start compiles it again.
    let functions: String = (0..3_000_u64)
        .map(|n| format!("#[inline(never)]\nfn f{n}(x: u64) -> u64 {{ let mut y = x ^ {n}; for i in 0..x {{ y = y.rotate_left({}) ^ i.wrapping_mul({n}); }} y }}\n", n % 63))
        .collect();
    let calls: String = (0..3_000).map(|n| format!("self.0 ^= f{n}(self.0); ")).collect();
    std::fs::write(home.path().join("source.rs"), format!("{}{functions}", source("0", "", &calls))).expect("written");
    check(home.path(), "source.rs", REJECTED, &["B003", "exceeded 1 s of processor time"]);

    let native = Guest { items: "(func $f) ⟦900 × (func ⟦700 × call $f ⟧)⟧".to_owned(), ..Guest::default() };
    std::fs::write(home.path().join("native.wasm"), native.component().expect("a component")).expect("written");
    check(home.path(), "native.wasm", REJECTED, &["B003", "1 s of CPU time"]);
}
