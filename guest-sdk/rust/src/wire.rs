//! The interface's raw numbers and the types they stand for: the only place that knows the numbering of `wit/strategy.wit`.
//!
//! The numbers come from the host, which is trusted and typed by the same interface; what it could not have sent reads as a bug of
//! ours, so it panics.

use crate::{
    Config, Display, Duration, Level, Liquidity, OpenOrder, Order, OrderId, OrderUpdate, Price, Quantity, Quote,
    Reason, RequestId, Side, Time, TimeInForce, Trigger, UpdateKind,
};

/// A price that may be absent, which is written 0.
#[must_use]
pub const fn price(cents: i64) -> Option<Price> {
    Price::new(cents)
}

/// The parameters of `order`; those without meaning are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each field is the parameter of the same name")]
pub struct RawOrder {
    pub side: u32,
    pub price: i64,
    pub quantity: u64,
    pub time_in_force: u32,
    pub expires: u64,
    pub display: u32,
    pub shown: u64,
    pub post_only: u32,
    pub trigger: u32,
    pub trigger_at: i64,
}

impl From<Order> for RawOrder {
    fn from(order: Order) -> Self {
        let (time_in_force, expires) = match order.time_in_force {
            TimeInForce::Day => (0, 0),
            TimeInForce::ImmediateOrCancel => (1, 0),
            TimeInForce::FillOrKill => (2, 0),
            TimeInForce::GoodTill(time) => (3, time.0),
            TimeInForce::AtOpen => (4, 0),
            TimeInForce::AtClose => (5, 0),
        };
        let (display, shown) = match order.display {
            Display::Full => (0, 0),
            Display::Hidden => (1, 0),
            Display::Iceberg(shown) => (2, shown.shares()),
            Display::Comply => (3, 0),
        };
        let (trigger, trigger_at) = match order.trigger {
            None => (0, 0),
            Some(Trigger::Stop(price)) => (1, price.cents()),
            Some(Trigger::Trail(cents)) => (2, i64::from(cents)),
        };
        Self {
            side: order.side as u32,
            price: order.price.map_or(0, Price::cents),
            quantity: order.quantity.shares(),
            time_in_force,
            expires,
            display,
            shown,
            post_only: order.post_only as u32,
            trigger,
            trigger_at,
        }
    }
}

/// The numbers of `config`.
#[must_use]
pub fn config(symbol: String, cash: i64, open: u64, close: u64, latency: u64, tick: u64) -> Config {
    Config {
        symbol,
        starting_cash: cash,
        market_open: Time(open),
        market_close: Time(close),
        latency: Duration::from_nanos(latency),
        tick_interval: (tick > 0).then_some(Duration::from_nanos(tick)),
    }
}

/// `quote` as it lies in memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "each field is the one of the same name in the interface")]
pub struct RawQuote {
    pub bid: i64,
    pub bid_size: u64,
    pub ask: i64,
    pub ask_size: u64,
    pub last: i64,
    pub volume: u64,
}

impl From<RawQuote> for Quote {
    fn from(raw: RawQuote) -> Self {
        quote(raw.bid, raw.bid_size, raw.ask, raw.ask_size, raw.last, raw.volume)
    }
}

/// The numbers of `quote`.
#[inline]
#[must_use]
pub fn quote(bid: i64, bid_size: u64, ask: i64, ask_size: u64, last: i64, volume: u64) -> Quote {
    let level = |cents, quantity| price(cents).map(|price| Level { price, quantity });
    Quote { bid: level(bid, bid_size), ask: level(ask, ask_size), last: price(last), volume }
}

/// The numbers of `order-update`.
///
/// # Panics
/// On a status or reason that the interface does not have, and on a trade without price or shares.
#[inline]
#[must_use]
#[expect(clippy::too_many_arguments, reason = "they are the interface's")]
pub fn update(
    request: u64,
    order: u64,
    status: u32,
    reason: u32,
    cents: i64,
    quantity: u64,
    remaining: u64,
    maker: bool,
) -> OrderUpdate {
    let reason = Reason::ALL[reason as usize];
    let kind = match status {
        0 => UpdateKind::Accepted,
        1 | 2 => UpdateKind::Fill {
            price: Price::of(cents),
            quantity: Quantity::of(quantity),
            liquidity: if maker { Liquidity::Maker } else { Liquidity::Taker },
        },
        3 => UpdateKind::Cancelled { reason },
        4 => UpdateKind::AllCancelled { count: quantity },
        5 => UpdateKind::Modified { price: Price::of(cents) },
        6 => UpdateKind::Reduced { by: quantity },
        7 => UpdateKind::Rejected { reason },
        8 => UpdateKind::Triggered,
        _ => panic!("the interface has no status {status}"),
    };
    OrderUpdate { request: RequestId::from_number(request), order: OrderId::from_number(order), remaining, kind }
}

/// The numbers of `level`, laid out as the interface lays out the record.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawLevel {
    /// Cents.
    pub price: i64,
    /// Shares.
    pub quantity: u64,
}

/// The numbers of `open-order`, laid out as the interface lays out the record.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawOpenOrder {
    /// The order's number.
    pub id: u64,
    /// [`Side`].
    pub side: u8,
    /// Cents; 0 for a market order.
    pub price: i64,
    /// Shares.
    pub remaining: u64,
    /// 0 or 1.
    pub accepted: u8,
}

impl From<RawLevel> for Level {
    fn from(raw: RawLevel) -> Self {
        Self { price: Price::of(raw.price), quantity: raw.quantity }
    }
}

impl From<RawOpenOrder> for OpenOrder {
    fn from(raw: RawOpenOrder) -> Self {
        Self {
            id: OrderId::from_number(raw.id),
            side: Side::ALL[usize::from(raw.side)],
            price: price(raw.price),
            remaining: raw.remaining,
            accepted: raw.accepted != 0,
        }
    }
}
