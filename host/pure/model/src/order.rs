//! The order protocol between a trader and the exchange.
//!
//! Requests carry raw numbers, because a guest may send anything; the exchange is the boundary that checks them.
//!
//! **Exactly one terminal answer per request.** A request's id is chosen by the trader's desk, counts up from 1 and is
//! never reused. For a request that makes an order (limit, market, replace, order) the request id *is* the order id, and the
//! terminal answer is the one that ends the order: [`UpdateKind::Fill`] with nothing remaining, `Cancelled` or `Rejected`. For
//! every other request it is the one update whose `request` field is its id: `Cancelled`, `CancelledAll`, `Modified`,
//! `Reduced` or `Rejected`. A `Cancelled` that answers a cancel, a cancel-all's orders or a replace also ends its order.
//!
//! ```text
//! limit/market/replace/order ──► Accepted ──► (Triggered | Modified | Reduced | Fill)* ──► Fill(remaining 0) | Cancelled
//!                            └─► Rejected
//! ```

use crate::{Price, Side, Terms, Time};

/// Symbols that one market can have.
pub const SYMBOLS_MAX: usize = 8;

/// One of a market's symbols, in the scenario's order; the first is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SymbolIndex(pub u8);

impl SymbolIndex {
    /// The first, which most markets have alone.
    pub const FIRST: Self = Self(0);
}

/// Identifies a request within one trader; counts up from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RequestId(pub u64);

/// Identifies an order within one trader: the id of the request that made it.
pub type OrderId = RequestId;

/// How a limit order rests and trades.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Qualifiers {
    /// Not shown in the book; ranks behind every visible order at its price.
    pub hidden: bool,
    /// Never takes liquidity, hidden liquidity included: rejected where it would.
    pub post_only: bool,
}

/// What a trader asks of the exchange. Prices and quantities are unchecked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestKind {
    /// Buy or sell up to `quantity` at `price` (cents) or better; what does not trade rests until the close.
    Limit {
        /// Side.
        side: Side,
        /// Cents.
        price: i64,
        /// Shares.
        quantity: u64,
        /// Hidden, post-only.
        qualifiers: Qualifiers,
    },
    /// Buy or sell `quantity` at whatever the book offers; the remainder is cancelled with a message.
    Market {
        /// Side.
        side: Side,
        /// Shares.
        quantity: u64,
    },
    /// Cancel one order.
    Cancel {
        /// The order.
        order: OrderId,
    },
    /// Cancel all of the trader's resting orders.
    CancelAll,
    /// Set the limit price and the *remaining* quantity of an order that rests, or waits and has a limit. It keeps its place in the
    /// queue only if the price stays and the quantity does not grow.
    Modify {
        /// The order.
        order: OrderId,
        /// New price in cents.
        price: i64,
        /// New remaining quantity in shares.
        quantity: u64,
    },
    /// Cancel `by` shares of what remains at the exchange (all of it, if `by` is as much or more); keeps the place.
    Reduce {
        /// The order.
        order: OrderId,
        /// Shares to take off.
        by: u64,
    },
    /// Cancel `order` and enter a new limit order on the same side with the same qualifiers, atomically. If `order` no longer
    /// rests, the new one is rejected.
    Replace {
        /// The order to cancel.
        order: OrderId,
        /// Price of the new order in cents.
        price: i64,
        /// Quantity of the new order in shares.
        quantity: u64,
    },
    /// An order with any of the rarer terms; with none of them it is the same as `Limit` or `Market`.
    Order(Terms),
}

/// A request with its id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Chosen by the trader's desk.
    pub id: RequestId,
    /// What is asked.
    pub kind: RequestKind,
}

/// Why a request was rejected or an order cancelled. The numbers are part of the guest interface and of the event log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Reason {
    /// Nothing to explain.
    None = 0,
    /// The trader asked for it.
    Requested = 1,
    /// A market order found no more liquidity, or none within the price band.
    NoLiquidity = 2,
    /// The order was replaced.
    Replaced = 3,
    /// The market closed; the order expired.
    MarketClosed = 4,
    /// The trader was stopped (its strategy failed), so the exchange took its orders out.
    TraderStopped = 5,
    /// A post-only order would have traded, on arrival or when trading went on after the auction for which it was collected.
    WouldTrade = 6,
    /// Price outside `1..=PRICE_MAX_CENTS`.
    InvalidPrice = 7,
    /// Quantity outside `1..=QUANTITY_MAX`.
    InvalidQuantity = 8,
    /// No such resting order: unknown, already filled or already cancelled.
    UnknownOrder = 9,
    /// The trader has too many resting orders.
    TooManyOpenOrders = 10,
    /// The order met another of the same trader; the newer one was cancelled.
    SelfTrade = 11,
    /// The market has not opened yet, or not for this trader.
    MarketNotOpen = 12,
    /// Price further from the last trade than the market's price band allows.
    OutsideBand = 13,
    /// Should all its orders trade, the trader would hold more shares, long or short, than it may.
    PositionLimit = 14,
    /// A fill-or-kill order could not be filled at once and in full.
    CannotFill = 15,
    /// The order's date has come.
    Expired = 16,
    /// The order's terms contradict each other.
    InvalidTerms = 17,
    /// There is no such auction, or none any more.
    NoAuction = 18,
    /// The order named still waits, for its trigger or for an auction: it cannot be replaced, nor modified if it is at market.
    OrderWaits = 19,
    /// Orders are being collected for an auction, in which this one cannot take part.
    InAuction = 20,
    /// The trader's loss reached its limit, so the exchange took its orders out and takes no more.
    LossLimit = 21,
    /// Should all its orders trade, the trader would have less than the initial margin of its position.
    BuyingPower = 22,
    /// What the trader has fell below the maintenance margin of its position, so the exchange took its orders out and takes no more.
    Ruined = 23,
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

/// Whether a fill made or took liquidity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Liquidity {
    /// The order rested and was hit.
    Maker = 0,
    /// The order came in and hit.
    Taker = 1,
}

/// What happened to a request or an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateKind {
    /// The order is valid and live (not terminal).
    Accepted,
    /// Shares traded; terminal for the order when `remaining` in the update is 0.
    Fill {
        /// Trade price.
        price: Price,
        /// Shares traded.
        quantity: u32,
        /// Maker or taker.
        liquidity: Liquidity,
    },
    /// The order is gone; terminal.
    Cancelled {
        /// Why.
        reason: Reason,
    },
    /// All resting orders are gone; `count` of them each got their own `Cancelled`. Terminal for the cancel-all.
    CancelledAll {
        /// How many orders were cancelled.
        count: u32,
    },
    /// Price and quantity were changed; terminal for the modify. With the order itself as its request, the exchange moved the order
    /// to a price at which it does not trade (post-only, slide).
    Modified {
        /// The order's price now.
        price: Price,
    },
    /// Part of the order was cancelled; terminal for the reduce. With the order itself as its request, it met another of its trader's.
    Reduced {
        /// Shares taken off.
        by: u32,
    },
    /// The request was refused; terminal.
    Rejected {
        /// Why.
        reason: Reason,
    },
    /// The trade that the order waited for has happened; it is entered now (not terminal).
    Triggered,
}

/// One message from the exchange to a trader about one of its requests or orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderUpdate {
    /// The request this answers; for a fill, an expiry or a stop it is the order itself.
    pub request: RequestId,
    /// The order concerned; equals `request` for a cancel-all.
    pub order: OrderId,
    /// When it happened at the exchange.
    pub at: Time,
    /// Shares still resting after this update.
    pub remaining: u32,
    /// What happened.
    pub kind: UpdateKind,
}

/// One price level: visible shares at a price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Price.
    pub price: Price,
    /// Visible shares.
    pub quantity: u64,
}

/// Level-1 market data, published by the exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Quote {
    /// Counts publications to this subscriber's symbol, from 1; a gap means that updates were conflated.
    pub sequence: u64,
    /// When it was true at the exchange.
    pub at: Time,
    /// Best visible bid.
    pub bid: Option<Level>,
    /// Best visible offer.
    pub ask: Option<Level>,
    /// Price of the last trade.
    pub last: Option<Price>,
    /// Shares traded since the open.
    pub volume: u64,
}
