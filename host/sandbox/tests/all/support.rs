//! Guests written as WebAssembly text, and the one way in which tests load and drive them.
//!
//! A guest is five callback bodies around a fixed frame: the imports it calls, two pages of memory, an allocator that always returns the
//! same address. The frame is wrapped into a component by the same library that wraps real strategies.

use assay_model::{
    Budget, Desk, Fee, Level, Nanos, OrderUpdate, Price, Quote, RequestId, Seed, StrategyConfig, StrategyTerms,
    SymbolIndex, Time, UpdateKind,
};
use assay_sandbox::{Program, Sandbox, SandboxSettings, Verdict};
use assay_validator::{CheckedComponent, check_component};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

const WIT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../guest-sdk/wit/strategy.wit"));

const EXCHANGE: &str = "assay:strategy/exchange@0.2.0";

/// Name in the interface, name in guests, core signature.
const IMPORTS: [(&str, &str, &str); 28] = [
    ("limit", "$limit", "(param i32 i64 i64 i32 i32) (result i64)"),
    ("market", "$market", "(param i32 i64) (result i64)"),
    ("order", "$order", "(param i32 i64 i64 i32 i64 i32 i64 i32 i32 i64) (result i64)"),
    ("cancel", "$cancel", "(param i64) (result i64)"),
    ("cancel-all", "$cancel_all", "(result i64)"),
    ("modify", "$modify", "(param i64 i64 i64) (result i64)"),
    ("reduce", "$reduce", "(param i64 i64) (result i64)"),
    ("replace", "$replace", "(param i64 i64 i64) (result i64)"),
    ("symbol", "$symbol", "(result i32)"),
    ("select", "$select", "(param i32 i32)"),
    ("symbol-name", "$symbol_name", "(param i32 i32)"),
    ("depth", "$depth", "(param i32 i32 i32)"),
    ("trades", "$trades", "(param i32 i32)"),
    ("new-trades", "$new_trades", "(param i32)"),
    ("session", "$session", "(param i32)"),
    ("queue-ahead", "$queue_ahead", "(param i64) (result i64)"),
    ("open-orders", "$open_orders", "(param i32)"),
    ("position", "$position", "(result i64)"),
    ("cash", "$cash", "(result i64)"),
    ("average-cost", "$average_cost", "(result i64)"),
    ("realised", "$realised", "(result i64)"),
    ("fees", "$fees", "(result i64)"),
    ("wake-at", "$wake_at", "(param i64)"),
    ("mute-market-data", "$mute_market_data", ""),
    ("log", "$log", "(param i32 i32)"),
    ("random", "$random", "(result i64)"),
    ("parameter", "$parameter", "(param i32 f64) (result f64)"),
    ("panicked", "$panicked", "(param i32 i32)"),
];

/// `quote` as parameters.
const QUOTE: &str = "(param $bid i64) (param $bid_size i64) (param $ask i64) (param $ask_size i64) (param $last i64) (param $volume i64)";

/// Bodies of the callbacks, and whatever else the module needs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Guest<'a> {
    /// Globals, tables, data segments, functions.
    pub(crate) items: &'a str,
    /// The allocator; if empty, one that always returns the same good address.
    pub(crate) allocate: &'a str,
    /// `$config`: where it is in memory
    pub(crate) initialize: &'a str,
    /// `$now`, then the quote: `$bid $bid_size $ask $ask_size $last $volume`
    pub(crate) on_tick: &'a str,
    /// As `on_tick`.
    pub(crate) on_market_data: &'a str,
    /// `$now`, the quote, `$request $order $status $reason $price $quantity $remaining $maker $side`
    pub(crate) on_order_update: &'a str,
    /// `$now`
    pub(crate) on_simulation_end: &'a str,
}

impl Guest<'_> {
    /// The module's text.
    fn text(&self) -> String {
        let Self { items, allocate, initialize, on_tick, on_market_data, on_order_update, on_simulation_end } = self;
        let bodies = [items, allocate, initialize, on_tick, on_market_data, on_order_update, on_simulation_end];
        let imports: String = IMPORTS
            .iter()
            .filter(|(_, name, _)| bodies.iter().any(|body| body.contains(&format!("(call {name}"))))
            .map(|(import, name, signature)| format!(r#"(import "{EXCHANGE}" "{import}" (func {name} {signature}))"#))
            .collect();
        let allocate = if allocate.is_empty() { "(i32.const 65536)" } else { allocate };
        format!(
            r#"(module $guest
  {imports}
  (memory (export "memory") 2)
  {items}
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) {allocate})
  (func $initialize (export "initialize")
    (param $config i32)
    {initialize})
  (func $on_tick (export "on-tick") (param $now i64) {QUOTE} {on_tick})
  (func $on_market_data (export "on-market-data")
    (param $now i64) {QUOTE}
    {on_market_data})
  (func $on_order_update (export "on-order-update")
    (param $now i64) {QUOTE} (param $request i64) (param $order i64) (param $status i32) (param $reason i32) (param $price i64)
    (param $quantity i64) (param $remaining i64) (param $maker i32) (param $side i32)
    {on_order_update})
  (func $on_simulation_end (export "on-simulation-end") (param $now i64) {on_simulation_end}))"#
        )
    }

    /// The component, unchecked.
    pub(crate) fn component(&self) -> Vec<u8> {
        component(&self.text())
    }

    /// The component, checked.
    pub(crate) fn checked(&self) -> CheckedComponent {
        match check_component(self.component()) {
            Ok(checked) => checked,
            Err(findings) => panic!("the validator refuses a test guest: {findings:?}"),
        }
    }
}

/// A function that is short to write and long to compile: every block may change another local, and every local lives to the end.
pub(crate) fn tangle(blocks: usize, locals: usize) -> String {
    let declared = "i64 ".repeat(locals - 1);
    let ifs: String = (0..blocks)
        .map(|at| {
            let (test, set, get) = (at * 31 % locals, at * 17 % locals, at * 7 % locals);
            format!(
                "(if (i32.wrap_i64 (local.get {test}))
                    (then (local.set {set} (i64.add (local.get {get}) (i64.const {at})))))"
            )
        })
        .collect();
    let sum: String = (1..locals).map(|local| format!("(local.get {local}) i64.xor ")).collect();
    format!("(func (param i64) (result i64) (local {declared}) {ifs} (local.get 0) {sum})")
}

/// Wraps a module's text into a component.
fn component(text: &str) -> Vec<u8> {
    let mut module = wat::parse_str(text).expect("a test guest is valid text");
    let mut resolve = Resolve::default();
    let package = resolve.push_str("strategy.wit", WIT).expect("the interface is valid");
    let world = resolve.select_world(&[package], Some("strategy")).expect("the world exists");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("metadata fits");
    let mut encoder = ComponentEncoder::default().module(&module).expect("the module fits the world");
    encoder.encode().expect("the module makes a component")
}

/// The helper executable of this crate.
pub(crate) fn helper() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_assay-sandbox-helper"))
}

pub(crate) fn settings(cache: &Path) -> SandboxSettings {
    SandboxSettings::new(cache.to_path_buf(), helper())
}

/// One sandbox for all tests of a file; its cache outlives the run, which the fingerprint allows.
pub(crate) fn sandbox() -> &'static Sandbox {
    static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("artifacts");
        // What ends a guest here is fuel, however slow the machine is.
        let settings = SandboxSettings { watchdog: Duration::from_mins(10), ..settings(&cache) };
        Sandbox::new(&settings).expect("the sandbox starts")
    });
    &SANDBOX
}

pub(crate) fn load(guest: &Guest<'_>) -> Program {
    sandbox().load(&guest.checked()).expect("the guest loads")
}

pub(crate) fn config() -> StrategyConfig {
    StrategyConfig {
        symbol: "ABC".to_owned(),
        starting_cash: 1_000_000,
        market_open: Time(1_000),
        market_close: Time(9_000),
        close_window: Nanos(500),
        latency: Nanos(7),
        tick_interval: Nanos(100),
        terms: StrategyTerms {
            position_limit: 4_000,
            loss_limit: 77,
            margin_long: 250_000,
            margin_short: 500_000,
            maintenance_margin: 150_000,
            maker_fee: Fee { microcents_per_share: -200_000, notional_millionths: 1 },
            taker_fee: Fee { microcents_per_share: 300_000, notional_millionths: 2 },
            price_band: 500,
            picoseconds_per_fuel: 1_500,
        },
    }
}

pub(crate) fn desk() -> Desk {
    Desk::new(Seed(1), "strategy", 1_000_000)
}

/// Small enough for endless loops to end soon, large enough for everything else.
pub(crate) fn budget() -> Budget {
    Budget {
        fuel_initialize: 1_000_000,
        fuel_callback: 1_000_000,
        fuel_episode: 100_000_000,
        memory_bytes: 4 << 20,
        ..Budget::STANDARD
    }
}

pub(crate) fn level(price: i64, quantity: u64) -> Level {
    Level { price: Price::new(price).expect("a valid price"), quantity }
}

pub(crate) fn quote() -> Quote {
    Quote {
        sequence: 1,
        at: Time(1_500),
        bid: Some(level(10_000, 5)),
        ask: Some(level(10_002, 7)),
        last: Price::new(10_001),
        volume: 12,
    }
}

pub(crate) fn accepted() -> OrderUpdate {
    OrderUpdate { request: RequestId(1), order: RequestId(1), at: Time(1), remaining: 10, kind: UpdateKind::Accepted }
}

/// Every callback in turn, as long as the strategy goes along.
pub(crate) fn play(program: &Program, budget: &Budget) -> Verdict {
    let mut instance = program.start(desk(), budget).expect("the instance starts");
    let _ = (|| {
        instance.initialize(&config())?;
        for time in 2..5 {
            instance.desk().begin(Time(time * 1_000), SymbolIndex::FIRST);
            instance.on_tick()?;
            instance.desk().receive_quote(
                SymbolIndex::FIRST,
                quote(),
                &[level(10_000, 5), level(9_999, 6)],
                &[level(10_002, 7)],
            );
            instance.on_market_data()?;
            instance.on_order_update(&accepted())?;
        }
        instance.on_simulation_end()
    })();
    instance.finish()
}
