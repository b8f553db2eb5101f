//! What the commands of `assay` mean: from settings to values, events and typed ends. The command line is one face of it; whoever else does such work is another.
//!
//! ```text
//! settings ──► a command ──► files, a record in the store, an Ending or a Failure
//!                  │
//!                  └── results and words on the way ──► Face (whoever runs it)
//! ```
//!
//! Invariants: flags are unknown here; the environment is read here, and above only for what flags and the terminal are; nothing is printed but through
//! [`face`]; an [`Ending`] is not an exit code, though each has one.

#![cfg_attr(
    not(feature = "rollouts"),
    expect(dead_code, unused_imports, reason = "what only the commands use that this build leaves out")
)]

pub mod arena;
pub mod check;
mod command_line;
#[cfg_attr(not(feature = "data"), path = "no_data.rs")]
mod data;
mod ending;
pub mod face;
pub mod guide;
mod input;
pub mod interrupt;
#[cfg_attr(not(feature = "stores"), path = "no_ledger.rs")]
pub mod ledger;
mod market_data;
pub mod new;
pub mod observe;
pub mod output;
pub mod prepare;
pub mod refine;
pub mod run;
pub mod scenarios;
pub mod settings;

#[cfg(feature = "data")]
pub mod query;

#[cfg(feature = "stores")]
pub mod board;
#[cfg(feature = "stores")]
pub mod gate;
#[cfg(feature = "stores")]
pub mod store;

#[cfg(feature = "rollouts")]
mod bench;
#[cfg(feature = "rollouts")]
pub mod doctor;
#[cfg(feature = "rollouts")]
pub mod rollout;
#[cfg(feature = "rollouts")]
pub mod tasks;
#[cfg(feature = "rollouts")]
pub mod trace;
#[cfg(feature = "rollouts")]
pub mod worlds;

pub use ending::{DONE, Ending, Failure, chain};
