//! What a venue publishes besides quotes: trade prints, the course of the session, an auction's indicative price.
//!
//! Invariant: plain data, as of the moment at the exchange at which it was published.

use crate::{Price, Side, Time};

/// A trade on the tape. Who traded is not published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Print {
    /// When it happened at the exchange.
    pub at: Time,
    /// Price.
    pub price: Price,
    /// Shares.
    pub quantity: u32,
    /// The side of the order that came in and took; none in an auction, in which nobody does.
    pub aggressor: Option<Side>,
}

/// Where the session stands. The numbers are part of the guest interface.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Phase {
    /// The session has not begun, or nothing has been heard of it yet.
    #[default]
    BeforeOpen = 0,
    /// Orders trade as they come.
    Continuous = 1,
    /// Orders are collected for the opening auction.
    OpeningCall = 2,
    /// Trading is halted; orders are collected for the auction that ends the halt.
    Halt = 3,
    /// Orders are collected for the closing auction.
    ClosingCall = 4,
    /// The session is over.
    Closed = 5,
}

impl Phase {
    /// Every phase, in number order.
    pub const ALL: [Self; 6] =
        [Self::BeforeOpen, Self::Continuous, Self::OpeningCall, Self::Halt, Self::ClosingCall, Self::Closed];

    /// Whether orders are being collected for an auction.
    #[must_use]
    pub const fn is_call(self) -> bool {
        matches!(self, Self::OpeningCall | Self::Halt | Self::ClosingCall)
    }
}

/// What an auction would do if it were held at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indicative {
    /// The price at which it would trade.
    pub price: Price,
    /// Shares that would trade.
    pub matched: u64,
    /// Shares left over at that price: those of buyers, less those of sellers.
    pub imbalance: i64,
}

/// The state of a session, as published.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SessionState {
    /// Where it stands.
    pub phase: Phase,
    /// When the call ends, if the venue has announced it; it may be put off.
    pub ends: Option<Time>,
    /// During a call, if anything would trade.
    pub indicative: Option<Indicative>,
}
