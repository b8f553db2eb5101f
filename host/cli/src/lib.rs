//! The `assay` command line: flags to settings, and the only printer. The binary calls [`main`] and nothing else; what commands mean is in `assay-commands`.

#![cfg_attr(
    not(feature = "rollouts"),
    expect(unused_imports, reason = "what only the commands use that this build leaves out")
)]

mod args;
mod commands;
mod ui;

pub use commands::main;
