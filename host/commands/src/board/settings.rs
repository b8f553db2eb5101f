//! What the commands about boards are asked for. In each, `boards` is the folder of all boards; otherwise it is the project's own.

use std::path::PathBuf;

/// A new board, or the next season of one.
#[derive(Clone, Debug)]
pub struct BoardNewSettings {
    /// The board's name.
    pub name: String,
    /// The market: a preset or a file.
    pub scenario: String,
    /// Number of public seeds.
    pub public: u64,
    /// Number of sealed seeds.
    pub sealed: u64,
    /// The measure to rank by.
    pub measure: String,
    /// Step of the Ladder in a recorded market, in the unit of the measure.
    pub step: f64,
    /// The secret of the sealed seeds.
    pub secret: SecretSettings,
    /// The folder of all boards.
    pub boards: Option<PathBuf>,
}

/// A strategy for a board.
#[derive(Clone, Debug)]
pub struct BoardSubmitSettings {
    /// The board.
    pub name: String,
    /// The strategy: a file, or a crate folder.
    pub strategy: PathBuf,
    /// Name of the author.
    pub author: String,
    /// Episodes at once; otherwise one a processor.
    pub threads: Option<usize>,
    /// The secret of the sealed seeds.
    pub secret: SecretSettings,
    /// The folder of all boards.
    pub boards: Option<PathBuf>,
}

/// A board to be shown.
#[derive(Clone, Debug)]
pub struct BoardShowSettings {
    /// The board.
    pub name: String,
    /// The season; otherwise the last one.
    pub season: Option<u32>,
    /// Whether for a program.
    pub json: bool,
    /// The folder of all boards.
    pub boards: Option<PathBuf>,
}

/// Where the secret of the sealed seeds is: in one of these, of which the variable comes first.
#[derive(Clone, Debug, Default)]
pub struct SecretSettings {
    /// A variable of the environment.
    pub secret_env: Option<String>,
    /// A file.
    pub secret_file: Option<PathBuf>,
}

impl SecretSettings {
    /// The same as words of the next command.
    pub(super) fn words(&self) -> String {
        match (&self.secret_env, &self.secret_file) {
            (Some(variable), _) => format!("--secret-env {variable}"),
            (None, Some(file)) => format!("--secret-file {}", file.display()),
            (None, None) => "--secret-file FILE".to_owned(),
        }
    }
}
