//! `assay board`: its flags as settings.

use crate::args::{BoardArgs, BoardCommand, BoardNewArgs, BoardShowArgs, BoardSubmitArgs, SecretArgs};
use assay_commands::board::{self, BoardNewSettings, BoardShowSettings, BoardSubmitSettings, SecretSettings};
use assay_commands::settings::Machine;
use assay_commands::{Ending, Failure};

pub(crate) fn run(args: &BoardArgs, machine: impl FnOnce() -> Result<Machine, Failure>) -> Result<Ending, Failure> {
    match &args.command {
        BoardCommand::New(args) => board::new(&BoardNewSettings::from(args)),
        BoardCommand::Submit(args) => board::submit(&machine()?, &BoardSubmitSettings::from(args)),
        BoardCommand::Show(args) => board::show(&BoardShowSettings::from(args)),
        BoardCommand::Close(args) => board::close(&args.name, args.boards.boards.as_deref()),
    }
}

impl From<&BoardNewArgs> for BoardNewSettings {
    fn from(args: &BoardNewArgs) -> Self {
        Self {
            name: args.name.clone(),
            scenario: args.scenario.clone(),
            public: args.public,
            sealed: args.sealed,
            measure: args.measure.clone(),
            step: args.step,
            secret: (&args.secret).into(),
            boards: args.boards.boards.clone(),
        }
    }
}

impl From<&BoardSubmitArgs> for BoardSubmitSettings {
    fn from(args: &BoardSubmitArgs) -> Self {
        Self {
            name: args.name.clone(),
            strategy: args.strategy.clone(),
            author: args.author.clone(),
            threads: args.threads,
            secret: (&args.secret).into(),
            boards: args.boards.boards.clone(),
        }
    }
}

impl From<&BoardShowArgs> for BoardShowSettings {
    fn from(args: &BoardShowArgs) -> Self {
        Self { name: args.name.clone(), season: args.season, json: args.json, boards: args.boards.boards.clone() }
    }
}

impl From<&SecretArgs> for SecretSettings {
    fn from(args: &SecretArgs) -> Self {
        Self { secret_env: args.secret_env.clone(), secret_file: args.secret_file.clone() }
    }
}
