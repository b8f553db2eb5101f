//! What the sandbox costs: starting an instance, calling a strategy, a strategy calling the host. Each against a plain peer on the
//! same engine version, in the same run, sample by sample in turn.
//!
//! `--json` prints one line for each measure instead of the table.

#[path = "../tests/all/support.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod support;

use assay_model::{Budget, Desk, SymbolIndex, Time};
use assay_sandbox::{HOST_CALL_FUEL, Instance};
use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;
use support::{Guest, desk, load};
use wasmtime::{Config, Engine, Linker, Module, Store, TypedFunc};

/// Samples of each side; the median of an odd number is one of them.
const SAMPLES: usize = 51;
/// Instances started in a sample, one after the other.
const STARTS: usize = 200;
/// Calls in a sample.
const CALLS: u64 = 20_000;

/// One measure beside its peer.
struct Measure {
    id: &'static str,
    unit: &'static str,
    median: f64,
    versus: &'static str,
    versus_median: f64,
}

fn main() -> std::io::Result<()> {
    let measures = [instance_start(), callback(), hostcall()];
    let mut out = std::io::stdout().lock();
    let json = std::env::args().any(|argument| argument == "--json");
    for Measure { id, unit, median, versus, versus_median } in measures {
        let ratio = median / versus_median;
        if json {
            let line = serde_json::json!({
                "id": id, "median": median, "unit": unit, "versus": versus, "versus_median": versus_median, "ratio": ratio
            });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{id:18} {median:8.2} {unit}   {versus_median:8.2} {unit} {versus} ({ratio:.2})")?;
        }
    }
    Ok(())
}

/// Medians of two measurements taken in turn, so that a slow phase of the machine hits both.
fn medians(mut ours: impl FnMut() -> f64, mut peers: impl FnMut() -> f64) -> (f64, f64) {
    let mut samples: (Vec<f64>, Vec<f64>) = (0..SAMPLES).map(|_| (ours(), peers())).unzip();
    let median = |samples: &mut Vec<f64>| {
        samples.sort_unstable_by(f64::total_cmp);
        samples[SAMPLES / 2]
    };
    (median(&mut samples.0), median(&mut samples.1))
}

fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}

/// Fuel enough for any number of calls.
fn budget() -> Budget {
    Budget { fuel_initialize: u64::MAX, fuel_callback: u64::MAX / 2, fuel_episode: u64::MAX, ..Budget::STANDARD }
}

/// Fuel and epochs as in the sandbox, everything else as the engine comes.
fn plain_engine() -> Engine {
    let mut config = Config::new();
    config.consume_fuel(true).epoch_interruption(true).cranelift_nan_canonicalization(true);
    Engine::new(&config).expect("the engine takes its defaults")
}

fn start(guest: &Guest<'_>) -> Instance {
    load(guest).start(desk(), &budget()).expect("the instance starts")
}

/// Store and instantiation, on slots that have been used before; freeing is timed on neither side.
fn instance_start() -> Measure {
    // What an ordinary strategy imports.
    let guest = Guest {
        on_tick: "(i64.store (i32.const 0) (call $position))",
        on_market_data: "(drop (call $cancel_all))
            (drop (call $limit (i32.const 0) (local.get $bid) (i64.const 1) (i32.const 0) (i32.const 1)))",
        on_simulation_end: "(call $panicked (i32.const 0) (i32.const 8)) unreachable",
        ..Guest::default()
    };
    let program = load(&guest);
    let engine = plain_engine();
    let module = Module::new(&engine, guest.checked().module()).expect("the guest compiles");
    let mut linker = Linker::<()>::new(&engine);
    linker.define_unknown_imports_as_traps(&module).expect("the imports are functions");
    let plain = linker.instantiate_pre(&module).expect("the guest links");
    let budget = budget();
    // The desk is the market's, not part of the start.
    let ours = || {
        let sum: f64 = (0..STARTS)
            .map(|_| {
                let (desk, mut instance) = (desk(), None);
                let time = nanoseconds(|| instance = program.start(desk, &budget).ok());
                let mut instance = instance.expect("the instance starts");
                assert!(instance.on_tick().is_continue(), "memory is written, so that the slot must be reset");
                time
            })
            .sum();
        sum / STARTS as f64 / 1_000.0
    };
    let peers = || {
        let sum: f64 = (0..STARTS)
            .map(|_| {
                let mut started = None;
                let time = nanoseconds(|| {
                    let mut store = Store::new(&engine, ());
                    store.set_fuel(1_000_000).expect("fuel is on");
                    store.set_epoch_deadline(1_000_000);
                    started = plain.instantiate(&mut store).ok().map(|instance| (store, instance));
                });
                assert!(black_box(started).is_some());
                time
            })
            .sum();
        sum / STARTS as f64 / 1_000.0
    };
    let (median, versus_median) = medians(ours, peers);
    Measure { id: "instance-start-us", unit: "us", median, versus: "on-demand allocation", versus_median }
}

/// `on-market-data` with its seven scalars, fuel set before and read after.
fn callback() -> Measure {
    let body = "(i64.store (i32.const 0) (i64.add (local.get $bid) (local.get $ask)))";
    let mut instance = start(&Guest { on_market_data: body, ..Guest::default() });
    instance.desk().receive_quote(SymbolIndex::FIRST, support::quote(), &[], &[]);
    let text = r#"(module (memory 1) (func (export "call") (param i64 i64 i64 i64 i64 i64 i64)
        (i64.store (i32.const 0) (i64.add (local.get 1) (local.get 3)))))"#;
    let (mut store, function) = core::<(i64, i64, i64, i64, i64, i64, i64)>(text);
    let ours = || {
        nanoseconds(|| {
            for _ in 0..CALLS {
                assert!(instance.on_market_data().is_continue());
            }
        }) / CALLS as f64
    };
    let peers = || {
        nanoseconds(|| {
            for _ in 0..CALLS {
                store.set_fuel(1_000_000).expect("fuel is on");
                function.call(&mut store, black_box((1, 2, 3, 4, 5, 6, 7))).expect("the call returns");
                assert!(store.get_fuel().expect("fuel is on") > 0);
            }
        }) / CALLS as f64
    };
    let (median, versus_median) = medians(ours, peers);
    Measure { id: "callback-ns", unit: "ns", median, versus: "typed call of a core module", versus_median }
}

/// `position`, price charged: a loop that calls less one that does not.
fn hostcall() -> Measure {
    let looped = |call: &str| {
        format!(
            "(local $left i64) (local $sum i64) (local.set $left (local.get $now))
            (loop $next
                (local.set $sum (i64.add (local.get $sum) {call}))
                (br_if $next (i64.ne (local.tee $left (i64.sub (local.get $left) (i64.const 1))) (i64.const 0))))
            (i64.store (i32.const 0) (local.get $sum))"
        )
    };
    let (calling, idle) = (looped("(call $position)"), looped("(local.get $left)"));
    let [mut calling_instance, mut idle_instance] =
        [&calling, &idle].map(|body| start(&Guest { on_tick: body, ..Guest::default() }));
    let module = |body: &str| {
        format!(
            r#"(module (import "host" "position" (func $position (result i64))) (memory 1)
            (func (export "call") (param $now i64) {body}))"#
        )
    };
    let [mut calling_core, mut idle_core] = [&calling, &idle].map(|body| core::<i64>(&module(body)));
    let tick = |instance: &mut Instance| {
        instance.desk().begin(Time(CALLS), SymbolIndex::FIRST);
        nanoseconds(|| assert!(instance.on_tick().is_continue()))
    };
    let call = |(store, function): &mut (Store<Desk>, TypedFunc<i64, ()>)| {
        store.set_fuel(u64::MAX / 2).expect("fuel is on");
        nanoseconds(|| function.call(store, CALLS.cast_signed()).expect("the call returns"))
    };
    let ours = || (tick(&mut calling_instance) - tick(&mut idle_instance)) / CALLS as f64;
    let peers = || (call(&mut calling_core) - call(&mut idle_core)) / CALLS as f64;
    let (median, versus_median) = medians(ours, peers);
    Measure { id: "hostcall-ns", unit: "ns", median, versus: "import of a core module", versus_median }
}

/// A core module's `call`, with `position` as its import, charged like ours.
fn core<P: wasmtime::WasmParams>(text: &str) -> (Store<Desk>, TypedFunc<P, ()>) {
    let engine = plain_engine();
    let module = Module::new(&engine, wat::parse_str(text).expect("it is text")).expect("the module compiles");
    let price = HOST_CALL_FUEL.iter().find(|price| price.name == "position").expect("it is on the list").base;
    let mut linker = Linker::<Desk>::new(&engine);
    linker
        .func_wrap("host", "position", move |mut caller: wasmtime::Caller<'_, Desk>| -> wasmtime::Result<i64> {
            let left = caller.get_fuel()?;
            caller.set_fuel(left.saturating_sub(price))?;
            Ok(caller.data().position())
        })
        .expect("the name is free");
    let mut store = Store::new(&engine, desk());
    store.set_fuel(1_000_000).expect("fuel is on");
    store.set_epoch_deadline(1_000_000_000);
    let instance = linker.instantiate(&mut store, &module).expect("the module links");
    let function = instance.get_typed_func(&mut store, "call").expect("the export has this type");
    (store, function)
}
