//! The `assay` command line: flags to settings to wiring, and the only printer. The binary calls [`main`] and nothing else.

#![cfg_attr(
    not(feature = "rollouts"),
    expect(dead_code, unused_imports, reason = "what only the commands use that this build leaves out")
)]

mod args;
#[cfg(feature = "rollouts")]
mod bench;
mod command_line;
mod commands;
mod data;
mod exit;
mod input;
#[cfg(not(feature = "stores"))]
mod no_store;
mod output;
mod settings;
#[cfg(feature = "stores")]
mod store;
mod ui;

pub use commands::main;
#[cfg(not(feature = "stores"))]
use no_store as store;
