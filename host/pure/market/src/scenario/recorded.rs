//! The `[replay]` table of a scenario: the recorded market in which it happens.

use std::num::NonZeroU32;
use std::sync::Arc;

use assay_model::Seed;

use super::error::ScenarioError;
use super::read::{Section, path};
use crate::replay::Recording;
use crate::replay::lobster::TICK_CENTS_MAX;

/// Where a recorded market comes from. Paths are as the scenario has them: relative to its own file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplaySource {
    /// A LOBSTER file pair.
    Lobster {
        /// Path of the message file.
        messages: String,
        /// Path of the order book file.
        orderbook: String,
        /// Prices are multiples of this many cents.
        tick_cents: NonZeroU32,
    },
    /// The requests of an episode that was recorded as data.
    Orders {
        /// Path of the table.
        orders: String,
        /// The episode's seed and whether it is the baseline; none if the table holds one episode only.
        episode: Option<(Seed, bool)>,
    },
}

/// A recorded market and where it came from.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayMarket {
    /// The files.
    pub source: ReplaySource,
    /// What is in them.
    pub recording: Arc<Recording>,
}

/// The `[replay]` table, if there is one.
pub(super) fn replay(root: &Section<'_, '_>) -> Result<Option<(ReplaySource, usize)>, ScenarioError> {
    if !root.has("replay") {
        return Ok(None);
    }
    let known = ["format", "messages", "orderbook", "tick_cents", "orders", "seed", "episode"];
    let section = root.section("replay", &known)?;
    let source = match section.word("format", &["lobster", "orders"])? {
        0 => lobster(&section.only(&["format", "messages", "orderbook", "tick_cents"])?)?,
        _ => orders(&section.only(&["format", "orders", "seed", "episode"])?)?,
    };
    Ok(Some((source, root.line("replay"))))
}

fn lobster(section: &Section<'_, '_>) -> Result<ReplaySource, ScenarioError> {
    Ok(ReplaySource::Lobster {
        messages: path(section, "messages")?,
        orderbook: path(section, "orderbook")?,
        // Within its range, so the casts are exact and the least never stands in.
        tick_cents: NonZeroU32::new(section.integer("tick_cents", 1..=TICK_CENTS_MAX, Some(1))? as u32)
            .unwrap_or(NonZeroU32::MIN),
    })
}

fn orders(section: &Section<'_, '_>) -> Result<ReplaySource, ScenarioError> {
    let episode = if section.has("seed") || section.has("episode") {
        let seed = Seed(section.integer("seed", 0..=i64::MAX, None)? as u64);
        Some((seed, section.word("episode", &["strategy", "baseline"])? == 1))
    } else {
        None
    };
    Ok(ReplaySource::Orders { orders: path(section, "orders")?, episode })
}
