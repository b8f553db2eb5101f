//! Recorded participants in an episode: their requests reach the exchange at the recorded times, and nobody waits for the answers.
//!
//! Requests of one time go in together, as what an order set off at one venue in one instant. Invariant: what is sent depends on the recording alone;
//! only what becomes of it depends on the others.

use serde::{Deserialize, Serialize};
use std::ops::Range;

use assay_model::{Reason, RequestId, RequestKind, UpdateKind};

use crate::replay::Recorded;
use crate::scenario::Scenario;
use crate::{AgentIndex, Event, EventKind};

/// What became of a recording in an episode; shares, if nothing else is said. With a trader that does nothing, and no other agents, all that was
/// recorded happens again, and what is neither `requests` nor `traded` tells how much of that recording's own requests came to nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayCounts {
    /// Recorded requests sent.
    pub requests: u64,
    /// Traded between recorded participants.
    pub traded: u64,
    /// Recorded takers who hit an order of the strategy or of an agent.
    pub taken_from_others: u64,
    /// Recorded orders that the strategy or an agent has hit.
    pub taken_by_others: u64,
    /// What recorded takers wanted and did not find.
    pub unfilled: u64,
    /// Recorded changes and cancels of orders that were gone; a number of requests.
    pub late: u64,
    /// Recorded orders that the venue refused, by its band, halts and limits; a number of requests.
    pub refused: u64,
}

/// What is left to send, and what became of the rest.
#[derive(Debug)]
pub(super) struct Replay<'s> {
    requests: &'s [Recorded],
    participants: Range<u32>,
    /// The recorded taker that is being handled, and what it still wants.
    taker: Option<(AgentIndex, RequestId, u64)>,
    pub(super) counts: ReplayCounts,
}

impl<'s> Replay<'s> {
    pub(super) fn new(scenario: &'s Scenario) -> Option<Self> {
        let recording = &scenario.replay.as_ref()?.recording;
        Some(Self {
            requests: recording.requests(),
            participants: scenario.recorded(),
            taker: None,
            counts: ReplayCounts::default(),
        })
    }

    /// The next request, with its participant's index in the episode.
    pub(super) fn next(&self) -> Option<Recorded> {
        let next = self.requests.first()?;
        Some(Recorded { agent: AgentIndex(self.participants.start + next.agent.0), ..*next })
    }

    /// Goes on to the one after.
    pub(super) fn advance(&mut self) {
        self.requests = self.requests.get(1..).unwrap_or_default();
        self.counts.requests += 1;
    }

    /// Whether this is a recorded participant.
    pub(super) fn has(&self, agent: AgentIndex) -> bool {
        self.participants.contains(&agent.0)
    }

    /// Takes in what happened at the exchange.
    pub(super) fn note(&mut self, event: &Event) {
        match event.kind {
            EventKind::Request { agent, request } if self.has(agent) => {
                self.taker = wanted(&request.kind).map(|shares| (agent, request.id, shares));
            }
            EventKind::Request { .. } => self.taker = None,
            EventKind::Trade { quantity, maker, taker, .. } => {
                let shares = u64::from(quantity);
                match (self.has(maker.0), self.has(taker.0)) {
                    (true, true) => self.counts.traded += shares,
                    (true, false) => self.counts.taken_by_others += shares,
                    (false, true) => self.counts.taken_from_others += shares,
                    (false, false) => {}
                }
                if let Some((agent, id, wants)) = &mut self.taker
                    && (*agent, *id) == taker
                {
                    *wants = wants.saturating_sub(shares);
                }
            }
            EventKind::Update { agent, update } if self.has(agent) => match update.kind {
                UpdateKind::Rejected { reason: Reason::UnknownOrder } => self.counts.late += 1,
                UpdateKind::Rejected { .. } => {
                    self.counts.refused += 1;
                    self.end_taker(agent, update.order);
                }
                UpdateKind::Cancelled { reason: Reason::NoLiquidity | Reason::SelfTrade } => {
                    self.end_taker(agent, update.order);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn end_taker(&mut self, agent: AgentIndex, order: RequestId) {
        if let Some((_, _, wants)) = self.taker.take_if(|(taker, id, _)| (*taker, *id) == (agent, order)) {
            self.counts.unfilled += wants;
        }
    }
}

/// Shares of an order that trades at once or not at all.
fn wanted(kind: &RequestKind) -> Option<u64> {
    use assay_model::TimeInForce::{FillOrKill, ImmediateOrCancel};
    match kind {
        RequestKind::Market { quantity, .. } => Some(*quantity),
        RequestKind::Order(terms)
            if terms.price == 0 || matches!(terms.time_in_force, ImmediateOrCancel | FillOrKill) =>
        {
            Some(u64::from(terms.quantity))
        }
        _ => None,
    }
}
