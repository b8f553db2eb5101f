//! The `assay` binary: hands its arguments to the library part and exits with the code that it returns.

mod args;
mod commands;
mod exit;
mod settings;
mod ui;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::dispatch()
}
