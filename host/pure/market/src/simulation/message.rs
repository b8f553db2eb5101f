//! What is sent between the exchange and everyone else, and what else the queue holds.

use assay_model::{Nanos, OrderUpdate, Request, SymbolIndex};

use super::market_data::{MarketData, MarketSnapshot};
use crate::AgentIndex;

/// What happens at one time.
#[derive(Debug)]
pub(super) enum Happening {
    /// Trading begins.
    Open,
    /// Trading ends.
    Close,
    /// An instruction reaches the exchange.
    Arrival { agent: AgentIndex, symbol: SymbolIndex, instruction: Instruction },
    /// A message reaches an agent.
    Delivery { agent: AgentIndex, letter: Letter },
    /// An agent that was busy turns to its inbox.
    Serve { agent: AgentIndex },
    /// The newest quote goes out to the strategy.
    Publish(SymbolIndex),
    /// Something falls due at the exchange.
    Due(SymbolIndex),
    /// Recorded requests reach the exchange.
    Replay,
}

/// A message and the symbol that it is about; a wake-up is about none, for which the first stands.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) symbol: SymbolIndex,
    pub(super) message: Message,
}

/// What is sent to the exchange.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    /// A request, logged and answered.
    Request(Request),
    /// A question about the touch and the volume of the last `window`.
    Query { window: Nanos },
    /// The strategy has been stopped, in all symbols.
    Stop,
}

/// What is sent to an agent.
#[derive(Debug)]
pub(super) enum Message {
    /// It is time.
    Wake,
    /// Something happened to a request or an order.
    Update(OrderUpdate),
    /// The answer to a query.
    Snapshot(MarketSnapshot),
    /// The book has become one-sided.
    Imbalance,
    /// A quote with depth.
    MarketData(Box<MarketData>),
}
