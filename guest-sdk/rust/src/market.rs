//! What a strategy is told about the market.
//!
//! Invariant: an empty side, or a price that does not exist yet, is `None`, never 0.

use crate::{Duration, Price, Side, Time};
use core::fmt;

/// One of the market's symbols; [`Exchange::symbols`](crate::Exchange::symbols) lists them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Symbol(u32);

impl Symbol {
    /// The first, which most markets have alone.
    pub const FIRST: Self = Self(0);

    /// For hosts: the symbol of this number.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// The number; counts from 0.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// What a strategy is told at the start.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The traded symbol; the first of several.
    pub symbol: String,
    /// Cash at the start, in cents.
    pub starting_cash: i64,
    /// When the market opens for you: ticks and `on_market_data` begin then, and requests that arrive before are rejected. The others
    /// trade a while before (the scenario's warm-up), so there is a market when you come.
    pub market_open: Time,
    /// From when on the market may close: be flat by then, and you are safe.
    pub market_close: Time,
    /// The market closes at some instant within so long after `market_close`, another one in each run. Nobody is told which.
    pub close_window: Duration,
    /// One-way latency to the exchange, at least: what you see is at least this old, what you send arrives at least this late.
    pub latency: Duration,
    /// Time between `on_tick` calls; `None` means that there are none but the wake-ups you ask for.
    pub tick_interval: Option<Duration>,
    /// The step between prices, in cents.
    pub tick_size: i64,
    /// Shares you may hold, long or short, should all your open orders trade; what could pass it is rejected.
    pub position_limit: u64,
    /// Cents you may lose before you are taken out; `None` if there is no such limit.
    pub loss_limit: Option<i64>,
    /// Capital that a share bought ties up, as a part of its value: 0.25 lets you buy for four times your capital. 0 if nothing is asked.
    pub margin_long: f64,
    /// The same for a share sold short.
    pub margin_short: f64,
    /// Capital below which you are ruined and closed out, as a part of your position's value; 0 if that never happens.
    pub maintenance_margin: f64,
    /// How far from its reference a limit price may be, as a part of it; `None` if any price will do.
    pub price_band: Option<f64>,
    /// What a fill of a resting order of yours costs.
    pub maker_fee: Fee,
    /// What a fill costs whose order came in and took.
    pub taker_fee: Fee,
    /// Nanoseconds by which a unit of fuel delays what you send after it; 0 if thinking takes no time.
    pub nanoseconds_per_fuel: f64,
}

/// What the venue charges for a fill: two parts, which add. Negative amounts are rebates.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Fee {
    /// Cents a share.
    pub cents_per_share: f64,
    /// A part of what the shares cost: 0.0001 is one basis point.
    pub of_value: f64,
}

impl Fee {
    /// What a fill of so many shares at a price costs, in cents.
    #[must_use]
    pub fn cents(&self, price: Price, shares: u64) -> f64 {
        (self.cents_per_share + self.of_value * price.cents() as f64) * shares as f64
    }
}

/// A trade on the tape. Who traded is not published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trade {
    /// When it happened at the exchange.
    pub at: Time,
    /// Price.
    pub price: Price,
    /// Shares.
    pub quantity: u64,
    /// The side that came in and took: `Some(Side::Buy)` if a buyer lifted an offer. `None` in an auction, in which nobody takes.
    pub aggressor: Option<Side>,
}

impl Trade {
    /// Shares with the sign of the side that took: positive if a buyer did, 0 in an auction.
    #[must_use]
    pub fn signed(&self) -> i64 {
        self.aggressor.map_or(0, Side::sign) * self.quantity as i64
    }
}

/// Where the session stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Phase {
    /// The session has not begun, or you have not heard of it yet.
    #[default]
    BeforeOpen,
    /// Orders trade as they come.
    Continuous,
    /// Orders are collected for the opening auction.
    OpeningCall,
    /// Trading is halted; orders are collected for the auction that ends the halt.
    Halt,
    /// Orders are collected for the closing auction.
    ClosingCall,
    /// The session is over.
    Closed,
}

impl Phase {
    /// Every phase, in number order.
    pub const ALL: [Self; 6] =
        [Self::BeforeOpen, Self::Continuous, Self::OpeningCall, Self::Halt, Self::ClosingCall, Self::Closed];

    /// Whether orders are being collected for an auction, so that nothing trades for now.
    #[must_use]
    pub const fn is_call(self) -> bool {
        matches!(self, Self::OpeningCall | Self::Halt | Self::ClosingCall)
    }
}

/// The name in the interface.
impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BeforeOpen => "before-open",
            Self::Continuous => "continuous",
            Self::OpeningCall => "opening-call",
            Self::Halt => "halt",
            Self::ClosingCall => "closing-call",
            Self::Closed => "closed",
        })
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

/// The session as you know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SessionState {
    /// Where it stands.
    pub phase: Phase,
    /// When the call ends, if the venue has announced it; it may be put off.
    pub ends: Option<Time>,
    /// During a call, what the auction would do if it were held at once; `None` if nothing would trade.
    pub indicative: Option<Indicative>,
}

/// One price level of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Price.
    pub price: Price,
    /// Visible shares, of all traders, yours included.
    pub quantity: u64,
}

/// The top of the book as you know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Quote {
    /// Best visible bid; `None` if nobody bids.
    pub bid: Option<Level>,
    /// Best visible offer; `None` if nobody offers.
    pub ask: Option<Level>,
    /// Price of the last trade; `None` before the first.
    pub last: Option<Price>,
    /// Shares traded since the open, by everyone.
    pub volume: u64,
}

impl Quote {
    /// The best visible level of a side: [`bid`](Self::bid) or [`ask`](Self::ask).
    #[must_use]
    pub fn level(&self, side: Side) -> Option<Level> {
        match side {
            Side::Buy => self.bid,
            Side::Sell => self.ask,
        }
    }

    /// Halfway between bid and ask, in cents; `None` if a side is empty.
    #[must_use]
    pub fn mid(&self) -> Option<f64> {
        // Both fit 27 bits: the sum is exact, and so is its half.
        Some((self.bid?.price.cents() + self.ask?.price.cents()) as f64 / 2.0)
    }

    /// Ask minus bid, in cents; `None` if a side is empty.
    #[must_use]
    pub fn spread(&self) -> Option<i64> {
        Some(self.ask?.price - self.bid?.price)
    }

    /// The part of the shares at the touch that is on the bid, 0 to 1: above ½, buyers press. `None` if a side is empty.
    #[must_use]
    pub fn imbalance(&self) -> Option<f64> {
        let (bid, ask) = (self.bid?.quantity as f64, self.ask?.quantity as f64);
        Some(bid / (bid + ask))
    }
}
