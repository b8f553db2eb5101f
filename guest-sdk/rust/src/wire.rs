//! The interface's raw numbers and the types they stand for: the only place that knows the numbering of `wit/strategy.wit`.
//!
//! The numbers come from the host, which is trusted and typed by the same interface; what it could not have sent reads as a bug of
//! ours, so it panics.

use crate::{
    Config, Display, Duration, Fee, Indicative, Level, Liquidity, OpenOrder, Order, OrderId, OrderUpdate, Phase, Price,
    Quantity, Quote, Reason, RequestId, SessionState, Side, Time, TimeInForce, Trade, Trigger, UpdateKind,
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

/// `maybe-side`
///
/// # Panics
/// On a number that the interface does not have.
#[inline]
#[must_use]
pub fn maybe_side(number: u32) -> Option<Side> {
    [None, Some(Side::Buy), Some(Side::Sell)][number as usize]
}

/// `fee`, as it lies in memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "each field is the one of the same name in the interface")]
pub struct RawFee {
    pub microcents_per_share: i64,
    pub notional_millionths: i64,
}

/// Millionths as a number.
fn millionths(number: i64) -> f64 {
    number as f64 / 1e6
}

impl From<RawFee> for Fee {
    fn from(raw: RawFee) -> Self {
        Self { cents_per_share: millionths(raw.microcents_per_share), of_value: millionths(raw.notional_millionths) }
    }
}

/// `config` as it lies in memory; `S` is where its text is, two words.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "each field is the one of the same name in the interface")]
pub struct RawConfig<S> {
    pub symbol: S,
    pub starting_cash: i64,
    pub market_open: u64,
    pub market_close: u64,
    pub close_window: u64,
    pub latency: u64,
    pub tick_interval: u64,
    pub tick_size: i64,
    pub position_limit: u64,
    pub loss_limit: i64,
    pub margin_long: u32,
    pub margin_short: u32,
    pub maintenance_margin: u32,
    pub price_band: u32,
    pub maker_fee: RawFee,
    pub taker_fee: RawFee,
    pub picoseconds_per_fuel: u64,
}

/// The numbers of `config`, with its text.
#[must_use]
pub fn config<S>(symbol: String, raw: &RawConfig<S>) -> Config {
    let part = |number: u32| millionths(number.into());
    Config {
        symbol,
        starting_cash: raw.starting_cash,
        market_open: Time(raw.market_open),
        market_close: Time(raw.market_close),
        close_window: Duration::from_nanos(raw.close_window),
        latency: Duration::from_nanos(raw.latency),
        tick_interval: (raw.tick_interval > 0).then_some(Duration::from_nanos(raw.tick_interval)),
        tick_size: raw.tick_size,
        position_limit: raw.position_limit,
        loss_limit: (raw.loss_limit > 0).then_some(raw.loss_limit),
        margin_long: part(raw.margin_long),
        margin_short: part(raw.margin_short),
        maintenance_margin: part(raw.maintenance_margin),
        price_band: (raw.price_band > 0).then_some(f64::from(raw.price_band) / 1e4),
        maker_fee: raw.maker_fee.into(),
        taker_fee: raw.taker_fee.into(),
        nanoseconds_per_fuel: raw.picoseconds_per_fuel as f64 / 1e3,
    }
}

/// `average-cost`, in cents; 0 stands for none.
#[must_use]
pub fn average_cost(millicents: i64) -> Option<f64> {
    (millicents != 0).then_some(millicents as f64 / 1e3)
}

/// `queue-ahead`; below zero it is not known.
#[must_use]
pub fn queue_ahead(shares: i64) -> Option<u64> {
    u64::try_from(shares).ok()
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
    side: u32,
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
    let (request, order) = (RequestId::from_number(request), OrderId::from_number(order));
    OrderUpdate { request, order, remaining, side: maybe_side(side), kind }
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

/// The numbers of `trade`, laid out as the interface lays out the record.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawTrade {
    /// Nanoseconds.
    pub at: u64,
    /// Cents.
    pub price: i64,
    /// Shares.
    pub quantity: u64,
    /// [`maybe_side`].
    pub aggressor: u8,
}

/// The numbers of `session-state`, laid out as the interface lays out the record.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct RawSession {
    /// [`Phase`].
    pub phase: u8,
    /// Nanoseconds; 0 if not announced.
    pub ends: u64,
    /// Cents; 0 if nothing would trade.
    pub price: i64,
    /// Shares.
    pub matched: u64,
    /// Shares.
    pub imbalance: i64,
}

impl From<RawTrade> for Trade {
    fn from(raw: RawTrade) -> Self {
        let aggressor = maybe_side(raw.aggressor.into());
        Self { at: Time(raw.at), price: Price::of(raw.price), quantity: raw.quantity, aggressor }
    }
}

impl From<RawSession> for SessionState {
    fn from(raw: RawSession) -> Self {
        let RawSession { phase, ends, matched, imbalance, .. } = raw;
        let indicative = price(raw.price).map(|price| Indicative { price, matched, imbalance });
        Self { phase: Phase::ALL[usize::from(phase)], ends: (ends > 0).then_some(Time(ends)), indicative }
    }
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
