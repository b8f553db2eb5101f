//! `assay board`: a ranking among people over seeds that the board chose. What it means is [`assay_evaluate::board`]'s, how it is kept
//! [`assay_results::board`]'s.

mod new;
mod secret;
mod show;
mod submit;

use super::DONE;
use crate::args::{BoardArgs, BoardCommand, BoardsArgs};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::ui;
use assay_evaluate::board::BoardScenario;
use assay_market::Scenario;
use assay_results::board::{BoardError, OpenSeason, Season};
use assay_store::Location;
use std::path::PathBuf;

pub(crate) fn run(args: &BoardArgs, machine: impl FnOnce() -> Result<Machine, Failure>) -> Result<Exit, Failure> {
    match &args.command {
        BoardCommand::New(args) => new::run(args),
        BoardCommand::Submit(args) => submit::run(&machine()?, args),
        BoardCommand::Show(args) => show::run(args),
        BoardCommand::Close(args) => {
            let season = Season::last(&boards(&args.boards)?, &args.name).map_err(failure)?;
            season.open().and_then(OpenSeason::close).map_err(failure)?;
            ui::step("Closed", &format!("season {} of {}", season.board.season, season.board.name));
            DONE
        }
    }
}

/// The folder of all boards.
pub(in crate::commands) fn boards(args: &BoardsArgs) -> Result<PathBuf, Failure> {
    if let Some(folder) = &args.boards {
        return Ok(folder.clone());
    }
    let here = std::env::current_dir()
        .map_err(|error| Failure::usage(format!("failed to find the current folder: {error}")))?;
    match Location::of_project(&here) {
        Location::Sqlite(file) => Ok(file.with_file_name("boards")),
        Location::Postgres(_) => Ok(here.join(".assay/boards")),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what errors are mapped with takes them whole")]
fn failure(error: BoardError) -> Failure {
    let failure = if error.is_usage() { Failure::usage(&error) } else { Failure::infrastructure(&error) };
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
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
