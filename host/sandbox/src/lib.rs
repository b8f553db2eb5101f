//! The only user of wasmtime: compile, cache, run and meter checked components.
//!
//! ```text
//! CheckedComponent ──load──► Program ──start──► Instance ──callbacks──► finish ──► Verdict
//!                    │                             │
//!        jailed compile child, or           one store, one desk,
//!        authenticated cache                fuel for each callback
//! ```
//!
//! What is compiled and run is the component's module, whose imports are our functions and whose exports we call: the validator has
//! made sure that the component around it says nothing else. The engine's own component layer is for [`python`] alone.
//!
//! Invariants: only what the validator has checked is loaded; a strategy reaches its desk and nothing else; the same component,
//! inputs and budget give the same calls, fuel and outcome, in any thread and from a fresh or a cached artifact. Time plays a
//! part in one place, the watchdog, whose kills are [`Outcome::Infrastructure`].
//!
//! [`python`] is a second engine with settings of its own, for cells that a model writes.
//!
//! Absent on purpose: WASI for strategies, threads, and any notion of a market; the market drives an [`Instance`] through its callbacks.

mod cache;
mod callback;
mod compile;
mod engine;
#[cfg(test)]
mod fuel_page;
mod guest;
mod histogram;
mod hooks;
mod host;
mod instance;
mod interface;
mod meter;
mod names;
mod outcome;
mod precompile;
mod price;
mod profile;
mod program;
pub mod python;
mod stop;
#[cfg(test)]
mod table;
mod ticks;
mod watchdog;

pub use assay_cache::{CacheError, Distrust, Origin};
pub use assay_jail::Allowance;
pub use cache::CACHE_BYTES_MAX;
pub use callback::Callback;
pub use compile::{CompileError, CompileFailure, CompileLimits, PRECOMPILE_WORD, compile};
pub use engine::{MEMORY_BYTES_MAX, TABLE_ELEMENTS_MAX, TABLES_MAX};
pub use guest::HOST_CALL_BYTES_MAX;
pub use histogram::FuelHistogram;
pub use host::{LOG_LINE_BYTES_MAX, PANIC_BYTES_MAX};
pub use instance::Instance;
pub use names::{NAME_BYTES_MAX, readable};
pub use outcome::{CallbackUsage, FuelScope, Limit, Outcome, TrapKind, Usage, Verdict};
pub use precompile::precompile_main;
pub use price::{CALLBACK_FUEL, HOST_CALL_FUEL, HostCallPrice, TRAP_FUEL};
pub use profile::{FRAMES_MAX, Frame, Profile};
pub use program::{LoadError, Program, Sandbox, SandboxError, SandboxSettings, StartError};
pub use watchdog::thread_time;

/// Release of wasmtime that runs guests; results are stamped with it. A test compares it with the lock file.
pub const ENGINE_VERSION: &str = "48.0.8";
