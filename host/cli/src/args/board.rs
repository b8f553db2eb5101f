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

The board chooses the seeds. The public ones are in board.json; the sealed ones come from the secret and decide the ranks.
An entry is its content, and belongs to whoever submitted it first. Every submission counts as a try, and ranks are
corrected for the number of tries, so an author gains nothing by using many names. docs/boards.md explains who may hold
the secret, and what a board on its author's own machine is worth.";

/// `assay board`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BoardArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BoardCommand,
}

/// Where the boards are.
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
    /// Environment variable with the secret of the sealed seeds.
    #[arg(long, value_name = "VARIABLE")]
    pub secret_env: Option<String>,
    /// File with the secret of the sealed seeds.
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
    /// Show ranks, tries, and how likely it is that the leader is only lucky.
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
    /// Number of public seeds; their results are shown in detail.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub public: u64,
    /// Number of sealed seeds; they decide the ranks.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub sealed: u64,
    /// The measure to rank by; higher must be better.
    #[arg(long, default_value = "pnl", value_name = "MEASURE")]
    pub measure: String,
    /// Step of the Ladder in a recorded market, in the unit of the measure (for pnl: cents).
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
    /// Name of the author. Anyone can use any name: ranks do not depend on it.
    #[arg(long, value_name = "NAME")]
    pub author: String,
    /// Number of episodes to run in parallel. [default: all processors]
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
    /// The season to show. [default: the last one]
    #[arg(long, value_name = "N")]
    pub season: Option<u32>,
    /// Write JSON.
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
