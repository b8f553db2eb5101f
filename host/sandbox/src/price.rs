//! What the host charges in fuel, published so that a strategy's author can reckon with it.
//!
//! A WebAssembly operator costs about one fuel and about a third of a nanosecond to one nanosecond. Prices follow the host's
//! work at that rate, rounded up: crossing into the host and back is about 10 ns, a request also makes the exchange work, a list or a
//! string must be copied. Changing a price changes results, so it changes the version of this crate.

/// The price of one host call: `base + per_unit × units`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostCallPrice {
    /// Name in the guest interface.
    pub name: &'static str,
    /// Fuel for each call.
    pub base: u64,
    /// Fuel for each unit of data.
    pub per_unit: u64,
    /// What is counted; empty if nothing is.
    pub unit: &'static str,
}

impl HostCallPrice {
    const fn flat(name: &'static str, base: u64) -> Self {
        Self { name, base, per_unit: 0, unit: "" }
    }

    /// The price of a call that moves `units`.
    #[must_use]
    pub const fn of(&self, units: u64) -> u64 {
        self.base.saturating_add(self.per_unit.saturating_mul(units))
    }
}

/// Fuel that every callback costs before its first operator: the host's work of making the call.
pub const CALLBACK_FUEL: u64 = 100;
/// Fuel that a trap costs on top: the engine bills nothing for the straight-line code in which it happened.
pub const TRAP_FUEL: u64 = 10_000;

pub(crate) const LIMIT: HostCallPrice = HostCallPrice::flat("limit", 500);
pub(crate) const MARKET: HostCallPrice = HostCallPrice::flat("market", 500);
pub(crate) const ORDER: HostCallPrice = HostCallPrice::flat("order", 1_000);
pub(crate) const CANCEL: HostCallPrice = HostCallPrice::flat("cancel", 500);
/// One call may cancel as many orders as the exchange lets rest.
pub(crate) const CANCEL_ALL: HostCallPrice = HostCallPrice::flat("cancel-all", 2_000);
pub(crate) const MODIFY: HostCallPrice = HostCallPrice::flat("modify", 500);
pub(crate) const REDUCE: HostCallPrice = HostCallPrice::flat("reduce", 500);
pub(crate) const REPLACE: HostCallPrice = HostCallPrice::flat("replace", 1_000);
pub(crate) const SYMBOL: HostCallPrice = HostCallPrice::flat("symbol", 50);
pub(crate) const SELECT: HostCallPrice = HostCallPrice::flat("select", 100);
pub(crate) const SYMBOL_NAME: HostCallPrice =
    HostCallPrice { name: "symbol-name", base: 300, per_unit: 2, unit: "byte" };
pub(crate) const DEPTH: HostCallPrice = HostCallPrice { name: "depth", base: 300, per_unit: 10, unit: "level" };
/// Those that are kept are copied whole.
pub(crate) const TRADES: HostCallPrice = HostCallPrice { name: "trades", base: 300, per_unit: 15, unit: "trade" };
pub(crate) const NEW_TRADES: HostCallPrice =
    HostCallPrice { name: "new-trades", base: 300, per_unit: 15, unit: "trade" };
pub(crate) const SESSION: HostCallPrice = HostCallPrice::flat("session", 100);
/// To ask about an order makes the exchange count for it at each publication from then on.
pub(crate) const QUEUE_AHEAD: HostCallPrice = HostCallPrice::flat("queue-ahead", 500);
pub(crate) const OPEN_ORDERS: HostCallPrice =
    HostCallPrice { name: "open-orders", base: 300, per_unit: 20, unit: "order" };
pub(crate) const POSITION: HostCallPrice = HostCallPrice::flat("position", 50);
pub(crate) const CASH: HostCallPrice = HostCallPrice::flat("cash", 50);
pub(crate) const AVERAGE_COST: HostCallPrice = HostCallPrice::flat("average-cost", 100);
pub(crate) const REALISED: HostCallPrice = HostCallPrice::flat("realised", 100);
pub(crate) const FEES: HostCallPrice = HostCallPrice::flat("fees", 50);
/// Each wake-up is a later callback, which may ask for the next one: the price bounds how many an episode can pay for.
pub(crate) const WAKE_AT: HostCallPrice = HostCallPrice::flat("wake-at", 1_000);
pub(crate) const MUTE_MARKET_DATA: HostCallPrice = HostCallPrice::flat("mute-market-data", 50);
pub(crate) const LOG: HostCallPrice = HostCallPrice { name: "log", base: 200, per_unit: 2, unit: "byte" };
pub(crate) const RANDOM: HostCallPrice = HostCallPrice::flat("random", 50);
pub(crate) const PARAMETER: HostCallPrice = HostCallPrice::flat("parameter", 50);
pub(crate) const PANICKED: HostCallPrice = HostCallPrice { name: "panicked", base: 200, per_unit: 2, unit: "byte" };

/// The price list, in the order of the guest interface.
pub const HOST_CALL_FUEL: [HostCallPrice; 28] = [
    LIMIT,
    MARKET,
    ORDER,
    CANCEL,
    CANCEL_ALL,
    MODIFY,
    REDUCE,
    REPLACE,
    SYMBOL,
    SELECT,
    SYMBOL_NAME,
    DEPTH,
    TRADES,
    NEW_TRADES,
    SESSION,
    QUEUE_AHEAD,
    OPEN_ORDERS,
    POSITION,
    CASH,
    AVERAGE_COST,
    REALISED,
    FEES,
    WAKE_AT,
    MUTE_MARKET_DATA,
    LOG,
    RANDOM,
    PARAMETER,
    PANICKED,
];
