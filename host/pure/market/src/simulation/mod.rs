//! The discrete-event simulation: who is told what when.
//!
//! The kernel holds one queue of happenings keyed by (time, class, sequence). A message takes its link's latency; an agent is busy
//! for the computation delay with each message, and what arrives meanwhile waits in its inbox. Agents and strategies reach the exchange and hear
//! from it by messages only. Strategies sit behind everybody else, each in a seat of its own.
//!
//! Invariants: nothing here costs more than O(log n) an event; random streams are keyed by (seed, agent, purpose), so adding an agent
//! changes nobody else's draws; every loop that a strategy can drive has a named limit.

mod agents;
mod context;
mod crowds;
mod entry;
mod episode;
mod kernel;
mod letters;
mod market_data;
mod message;
mod names;
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
