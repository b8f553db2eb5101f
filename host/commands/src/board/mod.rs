//! What `assay board` does: a ranking among people over seeds that the board chose. What it means is [`assay_evaluate::board`]'s, how it is kept
//! [`assay_results::board`]'s.

mod new;
mod secret;
mod settings;
mod show;
mod submit;

use crate::{DONE, Ending, Failure, face};
use assay_evaluate::board::BoardScenario;
use assay_market::Scenario;
use assay_results::board::{BoardError, OpenSeason, Season};
use assay_store::Location;
pub use new::new;
pub use settings::{BoardNewSettings, BoardShowSettings, BoardSubmitSettings, SecretSettings};
pub use show::show;
use std::path::{Path, PathBuf};
pub use submit::submit;

/// Ends the last season of the board `name`: no more submissions.
///
/// # Errors
/// Where there is no such board, its season is closed already, or it cannot be written.
pub fn close(name: &str, folder: Option<&Path>) -> Result<Ending, Failure> {
    let season = Season::last(&boards(folder)?, name).map_err(failure)?;
    season.open().and_then(OpenSeason::close).map_err(failure)?;
    face::step("Closed", &format!("season {} of {}", season.board.season, season.board.name));
    DONE
}

/// The folder of all boards: the one that was asked for, or the project's own.
///
/// # Errors
/// Where there is no current folder to look for the project from.
pub fn boards(folder: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(folder) = folder {
        return Ok(folder.to_owned());
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
