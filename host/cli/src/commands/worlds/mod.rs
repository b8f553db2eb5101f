//! `assay worlds`: agents in worlds where nothing can break.

mod actor;
mod debug;
mod fork;
mod new;
mod person;
mod run;
mod serve;
mod summary;

use crate::args::{WorldsCheckArgs, WorldsCommand};
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_worlds::{LoadError, Standing, World};
use std::path::Path;

pub(crate) fn run(command: &WorldsCommand) -> Result<Exit, Failure> {
    match command {
        WorldsCommand::New(args) => new::run(args),
        WorldsCommand::Check(args) => check(args),
        WorldsCommand::Run(args) => run::run(args),
        WorldsCommand::Debug(args) if args.interactive => person::run(args),
        WorldsCommand::Debug(args) => debug::run(args),
        WorldsCommand::Fork(args) => fork::run(args),
        WorldsCommand::Serve(args) => serve::run(args),
    }
}

/// A world from its folder.
fn load(path: &Path) -> Result<World, Failure> {
    assay_worlds::load(path).map_err(|error| {
        let failure = Failure::usage(&error);
        let LoadError { hint, .. } = error;
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

fn check(args: &WorldsCheckArgs) -> Result<Exit, Failure> {
    let world = load(&args.world)?;
    let probed = assay_worlds::check(&world);
    let mut refused = 0;
    for one in &probed {
        match &one.standing {
            Standing::Admitted => ui::out(&format!("{} {}", ui::good("admitted"), ui::visible(&one.task))),
            Standing::Refused(why) => {
                refused += 1;
                ui::out(&format!(
                    "{}  {}: {}",
                    ui::bad("refused"),
                    ui::visible(&one.task),
                    ui::visible(&why.to_string())
                ));
            }
        }
    }
    let name = ui::visible(&world.definition.name);
    let tools = world.definition.tools.len();
    ui::out(&format!("{name}: {} of {} tasks admitted, {tools} tools", probed.len() - refused, probed.len()));
    Ok(if refused == 0 { Exit::Success } else { Exit::Rejected })
}
