//! The position limit: how many shares one trader may come to hold, long or short, checked before a request trades.
//!
//! Invariant: on either side, the shares held and the shares of all resting orders together never pass the limit, so no sequence of
//! fills can. Only one trader is watched: background agents answer to their scenario.

use crate::AgentIndex;
use assay_model::Side;

/// What the watched trader holds and could come to hold.
#[derive(Debug)]
pub(super) struct Exposure {
    agent: AgentIndex,
    limit: i64,
    position: i64,
    /// Shares of resting orders, by side.
    resting: [i64; 2],
}

impl Exposure {
    pub(super) fn new(agent: AgentIndex, limit: u32) -> Self {
        Self { agent, limit: i64::from(limit), position: 0, resting: [0; 2] }
    }

    /// Whether `agent` may have `new` shares more to trade on this side, in place of `old` ones that rest.
    pub(super) fn allows(&self, agent: AgentIndex, side: Side, new: u32, old: u32) -> bool {
        let open = self.resting[side as usize] + i64::from(new) - i64::from(old);
        agent != self.agent || side.sign() * self.position + open <= self.limit
    }

    /// Shares come to rest.
    pub(super) fn rests(&mut self, agent: AgentIndex, side: Side, shares: u32) {
        if agent == self.agent {
            self.resting[side as usize] += i64::from(shares);
        }
    }

    /// Shares rest no more: traded or cancelled.
    pub(super) fn leaves(&mut self, agent: AgentIndex, side: Side, shares: u32) {
        if agent == self.agent {
            self.resting[side as usize] -= i64::from(shares);
        }
    }

    /// Shares were bought or sold.
    pub(super) fn trades(&mut self, agent: AgentIndex, side: Side, shares: u32) {
        if agent == self.agent {
            self.position += side.sign() * i64::from(shares);
        }
    }
}
