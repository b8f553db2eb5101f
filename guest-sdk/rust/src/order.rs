//! An order with any of the rarer terms: [`Order`].
//!
//! Invariant: a term that needs a number carries it, so that an iceberg without a size or a good-till without a time cannot be said.
//! What the venue may still refuse ([`Reason::InvalidTerms`](crate::Reason::InvalidTerms)) are terms that contradict each other.

use crate::{Limit, Price, Quantity, Side, Time};

/// How long an order lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimeInForce {
    /// Until the close.
    #[default]
    Day,
    /// Trades what it can at once; the rest is cancelled (`NoLiquidity`).
    ImmediateOrCancel,
    /// Trades at once and in full, or is rejected (`CannotFill`).
    FillOrKill,
    /// Until this time, at most until the close; then cancelled (`Expired`).
    GoodTill(Time),
    /// Only in the opening auction; what does not trade there is cancelled.
    AtOpen,
    /// Only in the closing auction.
    AtClose,
}

/// How much of a resting order others see.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Display {
    /// All of it.
    #[default]
    Full,
    /// Nothing; ranks behind every visible order at its price.
    Hidden,
    /// So many shares at a time; each refill goes to the end of the queue.
    Iceberg(Quantity),
    /// Price to comply: shown at its price, but ranked hidden, and traded, one tick better where that meets nothing.
    Comply,
}

/// What becomes of an order that may not take liquidity and would, hidden liquidity included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PostOnly {
    /// It may take.
    #[default]
    No,
    /// It is rejected (`WouldTrade`).
    Reject,
    /// It is moved to the best price at which it does not; a `Modified` says so.
    Slide,
}

/// What an order waits for before it is entered; a `Triggered` says when it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trigger {
    /// A trade at this price or beyond: at or above it to buy, at or below it to sell.
    Stop(Price),
    /// A trade so many cents or more above the lowest since the order was accepted to buy, below the highest to sell.
    Trail(u32),
}

/// An order in full, to be sent with [`Exchange::order`](crate::Exchange::order).
///
/// ```
/// use assay_sdk::*;
/// let (price, quantity) = (Price::of(100_000), Quantity::of(500));
/// let iceberg = Order::limit(Side::Buy, price, quantity).iceberg(Quantity::of(100));
/// let sweep = Order::limit(Side::Buy, price, quantity).time_in_force(TimeInForce::ImmediateOrCancel);
/// let stop_loss = Order::market(Side::Sell, quantity).stop(price - 50);
/// # let _ = (iceberg, sweep, stop_loss);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "an order does nothing until `exchange.order(order)`"]
pub struct Order {
    /// Side.
    pub side: Side,
    /// The worst price you accept; `None` for an order at market.
    pub price: Option<Price>,
    /// Shares.
    pub quantity: Quantity,
    /// How long it lives.
    pub time_in_force: TimeInForce,
    /// How much of it is seen.
    pub display: Display,
    /// Whether it may take liquidity.
    pub post_only: PostOnly,
    /// What it waits for.
    pub trigger: Option<Trigger>,
}

impl Order {
    /// A plain limit order.
    pub const fn limit(side: Side, price: Price, quantity: Quantity) -> Self {
        Self {
            side,
            price: Some(price),
            quantity,
            time_in_force: TimeInForce::Day,
            display: Display::Full,
            post_only: PostOnly::No,
            trigger: None,
        }
    }

    /// A plain market order.
    pub const fn market(side: Side, quantity: Quantity) -> Self {
        Self { price: None, ..Self::limit(side, Price::of(1), quantity) }
    }

    /// The same, living so long.
    pub const fn time_in_force(self, time_in_force: TimeInForce) -> Self {
        Self { time_in_force, ..self }
    }

    /// The same, not shown in the book.
    pub const fn hidden(self) -> Self {
        Self { display: Display::Hidden, ..self }
    }

    /// The same, showing `shown` shares at a time.
    pub const fn iceberg(self, shown: Quantity) -> Self {
        Self { display: Display::Iceberg(shown), ..self }
    }

    /// The same, shown at its price and ranked a tick better ([`Display::Comply`]).
    pub const fn comply(self) -> Self {
        Self { display: Display::Comply, ..self }
    }

    /// The same, but never takes liquidity: rejected where it would.
    pub const fn post_only(self) -> Self {
        Self { post_only: PostOnly::Reject, ..self }
    }

    /// The same, but never takes liquidity: moved where it would.
    pub const fn slide(self) -> Self {
        Self { post_only: PostOnly::Slide, ..self }
    }

    /// The same, entered once there is a trade at `price` or beyond.
    pub const fn stop(self, price: Price) -> Self {
        Self { trigger: Some(Trigger::Stop(price)), ..self }
    }

    /// The same, entered once there is a trade `cents` off the best since.
    pub const fn trail(self, cents: u32) -> Self {
        Self { trigger: Some(Trigger::Trail(cents)), ..self }
    }
}

/// A limit order is an order without the rarer terms.
impl From<Limit> for Order {
    fn from(Limit { side, price, quantity, hidden, post_only }: Limit) -> Self {
        let display = if hidden { Display::Hidden } else { Display::Full };
        let post_only = if post_only { PostOnly::Reject } else { PostOnly::No };
        Self { display, post_only, ..Self::limit(side, price, quantity) }
    }
}
