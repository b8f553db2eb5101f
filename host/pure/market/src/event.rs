//! What happens at the exchange, in order: the one record from which the event log, the tape, charts and every measure derive.
//!
//! Invariant: events are emitted in exchange order with a non-decreasing time; the stream is a function of scenario, seed and traders.

use assay_model::{Level, OrderId, OrderUpdate, Price, Quote, Request, Side, SymbolIndex, Time};

/// A participant's index: background agents in scenario order, the trader last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentIndex(pub u32);

/// Most background agents: each takes some hundred bytes before it does anything.
pub const AGENTS_MAX: u64 = 1_000_000;

/// One thing that happened at the exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Exchange time.
    pub at: Time,
    /// In the market of which symbol.
    pub symbol: SymbolIndex,
    /// What.
    pub kind: EventKind,
}

/// See [`Event`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// Trading began.
    Opened,
    /// Trading ended; resting orders expire after this event.
    Closed,
    /// A request arrived.
    Request {
        /// Who asks.
        agent: AgentIndex,
        /// What for.
        request: Request,
    },
    /// An answer left.
    Update {
        /// To whom.
        agent: AgentIndex,
        /// What it says.
        update: OrderUpdate,
    },
    /// Two orders traded; comes before the two fill updates.
    Trade {
        /// Trade price: the maker's.
        price: Price,
        /// Shares.
        quantity: u32,
        /// The side of the order that came in.
        taker_side: Side,
        /// The resting order.
        maker: (AgentIndex, OrderId),
        /// The incoming order.
        taker: (AgentIndex, OrderId),
    },
    /// Trading stops until an auction, or goes on after one.
    Session(Session),
    /// The visible top of the book, last price or volume is different after the request just handled; at most one per request.
    Quote(Quote),
}

/// How trading goes while the market is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Session {
    /// Orders are collected for an auction.
    Call = 0,
    /// Orders trade as they come.
    Continuous = 1,
}

/// How much is visible at a price now. No part of the event log, because it follows from it; those who cannot know every rule of the
/// exchange would follow it wrongly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelChange {
    /// Exchange time.
    pub at: Time,
    /// In the book of which symbol.
    pub symbol: SymbolIndex,
    /// Bids or offers.
    pub side: Side,
    /// Price and visible shares; no shares if the level is gone.
    pub level: Level,
}

/// Whose orders somebody wants left out of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// One agent's.
    One(AgentIndex),
    /// Those of this agent and of all behind it, which the seats are: what remains is the market without any of them.
    From(AgentIndex),
}

impl LeftOut {
    /// Whether the orders of this agent are left out.
    #[must_use]
    #[inline]
    pub fn has(self, agent: AgentIndex) -> bool {
        match self {
            Self::One(one) => agent == one,
            Self::From(first) => agent.0 >= first.0,
        }
    }
}

/// The best visible prices without some agents' orders, as they are now. No part of the event log, because it follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OthersQuote {
    /// Exchange time.
    pub at: Time,
    /// In the book of which symbol.
    pub symbol: SymbolIndex,
    /// Whose orders are left out.
    pub left_out: LeftOut,
    /// Best bid of the others.
    pub bid: Option<Price>,
    /// Best offer of the others.
    pub ask: Option<Price>,
}
