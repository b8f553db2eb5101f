//! The discrete-event simulation: who is told what when.
//!
//! The kernel holds one queue of happenings keyed by (time, class, sequence). A message takes its link's latency; an agent is busy
//! for the computation delay with each message, and what arrives meanwhile waits in its inbox. Agents and strategies reach the exchange and hear
//! from it by messages only. Strategies sit behind everybody else, each in a seat of its own.
//!
//! Invariants: nothing here costs more than O(log n) an event; random streams are keyed by (seed, agent, purpose), so adding an agent
//! changes nobody else's draws; every loop that a strategy can drive has a named limit.

mod context;
mod crowds;
mod episode;
mod kernel;
mod letters;
mod market_data;
mod network;
mod queue;
mod replay;
mod roster;
mod seats;
#[cfg(test)]
mod tests;
mod timers;
mod trader_seat;

pub use episode::{Episode, SeatSummary, Summary, simulate, simulate_seats};
pub use replay::ReplayCounts;
pub use roster::{RosterEntry, roster};
pub use trader_seat::{
    INITIALIZE_BEFORE_OPEN, REQUESTS_IN_FLIGHT_MAX, REQUESTS_PER_EPISODE_MAX, StopCause, WAKEUP_DELAY_MIN,
    WAKEUPS_PENDING_MAX, WAKEUPS_PER_EPISODE_MAX,
};

pub(crate) use context::Context;
pub(crate) use market_data::MarketSnapshot;
pub(crate) use roster::Owner;

/// Owner of the exchange's random streams.
pub(crate) const EXCHANGE: &str = "exchange";
/// Owner of the fundamental value's random streams.
pub(crate) const FUNDAMENTAL: &str = "fundamental";
/// What recorded participants are called.
pub(crate) const REPLAY: &str = "replay";
/// Owner of the first strategy's random streams; those of the others have a number behind it, from 2.
pub(crate) const STRATEGY: &str = "strategy";
