//! Python strategies in the sandbox: they trade as their Rust twins do natively, episodes share nothing, and hostile ones end as documented.

use crate::support::engine;
use assay_market::{FuelOf, Scenario, Summary, Thinking, Trader, simulate};
use assay_model::{Desk, OrderUpdate, Seed, StrategyConfig};
use assay_sandbox::python::{PythonInstance, PythonProgram};
use assay_sandbox::{Callback, FuelScope, Limit, Outcome, TrapKind, Verdict};
use std::ops::ControlFlow;
use std::path::Path;

#[path = "../../../../tests/src/native.rs"]
#[expect(unreachable_pub, reason = "a library elsewhere")]
mod native;

#[path = "../../../../examples/strategies/market_maker.rs"]
mod market_maker;
#[path = "../../../../examples/strategies/momentum.rs"]
mod momentum;
#[path = "twins/witness.rs"]
mod witness;

struct Seated(PythonInstance);

impl Trader for Seated {
    fn desk(&mut self) -> &mut Desk {
        self.0.desk()
    }
    fn fuel_of(&self) -> FuelOf {
        FuelOf::Python
    }
    fn fuel_spent(&self) -> u64 {
        self.0.fuel_spent()
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.0.initialize(config)
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.0.on_tick()
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.0.on_market_data()
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.0.on_order_update(update)
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.0.on_simulation_end()
    }
}

/// A preset in which computing takes no time: a native twin has no fuel to pay for.
fn scenario(name: &str) -> Scenario {
    let mut scenario = Scenario::preset(name).expect("it is a preset");
    scenario.thinking = Thinking::NONE;
    scenario
}

/// One episode of this source.
fn play(source: &str, scenario: &Scenario, seed: u64) -> (Summary, Verdict) {
    let program = PythonProgram::new(engine().clone(), "s.py", source);
    let instance = program.start(scenario.new_desk(Seed(seed)), &scenario.budget.for_python()).expect("an interpreter");
    let mut trader = Seated(instance);
    let summary = simulate(scenario, Seed(seed), &mut trader, &mut ());
    (summary, trader.0.finish())
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/strategies").join(name);
    std::fs::read_to_string(path).expect("the example is there")
}

#[test]
fn a_twin_in_python_gives_the_orders_of_the_one_in_rust() {
    for (name, rust) in [("market_maker.py", market_maker::strategy as fn() -> _), ("momentum.py", momentum::strategy)]
    {
        let source = example(name);
        for (scenario, seeds) in [(scenario("rmsc04"), 1..=3), (scenario("smoke"), 1..=5)] {
            for seed in seeds {
                let (summary, verdict) = play(&source, &scenario, seed);
                assert_eq!(verdict.outcome, Outcome::Finished, "{name} {seed}: {:?}", verdict.backtrace);
                let mut twin = native::NativeTrader::new(rust(), scenario.new_desk(Seed(seed)));
                assert_eq!(summary, simulate(&scenario, Seed(seed), &mut twin, &mut ()), "{name} {seed}");
                assert!(verdict.usage.host_calls > 10, "{name} {seed} trades");
            }
        }
    }
}

/// Changes whatever it reaches, and says at the start what it finds: a later episode must find it as new.
const LEAVES_MARKS: &str = r#"
import math, random, re
from assay import *
import assay
NAMES = ["mark"]
class S(Strategy):
    kept = []
    def initialize(self, config):
        seen = (len(NAMES), len(self.kept), hasattr(math, "mark"), hasattr(assay, "mark"), hasattr(Strategy, "mark"), max(1, 2))
        print(seen, random.random(), self.exchange.random(), hash("text"))
        NAMES.append(1)
        self.kept.append(1)
        math.mark = assay.mark = Strategy.mark = 1
        builtins = getattr(re, "__buil" + "tins__")
        now = builtins["__imp" + "ort__"]("time").time_ns()
        print(now <= config.market_open, config.market_open - now < 10**12)
        for mode in "w", "r":
            try:
                builtins["op" + "en"]("/tmp/mark", mode)
            except OSError as error:
                print("files:", type(error).__name__)
        builtins["max"] = lambda *_: 0
"#;

#[test]
fn nothing_passes_from_one_episode_to_the_next_and_all_is_the_same_on_any_thread() {
    let scenario = scenario("smoke");
    let first = play(LEAVES_MARKS, &scenario, 1);
    let lines: Vec<&str> = first.1.log.iter().map(|line| line.text.as_str()).collect();
    assert!(lines[0].starts_with("(1, 0, False, False, False, 2) 0."), "{lines:?}\n{:?}", first.1);
    assert_eq!(lines[1..], ["True True", "files: OSError", "files: FileNotFoundError"], "{:?}", first.1);
    std::thread::scope(|scope| {
        let other =
            [scope.spawn(|| play(LEAVES_MARKS, &scenario, 1)), scope.spawn(|| play(LEAVES_MARKS, &scenario, 1))];
        for other in other {
            assert_eq!(other.join().expect("no panic"), first);
        }
    });
    let (_, verdict) = play(LEAVES_MARKS, &scenario, 2);
    assert!(verdict.log[0].text.starts_with("(1, 0, False, False, False, 2) "));
    assert_ne!(verdict.log[0].text, lines[0], "random numbers depend on the seed");
}

/// A strategy that does `body` in each tick, with a way around the source check at hand.
fn hostile(body: &str) -> String {
    let body = body.replace('\n', "\n        ");
    format!(
        "import re\nfrom assay import *\nb = getattr(re, '__buil' + 'tins__')\nload = b['__imp' + 'ort__']\nclass S(Strategy):\n    def on_tick(self):\n        {body}\n"
    )
}

/// What becomes of it.
fn outcome(body: &str) -> Outcome {
    play(&hostile(body), &scenario("smoke"), 1).1.outcome
}

#[test]
fn endless_strategies_run_out_of_fuel() {
    for body in [
        "while True: pass",
        "x = 10\nwhile True: x = x * x",
        "re.match('(a+)+b', 'a' * 40)",
        "while True: print('flood' * 1000)",
        "while True:\n    try: raise ValueError\n    except BaseException: pass",
        "load('time').sleep(10**9)\nwhile True: load('time').sleep(1)",
    ] {
        match outcome(body) {
            Outcome::OutOfFuel { callback: Callback::OnTick, scope: FuelScope::Callback, .. } => {}
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn greedy_strategies_run_out_of_memory() {
    for body in [
        "x = []\nwhile True: x.append(bytes(1 << 20))",
        "while True:\n    try: x = bytes(1 << 30)\n    except MemoryError: pass",
        "x = '.' * (1 << 29)",
    ] {
        match outcome(body) {
            Outcome::OutOfMemory { callback: Callback::OnTick, requested_bytes, limit_bytes } => {
                assert!(requested_bytes > limit_bytes, "{body}");
            }
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn limits_of_the_desk_hold() {
    for (body, expected) in [
        ("while True: self.exchange.market(Side.BUY, 1)", Limit::Requests),
        ("for _ in range(1001): self.exchange.cancel_all()", Limit::Requests),
        ("while True: self.exchange.wake_in(1)", Limit::Wakeups),
    ] {
        match outcome(body) {
            Outcome::LimitExceeded { limit, .. } if limit == expected => {}
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn everything_else_ends_as_a_trap_that_says_what_it_was() {
    let exception = TrapKind::Exception;
    let interface = TrapKind::Interface;
    for (body, kind, word) in [
        ("raise ValueError('told')", exception, "s.py:7: ValueError: told"),
        ("[0] * 10**10", exception, "OverflowError"),
        ("def f(): return f()\nf()", exception, "RecursionError"),
        ("raise SystemExit(0)", exception, "SystemExit"),
        ("self.exchange.limit(Side.BUY, 100.5, 1)", exception, "a price is an int, in cents, not 100.5"),
        ("load('os').listdir('/nowhere')", exception, "FileNotFoundError"),
        ("b['op' + 'en']('/etc/passwd')", exception, "FileNotFoundError"),
        ("b['op' + 'en']('/tmp/x', 'w').write('x')", exception, "OSError"),
        ("load('os').system('true')", exception, "AttributeError"),
        ("load('socket').create_connection(('127.0.0.1', 80))", exception, "Error"),
        ("load('ctypes').CDLL(None)", exception, "Error"),
        ("load('threading').Thread(target=print).start()", exception, "RuntimeError"),
        ("load('subprocess').run(['true'])", exception, "Error"),
        ("load('os')._exit(0)", TrapKind::Unreachable, "exited"),
        ("self.exchange._put(bytes(3))", interface, "cut off"),
        ("self.exchange._put(b'\\xff' * 9)", interface, "no such request"),
        ("self.exchange._put(b'\\x0f\\x0f')", interface, "behind a question"),
        ("self.exchange._ask(bytes(9 << 20))", interface, ""),
        ("self.exchange.select(9)", interface, "no such symbol"),
        ("load('sys').modules['wit_world.imports'].host.call('shell', '{}')", interface, "as cells do"),
        ("load('sys').modules['wit_world.imports'].host.call('run_tests', '{}')", interface, "as cells do"),
        ("load('sys').modules['assay_repl'].host.call('llm_query', '{\"prompt\": \"x\"}')", interface, "as cells do"),
        ("while True: load('sys').modules['wit_world.imports'].host.call('grep', '{}')", interface, "as cells do"),
        ("load('sys').modules['wit_world.imports'].host.call('x' * 9_000_000, '')", interface, ""),
        ("try: load('sys').modules['assay_repl'].find('*', '/')\nexcept BaseException: pass", interface, "as cells do"),
    ] {
        match outcome(body) {
            Outcome::Trapped { callback: Callback::OnTick, trap, message } if trap == kind => {
                assert!(message.contains(word), "{body}: {message}");
            }
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn an_exception_in_any_callback_has_its_place_and_its_frames() {
    let callbacks =
        ["initialize(self, config)", "on_tick(self)", "on_market_data(self)", "on_order_update(self, update)"];
    for (callback, declared) in Callback::ALL.into_iter().zip(callbacks.into_iter().chain(["on_simulation_end(self)"]))
    {
        let ticks = if callback == Callback::OnTick {
            ""
        } else {
            "    def on_tick(self):\n        self.exchange.market(Side.BUY, 1)\n"
        };
        let source = format!(
            "from assay import *\n\ndef inner():\n    return 1 // 0\n\nclass S(Strategy):\n    def {declared}:\n        inner()\n{ticks}"
        );
        let (_, verdict) = play(&source, &scenario("smoke"), 1);
        match &verdict.outcome {
            Outcome::Trapped { callback: at, trap: TrapKind::Exception, message } if *at == callback => {
                assert!(message.starts_with("s.py:4: ZeroDivisionError"), "{message}");
            }
            other => panic!("{declared}: {other:?}"),
        }
        let frames = verdict.backtrace.unwrap_or_default();
        assert!(frames.contains("line 8, in") && frames.contains("line 4, in inner"), "{frames}");
        assert!(!frames.contains("assay_strategy"), "{frames}");
    }
}

#[test]
fn what_cannot_be_loaded_fails_in_initialize() {
    for (source, word) in [
        ("x = (", "SyntaxError"),
        ("import nowhere", "ModuleNotFoundError"),
        ("x = 1", "exactly one class"),
        ("from assay import *\nclass A(Strategy): pass\nclass B(Strategy): pass", "A, B"),
        ("raise KeyError('early')", "s.py:1: KeyError: 'early'"),
    ] {
        match play(source, &scenario("smoke"), 1).1.outcome {
            Outcome::Trapped { callback: Callback::Initialize, trap: TrapKind::Exception, message } => {
                assert!(message.contains(word), "{source}: {message}");
            }
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[test]
fn a_source_is_read_without_being_run() {
    let deep = format!("x = {}1", "not ".repeat(3_000));
    let survey = |source: &str| engine().survey(source).map_err(|error| error.to_string());
    let found = survey("import os\nraise SystemExit\n").expect("it is Python");
    assert!(found.contains("\"os\"") && found.contains("\"depth\""), "{found}");
    assert!(survey("x = (").expect("an answer").contains("was never closed"));
    let answer = survey(&deep);
    assert!(
        answer.as_ref().map_or_else(|_| true, |answer| answer.contains("too_deep") || answer.contains("300")),
        "{answer:?}"
    );
}

#[test]
fn a_twin_in_python_is_told_what_the_one_in_rust_is_told() {
    let source = include_str!("twins/witness.py");
    for seed in 1..=3 {
        let scenario = scenario("smoke");
        let (summary, verdict) = play(source, &scenario, seed);
        assert_eq!(verdict.outcome, Outcome::Finished, "{seed}: {:?}", verdict.backtrace);
        let mut twin = native::NativeTrader::new(witness::strategy(), scenario.new_desk(Seed(seed)));
        assert_eq!(summary, simulate(&scenario, Seed(seed), &mut twin, &mut ()), "{seed}");
        // The log is cut where it is full, in both.
        let (lines, _) = twin.desk().log_lines();
        let fills =
            lines.iter().filter(|line| line.text.starts_with("update 1 ") && !line.text.starts_with("update 1 0 "));
        assert!(lines.len() > 100 && fills.count() > 0, "{seed}: {} lines", lines.len());
        for (own, other) in verdict.log.iter().zip(lines) {
            assert_eq!(own.text, other.text, "{seed}");
        }
        assert_eq!(verdict.log.len(), lines.len(), "{seed}");
    }
}

#[test]
fn hostile_questions_are_paid_for_or_refused() {
    for body in [
        "while True: self.exchange.trades(1 << 70)",
        "while True: self.exchange.new_trades()",
        "n = 0\nwhile True:\n    n += 1\n    self.exchange.queue_ahead(n)",
    ] {
        match outcome(body) {
            Outcome::OutOfFuel { callback: Callback::OnTick, scope: FuelScope::Callback, .. } => {}
            other => panic!("{body}: {other:?}"),
        }
    }
    for (body, kind) in [
        ("self.exchange.queue_ahead(1 << 70)", TrapKind::Exception),
        ("self.exchange.trades('all')", TrapKind::Exception),
        ("self.exchange._put(b'\\x10\\x10')", TrapKind::Interface),
        ("self.exchange._put(b'\\x12')", TrapKind::Interface),
        ("self.exchange._put(b'\\x13')", TrapKind::Interface),
    ] {
        match outcome(body) {
            Outcome::Trapped { callback: Callback::OnTick, trap, .. } if trap == kind => {}
            other => panic!("{body}: {other:?}"),
        }
    }
}
