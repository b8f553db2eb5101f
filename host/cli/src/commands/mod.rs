//! One file a command, and the dispatch to them.

mod arena;
mod board;
mod check;
mod doctor;
mod gate;
mod interrupt;
mod new;
mod observe;
mod prepare;
mod query;
mod rollout;
mod run;
mod scenarios;
mod store;
mod tasks;
mod trace;

use crate::args::{Cli, Command};
use crate::exit::{Exit, Failure};
use crate::{settings, ui};
use clap::Parser as _;
use std::process::ExitCode;

/// Runs the command that the process's arguments name; the exit code is documented with `Exit`.
#[must_use]
pub fn main() -> ExitCode {
    // Three hidden words make this binary its own helper: compilers run in a child that locks itself in first, attacks in one that is watched. They come
    // before the ordinary arguments are parsed, because they are not commands for people.
    match std::env::args_os().nth(1).as_ref().and_then(|word| word.to_str()) {
        Some("jail") => return assay_jail::helper_main(),
        Some("precompile") => return assay_sandbox::precompile_main(),
        Some(doctor::attack::WORD) => return doctor::attack::main(),
        _ => {}
    }
    let cli = Cli::parse();
    // Only what compiles needs a cache.
    let machine = || settings::Machine::resolve(cli.cache_dir.clone());
    let result = match &cli.command {
        Command::New(args) => new::run(&args.name, args.python),
        Command::Check(args) => machine().and_then(|machine| check::run(&machine, args)),
        Command::Run(args) => machine().and_then(|machine| run::run(&machine, args)),
        Command::Observe(args) => observe::run(args),
        Command::Arena(args) => machine().and_then(|machine| arena::run(&machine, args)),
        Command::Gate(args) => gate::run(args, machine),
        Command::Doctor(args) => machine().and_then(|machine| doctor::run(&machine, args)),
        Command::Query(args) => query::run(args),
        Command::Runs(args) => store::runs(args),
        Command::Show(args) => store::show(args),
        Command::Compare(args) => store::compare(args),
        Command::Board(args) => board::run(args, machine),
        Command::Leaderboard(args) => store::leaderboard(args),
        Command::Rm(args) => store::remove(args),
        Command::Export(args) => store::export(args),
        Command::Scenarios(args) => scenarios::run(args.command.as_ref()),
        Command::Trace(args) => trace::run(&args.command, machine),
        Command::Rollout(args) => machine().and_then(|machine| rollout::run(&machine, &args.command)),
        Command::Tasks(args) => tasks::run(&args.command, machine),
    };
    let result = result.and_then(|exit| {
        if ui::lost_output() {
            return Err(Failure::infrastructure("failed to write to standard output: part of the result is lost"));
        }
        Ok(exit)
    });
    let exit = result.unwrap_or_else(|failure| {
        ui::fail(&failure);
        failure.exit
    });
    exit.into()
}

/// Reports success to the shell and nothing else.
pub(crate) const DONE: Result<Exit, Failure> = Ok(Exit::Success);
