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
}

impl Default for Budget {
    /// 100 M fuel to start, 10 M a callback (about 10 ms), 10 G an episode, 16 MiB.
    fn default() -> Self {
        Self {
            fuel_initialize: 100_000_000,
            fuel_callback: 10_000_000,
            fuel_episode: 10_000_000_000,
            memory_bytes: 16 << 20,
        }
    }
}
