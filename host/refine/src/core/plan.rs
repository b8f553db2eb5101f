//! What a session set out to do: fixed when it begins, and recorded as its first event.

use serde::{Deserialize, Serialize};

/// Candidates of one generation.
pub const WIDTH_MAX: u32 = 256;

/// Version of the rules. A session is resumed only by a program with the same one; logs of older ones are read.
pub const RULES_VERSION: u32 = 7;

/// Since this version, a promotion takes many seeds together as well.
pub const POOLED_SINCE: u32 = 7;

/// See the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`RULES_VERSION`].
    pub rules_version: u32,
    /// Version of Assay.
    pub assay: String,
    /// What every draw is keyed by.
    pub seed: u64,
    /// The goal of the score, as `assay run --goal` names it.
    pub goal: String,
    /// The markets.
    pub markets: Vec<MarketPlan>,
    /// Markets in which nothing runs before the seal, when champion and origin meet in them once.
    #[serde(default)]
    pub family: Vec<MarketPlan>,
    /// File name of the strategy that it began with.
    pub strategy: String,
    /// BLAKE3 of its source.
    pub source_hash: String,
    /// Who writes candidates.
    pub writer: WriterPlan,
    /// How parents are chosen.
    pub search: Search,
    /// The numbers of the loop.
    pub rules: Rules,
    /// What it may use.
    pub budget: Budget,
}

/// One market.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarketPlan {
    /// What it was asked for by.
    pub name: String,
    /// BLAKE3 of its text.
    pub hash: String,
}

/// Who writes candidates.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum WriterPlan {
    /// Sets declared parameters.
    Tuner {
        /// What can be set.
        parameters: Vec<Tunable>,
    },
    /// Language models write programs.
    Model(ModelPlan),
}

/// The models of a session, each by its specification.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPlan {
    /// The one that writes.
    pub model: String,
    /// Others that may write in its place: which one fills a slot depends on what each has paid. Since version 4, as all that follows but the explainer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// What they are asked for.
    pub goal: String,
    /// BLAKE3 of the prompts.
    pub prompts_hash: String,
    /// Where the provider listens, if not in its usual place. Since version 6, as the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_url: Option<String>,
    /// BLAKE3 of what the models cost, so that a session is not resumed with other prices.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prices_hash: String,
    /// The one that explains what programs did, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain_model: Option<String>,
    /// The one that says what it thinks of a challenger, if one does. It decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<String>,
    /// The one that proposes markets to look at besides, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_model: Option<String>,
    /// Whether whoever writes looks over a draft before it is checked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub self_review: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) const fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl ModelPlan {
    /// All that do something else.
    pub fn helpers(&self) -> impl Iterator<Item = &str> {
        [&self.explain_model, &self.judge_model, &self.plan_model].into_iter().filter_map(|model| model.as_deref())
    }

    /// All that may write, the first one first.
    pub fn writers(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.model).chain(&self.others).map(String::as_str)
    }
}

impl WriterPlan {
    /// The models, if models write.
    #[must_use]
    pub const fn models(&self) -> Option<&ModelPlan> {
        match self {
            Self::Model(models) => Some(models),
            Self::Tuner { .. } => None,
        }
    }
}

/// A parameter that the tuner may set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tunable {
    /// Its name.
    pub name: String,
    /// What the origin has.
    pub default: f64,
    /// The least value.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// Whether equal steps are equal factors.
    pub is_logarithmic: bool,
    /// Whether it takes whole numbers only.
    pub is_integer: bool,
    /// Where its default stands in the source, in bytes from start to end: of a Python strategy. In Rust, its declaration is looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_at: Option<(usize, usize)>,
}

/// How parents are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// From the archive, by rank and by how often each was one already.
    Evolve,
    /// Always the champion.
    Chain,
    /// None: every candidate is drawn or written anew.
    BestOfN,
}

/// The numbers of the loop. A block is [`Rules::block_seeds`] seeds of each market; its points are the score of those.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Generations at most.
    pub generations: u32,
    /// Candidates of a generation.
    pub width: u32,
    /// Seeds of a block, of each market.
    pub block_seeds: u32,
    /// Seeds of each market with which a candidate is first run.
    pub probe_seeds: u32,
    /// Blocks that those still in the race have seen at the end of each rung.
    pub rungs: Vec<u32>,
    /// One candidate in this number stays in the race after a rung; a single one after the last.
    pub keep_one_in: u32,
    /// Blocks of a promotion trial at most.
    pub trial_blocks: u32,
    /// Blocks between two looks at a trial.
    pub batch_blocks: u32,
    /// Blocks of fresh seeds that a challenger which has won its trial must also win taken together. 0: it need not, as before version 7.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pooled_blocks: u32,
    /// Trials at most: each uses up fresh seeds, and needs more evidence than the one before.
    #[serde(default = "trials_max")]
    pub trials_max: u32,
    /// Blocks of the sealed comparison.
    pub sealed_blocks: u32,
    /// Blocks of the sealed comparison in each market of the family.
    #[serde(default = "family_blocks")]
    pub family_blocks: u32,
    /// Probability that a session without a better candidate promotes one, at most.
    pub alpha: f64,
    /// The greatest part of the wealth that is bet on one block.
    pub bet_max: f64,
    /// Generations without a promotion after which it ends.
    pub plateau: u32,
    /// Points that the champion's interval must lie above to end.
    pub target: f64,
}

const fn trials_max() -> u32 {
    100
}

const fn family_blocks() -> u32 {
    16
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            generations: 12,
            width: 8,
            block_seeds: 8,
            probe_seeds: 4,
            rungs: vec![2, 6, 12],
            keep_one_in: 3,
            trial_blocks: 160,
            batch_blocks: 8,
            pooled_blocks: 128,
            trials_max: trials_max(),
            sealed_blocks: 48,
            family_blocks: family_blocks(),
            alpha: 0.05,
            bet_max: 0.9,
            plateau: 3,
            target: 8.0,
        }
    }
}

impl Rules {
    /// Candidates of this generation. A log that is only looked at may say any number.
    pub(super) fn slots(&self, generation: u32) -> u32 {
        if generation == 0 { 1 } else { self.width.min(WIDTH_MAX) }
    }
}

/// What a session may use; no limit where there is none.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Money in micro-dollars.
    pub microdollars: Option<u64>,
    /// Tokens of input and output together.
    pub tokens: Option<u64>,
    /// Minutes of work, over all its processes.
    pub minutes: Option<f64>,
}

/// What a request takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Tokens of input and output together.
    pub tokens: u64,
    /// Money in micro-dollars; 0 where no price is known.
    pub microdollars: u64,
}

impl Cost {
    /// What this is more than something that was counted before.
    #[must_use]
    pub const fn beyond(self, before: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(before.tokens),
            microdollars: self.microdollars.saturating_sub(before.microdollars),
        }
    }

    /// The larger of two counts of the same thing.
    #[must_use]
    pub fn or_more(self, other: Self) -> Self {
        Self { tokens: self.tokens.max(other.tokens), microdollars: self.microdollars.max(other.microdollars) }
    }
}

impl Budget {
    /// Whether money and tokens are left after `spent`, and no less than the next request is expected to take.
    #[must_use]
    pub fn covers(&self, spent: Cost, expected: Cost) -> bool {
        let covers = |limit: Option<u64>, spent: u64, expected: u64| {
            limit.is_none_or(|limit| spent < limit && expected <= limit - spent)
        };
        covers(self.microdollars, spent.microdollars, expected.microdollars)
            && covers(self.tokens, spent.tokens, expected.tokens)
    }
}

impl Plan {
    /// The level that trial `number`, counted from 1, is decided at: 6α/(π²j²), which adds up to α over any number of trials.
    #[must_use]
    pub fn level(&self, number: usize) -> f64 {
        let j = number as f64;
        self.rules.alpha * 6.0 / (std::f64::consts::PI * std::f64::consts::PI * j * j)
    }
}
