//! Host calls of strategies with any arguments, and names that a guest may give: each ends, is the guest's own doing, and takes no longer than it
//! was charged for.

use crate::strategy::{play_with, sandbox};
use assay_sandbox::{NAME_BYTES_MAX, Outcome, Program, readable};
use assay_validator::{check_component, encode_component};
use std::fmt::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How much slower than a unit of fuel a nanosecond's work may be here, with every check on, and what is allowed besides.
const SLOWER: u32 = 200;
const GRACE: Duration = Duration::from_secs(2);
/// Bytes of a program.
const PROGRAM_BYTES_MAX: usize = 16 << 10;

const EXCHANGE: &str = "assay:strategy/exchange@0.2.0";
/// Every call with its parameters, and whether it returns something: `i` and `I` are numbers of 32 and of 64 bits, `d` a fraction.
const CALLS: [(&str, &str, &str); 28] = [
    ("limit", "iIIii", "I"),
    ("market", "iI", "I"),
    ("order", "iIIiIiIiiI", "I"),
    ("cancel", "I", "I"),
    ("cancel-all", "", "I"),
    ("modify", "III", "I"),
    ("reduce", "II", "I"),
    ("replace", "III", "I"),
    ("symbol", "", "i"),
    ("select", "ii", ""),
    ("symbol-name", "ii", ""),
    ("depth", "iii", ""),
    ("trades", "ii", ""),
    ("new-trades", "i", ""),
    ("session", "i", ""),
    ("queue-ahead", "I", "I"),
    ("open-orders", "i", ""),
    ("position", "", "I"),
    ("cash", "", "I"),
    ("average-cost", "", "I"),
    ("realised", "", "I"),
    ("fees", "", "I"),
    ("wake-at", "I", ""),
    ("mute-market-data", "", ""),
    ("log", "ii", ""),
    ("random", "", "I"),
    ("parameter", "id", "d"),
    ("panicked", "ii", ""),
];
/// What arguments are made of: the upper bits of a byte choose one of these, the lower ones are added.
const NUMBERS: [i64; 16] = [
    0,
    1,
    10,
    100,
    1_000,
    10_000,
    65_536,
    131_064,
    1 << 20,
    1 << 31,
    (1 << 32) - 1,
    1 << 40,
    i64::MAX,
    -1,
    -100,
    i64::MIN,
];

/// A strategy that is an interpreter: in each callback it carries out the calls that the name of its symbol spells, and begins anew at its end.
static INTERPRETER: LazyLock<Program> = LazyLock::new(|| {
    let module = wat::parse_str(interpreter()).expect("the interpreter is valid");
    let component = encode_component(&module).expect("it becomes a component");
    let checked = check_component(component).unwrap_or_else(|findings| panic!("{findings}"));
    sandbox().load(&checked).expect("it compiles")
});

fn interpreter() -> String {
    let (mut imports, mut cases) = (String::new(), String::new());
    let wide = |letter| match letter {
        'i' => "i32",
        'd' => "f64",
        _ => "i64",
    };
    for (number, (name, parameters, result)) in CALLS.iter().enumerate() {
        let types: Vec<&str> = parameters.chars().map(wide).collect();
        let returns = result.chars().next().map_or(String::new(), |letter| format!("(result {})", wide(letter)));
        let _ =
            writeln!(imports, r#"(import "{EXCHANGE}" "{name}" (func ${name} (param {}) {returns}))"#, types.join(" "));
        let arguments: String = parameters
            .chars()
            .map(|letter| match letter {
                'i' => "(i32.wrap_i64 (call $number)) ",
                'd' => "(f64.reinterpret_i64 (call $number)) ",
                _ => "(call $number) ",
            })
            .collect();
        let drop = if result.is_empty() { "" } else { "drop" };
        let _ = writeln!(
            cases,
            "(if (i32.eq (local.get $op) (i32.const {number})) (then {arguments} (call ${name}) {drop} (return)))"
        );
    }
    let numbers: String =
        NUMBERS.iter().flat_map(|number| number.to_le_bytes()).map(|byte| format!("\\{byte:02x}")).collect();
    format!(
        r#"(module {imports}
  (memory (export "memory") 3)
  (global $start (mut i32) (i32.const 0)) (global $end (mut i32) (i32.const 0)) (global $at (mut i32) (i32.const 0))
  (data (i32.const 64) "{numbers}")
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    ;; Texts, which need no alignment, lie apart from records.
    (if (result i32) (i32.eq (local.get 2) (i32.const 1)) (then (i32.const 131072)) (else (i32.const 65536))))
  (func $byte (result i32)
    (if (i32.ge_u (global.get $at) (global.get $end)) (then (return (i32.const 0))))
    (i32.load8_u (global.get $at))
    (global.set $at (i32.add (global.get $at) (i32.const 1))))
  (func $number (result i64) (local $byte i32)
    (local.set $byte (call $byte))
    (i64.add
      (i64.load offset=64 (i32.and (local.get $byte) (i32.const 120)))
      (i64.extend_i32_u (i32.and (local.get $byte) (i32.const 7)))))
  (func $step (local $op i32) (local.set $op (i32.rem_u (call $byte) (i32.const 28)))
    {cases})
  (func $run
    (global.set $at (global.get $start))
    (loop $more (if (i32.lt_u (global.get $at) (global.get $end)) (then (call $step) (br $more)))))
  (func (export "initialize") (param $config i32)
    (global.set $start (i32.load (local.get $config)))
    (global.set $end (i32.add (global.get $start) (i32.load offset=4 (local.get $config)))))
  (func (export "on-tick") (param i64 i64 i64 i64 i64 i64 i64) (call $run))
  (func (export "on-market-data") (param i64 i64 i64 i64 i64 i64 i64) (call $run))
  (func (export "on-order-update") (param i64 i64 i64 i64 i64 i64 i64 i64 i64 i32 i32 i64 i64 i64 i32 i32) (call $run))
  (func (export "on-simulation-end") (param i64) (call $run)))"#
    )
}

/// Calls with arguments: a byte for the call, one for each argument.
pub fn calls(bytes: &[u8]) {
    // As text, which they travel as.
    let program: String = bytes.iter().take(PROGRAM_BYTES_MAX).map(|byte| char::from(byte & 0x7f)).collect();
    let started = Instant::now();
    let verdict = play_with(&INTERPRETER, &program);
    let took = started.elapsed();
    assert!(!matches!(verdict.outcome, Outcome::Infrastructure { .. }), "not the guest's doing: {:?}", verdict.outcome);
    let allowed = Duration::from_nanos(verdict.usage.fuel()) * SLOWER + GRACE;
    assert!(took < allowed, "{took:?} for {} units of fuel: {:?}", verdict.usage.fuel(), verdict.outcome);
}

/// The name of a function, where names are shown.
pub fn names(bytes: &[u8]) {
    let name = String::from_utf8_lossy(bytes);
    // Mostly ends well before: what begins like a mangled name goes further.
    for name in [name.to_string(), format!("_R{name}"), format!("_ZN{name}E"), format!("_Z{name}")] {
        let started = Instant::now();
        let shown = readable(&name);
        assert!(shown.len() <= NAME_BYTES_MAX + "…".len(), "{} bytes", shown.len());
        assert!(started.elapsed() < GRACE, "{:?}", started.elapsed());
    }
}
