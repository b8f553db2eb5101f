//! `assay worlds`: agents in worlds where nothing can break.

mod actor;
mod debug;
mod fork;
mod import;
mod new;
mod person;
mod probing;
mod python;
mod run;
mod serve;
mod state;
mod summary;

use crate::args::{WorldsCheckArgs, WorldsCommand};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::ui;
use assay_rollout::run::{JOURNAL_NAME, RunFolder, lines_in_words};
use assay_worlds::{LoadError, World};
use probing::probed;
use std::path::Path;

/// What this machine offers, for worlds that need an interpreter.
type MachineOf<'m> = dyn Fn() -> Result<Machine, Failure> + 'm;

pub(crate) fn run(command: &WorldsCommand, machine: impl Fn() -> Result<Machine, Failure>) -> Result<Exit, Failure> {
    let machine: &MachineOf<'_> = &machine;
    match command {
        WorldsCommand::New(args) => new::run(args),
        WorldsCommand::Check(args) => check(args, machine),
        WorldsCommand::Run(args) => run::run(args, machine),
        WorldsCommand::Debug(args) if args.interactive => person::run(args, machine),
        WorldsCommand::Debug(args) => debug::run(args, machine),
        WorldsCommand::Fork(args) => fork::run(args, machine),
        WorldsCommand::State(args) => state::run(args, machine),
        WorldsCommand::Serve(args) => serve::run(args, machine),
        WorldsCommand::Import(args) => import::run(&args.command, machine),
    }
}

/// A world from its folder.
fn load(path: &Path, machine: &MachineOf<'_>) -> Result<World, Failure> {
    assay_worlds::load_with(path, &|| python::open(machine)).map_err(as_failure)
}

fn as_failure(error: LoadError) -> Failure {
    let failure = Failure::usage(&error);
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Every score in a run's folder has the trajectory that it was computed from: an agent that runs as the user could write a line of its own.
fn proven(folder: &RunFolder) -> Result<(), Failure> {
    let changed = folder.changed();
    let Some(first) = changed.first() else { return Ok(()) };
    let (path, lines) = (folder.path().join(JOURNAL_NAME), lines_in_words(&folder.lines_of(changed)));
    let (trajectories, episodes) = match changed.len() {
        1 => (format!("episodes/{first}.jsonl is missing or has changed since"), "this episode"),
        count => (
            format!("{count} trajectories are missing or have changed since, as episodes/{first}.jsonl"),
            "these episodes",
        ),
    };
    let what = format!("{} has results that nothing proves, in {lines}: {trajectories}", path.display());
    let hint = format!(
        "remove {lines} of {}, with the trajectory where it is still there, to run {episodes} again; or put the trajectory back, or choose another folder with --out",
        path.display()
    );
    Err(Failure::usage(ui::visible(&what)).hint(ui::visible(&hint)))
}

fn check(args: &WorldsCheckArgs, machine: &MachineOf<'_>) -> Result<Exit, Failure> {
    let world = load(&args.world, machine)?;
    let probed = probed(&world, &world.tasks);
    let mut refused = 0;
    for (task, found) in world.tasks.iter().zip(&probed) {
        let name = ui::visible(&task.id);
        match found {
            Ok(()) => ui::out(&format!("{} {name}", ui::good("admitted"))),
            Err(why) => {
                refused += 1;
                ui::out(&format!("{}  {name}: {}", ui::bad("refused"), ui::visible(&why.to_string())));
            }
        }
    }
    let name = ui::visible(&world.definition.name);
    let tools = world.definition.tools.len();
    ui::out(&format!("{name}: {} of {} tasks admitted, {tools} tools", probed.len() - refused, probed.len()));
    Ok(if refused == 0 { Exit::Success } else { Exit::Rejected })
}
