//! The policy: what a submission must show, as a TOML file. docs/gate.md describes it for its writers.
//!
//! Invariants: text in, [`Policy`] out, nothing is read; a policy that parses is free of contradictions, and every rule in it can be judged
//! by the measures that there are. What it names elsewhere (scenario files, secrets, lists of seeds) is for others to fetch.

mod error;
mod parse;
mod read;
mod rules;
mod seeds;

use assay_evaluate::{Confidence, Seeds, Tail};
use assay_market::metrics::KpiInfo;
use assay_model::Budget;
use assay_validator::Code;
use std::time::Duration;

pub use error::PolicyError;
pub use seeds::{HIDDEN_SEEDS_CONTEXT, Hidden, SECRET_CHARS_MIN, Secret, SeedsFault, listed_seeds};
pub use toml::value::Date;

/// A policy longer than this is none.
pub const POLICY_BYTES_MAX: usize = 1 << 20;
/// Seeds of one scenario: far more than an interval needs; each takes an episode a submission.
pub const POLICY_SEEDS_MAX: u64 = 1_000;
/// Rules and scenarios: more than anybody reads, and a bound on the verdict.
pub const POLICY_RULES_MAX: usize = 1_000;
/// What `assay gate init` writes: a policy that works at once, with a word about everything.
pub const TEMPLATE: &str = include_str!("template.toml");

/// See the module documentation.
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    /// Its name in verdicts.
    pub name: String,
    /// BLAKE3 of its text.
    pub hash: String,
    /// Where the secret is from which hidden seeds are derived and with which they are committed to.
    pub secret: Option<Origin>,
    /// The markets, in order; at least one, none twice.
    pub scenarios: Vec<ScenarioRule>,
    /// What is asked of the measures, in order.
    pub rules: Vec<Rule>,
    /// How episodes may end.
    pub outcomes: OutcomeRule,
    /// What a submission may use, where that is less than the scenario allows.
    pub budget: BudgetCap,
    /// Which warnings refuse.
    pub findings: FindingRule,
    /// Exceptions that somebody answers for.
    pub sign_offs: Vec<SignOffRule>,
    /// Scored seeds that a scenario needs, or nothing is decided in it; all of them if it is `None`.
    pub scored_seeds_min: Option<u64>,
}

/// Where a text is that is not in the policy.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A file, by its path from the policy's folder on.
    File(String),
    /// An environment variable.
    Environment(String),
}

/// One market.
#[derive(Clone, PartialEq, Debug)]
pub struct ScenarioRule {
    /// A preset's name, or the path of a TOML file from the policy's folder on.
    pub scenario: String,
    /// Where the policy says so.
    pub line: u32,
    /// Seeds that authors may know.
    pub public: Option<Seeds>,
    /// Seeds that they may not.
    pub hidden: Option<HiddenRule>,
}

/// Which seeds are hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HiddenRule {
    /// So many, derived from the secret.
    Derived(u64),
    /// Those of a list.
    Listed(Origin),
}

/// What is asked of one measure.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Unique in the policy.
    pub name: String,
    /// Where the policy says so.
    pub line: u32,
    /// Of which measure.
    pub measure: &'static KpiInfo,
    /// What is looked at.
    pub statistic: Statistic,
    /// The difference to the baseline, seed by seed, rather than the value.
    pub against_baseline: bool,
    /// It must not be below.
    pub lower: Option<Limit>,
    /// It must not be above.
    pub upper: Option<Limit>,
    /// Seeds in which the measure may have no value.
    pub missing_max: u64,
    /// The scenarios that it is for; all if it is `None`.
    pub scenarios: Option<Vec<String>>,
    /// Why it is there, for the author of a submission that breaks it.
    pub why: Option<String>,
}

/// What is looked at over the seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Statistic {
    /// The mean.
    Mean,
    /// Each seed by itself.
    EverySeed,
    /// A one-sided confidence bound of the mean.
    Bound {
        /// Which end.
        tail: Tail,
        /// As it is written, in percent.
        percent: f64,
        /// The same.
        confidence: Confidence,
    },
}

/// One end of what is allowed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limit {
    /// How much.
    pub amount: Amount,
    /// The limit itself is not allowed.
    pub strict: bool,
}

/// How much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// In the measure's unit.
    Absolute(f64),
    /// As a fraction of the size of the baseline's mean.
    OfBaseline(f64),
}

/// How episodes may end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutcomeRule {
    /// At least one.
    pub allowed: Vec<OutcomeKind>,
    /// Where the policy says so; 1 if it does not.
    pub line: u32,
}

/// How an episode ended for the strategy, without the details.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OutcomeKind {
    /// To its own end.
    Finished,
    /// It used up its fuel.
    OutOfFuel,
    /// It used up its memory.
    OutOfMemory,
    /// It panicked, or did something else that WebAssembly forbids.
    Trapped,
    /// It ran into a limit of the interface.
    LimitExceeded,
    /// The exchange stopped calling it: too many requests.
    Stopped,
}

impl OutcomeKind {
    /// Every kind, with its name in policies.
    pub const ALL: [(&'static str, Self); 6] = [
        ("finished", Self::Finished),
        ("out-of-fuel", Self::OutOfFuel),
        ("out-of-memory", Self::OutOfMemory),
        ("trapped", Self::Trapped),
        ("limit-exceeded", Self::LimitExceeded),
        ("stopped", Self::Stopped),
    ];

    /// Its name in policies.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// What a submission may use; what is `None` is as the scenario says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BudgetCap {
    /// Fuel for `initialize`.
    pub fuel_initialize: Option<u64>,
    /// Fuel for each later callback.
    pub fuel_callback: Option<u64>,
    /// Fuel for a whole episode.
    pub fuel_episode: Option<u64>,
    /// Linear memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Processor time after which a callback is taken to hang, and its strategy to have failed.
    pub watchdog: Option<Duration>,
    /// What a submission may compute in all, compilation included; beyond it, it has failed. Waiting for a processor does not count.
    pub wall: Duration,
}

impl BudgetCap {
    /// The lower of this and the scenario's own budget, part by part.
    #[must_use]
    pub fn lower(&self, own: Budget) -> Budget {
        let cap = |cap: Option<u64>, own: u64| cap.map_or(own, |cap| cap.min(own));
        Budget {
            fuel_initialize: cap(self.fuel_initialize, own.fuel_initialize),
            fuel_callback: cap(self.fuel_callback, own.fuel_callback),
            fuel_episode: cap(self.fuel_episode, own.fuel_episode),
            memory_bytes: cap(self.memory_bytes, own.memory_bytes),
            // A cap of the whole episode does not grow.
            fuel_per_tick: self.fuel_episode.map_or(own.fuel_per_tick, |_| 0),
            fuel_per_market_data: self.fuel_episode.map_or(own.fuel_per_market_data, |_| 0),
            fuel_per_order_update: self.fuel_episode.map_or(own.fuel_per_order_update, |_| 0),
        }
    }
}

/// Which warnings refuse. Errors always do, unless they are signed off.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FindingRule {
    /// All but those allowed.
    pub deny_warnings: bool,
    /// Never.
    pub allow: Vec<Code>,
    /// In any case.
    pub deny: Vec<Code>,
}

impl FindingRule {
    /// Whether a warning of this code refuses.
    #[must_use]
    pub fn denies(&self, code: Code) -> bool {
        self.deny.contains(&code) || self.deny_warnings && !self.allow.contains(&code)
    }
}

/// An exception: findings of one code in one submission do not count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignOffRule {
    /// Which findings.
    pub code: Code,
    /// BLAKE3 of the submission, in hexadecimal.
    pub submission: String,
    /// Who answers for it.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The last day on which it holds.
    pub until: Option<Date>,
}

/// A day, written as year, month and day.
#[must_use]
pub fn date(text: &str) -> Option<Date> {
    let day: toml::value::Datetime = text.parse().ok()?;
    day.date.filter(|_| day.time.is_none() && day.offset.is_none())
}

impl Policy {
    /// Whether a verdict under it depends on the day.
    #[must_use]
    pub fn needs_date(&self) -> bool {
        self.sign_offs.iter().any(|rule| rule.until.is_some())
    }

    /// The exception that holds for findings of `code` in this submission on `today`.
    #[must_use]
    pub fn sign_off(&self, code: Code, submission: &str, today: Option<Date>) -> Option<&SignOffRule> {
        let holds = |rule: &&SignOffRule| {
            // Without a day, what ends on one has ended.
            let in_time = rule.until.is_none_or(|until| today.is_some_and(|today| today <= until));
            rule.code == code && rule.submission == submission && in_time
        };
        self.sign_offs.iter().find(holds)
    }
}
