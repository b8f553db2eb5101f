//! One file a command, and the dispatch to them.

mod check;
mod new;
mod prepare;
mod run;
mod scenarios;

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::{settings, ui};
use clap::Parser as _;
use std::process::ExitCode;

/// Runs the command that the arguments name.
pub(crate) fn dispatch() -> ExitCode {
    // Two hidden words make this binary its own helper: the compilers run in a child that locks itself in first. They come before
    // the ordinary arguments are parsed, because they are no command for people.
    match std::env::args_os().nth(1).as_ref().and_then(|word| word.to_str()) {
        Some("jail") => return assay_jail::helper_main(),
        Some("precompile") => return assay_sandbox::precompile_main(),
        _ => {}
    }
    let cli = Cli::parse();
    let result = settings::Machine::resolve(cli.cache_dir).and_then(|machine| match cli.command {
        Command::New(args) => new::run(&args.name),
        Command::Check(args) => check::run(&machine, &args),
        Command::Run(args) => run::run(&machine, &args),
        Command::Scenarios(args) => scenarios::run(args.command),
    });
    let exit = result.unwrap_or_else(|failure| {
        ui::fail(&failure);
        failure.exit
    });
    exit.into()
}

/// Reports success to the shell and nothing else.
pub(crate) const DONE: Result<Exit, crate::exit::Failure> = Ok(Exit::Success);
