//! What a scenario leaves to the seed: the level of prices, and when, whether, which way and how large its scheduled events are.
//!
//! A market that has its event at one time in one direction tells everybody who has seen it what will happen. Invariant: each draw depends on the seed, its owner (the
//! group of agents, the venue, the value) and its purpose alone, so nothing else in a scenario changes it.

use assay_model::{Nanos, Seed, Side, Stream, SymbolIndex, Time};

use super::agents::{Ending, ExecutionSettings};
use super::settings::{FundamentalSettings, Prefix, Scenario};
use crate::exchange::{Halt, Venue};
use crate::owner::{EXCHANGE, FUNDAMENTAL};

/// What an execution group does in one episode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExecutionPlan {
    /// Buy or sell.
    pub side: Side,
    /// Shares that each agent trades in all.
    pub quantity: u64,
    /// First wake-up.
    pub from: Time,
    /// No wake-up from here on.
    pub until: Time,
}

impl Scenario {
    /// The value of a symbol at the open of the episode of `seed`, and its long-run mean, in cents; of a symbol that is not the first, its own part.
    #[must_use]
    pub fn level(&self, symbol: SymbolIndex, seed: Seed) -> f64 {
        self.fundamental_of(symbol).level(seed, &format!("{}{FUNDAMENTAL}", Prefix(self.other(symbol))))
    }

    /// How the venue trades in the episode of `seed`: with the halts that are drawn.
    #[must_use]
    pub fn venue_of(&self, seed: Seed) -> Venue {
        let mut venue = self.venue.clone();
        if !self.drawn_halts.is_empty() {
            let mut stream = Stream::new(seed, EXCHANGE, "halts");
            venue.halts.extend(
                self.drawn_halts
                    .iter()
                    .map(|halt| Halt { at: within(&mut stream, halt.earliest, halt.latest), lasts: halt.lasts }),
            );
            venue.halts.sort_by_key(|halt| halt.at);
        }
        venue
    }
}

impl FundamentalSettings {
    /// The mean that `owner`'s process has in the episode of `seed`.
    pub(crate) fn level(&self, seed: Seed, owner: &str) -> f64 {
        if self.mean_most <= self.mean {
            return self.mean;
        }
        self.mean + (self.mean_most - self.mean) * Stream::new(seed, owner, "level").unit()
    }
}

impl ExecutionSettings {
    /// What the group of this name does in the episode of `seed`; `None` if nothing. The same number of draws always.
    #[must_use]
    pub fn plan(&self, seed: Seed, group: &str) -> Option<ExecutionPlan> {
        let mut stream = Stream::new(seed, group, "event");
        let happens = stream.unit() < self.chance;
        let coin = if stream.coin() { Side::Buy } else { Side::Sell };
        let (least, most) = self.quantity;
        let quantity = least + stream.below(most - least + 1);
        let from = within(&mut stream, self.active_from.0, self.active_from.1);
        let until = match self.active_until {
            Ending::At(time) => time,
            Ending::After(lasts) => from + lasts,
        };
        happens.then_some(ExecutionPlan { side: self.side.unwrap_or(coin), quantity, from, until })
    }
}

/// Uniform over both ends and all between; one draw.
fn within(stream: &mut Stream, earliest: Time, latest: Time) -> Time {
    earliest + Nanos(stream.below(latest.since(earliest).0 + 1))
}
