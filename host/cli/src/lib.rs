//! The `assay` command line: flags to settings to wiring, and the only printer. The binary calls [`main`] and nothing else.

mod args;
mod bench;
mod commands;
mod data;
mod exit;
mod input;
mod output;
mod settings;
mod store;
mod ui;

pub use commands::main;
