//! What a venue tells its members beside quotes and answers: the state of the session, an auction's price as things are, a place in a queue.
//!
//! Invariant: looking changes nothing, and costs what is said at each.

use super::waiting::Wait;
use super::{Call, Exchange, Phase, auction};
use crate::AgentIndex;
use assay_model::{OrderId, Price, Time};

/// Orders looked at to either side for a place in a queue: ten times what stands at a price in any of the presets.
pub const QUEUE_STEPS_MAX: usize = 256;

/// How far the session is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionState {
    /// Nobody can trade yet.
    BeforeOpen,
    /// Orders trade as they come.
    Continuous,
    /// Orders are collected for an auction.
    Call {
        /// When it is held, unless it is put off; `None` for the auction at the close, whose time nobody is told.
        until: Option<Time>,
    },
    /// It is over.
    Closed,
}

impl Exchange {
    /// How far the session is. Costs nothing, and anybody may ask at any time.
    #[must_use]
    pub fn session_state(&self) -> SessionState {
        match self.phase {
            Phase::BeforeOpen => SessionState::BeforeOpen,
            Phase::Open => SessionState::Continuous,
            Phase::Call(Call::Opening(until) | Call::Reopening(until)) => SessionState::Call { until: Some(until) },
            Phase::Call(Call::Closing) => SessionState::Call { until: None },
            Phase::Closed => SessionState::Closed,
        }
    }

    /// What the auction that is being called would come to if it were held with the orders there are and the price band as it was at the last
    /// request: its price, the shares that would trade, and the shares wanted at that price less those offered. `None` outside calls, and
    /// when nothing would trade.
    ///
    /// Looks at every order in the book and every one collected, n log n of them: for a publisher that asks at most once a second, never once
    /// for each request of a guest.
    #[must_use]
    pub fn indicative(&self) -> Option<(Price, u64, i64)> {
        let waits: &[Wait] = match self.phase {
            Phase::Call(Call::Opening(_)) => &[Wait::Call, Wait::Opening],
            Phase::Call(Call::Reopening(_)) => &[Wait::Call],
            Phase::Call(Call::Closing) => &[Wait::Call, Wait::Closing],
            Phase::BeforeOpen | Phase::Open | Phase::Closed => return None,
        };
        let (mut interests, _) = self.interests(waits);
        auction::keep_apart(&mut interests, self.venue.self_trade);
        let clearing = auction::clearing(&interests, self.auction_reference())?;
        Some((clearing.price, clearing.volume, clearing.imbalance))
    }

    /// Visible shares that stand before this order at its price; all of them before a hidden one. `None` if it does not rest, or if more than
    /// [`QUEUE_STEPS_MAX`] orders stand both before and behind it, which is also what it costs at most.
    #[must_use]
    pub fn queue_ahead(&self, agent: AgentIndex, order: OrderId) -> Option<u64> {
        self.book.ahead(self.accounts.peek(agent, order, QUEUE_STEPS_MAX)?, QUEUE_STEPS_MAX)
    }
}
