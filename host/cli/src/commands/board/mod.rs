//! `assay board`: a ranking among people over seeds that the board chose. What it means is [`assay_evaluate::board`]'s, how it is kept [`folder`]'s.

mod folder;
mod new;
mod secret;
mod show;
mod submit;

use super::DONE;
use crate::args::{BoardArgs, BoardCommand};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::ui;
use assay_evaluate::board::BoardScenario;
use assay_market::Scenario;
use folder::Season;

pub(crate) fn run(args: &BoardArgs, machine: impl FnOnce() -> Result<Machine, Failure>) -> Result<Exit, Failure> {
    match &args.command {
        BoardCommand::New(args) => new::run(args),
        BoardCommand::Submit(args) => submit::run(&machine()?, args),
        BoardCommand::Show(args) => show::run(args),
        BoardCommand::Close(args) => {
            let season = Season::last(&folder::boards(&args.boards)?, &args.name)?;
            season.open()?.close()?;
            ui::step("Closed", &format!("season {} of {}", season.board.season, season.board.name));
            DONE
        }
    }
}

/// A market as a board knows it.
fn scenario_of(reference: &str, scenario: &Scenario) -> BoardScenario {
    BoardScenario {
        reference: reference.to_owned(),
        name: scenario.name.clone(),
        hash: blake3::hash(scenario.to_toml().as_bytes()).to_string(),
        recording: scenario.replay.as_ref().map(|replay| replay.recording.hash().to_string()),
        series: scenario.fundamental_series.as_ref().map(|series| series.hash().to_string()),
    }
}
