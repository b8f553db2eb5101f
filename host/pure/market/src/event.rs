//! What happens at the exchange, in order: the one record from which the event log, the tape, charts and every measure derive.
//!
//! Invariant: events are emitted in exchange order with a non-decreasing time; the stream is a function of scenario, seed and traders.

use crate::Exchange;
use assay_model::{Level, Nanos, OrderId, OrderUpdate, Price, Quote, Request, Side, SymbolIndex, Time};

/// A participant's index: background agents in scenario order, the trader last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentIndex(pub u32);

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

/// The best visible prices without one agent's orders, as they are now. No part of the event log, because it follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OthersQuote {
    /// Exchange time.
    pub at: Time,
    /// In the book of which symbol.
    pub symbol: SymbolIndex,
    /// Whose orders are left out.
    pub agent: AgentIndex,
    /// Best bid of the others.
    pub bid: Option<Price>,
    /// Best offer of the others.
    pub ask: Option<Price>,
}

/// Receives events as they happen.
pub trait EventSink {
    /// Takes one event.
    fn event(&mut self, event: &Event);

    /// How often it wants to see the book, if at all; a simulation asks once, before the first event.
    fn depth_interval(&self) -> Option<Nanos> {
        None
    }

    /// Shows it the exchange as it stands before anything that happens at `at`: a whole number of intervals after the open, up to
    /// the close. Looking changes nothing.
    fn depth(&mut self, _at: Time, _exchange: &Exchange) {}

    /// Whether [`level`](Self::level) is to be called at all. Asked once, before the first event.
    fn watches_depth(&self) -> bool {
        false
    }

    /// Takes one level of the visible book that the request just handled may have changed; comes before the quote. After the
    /// close the book stands as it was at the close, as the quote does.
    fn level(&mut self, change: &LevelChange) {
        let _ = change;
    }

    /// The agents without whose orders it wants to know the best prices. Asked once, before the first event.
    fn leaves_out(&self) -> Vec<AgentIndex> {
        Vec::new()
    }

    /// Takes others' best prices when the request just handled has changed them; comes before the quote. Hidden shares count as little
    /// as they do in a quote.
    fn others(&mut self, quote: &OthersQuote) {
        let _ = quote;
    }

    /// Shows it a symbol's exchange as it stands at the close, once, after a closing auction and before the orders left expire. Looking
    /// changes nothing.
    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        let _ = (at, symbol, exchange);
    }
}

/// Listens to nothing.
impl EventSink for () {
    fn event(&mut self, _: &Event) {}
}
