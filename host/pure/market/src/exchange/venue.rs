//! What a venue decides: who may trade with himself, auctions, halts.

use assay_model::{Nanos, Time};

/// What happens when an order meets another of its own trader. In an auction, where nothing meets before its end, each order collected then
/// meets its trader's earlier ones that it crosses, the best price first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SelfTrade {
    /// They trade.
    Allow,
    /// The incoming order is cancelled there; trades before that stand.
    #[default]
    CancelNewest,
    /// The resting order is cancelled, and the incoming one goes on.
    CancelOldest,
    /// Both lose the shares of the smaller; the one that has none left is cancelled, the other goes on.
    Decrement,
}

impl SelfTrade {
    /// Every mode's name, as scenarios spell it.
    pub const NAMES: [&'static str; 4] = ["allow", "cancel-newest", "cancel-oldest", "decrement"];
    /// Every mode, in the order of their names.
    pub const ALL: [Self; 4] = [Self::Allow, Self::CancelNewest, Self::CancelOldest, Self::Decrement];
}

/// A stop of trading that is known beforehand; it ends with an auction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Halt {
    /// When.
    pub at: Time,
    /// How long.
    pub lasts: Nanos,
}

/// A stop of trading because the market pressed against its price band.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitPause {
    /// How long the best bid must have been at the upper edge of the band, or the best offer at the lower.
    pub after: Nanos,
    /// How long trading then stops.
    pub lasts: Nanos,
}

/// A stop of trading because the price has fallen far; once for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breaker {
    /// How far below the session's first trade, in hundredths of a per cent of it.
    pub fall_basis_points: u32,
    /// How long trading then stops.
    pub lasts: Nanos,
}

/// See the module documentation. The default is continuous trading from open to close.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Venue {
    /// What happens when an order meets another of its own trader.
    pub self_trade: SelfTrade,
    /// How long orders are collected for the opening auction, from the open on; zero for no such auction.
    pub opening_auction: Nanos,
    /// From when on orders are collected for the closing auction, which is held at the close.
    pub closing_auction: Option<Time>,
    /// Halts, in the order of their times.
    pub halts: Vec<Halt>,
    /// Pauses at the edges of the price band.
    pub limit_pause: Option<LimitPause>,
    /// Circuit breakers, the smallest fall first.
    pub breakers: Vec<Breaker>,
}
