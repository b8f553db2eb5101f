//! What the kernel keeps for each participant: one short row.
//!
//! In a large market most rows have left the nearer caches when they are needed again, so all that a message asks for lies in one: half a cache line.

use assay_model::{Nanos, Time};

use super::letters::{Letters, Waiting};
use super::message::Letter;
use crate::scenario::Scenario;

/// See the module documentation.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(super) struct Seat {
    /// The least time to the exchange, or [`NOT_DRAWN`](Self::NOT_DRAWN): most noise agents never send a message and need none.
    pub(super) latency: Nanos,
    /// Until when the participant is busy with the last message that it took.
    pub(super) busy_until: Time,
    /// Requests that a background agent has made.
    pub(super) requests: u64,
    /// The background agent's crowd; for others [`NO_CROWD`](Self::NO_CROWD).
    pub(super) crowd: u32,
    waiting: Waiting,
}

const _: () = assert!(size_of::<Seat>() == 32);

/// What the kernel must do with a message that has arrived.
pub(super) enum Admission {
    /// The participant is free and takes it now.
    Now(Letter),
    /// It waits; the participant must be served when it is free.
    ServeAt(Time),
    /// It waits behind others, for which service is arranged already.
    Waits,
}

impl Seat {
    /// No link takes so long.
    pub(super) const NOT_DRAWN: Nanos = Nanos(u64::MAX);
    /// The crowd of strategies and of recorded participants.
    pub(super) const NO_CROWD: u32 = u32::MAX;

    pub(super) fn new(crowd: u32) -> Self {
        Self { latency: Self::NOT_DRAWN, busy_until: Time(0), requests: 0, crowd, waiting: Waiting::NOTHING }
    }

    /// One for each participant, those of `traders` strategies last; those of recorded ones are not used.
    pub(super) fn of_all(scenario: &Scenario, traders: usize) -> Vec<Self> {
        let participants = scenario.trader().0 as usize + traders;
        let mut seats = Vec::with_capacity(participants);
        for ((_, group), crowd) in scenario.groups().zip(0..) {
            seats.extend((0..group.count).map(|_| Self::new(crowd)));
        }
        seats.resize(participants, Self::new(Self::NO_CROWD));
        seats
    }

    /// Whether a message would be taken at once.
    pub(super) fn is_free(&self, now: Time) -> bool {
        self.waiting == Waiting::NOTHING && self.busy_until <= now
    }

    /// Each message waits at most once: what arrives while others wait goes behind them.
    pub(super) fn admit(&mut self, now: Time, letter: Letter, letters: &mut Letters) -> Admission {
        let others_wait = self.waiting != Waiting::NOTHING;
        if !others_wait && self.busy_until <= now {
            return Admission::Now(letter);
        }
        letters.push(&mut self.waiting, letter);
        if others_wait { Admission::Waits } else { Admission::ServeAt(self.busy_until) }
    }

    /// The next of the messages that wait.
    pub(super) fn next(&mut self, letters: &mut Letters) -> Option<Letter> {
        letters.pop(&mut self.waiting)
    }

    /// When the participant must be served again, if anything waits.
    pub(super) fn serve_again(&self) -> Option<Time> {
        (self.waiting != Waiting::NOTHING).then_some(self.busy_until)
    }
}
