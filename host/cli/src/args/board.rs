//! Flags of `assay board`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  head -c 24 /dev/urandom | base64 > secret.txt
  assay board new spring --scenario calm --secret-file secret.txt
  assay board submit spring my-strategy.rs --author ada --secret-file secret.txt
  assay board show spring
  assay board close spring

A board chooses the seeds. The public ones are in board.json; the sealed ones come from the secret, and ranks are by them.
An entry is its content and belongs to whoever submitted it first. Every submission is a try, and ranks are corrected for
everything that was run, so an author gains nothing from many names. docs/boards.md says who may hold the secret, and what a
board on its author's own machine is worth.";

/// `assay board`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BoardArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BoardCommand,
}

/// Where boards are.
#[derive(Args, Clone, Debug)]
pub(crate) struct BoardsArgs {
    /// The folder of all boards. [default: .assay/boards of the project]
    #[arg(long, env = "ASSAY_BOARDS", value_name = "DIR")]
    pub boards: Option<PathBuf>,
}

/// The secret of the sealed seeds.
#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct SecretArgs {
    /// The variable that holds the secret of the sealed seeds.
    #[arg(long, value_name = "VARIABLE")]
    pub secret_env: Option<String>,
    /// The file that holds it.
    #[arg(long, value_name = "FILE")]
    pub secret_file: Option<PathBuf>,
}

/// Under `assay board`.
#[derive(Subcommand, Debug)]
pub(crate) enum BoardCommand {
    /// Make a board, or the next season of one whose last season is closed.
    New(BoardNewArgs),
    /// Run a strategy on the board's seeds and enter it.
    Submit(BoardSubmitArgs),
    /// Show ranks, tries, and how far the first may be luck.
    Show(BoardShowArgs),
    /// End the season: no more submissions.
    Close(BoardCloseArgs),
}

/// `assay board new`.
#[derive(Args, Debug)]
pub(crate) struct BoardNewArgs {
    /// The board's name: small letters, digits and hyphens.
    pub name: String,
    /// The market: a preset or a file.
    #[arg(long, value_name = "NAME|FILE")]
    pub scenario: String,
    /// Public seeds: their results are shown in detail.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub public: u64,
    /// Sealed seeds: ranks are by them.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub sealed: u64,
    /// What is ranked; more of it must be better.
    #[arg(long, default_value = "pnl", value_name = "MEASURE")]
    pub measure: String,
    /// Step of the Ladder in a recorded market, in the measure's unit (for pnl: cents).
    #[arg(long, default_value_t = 1_000.0, value_name = "AMOUNT")]
    pub step: f64,
    #[command(flatten)]
    pub secret: SecretArgs,
    #[command(flatten)]
    pub boards: BoardsArgs,
}

/// `assay board submit`.
#[derive(Args, Debug)]
pub(crate) struct BoardSubmitArgs {
    /// The board.
    pub name: String,
    /// The strategy: a .rs, .py or .wasm file, or a crate folder.
    pub strategy: PathBuf,
    /// Who submits it. Anybody can take any name: ranks do not depend on it.
    #[arg(long, value_name = "NAME")]
    pub author: String,
    /// Episodes at once. [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub secret: SecretArgs,
    #[command(flatten)]
    pub boards: BoardsArgs,
}

/// `assay board show`.
#[derive(Args, Debug)]
pub(crate) struct BoardShowArgs {
    /// The board.
    pub name: String,
    /// Another season than the last one.
    #[arg(long, value_name = "N")]
    pub season: Option<u32>,
    /// For programs.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub boards: BoardsArgs,
}

/// `assay board close`.
#[derive(Args, Debug)]
pub(crate) struct BoardCloseArgs {
    /// The board.
    pub name: String,
    #[command(flatten)]
    pub boards: BoardsArgs,
}
