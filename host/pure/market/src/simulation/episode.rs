//! An episode: begun, run as far as somebody wants, finished.
//!
//! ```text
//! new ──► run_until, as often as wanted ──► finish
//! ```
//!
//! It borrows the scenario only. Traders and the listener are lent to it for each call, so that whoever goes step by step can look at them, and at what
//! they hold, in between. Invariant: how often and where an episode is interrupted changes nothing about it.

use std::fmt;

use assay_model::{Seed, Time};

use super::kernel::{Company, Kernel};
use super::replay::ReplayCounts;
use super::trader_seat::StopCause;
use crate::scenario::{SEATS_MAX, Scenario};
use crate::{AgentIndex, EventSink, Trader};

/// What an episode amounts to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Events at the exchange.
    pub events: u64,
    /// Messages and wake-ups handled by anyone.
    pub messages: u64,
    /// BLAKE3 of the event log.
    pub log_hash: blake3::Hash,
    /// The strategies, by seat.
    pub seats: Vec<SeatSummary>,
    /// When the last message was handled.
    pub ended_at: Time,
    /// What became of the recorded market, if there is one.
    pub replay: Option<ReplayCounts>,
}

/// What became of one strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatSummary {
    /// Its index.
    pub agent: AgentIndex,
    /// When it was stopped and why, if it was.
    pub stopped: Option<(Time, StopCause)>,
    /// Wake-ups that it asked for beyond a limit.
    pub wakeups_ignored: u64,
}

/// An episode under way; see the module documentation. Each call takes one trader for each seat, in the order of the seats and the same ones each time.
pub struct Episode<'s> {
    kernel: Kernel<'s>,
}

impl<'s> Episode<'s> {
    /// The episode of `seed` before its first event. Asks the traders and `sink` what they watch, and initialises the traders. There may be no trader at
    /// all: then it is the market alone.
    ///
    /// # Panics
    /// If there are more than [`SEATS_MAX`] traders.
    #[must_use]
    pub fn new(scenario: &'s Scenario, seed: Seed, traders: &mut [&mut dyn Trader], sink: &mut dyn EventSink) -> Self {
        assert!(traders.len() <= SEATS_MAX, "a market has at most {SEATS_MAX} seats");
        Self { kernel: Kernel::new(scenario, seed, &mut Company { traders, sink }) }
    }

    /// Goes on with everything that happens before `until`, unless a trader [gives up](Trader::gives_up): then it cannot go on. Every event goes to the event log's hash and to `sink`, which cannot change anything.
    ///
    /// # Panics
    /// If there are not as many traders as there were at first.
    pub fn run_until(&mut self, until: Time, traders: &mut [&mut dyn Trader], sink: &mut dyn EventSink) {
        assert_eq!(traders.len(), self.kernel.seats.len(), "one trader for each seat");
        self.kernel.run_until(until, &mut Company { traders, sink });
    }

    /// When the next thing happens; none if it is over.
    #[must_use]
    pub fn next_at(&self) -> Option<Time> {
        self.kernel.next_at()
    }

    /// Whether nothing will happen any more: the market has closed and every answer has arrived.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.next_at().is_none()
    }

    /// Runs what is left and tells the traders that it is over.
    ///
    /// # Panics
    /// If there are not as many traders as there were at first.
    pub fn finish(mut self, traders: &mut [&mut dyn Trader], sink: &mut dyn EventSink) -> Summary {
        // Nothing happens at the end of time itself: what would be later is not sent.
        self.run_until(Time(u64::MAX), traders, sink);
        self.kernel.end(&mut Company { traders, sink });
        let Kernel { seats, messages, ended_at, mut post, .. } = self.kernel;
        let log = post.log.summary();
        let seats = seats.into_iter().map(|seat| SeatSummary {
            agent: seat.agent,
            stopped: seat.stopped,
            wakeups_ignored: seat.wakeups_ignored,
        });
        Summary {
            events: log.events,
            messages,
            log_hash: log.hash,
            seats: seats.collect(),
            ended_at,
            replay: post.replay.map(|replay| replay.counts),
        }
    }
}

impl fmt::Debug for Episode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Episode").field("next_at", &self.next_at()).finish_non_exhaustive()
    }
}

/// Runs one episode with one strategy. Every event goes to the event log's hash and to `sink`, which cannot change anything.
pub fn simulate(scenario: &Scenario, seed: Seed, trader: &mut dyn Trader, sink: &mut dyn EventSink) -> Summary {
    simulate_seats(scenario, seed, &mut [trader], sink)
}

/// Runs one episode with a strategy in each seat, each with its own desk ([`Scenario::new_desk_for`]), limits, fees and links. Adding one changes nobody
/// else's random draws, only what they meet in the market.
///
/// # Panics
/// If there are more than [`SEATS_MAX`] traders.
pub fn simulate_seats(
    scenario: &Scenario,
    seed: Seed,
    traders: &mut [&mut dyn Trader],
    sink: &mut dyn EventSink,
) -> Summary {
    Episode::new(scenario, seed, traders, sink).finish(traders, sink)
}
