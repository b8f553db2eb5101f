//! `assay rollout`: a model repairs repositories, their tests decide.

mod board;
mod debug;
mod engines;
mod episode;
mod estimate;
mod events;
mod grade;
mod ledger;
mod plan;
mod run;
mod summary;
mod words;

pub(crate) use engines::{PYTHON_HASH, open_bench, open_sessions, prices};
pub(crate) use estimate::Estimate;
pub(crate) use plan::budget;
pub(crate) use run::{conclude, runtime, schedule_settings, stop_on_interrupt, unusable};

use crate::args::RolloutCommand;
use crate::exit::{Exit, Failure};
use crate::settings::Machine;

pub(crate) fn run(machine: &Machine, command: &RolloutCommand) -> Result<Exit, Failure> {
    match command {
        RolloutCommand::Run(args) => run::run(machine, args),
        RolloutCommand::Grade(args) => grade::run(machine, args),
        RolloutCommand::Debug(args) => debug::run(machine, args),
    }
}

/// A library's error with its hint as one of ours.
fn usage(error: &dyn std::fmt::Display, hint: Option<&str>) -> Failure {
    let failure = Failure::usage(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
