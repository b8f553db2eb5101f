//! The Rust side of `guest-sdk/wit/strategy.wit`: value types and how order updates are flattened into scalars.
//!
//! Invariant: the order of cases and fields is that of the WIT file; the linker checks both when a component is loaded.

use assay_model::{Desk, OpenOrder, OrderUpdate, Reason, Side, StrategyConfig, UpdateKind};
use wasmtime::component::{ComponentType, Lift, Lower};

/// The imported interface.
pub(crate) const EXCHANGE: &str = "assay:strategy/exchange@0.1.0";

/// `side`.
#[derive(Clone, Copy, ComponentType, Lift, Lower)]
#[component(enum)]
#[repr(u8)]
pub(crate) enum WireSide {
    #[component(name = "buy")]
    Buy,
    #[component(name = "sell")]
    Sell,
}

impl From<WireSide> for Side {
    fn from(side: WireSide) -> Self {
        match side {
            WireSide::Buy => Self::Buy,
            WireSide::Sell => Self::Sell,
        }
    }
}

impl From<Side> for WireSide {
    fn from(side: Side) -> Self {
        match side {
            Side::Buy => Self::Buy,
            Side::Sell => Self::Sell,
        }
    }
}

/// `status`.
#[derive(Clone, Copy, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
pub(crate) enum WireStatus {
    #[component(name = "accepted")]
    Accepted,
    #[component(name = "partially-filled")]
    PartiallyFilled,
    #[component(name = "filled")]
    Filled,
    #[component(name = "cancelled")]
    Cancelled,
    #[component(name = "all-cancelled")]
    AllCancelled,
    #[component(name = "modified")]
    Modified,
    #[component(name = "reduced")]
    Reduced,
    #[component(name = "rejected")]
    Rejected,
    #[component(name = "triggered")]
    Triggered,
}

/// `reason`.
#[derive(Clone, Copy, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
pub(crate) enum WireReason {
    #[component(name = "none")]
    None,
    #[component(name = "requested")]
    Requested,
    #[component(name = "no-liquidity")]
    NoLiquidity,
    #[component(name = "replaced")]
    Replaced,
    #[component(name = "market-closed")]
    MarketClosed,
    #[component(name = "trader-stopped")]
    TraderStopped,
    #[component(name = "would-trade")]
    WouldTrade,
    #[component(name = "invalid-price")]
    InvalidPrice,
    #[component(name = "invalid-quantity")]
    InvalidQuantity,
    #[component(name = "unknown-order")]
    UnknownOrder,
    #[component(name = "too-many-open-orders")]
    TooManyOpenOrders,
    #[component(name = "self-trade")]
    SelfTrade,
    #[component(name = "market-not-open")]
    MarketNotOpen,
    #[component(name = "outside-band")]
    OutsideBand,
    #[component(name = "position-limit")]
    PositionLimit,
    #[component(name = "cannot-fill")]
    CannotFill,
    #[component(name = "expired")]
    Expired,
    #[component(name = "invalid-terms")]
    InvalidTerms,
    #[component(name = "no-auction")]
    NoAuction,
    #[component(name = "order-waits")]
    OrderWaits,
    #[component(name = "in-auction")]
    InAuction,
    #[component(name = "loss-limit")]
    LossLimit,
}

impl From<Reason> for WireReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::None => Self::None,
            Reason::Requested => Self::Requested,
            Reason::NoLiquidity => Self::NoLiquidity,
            Reason::Replaced => Self::Replaced,
            Reason::MarketClosed => Self::MarketClosed,
            Reason::TraderStopped => Self::TraderStopped,
            Reason::WouldTrade => Self::WouldTrade,
            Reason::InvalidPrice => Self::InvalidPrice,
            Reason::InvalidQuantity => Self::InvalidQuantity,
            Reason::UnknownOrder => Self::UnknownOrder,
            Reason::TooManyOpenOrders => Self::TooManyOpenOrders,
            Reason::SelfTrade => Self::SelfTrade,
            Reason::MarketNotOpen => Self::MarketNotOpen,
            Reason::OutsideBand => Self::OutsideBand,
            Reason::PositionLimit => Self::PositionLimit,
            Reason::CannotFill => Self::CannotFill,
            Reason::Expired => Self::Expired,
            Reason::InvalidTerms => Self::InvalidTerms,
            Reason::NoAuction => Self::NoAuction,
            Reason::OrderWaits => Self::OrderWaits,
            Reason::InAuction => Self::InAuction,
            Reason::LossLimit => Self::LossLimit,
        }
    }
}

/// `level`.
#[derive(Clone, Copy, ComponentType, Lower)]
#[component(record)]
pub(crate) struct WireLevel {
    pub(crate) price: i64,
    pub(crate) quantity: u64,
}

/// `open-order`.
#[derive(Clone, Copy, ComponentType, Lower)]
#[component(record)]
pub(crate) struct WireOpenOrder {
    id: u64,
    side: WireSide,
    price: i64,
    remaining: u64,
    accepted: bool,
}

impl From<&OpenOrder> for WireOpenOrder {
    fn from(order: &OpenOrder) -> Self {
        Self {
            id: order.id.0,
            side: order.side.into(),
            price: order.price,
            remaining: order.remaining,
            accepted: order.accepted,
        }
    }
}

/// `config`.
#[derive(ComponentType, Lower)]
#[component(record)]
pub(crate) struct WireConfig<'a> {
    symbol: &'a str,
    #[component(name = "starting-cash")]
    starting_cash: i64,
    #[component(name = "market-open")]
    market_open: u64,
    #[component(name = "market-close")]
    market_close: u64,
    latency: u64,
    #[component(name = "tick-interval")]
    tick_interval: u64,
}

impl<'a> From<&'a StrategyConfig> for WireConfig<'a> {
    fn from(config: &'a StrategyConfig) -> Self {
        Self {
            symbol: &config.symbol,
            starting_cash: config.starting_cash,
            market_open: config.market_open.0,
            market_close: config.market_close.0,
            latency: config.latency.0,
            tick_interval: config.tick_interval.0,
        }
    }
}

/// Parameters of `on-market-data`.
pub(crate) type MarketData = (u64, i64, u64, i64, u64, i64, u64);

/// The desk's quote; an empty side is all zero.
pub(crate) fn market_data(desk: &Desk) -> MarketData {
    let quote = desk.quote();
    let (bid, bid_size) = quote.bid.map_or((0, 0), |level| (level.price.cents(), level.quantity));
    let (ask, ask_size) = quote.ask.map_or((0, 0), |level| (level.price.cents(), level.quantity));
    let last = quote.last.map_or(0, assay_model::Price::cents);
    (desk.now().0, bid, bid_size, ask, ask_size, last, quote.volume)
}

/// Parameters of `on-order-update`.
pub(crate) type Update = (u64, u64, u64, WireStatus, WireReason, i64, u64, u64, bool);

/// An update as scalars; fields that do not apply are zero.
pub(crate) fn order_update(desk: &Desk, update: &OrderUpdate) -> Update {
    let none = WireReason::None;
    let (status, reason, price, quantity, maker) = match update.kind {
        UpdateKind::Accepted => (WireStatus::Accepted, none, 0, 0, false),
        UpdateKind::Fill { price, quantity, liquidity } => {
            let status = if update.remaining == 0 { WireStatus::Filled } else { WireStatus::PartiallyFilled };
            let maker = matches!(liquidity, assay_model::Liquidity::Maker);
            (status, none, price.cents(), u64::from(quantity), maker)
        }
        UpdateKind::Cancelled { reason } => (WireStatus::Cancelled, reason.into(), 0, 0, false),
        UpdateKind::CancelledAll { count } => (WireStatus::AllCancelled, none, 0, u64::from(count), false),
        UpdateKind::Modified { price } => (WireStatus::Modified, none, price.cents(), 0, false),
        UpdateKind::Reduced { by } => (WireStatus::Reduced, none, 0, u64::from(by), false),
        UpdateKind::Rejected { reason } => (WireStatus::Rejected, reason.into(), 0, 0, false),
        UpdateKind::Triggered => (WireStatus::Triggered, none, 0, 0, false),
    };
    let remaining = u64::from(update.remaining);
    (desk.now().0, update.request.0, update.order.0, status, reason, price, quantity, remaining, maker)
}
