//! What a strategy may use: fuel, memory and output, named by the scenario and enforced by the sandbox.

use serde::{Deserialize, Serialize};

/// Per-strategy budgets of one episode. Fuel is wasmtime's unit, about one per executed WebAssembly operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Fuel for `initialize`.
    pub fuel_initialize: u64,
    /// Fuel for each later callback.
    pub fuel_callback: u64,
    /// Fuel for the whole episode.
    pub fuel_episode: u64,
    /// Linear memory in bytes.
    pub memory_bytes: u64,
    /// Fuel that each tick of the scenario adds to what is left for the episode, and so on: a busy episode may use more than a quiet one. A
    /// wake-up that the strategy asked for adds nothing.
    #[serde(default)]
    pub fuel_per_tick: u64,
    /// The same for each quote that the strategy is called at.
    #[serde(default)]
    pub fuel_per_market_data: u64,
    /// The same for each update of an order.
    #[serde(default)]
    pub fuel_per_order_update: u64,
}

impl Budget {
    /// 100 M fuel to start, 10 M a callback (about 10 ms), 10 G an episode however busy, 16 MiB.
    pub const STANDARD: Self = Self {
        fuel_initialize: 100_000_000,
        fuel_callback: 10_000_000,
        fuel_episode: 10_000_000_000,
        memory_bytes: 16 << 20,
        fuel_per_tick: 0,
        fuel_per_market_data: 0,
        fuel_per_order_update: 0,
    };
}

/// How many times the fuel of a compiled strategy a Python strategy may use: its interpreter takes some fifty operators for what one does.
pub const PYTHON_FUEL_FACTOR: u64 = 10;
/// Memory that a Python strategy may use besides, in bytes: what its interpreter takes before the strategy has anything.
pub const PYTHON_MEMORY_BYTES: u64 = 64 << 20;

impl Budget {
    /// What a Python strategy may use where a compiled one may use this: [`PYTHON_FUEL_FACTOR`] times the fuel, and [`PYTHON_MEMORY_BYTES`] more
    /// memory.
    #[must_use]
    pub const fn for_python(self) -> Self {
        Self {
            fuel_initialize: self.fuel_initialize.saturating_mul(PYTHON_FUEL_FACTOR),
            fuel_callback: self.fuel_callback.saturating_mul(PYTHON_FUEL_FACTOR),
            fuel_episode: self.fuel_episode.saturating_mul(PYTHON_FUEL_FACTOR),
            memory_bytes: self.memory_bytes.saturating_add(PYTHON_MEMORY_BYTES),
            fuel_per_tick: self.fuel_per_tick.saturating_mul(PYTHON_FUEL_FACTOR),
            fuel_per_market_data: self.fuel_per_market_data.saturating_mul(PYTHON_FUEL_FACTOR),
            fuel_per_order_update: self.fuel_per_order_update.saturating_mul(PYTHON_FUEL_FACTOR),
        }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::STANDARD
    }
}
