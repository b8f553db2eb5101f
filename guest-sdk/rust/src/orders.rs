//! Orders, and what the exchange says about them.
//!
//! **Exactly one terminal answer per request.** [`OrderUpdate::ends_order`] is true for the one update that ends an order;
//! cancel, cancel-all, modify and reduce are answered by the one update whose `request` is theirs.
//!
//! ```text
//! limit/market/order/replace ──► Accepted ──► (Triggered | Fill)* ──► Fill (remaining 0) | Cancelled
//!                            └─► Rejected
//! ```

use crate::{Price, Quantity, Side};
use core::fmt;

/// Identifies one of your orders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct OrderId(u64);

/// Identifies one of your requests. A request that makes an order has the order's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct RequestId(u64);

impl OrderId {
    /// For hosts: the id with this number.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number; counts up from 1 with every request.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl RequestId {
    /// For hosts: the id with this number.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number; counts up from 1 with every request.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// A limit order to be sent with [`Exchange::limit`](crate::Exchange::limit): trades at its price or better, and what does not trade
/// rests until the close.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "an order does nothing until `exchange.limit(order)`"]
pub struct Limit {
    /// Side.
    pub side: Side,
    /// The worst price you accept.
    pub price: Price,
    /// Shares.
    pub quantity: Quantity,
    /// Not shown in the book; ranks behind every visible order at its price.
    pub hidden: bool,
    /// Never takes liquidity: rejected where it would.
    pub post_only: bool,
}

impl Limit {
    /// A visible order.
    pub const fn new(side: Side, price: Price, quantity: Quantity) -> Self {
        Self { side, price, quantity, hidden: false, post_only: false }
    }

    /// A visible order to buy.
    pub const fn buy(price: Price, quantity: Quantity) -> Self {
        Self::new(Side::Buy, price, quantity)
    }

    /// A visible order to sell.
    pub const fn sell(price: Price, quantity: Quantity) -> Self {
        Self::new(Side::Sell, price, quantity)
    }

    /// The same, but not shown in the book; it ranks behind every visible order at its price.
    pub const fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// The same, but never takes liquidity: rejected ([`Reason::WouldTrade`]) where it would.
    pub const fn post_only(self) -> Self {
        Self { post_only: true, ..self }
    }
}

/// An order that has not ended, as far as you have heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOrder {
    /// Its id.
    pub id: OrderId,
    /// Side.
    pub side: Side,
    /// Limit price; `None` for a market order.
    pub price: Option<Price>,
    /// Shares still to trade.
    pub remaining: u64,
    /// Whether the exchange has said that it has it.
    pub accepted: bool,
}

/// Whether a fill made or took liquidity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Liquidity {
    /// Your order rested and was hit.
    Maker,
    /// Your order came in and hit.
    Taker,
}

/// One message from the exchange about one of your requests or orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderUpdate {
    /// The request this answers; for a fill, an expiry and the orders of a cancel-all it is the one that made the order.
    pub request: RequestId,
    /// The order concerned; for an answer to a cancel-all it has the request's number.
    pub order: OrderId,
    /// Shares of the order still to trade after this.
    pub remaining: u64,
    /// The order's side; `None` for an answer to a cancel-all, and for an order that is not known (any more).
    pub side: Option<Side>,
    /// What happened.
    pub kind: UpdateKind,
}

/// A trade of yours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fill {
    /// Whether you bought or sold.
    pub side: Side,
    /// Trade price.
    pub price: Price,
    /// Shares traded.
    pub quantity: Quantity,
    /// Whether you made or took liquidity.
    pub liquidity: Liquidity,
}

impl Fill {
    /// What it did to your position: shares bought, or less than 0 if they were sold.
    #[must_use]
    pub const fn signed(&self) -> i64 {
        self.side.sign() * self.quantity.shares() as i64
    }
}

/// What happened to a request or an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateKind {
    /// The order is valid and live.
    Accepted,
    /// Shares traded; position and cash already include them.
    Fill {
        /// Trade price.
        price: Price,
        /// Shares traded.
        quantity: Quantity,
        /// Whether you made or took liquidity.
        liquidity: Liquidity,
    },
    /// The order is gone; what had not traded will not.
    Cancelled {
        /// Why.
        reason: Reason,
    },
    /// The answer to a cancel-all; each order also got its own `Cancelled`.
    AllCancelled {
        /// How many orders were cancelled.
        count: u64,
    },
    /// Price and remaining quantity were changed as asked.
    Modified {
        /// The order's price now.
        price: Price,
    },
    /// Part of the order was cancelled as asked.
    Reduced {
        /// Shares taken off.
        by: u64,
    },
    /// The trade that the order waited for has happened; it is entered now.
    Triggered,
    /// The request was refused. The order that a refused cancel, modify, reduce or replace names is as it was.
    Rejected {
        /// Why.
        reason: Reason,
    },
}

impl OrderUpdate {
    /// The trade that this update tells of, if it does.
    #[must_use]
    pub const fn fill(&self) -> Option<Fill> {
        match (self.kind, self.side) {
            (UpdateKind::Fill { price, quantity, liquidity }, Some(side)) => {
                Some(Fill { side, price, quantity, liquidity })
            }
            _ => None,
        }
    }

    /// Whether this is the last word on [`order`](Self::order): true exactly once for each order.
    #[must_use]
    pub const fn ends_order(&self) -> bool {
        match self.kind {
            UpdateKind::Cancelled { .. } => true,
            UpdateKind::Fill { .. } => self.remaining == 0,
            // A refused cancel or modify leaves its order alone; a refused order never lived.
            UpdateKind::Rejected { .. } => self.request.number() == self.order.number(),
            UpdateKind::Accepted
            | UpdateKind::Triggered
            | UpdateKind::AllCancelled { .. }
            | UpdateKind::Modified { .. }
            | UpdateKind::Reduced { .. } => false,
        }
    }
}

/// Why a request was rejected or an order cancelled. The order is part of the interface.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Reason {
    /// Nothing to explain.
    None,
    /// You asked for it.
    Requested,
    /// A market order found no more liquidity, or none within the price band.
    NoLiquidity,
    /// You replaced the order.
    Replaced,
    /// The market closed; the order expired.
    MarketClosed,
    /// The strategy was stopped, so the exchange took its orders out.
    TraderStopped,
    /// A post-only order would have traded.
    WouldTrade,
    /// Price out of bounds.
    InvalidPrice,
    /// Quantity out of bounds.
    InvalidQuantity,
    /// No such resting order: unknown, already filled or already cancelled.
    UnknownOrder,
    /// You have too many resting orders.
    TooManyOpenOrders,
    /// The order met another of yours; the newer one was cancelled.
    SelfTrade,
    /// The market has not opened yet, or not for you.
    MarketNotOpen,
    /// Price too far from the last trade.
    OutsideBand,
    /// Should all your orders trade, you would hold more shares, long or short, than the scenario allows.
    PositionLimit,
    /// A fill-or-kill order could not be filled at once and in full.
    CannotFill,
    /// The order's date has come.
    Expired,
    /// The order's terms contradict each other.
    InvalidTerms,
    /// There is no such auction, or none any more.
    NoAuction,
    /// The order named still waits, for its trigger or an auction; it can be cancelled or reduced only.
    OrderWaits,
    /// Orders are being collected for an auction, in which this one cannot take part.
    InAuction,
    /// Your loss reached the scenario's limit, so the exchange took your orders out and takes no more.
    LossLimit,
    /// Should all your orders trade, you would have less than the initial margin of your position.
    BuyingPower,
    /// What you have fell below the maintenance margin of your position, so the exchange took your orders out and takes no more.
    Ruined,
}

impl Reason {
    /// Every reason, in number order.
    pub const ALL: [Self; 24] = [
        Self::None,
        Self::Requested,
        Self::NoLiquidity,
        Self::Replaced,
        Self::MarketClosed,
        Self::TraderStopped,
        Self::WouldTrade,
        Self::InvalidPrice,
        Self::InvalidQuantity,
        Self::UnknownOrder,
        Self::TooManyOpenOrders,
        Self::SelfTrade,
        Self::MarketNotOpen,
        Self::OutsideBand,
        Self::PositionLimit,
        Self::CannotFill,
        Self::Expired,
        Self::InvalidTerms,
        Self::NoAuction,
        Self::OrderWaits,
        Self::InAuction,
        Self::LossLimit,
        Self::BuyingPower,
        Self::Ruined,
    ];
}

/// The name in the interface.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Requested => "requested",
            Self::NoLiquidity => "no-liquidity",
            Self::Replaced => "replaced",
            Self::MarketClosed => "market-closed",
            Self::TraderStopped => "trader-stopped",
            Self::WouldTrade => "would-trade",
            Self::InvalidPrice => "invalid-price",
            Self::InvalidQuantity => "invalid-quantity",
            Self::UnknownOrder => "unknown-order",
            Self::TooManyOpenOrders => "too-many-open-orders",
            Self::SelfTrade => "self-trade",
            Self::MarketNotOpen => "market-not-open",
            Self::OutsideBand => "outside-band",
            Self::PositionLimit => "position-limit",
            Self::CannotFill => "cannot-fill",
            Self::Expired => "expired",
            Self::InvalidTerms => "invalid-terms",
            Self::NoAuction => "no-auction",
            Self::OrderWaits => "order-waits",
            Self::InAuction => "in-auction",
            Self::LossLimit => "loss-limit",
            Self::BuyingPower => "buying-power",
            Self::Ruined => "ruined",
        })
    }
}
