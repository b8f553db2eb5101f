//! The exchange on which a recording is played while it is written.

use crate::{AgentIndex, Event, EventKind, EventSink, Exchange};
use assay_model::{Price, Reason, Request, RequestId, RequestKind, Side, Time, UpdateKind};

/// Recorded takers. Apart from those whose orders rest, and those of each side apart, so that nobody meets an order of its own.
pub(super) const TAKERS: AgentIndex = AgentIndex(2);

/// Whose the resting orders of a side are.
pub(super) fn resting(side: Side) -> AgentIndex {
    AgentIndex(side as u32)
}

/// See the module documentation.
pub(super) struct Replica {
    exchange: Exchange,
    requests: Vec<(Time, AgentIndex, Request)>,
    ids: [u64; 3],
    heard: Heard,
}

/// What the exchange has said of the last request.
#[derive(Default)]
struct Heard {
    /// Resting orders hit: which, at which price, shares.
    fills: Vec<(RequestId, Price, u64)>,
    refused: Option<Reason>,
}

impl EventSink for Heard {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Trade { price, quantity, maker: (_, id), .. } => self.fills.push((id, price, quantity.into())),
            EventKind::Update { update, .. } => {
                if let UpdateKind::Rejected { reason } = update.kind {
                    self.refused = Some(reason);
                }
            }
            _ => {}
        }
    }
}

impl Replica {
    /// An exchange that opens at `open`.
    pub(super) fn new(open: Time) -> Self {
        let mut exchange = Exchange::new(3);
        exchange.open(open, &mut ());
        Self { exchange, requests: Vec::new(), ids: [0; 3], heard: Heard::default() }
    }

    /// How many requests there are.
    pub(super) fn requests(&self) -> usize {
        self.requests.len()
    }

    /// Sends a request and records it, unless it is refused.
    pub(super) fn send(&mut self, at: Time, agent: AgentIndex, kind: RequestKind) -> Result<RequestId, Reason> {
        let ids = &mut self.ids[agent.0 as usize];
        *ids += 1;
        let request = Request { id: RequestId(*ids), kind };
        self.exchange.handle(at, agent, &request, &mut self.heard);
        self.requests.push((at, agent, request));
        self.heard.refused.take().map_or(Ok(request.id), Err)
    }

    /// Whom the last request has hit.
    pub(super) fn take_fills(&mut self) -> Vec<(RequestId, Price, u64)> {
        std::mem::take(&mut self.heard.fills)
    }

    pub(super) fn into_requests(self) -> Vec<(Time, AgentIndex, Request)> {
        self.requests
    }
}
