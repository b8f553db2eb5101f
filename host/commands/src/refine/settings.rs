//! What is asked of sessions, of the benchmark of feedback and of explanations: plain values, of which nothing is checked yet.

use crate::settings::{ModelAccess, RecordSettings};
use assay_evaluate::Goal;
use assay_refine::core::plan::Search;
use std::path::PathBuf;

/// Who writes candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriterKind {
    /// Sets the parameters that the strategy declares; no model.
    Tuner,
    /// A language model writes programs.
    Model,
}

/// A session that begins.
#[derive(Clone, Debug)]
pub struct BeginSettings {
    /// What a model is asked for, in words.
    pub words: Option<String>,
    /// The strategy to begin with; for a model, otherwise the file that `assay new` writes.
    pub from: Option<PathBuf>,
    /// Who writes candidates; otherwise a model if there is one, and the tuner if not.
    pub writer: Option<WriterKind>,
    /// The models that write.
    pub model: Vec<String>,
    /// The model that explains to the writer what programs did.
    pub explain_model: Option<String>,
    /// The model that says what it thinks of each challenger.
    pub judge_model: Option<String>,
    /// The model that proposes harder markets.
    pub plan_model: Option<String>,
    /// The model that writes looks over each draft once.
    pub self_review: bool,
    /// Maximum cost of the models in dollars.
    pub budget_usd: Option<f64>,
    /// Maximum number of tokens, input and output together.
    pub budget_tokens: Option<u64>,
    /// How models are reached.
    pub access: ModelAccess,
    /// Where the replies of the model are recorded.
    pub tape: Option<PathBuf>,
    /// The markets that candidates must do well in.
    pub scenario: Vec<String>,
    /// Markets for the end only; otherwise those of the usual family that are left.
    pub family: Option<Vec<String>>,
    /// The goal of the score.
    pub goal: Goal,
    /// How parents are chosen.
    pub search: Search,
    /// What every draw depends on; otherwise it is drawn.
    pub seed: Option<u64>,
    /// Maximum number of generations.
    pub generations: u32,
    /// Candidates in each generation.
    pub width: u32,
    /// Generations without a promotion after which it ends; 0 means never.
    pub plateau: u32,
    /// Promotion trials after which it ends.
    pub trials: u32,
    /// The score that the champion's interval must lie above for it to end.
    pub target: f64,
    /// Maximum minutes of work, over all processes of the session.
    pub budget_minutes: Option<f64>,
    /// Only say what would be done and what it would take.
    pub dry_run: bool,
    /// Seeds that run in parallel; otherwise as many as there are processors.
    pub threads: Option<usize>,
    /// Events are results, each a line of JSON.
    pub json: bool,
    /// Where it is recorded, if anywhere.
    pub record: RecordSettings,
    /// The folder in which sessions are kept.
    pub dir: PathBuf,
}

/// A session that goes on.
#[derive(Clone, Debug)]
pub struct ResumeSettings {
    /// The session.
    pub id: String,
    /// Seeds that run in parallel; otherwise as many as there are processors.
    pub threads: Option<usize>,
    /// Events are results, each a line of JSON.
    pub json: bool,
    /// How models are reached.
    pub access: ModelAccess,
    /// Where the replies of the model are recorded.
    pub tape: Option<PathBuf>,
    /// Where it is recorded, if anywhere.
    pub record: RecordSettings,
}

/// A benchmark of feedback.
#[derive(Clone, Debug)]
pub struct BenchSettings {
    /// The models whose feedback is compared; at least one.
    pub models: Vec<String>,
    /// The strategies, all of one language.
    pub from: Vec<PathBuf>,
    /// A file of strategies with planted flaws instead.
    pub flaws: Option<PathBuf>,
    /// The model that writes; otherwise the first of those that are compared.
    pub model: Option<String>,
    /// What the writer is asked for, in words.
    pub words: String,
    /// Rewrites of each strategy in each arm.
    pub samples: u32,
    /// Blocks of seeds that a rewrite runs on.
    pub blocks: u32,
    /// The markets.
    pub scenario: Vec<String>,
    /// The goal of the score.
    pub goal: Goal,
    /// What seeds are drawn by.
    pub seed: u64,
    /// Maximum cost of all models together in dollars, stored replies included.
    pub budget_usd: Option<f64>,
    /// Maximum number of tokens of all models together, stored replies included.
    pub budget_tokens: Option<u64>,
    /// How models are reached.
    pub access: ModelAccess,
    /// Only say what it would take.
    pub dry_run: bool,
    /// Seeds that run in parallel; otherwise as many as there are processors.
    pub threads: Option<usize>,
    /// The result is JSON.
    pub json: bool,
    /// A file to write the result to as well, as a page in Markdown.
    pub page: Option<PathBuf>,
    /// The folder in which replies are kept.
    pub out: PathBuf,
}

/// An explanation of a run, or of an observed market.
#[derive(Clone, Debug)]
pub struct ExplainSettings {
    /// The folder of the run or of the observation, or the record in it.
    pub run: PathBuf,
    /// The model that explains; without one, what it would be told is the result.
    pub model: Option<String>,
    /// Where the replies of the model are recorded.
    pub tape: Option<PathBuf>,
    /// How the model is reached.
    pub access: ModelAccess,
}
