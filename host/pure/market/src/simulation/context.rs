//! What a background agent can do while it handles a message.

use assay_model::{Nanos, Request, RequestId, RequestKind, Stream, SymbolIndex, Time};

use super::message::Instruction;
use super::network::Network;
use crate::AgentIndex;
use crate::oracle::Fundamental;
use crate::scenario::{OrderSize, Scenario, SizeRange};

/// See the module documentation. What is sent leaves when the agent is done with the message, in the order of sending.
pub(crate) struct Context<'a, 's> {
    pub(super) now: Time,
    /// When the agent is done and what it sends leaves.
    pub(super) done: Time,
    pub(super) agent: AgentIndex,
    /// What the agent trades.
    pub(super) symbol: SymbolIndex,
    /// The range of the one size that each agent of its group orders, if that is how they order.
    pub(super) own_size: Option<SizeRange>,
    pub(super) network: &'a mut Network<'s>,
    pub(super) fundamental: &'a mut Fundamental,
    pub(super) scenario: &'s Scenario,
}

impl Context<'_, '_> {
    /// The time.
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// The mixture of order sizes.
    pub(crate) fn order_sizes(&self) -> &[OrderSize] {
        &self.scenario.order_sizes
    }

    /// The range of the agent's own size, if its group has one.
    pub(crate) fn own_size(&self) -> Option<SizeRange> {
        self.own_size
    }

    /// The true fundamental value now, in cents.
    pub(crate) fn fundamental(&mut self) -> f64 {
        self.fundamental.value_at(self.now)
    }

    /// The sum of the shocks to the fundamental value so far, in cents.
    pub(crate) fn news(&mut self) -> f64 {
        self.fundamental.news_at(self.now)
    }

    /// Wakes the agent at the next shock to the fundamental value, if there is one before the close, and says when that is: for those who read the news.
    pub(crate) fn wake_at_news(&mut self) -> Time {
        let at = self.fundamental.next_news(self.now);
        self.wake_at(at);
        at
    }

    /// The agent's own stream for `purpose`, from its beginning.
    pub(crate) fn stream(&mut self, purpose: &str) -> Stream {
        self.network.names.with(self.agent, |owner| owner.stream(purpose))
    }

    /// Keeps the agent busy, and what it sends from here on back, for longer.
    pub(crate) fn delay(&mut self, by: Nanos) {
        self.done = self.done + by;
    }

    /// Sends a request to the exchange, and says under which id.
    pub(crate) fn submit(&mut self, kind: RequestKind) -> RequestId {
        let requests = &mut self.network.seats[self.agent.0 as usize].requests;
        *requests += 1;
        let request = Request { id: RequestId(*requests), kind };
        self.network.send_to_exchange(self.agent, self.symbol, self.done, Instruction::Request(request));
        request.id
    }

    /// Asks the exchange for the touch, and for the volume traded in the last `window`.
    pub(crate) fn query(&mut self, window: Nanos) {
        self.network.send_to_exchange(self.agent, self.symbol, self.done, Instruction::Query { window });
    }

    /// Wakes the agent at `at`, unless the market is closed by then.
    pub(crate) fn wake_at(&mut self, at: Time) {
        if at < self.scenario.close {
            self.network.wake(self.agent, at);
        }
    }
}
