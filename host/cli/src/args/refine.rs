//! Flags of `assay refine` and `assay explain`.

mod settings;

use super::{GoalName, RecordArgs};
use assay_commands::settings::ModelAccess;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const NOTES: &str = "\
Examples:
  assay refine --from my.rs                                    let the tuner set the parameters that my.rs declares
  assay refine --from my.rs --scenario calm,volatile --seed 7  in two markets, with other draws
  assay refine \"quote both sides, keep inventory low\" --model anthropic:claude-sonnet-4-5 --budget-usd 5
  assay refine status                                          list the sessions
  assay refine \"quote closer\" --model openai:gpt-5-mini --record replies.jsonl
  assay refine \"quote closer\" --model cassette:replies.jsonl    the same again, without the model
  assay refine resume my-1                                     continue after Ctrl-C, a crash or a power cut

A new champion must beat the old one on seeds that no candidate has seen, by an e-value: if nothing is better, at most
one session in twenty promotes anything. At the end, champion and origin meet once on sealed seeds. The result is the
champion, or an honest \"nothing better was found\". docs/refine.md describes it.

Exit codes: 0 done, 1 the strategy was refused, 2 usage, 4 infrastructure (resume it), 130 interrupted (resume it).";

/// `assay refine`.
#[derive(Args, Debug)]
#[command(after_help = NOTES, args_conflicts_with_subcommands = true)]
pub(crate) struct RefineArgs {
    /// What to do; without it, a session begins.
    #[command(subcommand)]
    pub command: Option<RefineCommand>,
    #[command(flatten)]
    pub begin: RefineBeginArgs,
}

/// Flags of a session that begins.
#[derive(Args, Debug)]
pub(crate) struct RefineBeginArgs {
    /// What a model is asked for, in words.
    #[arg(value_name = "GOAL")]
    pub words: Option<String>,
    /// The strategy to begin with: a .rs or .py file. [default: for a model, the file that `assay new` writes]
    #[arg(long, value_name = "STRATEGY")]
    pub from: Option<PathBuf>,
    /// Who writes candidates. [default: model with --model, otherwise tuner]
    #[arg(long, value_enum)]
    pub writer: Option<WriterName>,
    /// The model that writes: PROVIDER:NAME, `scripted:FILE` or `cassette:FILE`. Keys come from the environment. Given several times, which one writes a
    /// candidate is chosen by what each has paid for its cost.
    #[arg(long, value_name = "SPEC")]
    pub model: Vec<String>,
    /// Another model that explains to the writer why the program that it begins with did as it did. [default: the writer is told the plain summary]
    #[arg(long, value_name = "SPEC")]
    pub explain_model: Option<String>,
    /// Another model that says what it thinks of each challenger. It decides nothing: its verdict is kept beside that of the formula. [default: none]
    #[arg(long, value_name = "SPEC")]
    pub judge_model: Option<String>,
    /// Another model that proposes up to two harder markets, of which the writer is told. They count nowhere. [default: none]
    #[arg(long, value_name = "SPEC")]
    pub plan_model: Option<String>,
    /// Let the model that writes look over each draft once before it is checked.
    #[arg(long)]
    pub self_review: bool,
    /// Maximum cost of the models in dollars; needs a price for each. [default: no limit]
    #[arg(long, value_name = "USD")]
    pub budget_usd: Option<f64>,
    /// Maximum number of tokens, input and output together. [default: no limit]
    #[arg(long, value_name = "N")]
    pub budget_tokens: Option<u64>,
    #[command(flatten)]
    pub access: ModelAccessArgs,
    /// Record the replies of the model in FILE, for `--model cassette:FILE` later; requests that are in it are answered from it. With one model only.
    #[arg(long = "record", value_name = "FILE")]
    pub tape: Option<PathBuf>,
    /// The markets: names from `assay scenarios`, or TOML files, separated with commas. A candidate must do well in all of them.
    #[arg(long, default_value = assay_commands::settings::DEFAULT_SCENARIO, value_name = "NAME|FILE[,...]", value_delimiter = ',')]
    pub scenario: Vec<String>,
    /// Markets for the end only: champion and origin meet in each of them once. `none` for none. [default: of calm, lively, volatile, stable and thin those
    /// that are not in --scenario, if --scenario names no others]
    #[arg(long, value_name = "NAME|FILE[,...]", value_delimiter = ',')]
    pub family: Option<Vec<String>>,
    /// The goal of the score.
    #[arg(long, value_enum, default_value_t = GoalName::Balanced)]
    pub goal: GoalName,
    /// How parents are chosen.
    #[arg(long, value_enum, default_value_t = SearchName::Evolve)]
    pub search: SearchName,
    /// What every draw depends on, the sealed seeds too: the same seed gives the same session. [default: a number that is drawn, and kept in the session]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Maximum number of generations.
    #[arg(long, default_value_t = 12, value_name = "N")]
    pub generations: u32,
    /// Candidates in each generation.
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub width: u32,
    /// End after so many generations without a promotion; 0 means never.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub plateau: u32,
    /// End after so many promotion trials: each uses up fresh seeds, and needs more evidence than the one before.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub trials: u32,
    /// End once the champion's interval lies above this score.
    #[arg(long, default_value_t = 8.0, value_name = "POINTS")]
    pub target: f64,
    /// Maximum minutes of work, over all processes of the session. [default: no limit]
    #[arg(long, value_name = "N")]
    pub budget_minutes: Option<f64>,
    /// Print what would be done and what it would take, and begin nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Number of seeds to run in parallel; the result does not depend on it. [default: all processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Write every event to standard output as a line of JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub record: RecordArgs,
    /// Folder in which sessions are kept, each in a folder of its own.
    #[arg(long, default_value = "refine", value_name = "DIR", global = true)]
    pub dir: PathBuf,
}

/// How a model is reached.
#[derive(Args, Clone, Debug)]
pub(crate) struct ModelAccessArgs {
    /// URL of the model's provider, for example `http://localhost:8000/v1`.
    #[arg(long, value_name = "URL")]
    pub model_url: Option<String>,
    /// TOML file with prices to use instead of the built-in ones; docs/models.md describes its format.
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Send charts as pictures, too: for a model that takes images. [default: charts are drawn in characters only]
    #[arg(long)]
    pub pictures: bool,
}

impl From<&ModelAccessArgs> for ModelAccess {
    fn from(args: &ModelAccessArgs) -> Self {
        Self { model_url: args.model_url.clone(), prices: args.prices.clone(), pictures: args.pictures }
    }
}

/// Who writes candidates.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WriterName {
    /// Sets the parameters that the strategy declares; no model.
    Tuner,
    /// A language model writes programs.
    Model,
}

/// How parents are chosen.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchName {
    /// Among the best, by rank and by how often each was a parent already.
    Evolve,
    /// Always the champion.
    Chain,
    /// None: every candidate is drawn anew.
    BestOfN,
}

/// Under `assay refine`.
#[derive(Subcommand, Debug)]
pub(crate) enum RefineCommand {
    /// List the sessions.
    Status {
        /// Write JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show one session: its trials, its candidates, its champion.
    Show {
        /// The session.
        #[arg(value_name = "ID")]
        id: String,
        /// Write its events as lines of JSON instead.
        #[arg(long)]
        json: bool,
        /// With --json: only events after this number.
        #[arg(long, default_value_t = 0, value_name = "N")]
        after: u64,
    },
    /// Continue a session that was interrupted.
    Resume(RefineResumeArgs),
    /// Give the model a hint. It hears it from the next candidate on; the session must not be running.
    Hint {
        /// The session.
        #[arg(value_name = "ID")]
        id: String,
        /// The hint.
        #[arg(value_name = "TEXT")]
        text: String,
    },
    /// Ask a running session to stop after what it is doing; it can be resumed.
    Stop {
        /// The session.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Begin a session with the events of another up to a number, and draws of its own. It cannot use the sealed seeds.
    Fork {
        /// The session, and the last event to share: `my-1@7`.
        #[arg(value_name = "ID@N")]
        from: String,
    },
    /// Find out which model's feedback helps a writer, by how much, and at what cost.
    Bench(Box<RefineBenchArgs>),
    /// Write the champion's source to a file.
    Export {
        /// The session.
        #[arg(value_name = "ID")]
        id: String,
        /// The file to write; an existing one is not touched. [default: ID.rs or ID.py]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// `assay refine resume`.
#[derive(Args, Debug)]
pub(crate) struct RefineResumeArgs {
    /// The session.
    #[arg(value_name = "ID")]
    pub id: String,
    /// Number of seeds to run in parallel; the result does not depend on it. [default: all processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Write every event to standard output as a line of JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub access: ModelAccessArgs,
    /// Record the replies of the model in FILE, for `--model cassette:FILE` later; requests that are in it are answered from it. With one model only.
    #[arg(long = "record", value_name = "FILE")]
    pub tape: Option<PathBuf>,
    #[command(flatten)]
    pub record: RecordArgs,
}

const BENCH_NOTES: &str = "\
Examples:
  assay refine bench --from a.rs,b.rs --models anthropic:claude-sonnet-4-5,openai:gpt-5-mini
  assay refine bench --from a.rs,b.rs --models scripted:one.jsonl --model scripted:writer.jsonl
  assay refine bench --flaws examples/refine/flaws/corpus.toml --models anthropic:claude-sonnet-4-5

Each strategy runs, and each model explains the run. The same writer rewrites the strategy with each
explanation, with the plain summary, with that of another strategy's run, and with nothing. What it
writes meets on the same seeds. The uplift is the points over the rewrite with nothing, with a 95%
interval over all strategies and samples.

Replies are kept in --out: run the same command again to continue after Ctrl-C, or with more
--samples; no stored reply is asked for again. docs/refine.md describes it.

Exit codes: 0 done, 1 a strategy was refused, 2 usage, 4 infrastructure (run it again),
130 interrupted (run it again).";

/// `assay refine bench`.
#[derive(Args, Debug)]
#[command(after_help = BENCH_NOTES)]
pub(crate) struct RefineBenchArgs {
    /// The models whose feedback is compared, separated with commas: PROVIDER:NAME, `scripted:FILE` or `cassette:FILE`.
    #[arg(long, required = true, value_name = "SPEC[,...]", value_delimiter = ',')]
    pub models: Vec<String>,
    /// The strategies, separated with commas: .rs or .py files, all of one language. They or --flaws are needed. With two or more, one arm is told of another strategy's run.
    #[arg(long, value_name = "STRATEGY[,...]", value_delimiter = ',')]
    pub from: Vec<PathBuf>,
    /// Strategies with planted flaws instead of --from: a TOML file such as examples/refine/flaws/corpus.toml. Models are asked to name the flaw too.
    #[arg(long, conflicts_with = "from", value_name = "FILE")]
    pub flaws: Option<PathBuf>,
    /// The model that writes, the same in every arm. [default: the first of --models]
    #[arg(long, value_name = "SPEC")]
    pub model: Option<String>,
    /// What the writer is asked for, in words.
    #[arg(long, default_value = "a higher score", value_name = "GOAL")]
    pub words: String,
    /// Rewrites of each strategy in each arm.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub samples: u32,
    /// Blocks of 8 seeds of each market that a rewrite runs on.
    #[arg(long, default_value_t = 6, value_name = "N")]
    pub blocks: u32,
    /// The markets: names from `assay scenarios`, or TOML files, separated with commas.
    #[arg(long, default_value = assay_commands::settings::DEFAULT_SCENARIO, value_name = "NAME|FILE[,...]", value_delimiter = ',')]
    pub scenario: Vec<String>,
    /// The goal of the score.
    #[arg(long, value_enum, default_value_t = GoalName::Balanced)]
    pub goal: GoalName,
    /// What seeds are drawn by.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Maximum cost of all models together in dollars, stored replies included; needs a price for each model. [default: no limit]
    #[arg(long, value_name = "USD")]
    pub budget_usd: Option<f64>,
    /// Maximum number of tokens, input and output of all models together, stored replies included. [default: no limit]
    #[arg(long, value_name = "N")]
    pub budget_tokens: Option<u64>,
    #[command(flatten)]
    pub access: ModelAccessArgs,
    /// Print what it would take, and ask nobody.
    #[arg(long)]
    pub dry_run: bool,
    /// Number of seeds to run in parallel; the result does not depend on it. [default: all processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Write the result to standard output as JSON.
    #[arg(long)]
    pub json: bool,
    /// Also write the result to this file, as a page in Markdown.
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// Folder in which replies are kept.
    #[arg(long, default_value = "refine-bench", value_name = "DIR")]
    pub out: PathBuf,
}

/// `assay explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The run, or the observed market: the folder that `assay run` or `assay observe` wrote, or the run.json or observation.json in it.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The model that explains: PROVIDER:NAME, `scripted:FILE` or `cassette:FILE`. Without one, what a model would be told is printed.
    #[arg(long, value_name = "SPEC")]
    pub model: Option<String>,
    /// Record the replies of the model in FILE, for `--model cassette:FILE` later; requests that are in it are answered from it. With one model only.
    #[arg(long = "record", value_name = "FILE")]
    pub tape: Option<PathBuf>,
    #[command(flatten)]
    pub access: ModelAccessArgs,
}
