//! Bounds of a plan. A log may come from anybody, so nobody works by its plan before its values have been looked at.
//!
//! Invariant: whatever the command line can ask for is within these bounds; it takes its own limits from here.

pub use super::plan::WIDTH_MAX;
use super::plan::{Budget, ModelPlan, Plan, Rules, Tunable, WriterPlan};
use assay_evaluate::score::{POINTS_MAX, POINTS_MIN};
use assay_validator::limits::TUNABLE_MAX;
use std::fmt::Debug;

/// Generations.
pub const GENERATIONS_MAX: u32 = 1_000;
/// Markets of one session, and markets that it keeps for the end.
pub const MARKETS_MAX: usize = 8;
/// Models that may write in one session.
pub const MODELS_MAX: usize = 8;
/// Bytes of a goal: it is told with each candidate.
pub const GOAL_BYTES_MAX: usize = 8_000;
/// Bytes of any other text: no path is longer.
const NAME_BYTES_MAX: usize = 8_192;
/// Micro-dollars of a budget.
pub const MICRODOLLARS_MAX: u64 = 1_000_000_000_000_000;
/// Seeds of a block, and of a probe.
const SEEDS_MAX: u32 = 32;
/// Blocks that are run for one purpose.
const BLOCKS_MAX: u32 = 1_024;
/// Rungs of a race.
const RUNGS_MAX: usize = 8;

/// A value that no session begins with.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the plan has {value} for {field}; it can have {range}")]
pub struct Beyond {
    /// Where it stands in the plan.
    pub field: String,
    /// The value; of a text or a list, how long it is.
    pub value: String,
    /// What it can be.
    pub range: String,
}

impl Plan {
    /// Checks that a session can have it: every number, the length of every list and of every text.
    ///
    /// # Errors
    /// [`Beyond`], for the first value that none has.
    pub fn validate(&self) -> Result<(), Beyond> {
        bytes("assay", &self.assay)?;
        bytes("goal", &self.goal)?;
        within("markets, entries", self.markets.len(), (1, MARKETS_MAX))?;
        within("family, entries", self.family.len(), (0, MARKETS_MAX))?;
        for market in self.markets.iter().chain(&self.family) {
            bytes("markets[].name", &market.name)?;
            bytes("markets[].hash", &market.hash)?;
        }
        bytes("strategy", &self.strategy)?;
        bytes("source_hash", &self.source_hash)?;
        match &self.writer {
            WriterPlan::Tuner { parameters } => tuner(parameters)?,
            WriterPlan::Model(plan) => models(plan)?,
        }
        rules(&self.rules)?;
        budget(&self.budget)
    }
}

fn tuner(parameters: &[Tunable]) -> Result<(), Beyond> {
    within("writer.parameters, entries", parameters.len(), (0, TUNABLE_MAX as usize))?;
    for tunable in parameters {
        bytes("writer.parameters[].name", &tunable.name)?;
        let least = if tunable.is_logarithmic { f64::MIN_POSITIVE } else { f64::MIN };
        within("writer.parameters[].low", tunable.low, (least, tunable.high))?;
    }
    Ok(())
}

fn models(plan: &ModelPlan) -> Result<(), Beyond> {
    within("writer.others, entries", plan.others.len(), (0, MODELS_MAX - 1))?;
    within("writer.goal, bytes", plan.goal.len(), (0, GOAL_BYTES_MAX))?;
    for model in plan.writers().chain(plan.helpers()) {
        bytes("writer.model", model)?;
    }
    bytes("writer.prompts_hash", &plan.prompts_hash)?;
    bytes("writer.prices_hash", &plan.prices_hash)?;
    bytes("writer.model_url", plan.model_url.as_deref().unwrap_or_default())
}

fn rules(rules: &Rules) -> Result<(), Beyond> {
    // Trials and plateau are only compared with what has happened, so any number is taken.
    for (field, value, range) in [
        ("rules.generations", rules.generations, (1, GENERATIONS_MAX)),
        ("rules.width", rules.width, (1, WIDTH_MAX)),
        ("rules.block_seeds", rules.block_seeds, (1, SEEDS_MAX)),
        ("rules.probe_seeds", rules.probe_seeds, (1, SEEDS_MAX)),
        ("rules.keep_one_in", rules.keep_one_in, (1, WIDTH_MAX)),
        ("rules.trial_blocks", rules.trial_blocks, (1, BLOCKS_MAX)),
        ("rules.batch_blocks", rules.batch_blocks, (1, BLOCKS_MAX)),
        ("rules.pooled_blocks", rules.pooled_blocks, (0, BLOCKS_MAX)),
        ("rules.sealed_blocks", rules.sealed_blocks, (1, BLOCKS_MAX)),
        ("rules.family_blocks", rules.family_blocks, (1, BLOCKS_MAX)),
    ] {
        within(field, value, range)?;
    }
    within("rules.rungs, entries", rules.rungs.len(), (1, RUNGS_MAX))?;
    for blocks in &rules.rungs {
        within("rules.rungs[]", *blocks, (1, BLOCKS_MAX))?;
    }
    if !rules.rungs.is_sorted() {
        let (field, value) = ("rules.rungs".to_owned(), format!("{:?}", rules.rungs));
        return Err(Beyond { field, value, range: "numbers that ascend".to_owned() });
    }
    within("rules.alpha", rules.alpha, (1e-6, 0.5))?;
    within("rules.bet_max", rules.bet_max, (0.0, 1.0))?;
    within("rules.target", rules.target, (POINTS_MIN, POINTS_MAX))
}

/// Tokens are only compared, so any number is taken.
fn budget(budget: &Budget) -> Result<(), Beyond> {
    within("budget.microdollars", budget.microdollars.unwrap_or(0), (0, MICRODOLLARS_MAX))?;
    within("budget.minutes", budget.minutes.unwrap_or(0.0), (0.0, f64::MAX))
}

fn bytes(field: &str, text: &str) -> Result<(), Beyond> {
    within(&format!("{field}, bytes"), text.len(), (0, NAME_BYTES_MAX))
}

/// Never tells a text: it may be anybody's.
fn within<T: Copy + PartialOrd + Debug>(field: &str, value: T, (low, high): (T, T)) -> Result<(), Beyond> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Beyond { field: field.to_owned(), value: format!("{value:?}"), range: format!("{low:?} to {high:?}") })
}
