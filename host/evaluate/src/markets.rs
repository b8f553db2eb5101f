//! The record of one strategy in several markets: one score, and where each market's own record is.
//!
//! Invariant: everything in it but the folders follows from the markets' records, which stand beside it whole; so nothing that reads a
//! [`RunRecord`] has to know of it.

use crate::record::{
    MeasureDefinition, MeasureSummary, RunRecord, RunVerdict, SchemaRecord, StrategyRecord, ToolRecord,
};
use crate::score::{Goal, ScoreRecord, combined};
use serde::{Deserialize, Serialize};

/// Name of the record's schema.
pub const MARKETS_SCHEMA_NAME: &str = "assay.runs";
/// Version of the record's schema, major.minor: a new minor only adds fields.
pub const MARKETS_SCHEMA_VERSION: &str = "1.0";

/// See the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarketsRecord {
    /// What this file is.
    pub schema: SchemaRecord,
    /// What made this.
    pub tool: ToolRecord,
    /// The command that reproduces it.
    pub command: String,
    /// What was tried.
    pub strategy: StrategyRecord,
    /// What stood in its place for comparison; `None` for the inert trader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<StrategyRecord>,
    /// The seeds of each market, ascending.
    pub seeds: Vec<u64>,
    /// One score over all markets.
    pub score: ScoreRecord,
    /// What each measure means.
    pub measures: Vec<MeasureDefinition>,
    /// The markets, in the order in which they were named.
    pub markets: Vec<MarketRecord>,
}

/// One of the markets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarketRecord {
    /// Name of the scenario.
    pub scenario: String,
    /// BLAKE3 of its text.
    pub hash: String,
    /// The folder beside this file in which the market's own record and page are.
    pub folder: String,
    /// Every seed that was asked for was run.
    pub complete: bool,
    /// The short answer.
    pub verdict: RunVerdict,
    /// The market's own score.
    pub score: ScoreRecord,
    /// Each measure over the market's scored seeds.
    pub measures: Vec<MeasureSummary>,
}

impl MarketsRecord {
    /// Of records of one strategy with the same seeds, each with the folder that it is in. `None` without a record.
    #[must_use]
    pub fn new(command: String, goal: Goal, records: &[(String, RunRecord)]) -> Option<Self> {
        let (_, first) = records.first()?;
        let all: Vec<&RunRecord> = records.iter().map(|(_, record)| record).collect();
        let market = |(folder, record): &(String, RunRecord)| MarketRecord {
            scenario: record.scenario.name.clone(),
            hash: record.scenario.hash.clone(),
            folder: folder.clone(),
            complete: record.complete,
            verdict: record.verdict,
            score: record.score.clone().unwrap_or_else(|| record.score(goal)),
            measures: record.summary.measures.clone(),
        };
        Some(Self {
            schema: SchemaRecord { name: MARKETS_SCHEMA_NAME.to_owned(), version: MARKETS_SCHEMA_VERSION.to_owned() },
            tool: first.tool.clone(),
            command,
            strategy: first.strategy.clone(),
            baseline: first.baseline.clone(),
            seeds: first.seeds.clone(),
            score: combined(goal, &all),
            measures: first.measures.clone(),
            markets: records.iter().map(market).collect(),
        })
    }
}
