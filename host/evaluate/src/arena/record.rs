//! The record of an arena: everything that was found, as data.
//!
//! Units are in the field names; money is in cents. Invariant: a function of strategies, scenario and seeds, whatever the number of threads.

use super::rating::Rating;
use crate::record::{ScenarioRecord, SchemaRecord, StopRecord, StrategyRecord, ToolRecord, UnscoredRecord};
use crate::statistics::Interval;
use assay_sandbox::Outcome;
use serde::{Deserialize, Serialize};

/// Name of the schema.
pub const ARENA_SCHEMA_NAME: &str = "assay.arena";
/// Its version, major.minor: a new minor only adds fields.
pub const ARENA_SCHEMA_VERSION: &str = "1.1";

/// See the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArenaRecord {
    /// What this file is.
    pub schema: SchemaRecord,
    /// Every seed that was asked for was played; `false` after an interruption.
    pub complete: bool,
    /// What made this.
    pub tool: ToolRecord,
    /// The command that reproduces it.
    pub command: String,
    /// The market.
    pub scenario: ScenarioRecord,
    /// The seeds asked for, ascending.
    pub seeds: Vec<u64>,
    /// Seeds that infrastructure kept from being played.
    pub unscored: Vec<UnscoredRecord>,
    /// The strategies, in the order in which they were named.
    pub entrants: Vec<EntrantRecord>,
    /// Each pair, the one with the higher mean first.
    pub pairs: Vec<PairRecord>,
    /// What passed between each two, as far as they traded.
    pub flows: Vec<FlowRecord>,
    /// Each game, in the order of the seeds.
    pub games: Vec<GameRecord>,
}

impl ArenaRecord {
    /// The entrants as a table lists them: by rating, but those that failed in every game last.
    #[must_use]
    pub fn listed(&self) -> Vec<&EntrantRecord> {
        let games = self.games.len() as u64;
        let place = |entrant: &EntrantRecord| {
            let is_last = entrant.failed > 0 && entrant.failed >= games;
            (is_last, entrant.rating.map_or(f64::NEG_INFINITY, |rating| rating.rating))
        };
        let mut entrants: Vec<&EntrantRecord> = self.entrants.iter().collect();
        entrants.sort_by(|a, b| {
            let ((a_is_last, a), (b_is_last, b)) = (place(a), place(b));
            a_is_last.cmp(&b_is_last).then(b.total_cmp(&a))
        });
        entrants
    }
}

impl EntrantRecord {
    /// Its rating with its interval, and a star where games that it did not finish are in it.
    #[must_use]
    pub fn rating_words(&self) -> Option<String> {
        let star = if self.failed > 0 { " *" } else { "" };
        self.rating.map(|rating| format!("{:.0} [{:.0}, {:.0}]{star}", rating.rating, rating.low, rating.high))
    }

    /// The games that it failed in, and the games that it played.
    #[must_use]
    pub fn failed_words(&self, games: usize) -> String {
        if self.failed > 0 { format!("{} of {games}", self.failed) } else { "0".to_owned() }
    }
}

/// What the star of [`EntrantRecord::rating_words`] means.
pub const FAILED_NOTE: &str = "* A game in which a strategy failed counts by its profit at the end, like any other: failing early can look better than losing. Such a rating says little.";

/// One strategy over all games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntrantRecord {
    /// Unique among the entrants: the file's name, with a number where several have the same.
    pub name: String,
    /// What was played.
    pub strategy: StrategyRecord,
    /// Its rating; none without a game.
    pub rating: Option<Rating>,
    /// Mean liquidation profit of a game, in cents.
    pub pnl_mean_cents: Option<f64>,
    /// Its 95 % interval, by Student.
    pub pnl_interval: Option<Interval>,
    /// Mean profit in each seat, in cents; none for a seat in which it did not sit.
    pub pnl_by_seat_cents: Vec<Option<f64>>,
    /// Games that it did not finish: it failed, or was taken out.
    pub failed: u64,
}

/// Two entrants, seed by seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairRecord {
    /// Name of the one with the higher mean.
    pub better: String,
    /// Name of the other.
    pub worse: String,
    /// Mean difference of their profits, in cents.
    pub difference_cents: f64,
    /// Its interval; all intervals of an arena hold together with 95 % (Bonferroni).
    pub interval: Option<Interval>,
    /// The odds that the two trade with each other, as a multiple of what chance would make them; none if they never did. Since 1.1.
    #[serde(default)]
    pub meeting_odds: Option<f64>,
    /// The one certainly wins, the other certainly loses and trades mostly with the one, far more than chance would have it. Since 1.1.
    #[serde(default)]
    pub linked: bool,
}

/// What one party received from another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowRecord {
    /// Who received on balance.
    pub to: String,
    /// Who paid; `the market` is everybody but the entrants.
    pub from: String,
    /// Shares that they traded with each other in a game, mean.
    pub shares: f64,
    /// Mean of what was paid in a game beyond the mid, in cents.
    pub paid_cents: f64,
    /// Of that, what the payer paid as the taker; the rest it paid as the maker. Since 1.1.
    #[serde(default)]
    pub taking_cents: f64,
    /// Of what was paid, what goes beyond the usual price in the same role, with an interval as of [`PairRecord`].
    pub excess_cents: f64,
    /// Its interval.
    pub interval: Option<Interval>,
    /// The excess is certain: the payer feeds the other.
    pub feeds: bool,
}

/// One game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRecord {
    /// Its seed.
    pub seed: u64,
    /// By entrant.
    pub players: Vec<PlayerRecord>,
    /// BLAKE3 of the event log.
    pub event_log_hash: String,
}

/// One entrant in one game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerRecord {
    /// Where it sat, from 0.
    pub seat: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// When it was taken out and why, if it was.
    pub stopped: Option<StopRecord>,
    /// Liquidation profit in cents; none where the market never had a price.
    pub pnl_cents: Option<f64>,
    /// Shares bought and sold.
    pub shares: Option<f64>,
    /// Greatest position, long or short.
    pub inventory_max: Option<f64>,
    /// Greatest drawdown, in cents.
    pub drawdown_cents: Option<f64>,
}
