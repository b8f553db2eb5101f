//! One file a command: its flags as settings, and the call that does it; and the dispatch to them.

mod arena;
mod check;
mod manual;
mod new;
mod observe;
mod refine;
mod run;
mod scenarios;

#[cfg(feature = "data")]
mod query;

#[cfg(feature = "stores")]
mod board;
#[cfg(feature = "stores")]
mod gate;
#[cfg(feature = "stores")]
mod store;

#[cfg(feature = "rollouts")]
mod doctor;
#[cfg(feature = "rollouts")]
mod rollout;
#[cfg(feature = "rollouts")]
mod serve;
#[cfg(feature = "rollouts")]
mod tasks;
#[cfg(feature = "rollouts")]
mod trace;
#[cfg(feature = "rollouts")]
mod worlds;

#[cfg(any(test, not(feature = "rollouts")))]
mod left_out;

use crate::args::{Cli, Command};
use crate::ui;
#[cfg(feature = "rollouts")]
use assay_commands::doctor::{attack, scale};
use assay_commands::{Failure, face, settings};
use clap::FromArgMatches as _;
#[cfg(not(feature = "data"))]
use left_out::query;
#[cfg(not(feature = "stores"))]
use left_out::{board, gate, store};
#[cfg(not(feature = "rollouts"))]
use left_out::{doctor, rollout, serve, tasks, trace, worlds};
use std::process::ExitCode;

/// Runs the command that the process's arguments name; the exit code is documented with [`assay_commands::Ending`].
#[must_use]
pub fn main() -> ExitCode {
    face::install(Box::new(ui::Terminal));
    // A few hidden words make this binary its own helper: compilers run in a child that locks itself in first, attacks in one that is watched. They come
    // before the ordinary arguments are parsed, because they are not commands for people.
    match std::env::args_os().nth(1).as_ref().and_then(|word| word.to_str()) {
        Some("jail") => return assay_jail::helper_main(),
        Some("precompile") => return assay_sandbox::precompile_main(),
        #[cfg(feature = "rollouts")]
        Some(attack::WORD) => return attack::main(),
        #[cfg(feature = "rollouts")]
        Some(scale::WORD) => return scale::main(std::env::args_os().skip(2)),
        _ => {}
    }
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    #[cfg(feature = "rollouts")]
    let words = serve::of_job(words);
    let matches = crate::args::command().get_matches_from(words);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // Only what compiles needs a cache.
    let machine = || settings::Machine::resolve(cli.cache_dir.clone());
    let result = match &cli.command {
        Command::New(args) => new::run(args),
        Command::Check(args) => machine().and_then(|machine| check::run(&machine, args)),
        Command::Run(args) => machine().and_then(|machine| run::run(&machine, args)),
        Command::Observe(args) => observe::run(args),
        Command::Arena(args) => machine().and_then(|machine| arena::run(&machine, args)),
        Command::Refine(args) => refine::run(args, machine),
        Command::Gate(args) => gate::run(args, machine),
        Command::Doctor(args) => machine().and_then(|machine| doctor::run(&machine, args)),
        Command::Query(args) => query::run(args),
        Command::Serve(args) => machine().and_then(|machine| serve::run(&machine, args)),
        Command::Runs(args) => store::runs(args),
        Command::Show(args) => store::show(args),
        Command::Explain(args) => refine::explain(args),
        Command::Compare(args) => store::compare(args),
        Command::Board(args) => board::run(args, machine),
        Command::Leaderboard(args) => store::leaderboard(args),
        Command::Rm(args) => store::remove(args),
        Command::Export(args) => store::export(args),
        Command::Scenarios(args) => scenarios::run(args.command.as_ref()),
        Command::Trace(args) => trace::run(&args.command, machine),
        Command::Rollout(args) => machine().and_then(|machine| rollout::run(&machine, &args.command)),
        Command::Tasks(args) => tasks::run(&args.command, machine),
        Command::Worlds(args) => worlds::run(&args.command, machine),
        Command::Guide(args) => manual::guide(args),
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(args),
    };
    let result = result.and_then(|ending| {
        if ui::lost_output() {
            return Err(Failure::infrastructure("failed to write to standard output: part of the result is lost"));
        }
        Ok(ending)
    });
    let ending = result.unwrap_or_else(|failure| {
        ui::fail(&failure);
        failure.ending
    });
    ExitCode::from(ending as u8)
}
