//! The limits on one trader's position and loss: how many shares it may come to hold, long or short, checked before a request trades, and
//! how much it may have lost before the exchange takes it out.
//!
//! Invariant: on either side, the shares held and the shares of all its orders together never pass the position limit, so no sequence of
//! fills can. Only one trader is watched: background agents answer to their scenario.

use crate::AgentIndex;
use assay_model::{Price, Side};

/// What the exchange allows its watched trader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraderLimits {
    /// Shares it may come to hold, long or short, should all its orders trade.
    pub position: u32,
    /// Cents it may have lost, its shares marked at the last trade and fees left out, before its orders are taken out for good.
    pub loss: Option<i64>,
}

/// What the watched trader holds and could come to hold.
#[derive(Debug)]
pub(super) struct Exposure {
    pub(super) agent: AgentIndex,
    limits: TraderLimits,
    position: i64,
    cash: i128,
    /// Shares of orders that may still trade, by side.
    open: [i64; 2],
}

impl Exposure {
    pub(super) fn new(agent: AgentIndex, limits: TraderLimits) -> Self {
        Self { agent, limits, position: 0, cash: 0, open: [0; 2] }
    }

    /// Whether `agent` may have `new` shares more to trade on this side, in place of `old` ones that are open.
    pub(super) fn allows(&self, agent: AgentIndex, side: Side, new: u32, old: u32) -> bool {
        let open = self.open[side as usize] + i64::from(new) - i64::from(old);
        agent != self.agent || side.sign() * self.position + open <= i64::from(self.limits.position)
    }

    /// Shares come to rest or to wait.
    pub(super) fn opens(&mut self, agent: AgentIndex, side: Side, shares: u32) {
        if agent == self.agent {
            self.open[side as usize] += i64::from(shares);
        }
    }

    /// Shares rest or wait no more: traded, cancelled or entered.
    pub(super) fn leaves(&mut self, agent: AgentIndex, side: Side, shares: u32) {
        if agent == self.agent {
            self.open[side as usize] -= i64::from(shares);
        }
    }

    /// Shares were bought or sold.
    pub(super) fn trades(&mut self, agent: AgentIndex, side: Side, shares: u32, price: Price) {
        if agent == self.agent {
            let bought = side.sign() * i64::from(shares);
            self.position += bought;
            self.cash -= i128::from(bought * price.cents());
        }
    }

    /// Whether the trader has lost as much as it may.
    pub(super) fn has_lost_too_much(&self, last: Option<Price>) -> bool {
        let worth = i128::from(self.position * last.map_or(0, Price::cents));
        self.limits.loss.is_some_and(|loss| -(self.cash + worth) >= i128::from(loss))
    }
}
