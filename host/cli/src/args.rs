//! The command line as clap sees it: raw flags, not yet checked against the world. Each command's face turns its own into settings.

mod board;
mod choices;
mod gate;
mod groups;
mod manual;
mod refine;
mod rollout;
mod serve;
mod store;
mod tasks;
mod trace;
mod verdicts;
mod worlds;

use assay_commands::run::Goal;
pub(crate) use board::{BoardArgs, BoardCommand, BoardNewArgs, BoardShowArgs, BoardSubmitArgs, BoardsArgs, SecretArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use gate::{GateArgs, GateCommand, GateRunArgs};
pub(crate) use groups::command;
pub(crate) use manual::{CompletionsArgs, GuideArgs, ManArgs};
pub(crate) use refine::{ExplainArgs, RefineArgs, RefineCommand};
pub(crate) use rollout::{DebugArgs, EpisodeArgs, GradeArgs, RolloutArgs, RolloutCommand, RolloutRunArgs};
pub(crate) use serve::ServeArgs;
use std::path::PathBuf;
pub(crate) use store::{
    CompareArgs, ExportRunArgs, KindName, LeaderboardArgs, RecordArgs, RemoveArgs, RunsArgs, ShowRunArgs, StatusName,
    StoreArgs,
};
pub(crate) use tasks::{MineArgs, TasksArgs, TasksCommand, VerifyTasksArgs};
pub(crate) use trace::{DiffFormat, ExportArgs, ExportForm, OutcomeName, RoleName, TraceArgs, TraceCommand};
pub(crate) use verdicts::{KeygenArgs, ReportArgs, VerdictOutputArgs, VerifyVerdictArgs};
pub(crate) use worlds::{
    ActorArgs, AgentArgs, DomainName, FaultsName, SpendingArgs, SuiteName, WorldsArgs, WorldsCommand, WorldsDebugArgs,
    WorldsForkArgs, WorldsImportCommand, WorldsRunArgs, WorldsServeArgs, WorldsStateArgs,
};

/// Put untrusted code on trial: strategies that trade, and fixes for bugs.
///
/// A strategy is one Rust or Python file. It is checked, compiled to WebAssembly in a jail, and trades in a simulated market inside a sandbox
/// where everything is metered and repeatable. You get a scored report.
#[derive(Parser, Debug)]
#[command(
    name = "assay",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "Start here:\n  assay new my-strategy\n  assay check my-strategy.rs\n  assay run my-strategy.rs\n\nExit codes: 0 success, 1 strategy refused (traces: different, or incomplete), 2 usage error, 3 strategy failed while running or by the gate's policy, 4 infrastructure failure, 130 interrupted."
)]
pub(crate) struct Cli {
    /// Where compiled artifacts and the prepared SDK are kept.
    #[arg(long, global = true, env = "ASSAY_CACHE_DIR", value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Write a commented starter strategy that already trades.
    New(NewArgs),
    /// Check a strategy without running it: source, dependencies, compilation, component.
    Check(CheckArgs),
    /// Run a strategy over many seeds against a do-nothing baseline and write a report.
    Run(RunArgs),
    /// Run a market without a strategy: what it is like, who trades, what moves the price.
    Observe(ObserveArgs),
    /// Let several strategies trade in one market: who earns from whom, with ratings.
    Arena(ArenaArgs),
    /// Improve a strategy: many candidates, and a champion that is proven to be better on seeds nobody has seen.
    Refine(Box<RefineArgs>),
    /// Judge submissions by a policy: a verdict with reasons for each, for people and for CI.
    Gate(Box<GateArgs>),
    /// Attack this installation, and report which limits hold and what is missing.
    Doctor(DoctorArgs),
    /// Query the data of a run with SQL.
    Query(QueryArgs),
    /// Show what has been run, and what runs, as pages in a browser.
    Serve(ServeArgs),
    /// List what has been run, newest first.
    Runs(RunsArgs),
    /// Show one run: what, when, how it ended, every measure.
    Show(ShowRunArgs),
    /// Explain a run by a model that is shown its summary; without a model, print what it would be told.
    Explain(ExplainArgs),
    /// Compare two runs, measure by measure, with intervals.
    Compare(CompareArgs),
    /// Run a leaderboard for several people, on seeds that the board chooses.
    Board(BoardArgs),
    /// Rank the strategies in this store by their results in a scenario. To compete with other people, see `assay board`.
    Leaderboard(LeaderboardArgs),
    /// Remove runs from the store.
    Rm(RemoveArgs),
    /// Export a run to files: its record, report page and artifacts.
    Export(ExportRunArgs),
    /// List the market scenarios, or show one.
    Scenarios(ScenariosArgs),
    /// Inspect recorded episodes: show, summarize, compare, verify, export.
    Trace(TraceArgs),
    /// Bug-fix rollouts: let a model repair repositories, and score it by their tests.
    Rollout(Box<RolloutArgs>),
    /// Bug-fix tasks: import them from data sets, mine them from a git history, check them, read their test logs.
    Tasks(TasksArgs),
    /// Worlds: try agents that use tools and talk to people, where nothing can break.
    Worlds(Box<WorldsArgs>),
    /// Print the guide to writing a strategy: one page for a person, or for a model.
    Guide(GuideArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Write the manual pages of all commands to a folder.
    Man(ManArgs),
}

/// `assay new`.
#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// Name of the strategy. The file is NAME.rs, or NAME.py if the name ends in `.py`.
    pub name: String,
    /// Write a Python strategy.
    #[arg(long)]
    pub python: bool,
}

/// `assay check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// A strategy: a .rs or .py file, a crate folder, or a compiled .wasm component.
    #[arg(value_name = "STRATEGY")]
    pub strategy: PathBuf,
    /// How to show the findings.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Output formats of `assay check`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// For a person: source excerpts and hints.
    Text,
    /// For a model or a script.
    Json,
    /// SARIF 2.1.0, for CI and editors.
    Sarif,
}

/// `assay run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// A strategy: a .rs or .py file, a crate folder, or a compiled .wasm component.
    #[arg(value_name = "STRATEGY")]
    pub strategy: PathBuf,
    /// The market: a name from `assay scenarios`, or a TOML file. Separate several with commas: each gets its own table and page, and one score covers all.
    #[arg(long, default_value = assay_commands::settings::DEFAULT_SCENARIO, value_name = "NAME|FILE[,...]", value_delimiter = ',')]
    pub scenario: Vec<String>,
    /// Change a key of the market, as in a scenario file: `--set 'strategy.latency="5ms"'`. May be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Set a parameter that the strategy declares: `--param lot=50`. May be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<String>,
    /// How many seeds, or which: `20` means 1 to 20; `5..8` means 5, 6, 7 and 8; `3,7,11` means just those.
    #[arg(long, default_value = "20", value_name = "N|A..B|A,B,C")]
    pub seeds: String,
    /// The goal of the score: it sets how much each axis counts.
    #[arg(long, value_enum, default_value_t = GoalName::Balanced)]
    pub goal: GoalName,
    /// Compare with another strategy instead of a trader that does nothing: a file, a run.json (the strategy in it), or `previous` (the strategy of the report in DIR).
    #[arg(long, value_name = "STRATEGY|RUN|previous")]
    pub baseline: Option<PathBuf>,
    /// Folder for index.html and run.json; created if it does not exist.
    #[arg(long, default_value = "report", value_name = "DIR")]
    pub out: PathBuf,
    /// Number of seeds to run in parallel; the results do not depend on it. [default: all processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Keep every quote, level, trade and order of every episode as Parquet in DIR/data; `assay query` reads it.
    #[arg(long)]
    pub data: bool,
    /// Run the first seed once more to see where the fuel goes: fuel by function, and a flame graph in DIR/profile.svg. Scores do not change.
    #[arg(long)]
    pub profile: bool,
    #[command(flatten)]
    pub record: RecordArgs,
}

const RUN_EXAMPLES: &str = "\
Examples:
  assay run my-strategy.rs                                   one market, 20 seeds
  assay run my-strategy.rs --scenario volatile --seeds 100   another market, narrower intervals
  assay run my-strategy.rs --scenario calm,volatile,thin     three markets, one score
  assay run my-strategy.rs --set strategy.latency='\"5ms\"'    the same market with one key changed
  assay run my-strategy.rs --baseline previous               compared with the version in the last report

The score runs from 1 to 10: profit after costs, risk, execution, and the effect on volatility, spread and liquidity,
each with an interval. docs/score.md has the scales. With several markets, DIR holds index.html, run.json and
run-summary.md for all of them together, and a subfolder with the same files for each.";

/// What a score is for.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GoalName {
    /// Some of everything, profit most.
    Balanced,
    /// Money.
    Profit,
    /// Money for little risk.
    Risk,
    /// Trading at a good price.
    Execution,
    /// A better market for everybody.
    Impact,
}

impl GoalName {
    /// What is meant.
    pub(crate) const fn goal(self) -> Goal {
        match self {
            Self::Balanced => Goal::Balanced,
            Self::Profit => Goal::Profit,
            Self::Risk => Goal::Risk,
            Self::Execution => Goal::Execution,
            Self::Impact => Goal::Impact,
        }
    }
}

/// `assay observe`.
#[derive(Args, Debug)]
#[command(after_help = OBSERVE_EXAMPLES)]
pub(crate) struct ObserveArgs {
    /// The market: a name from `assay scenarios`, or a TOML file.
    #[arg(value_name = "NAME|FILE")]
    pub scenario: String,
    /// Change a key of the market, as in a scenario file. May be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How many seeds, or which: `20` means 1 to 20; `5..8` means 5, 6, 7 and 8; `3,7,11` means just those.
    #[arg(long, default_value = "20", value_name = "N|A..B|A,B,C")]
    pub seeds: String,
    /// Folder for index.html and observation.json; created if it does not exist.
    #[arg(long, default_value = "observation", value_name = "DIR")]
    pub out: PathBuf,
    /// Number of seeds to run in parallel; the results do not depend on it. [default: all processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Keep every quote, level, trade and order as Parquet in DIR/data; `assay query` reads it.
    #[arg(long)]
    pub data: bool,
    /// Write what was found to standard output as JSON instead of tables.
    #[arg(long)]
    pub json: bool,
}

const OBSERVE_EXAMPLES: &str = "\
Examples:
  assay observe volatile                         the market over 20 seeds, with no strategy
  assay observe thin --seeds 100 --out thin/     more seeds, another folder
  assay observe my-market.toml --data            also write Parquet, for `assay query`
  assay observe rmsc04 --set 'market.close=\"10:30\"' a key changed

For the first seed, the page shows price, depth, spread, volume, order flow and volatility. Over all seeds, it shows the
measures of the market, who trades (volume, who provides and who takes, profit at the mid), who moves the price (the
impact of each kind of agent), and halts and jumps. For sessions of two hours or more, it also checks the facts of real
markets.";

/// `assay arena`.
#[derive(Args, Debug)]
#[command(after_help = ARENA_NOTES)]
pub(crate) struct ArenaArgs {
    /// Two to 16 strategies: .rs or .py files, crate folders, or compiled .wasm components. The same one may be named twice.
    #[arg(value_name = "STRATEGY", required = true, num_args = 2..)]
    pub strategies: Vec<PathBuf>,
    /// The market: a name from `assay scenarios`, or a TOML file.
    #[arg(long, default_value = assay_commands::settings::DEFAULT_SCENARIO, value_name = "NAME|FILE")]
    pub scenario: String,
    /// Seeds, one game each. How many, or which: `20` means 1 to 20; `5..8` means 5, 6, 7 and 8; `3,7,11` means just those.
    #[arg(long, default_value = "40", value_name = "N|A..B|A,B,C")]
    pub seeds: String,
    /// Also write every game as JSON to this file; `-` writes it to standard output instead of the tables.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Number of games to run in parallel; the results do not depend on it. [default: all processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

const ARENA_NOTES: &str = "\
Each strategy has its own seat, sandbox and budget. Seats rotate from seed to seed, because the first seat is served
first when two strategies act at the same instant. A strategy that fails is removed; the others keep playing.

Ratings are Bradley-Terry on the Elo scale: the mean is 1000, and 400 points more mean ten times the odds of ending a
game with the higher profit. A strategy that pays another one more than is usual is named as its feeder. So is one that
loses where another one wins and trades mostly with it, far more often than by chance.

Example:
  assay arena mine.rs rival.py examples/strategies/market_maker.rs --scenario calm --seeds 60

Exit codes: 0 done, 1 a strategy was refused, 3 a strategy failed in at least one game, 4 infrastructure.";

/// `assay doctor`.
#[derive(Args, Debug)]
#[command(after_help = DOCTOR_NOTES)]
pub(crate) struct DoctorArgs {
    /// Run every attack in this binary, not only the quick ones.
    #[arg(long)]
    pub all: bool,
    /// Run the attacks in a folder instead: its tables, its files, and everything in its `any` subfolder.
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Only attacks of these classes (A to J), or with these words in their names.
    #[arg(long, value_name = "CLASS|WORD", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Skip the parts that you do not use.
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    pub skip: Vec<DoctorPart>,
    /// Number of attacks to run in parallel. [default: all processors]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write the results as JSON.
    #[arg(long)]
    pub json: bool,
}

const DOCTOR_NOTES: &str = "\
Each attack runs in its own process, which is watched from outside: how it ended, how long it took, how much memory it
used, and whether it read a secret, wrote outside its folder or reached the network. docs/hostile.md describes the
attacks and how to add more.

Exit codes: 0 every attack was held, 1 at least one was not, 4 something that is needed is missing.";

/// Parts that can be skipped.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DoctorPart {
    /// The Python interpreter of bug-fix episodes.
    Python,
    /// The container engine that grades them.
    Containers,
}

/// `assay query`.
#[derive(Args, Debug)]
#[command(after_help = QUERY_EXAMPLES)]
pub(crate) struct QueryArgs {
    /// The run: the folder that `assay run --data --out` wrote, or its run.json.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// A query over the run's tables. Without one, the tables and columns are listed.
    #[arg(allow_hyphen_values = true, value_name = "SQL")]
    pub sql: Option<String>,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Table)]
    pub format: AnswerFormat,
    /// Maximum number of rows to write. [default: 100 in a table, all otherwise]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Timeout of the query: `500ms`, `30s`, `5min`.
    #[arg(long, default_value = "30s", value_name = "TIME")]
    pub timeout: String,
}

const QUERY_EXAMPLES: &str = "\
Examples:
  assay run my-strategy.rs --data --out report/   record a run
  assay query report/                             list its tables and columns
  assay query report/ \"select seed, sum(quantity) from trades where episode = 'strategy' group by seed\"
  assay query report/ \"select reason, count(*) from orders where message = 'rejected' group by reason\"
  assay query report/ \"select date_bin(interval '1 minute', time) as minute, avg(bid_price + ask_price) / 2 as mid
                      from quotes where seed = 1 and episode = 'baseline' group by minute order by minute\" --format csv

A query reads only the tables of its run, and changes nothing. Prices are integer cents; times are UTC with
nanoseconds. docs/data.md explains the columns.";

/// Output formats of `assay query`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AnswerFormat {
    /// Aligned columns, for a person.
    Table,
    /// With a header line.
    Csv,
    /// One array of objects.
    Json,
    /// An Arrow IPC stream, for programs.
    Arrow,
}

/// `assay scenarios`.
#[derive(Args, Debug)]
pub(crate) struct ScenariosArgs {
    /// What to do; without it, the scenarios are listed.
    #[command(subcommand)]
    pub command: Option<ScenariosCommand>,
}

/// Under `assay scenarios`.
#[derive(Subcommand, Debug)]
pub(crate) enum ScenariosCommand {
    /// Print a scenario's TOML; for a recorded market, also what is in the recording.
    Show {
        /// A name from `assay scenarios`, or a TOML file.
        #[arg(value_name = "NAME|FILE")]
        name: String,
    },
    /// Copy a scenario to a file that you can edit.
    New {
        /// The file to write; an existing one is not touched.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The scenario to copy: a name from `assay scenarios`.
        #[arg(long, value_name = "NAME")]
        from: String,
    },
    /// Check how realistic a market is over many seeds: ten facts of real markets, and three about what it pays for. A fact that does not hold is not an error.
    Validate {
        /// The markets: names from `assay scenarios`, or TOML files.
        #[arg(required = true, value_name = "NAME|FILE")]
        scenarios: Vec<String>,
        /// How many seeds, or which, as for `assay run`. The default is a hundred that no market was fitted to.
        #[arg(long, default_value = "10001..10100", value_name = "N|A..B|A,B,C")]
        seeds: String,
        /// Number of seeds to run in parallel; the results do not depend on it. [default: all processors]
        #[arg(long, value_name = "N")]
        threads: Option<usize>,
    },
}
