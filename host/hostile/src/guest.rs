//! A strategy as WebAssembly text: five callback bodies in a fixed frame, so that an attack says only what is special about it.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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

/// Bodies of the callbacks, and whatever else the module needs. Functions of the exchange are `$limit`, `$log` and so on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Guest {
    /// The memory; if empty, two pages.
    pub memory: String,
    /// Globals, tables, data segments, functions.
    pub items: String,
    /// The allocator; if empty, one that always returns the address of the second page.
    pub allocate: String,
    /// `$config`: where the configuration is in memory
    pub initialize: String,
    /// `$now`, then the quote: `$bid $bid_size $ask $ask_size $last $volume`
    pub tick: String,
    /// As `tick`.
    pub market_data: String,
    /// `$now`, the quote, `$request $order $status $reason $price $quantity $remaining $maker $side`
    pub order_update: String,
    /// `$now`
    pub end: String,
}

impl Guest {
    /// The module's text, repetitions not yet written out. Only what it calls is imported.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { memory, items, allocate, initialize, tick, market_data, order_update, end } = self;
        let bodies = [items, allocate, initialize, tick, market_data, order_update, end];
        let calls = |name: &str| {
            bodies.iter().any(|body| {
                body.match_indices(name).any(|(at, _)| {
                    body[at + name.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_')
                })
            })
        };
        let imports: String = IMPORTS
            .iter()
            .filter(|(_, name, _)| calls(name))
            .map(|(import, name, signature)| format!(r#"(import "{EXCHANGE}" "{import}" (func {name} {signature}))"#))
            .collect();
        let or = |text: &String, default: &'static str| -> Cow<'static, str> {
            if text.is_empty() { default.into() } else { text.clone().into() }
        };
        let memory = or(memory, r#"(memory (export "memory") 2)"#);
        let allocate = or(allocate, "(i32.const 65536)");
        format!(
            r#"(module $guest
  {imports}
  {memory}
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) {allocate})
  (func $initialize (export "initialize")
    (param $config i32)
    {initialize})
  (func $on_tick (export "on-tick") (param $now i64) {QUOTE} {tick})
  (func $on_market_data (export "on-market-data") (param $now i64) {QUOTE} {market_data})
  (func $on_order_update (export "on-order-update")
    (param $now i64) {QUOTE} (param $request i64) (param $update i64) (param $status i32) (param $reason i32) (param $price i64)
    (param $quantity i64) (param $remaining i64) (param $maker i32) (param $side i32)
    {order_update})
  (func $on_simulation_end (export "on-simulation-end") (param $now i64) {end})
  {items})"#
        )
    }
}
