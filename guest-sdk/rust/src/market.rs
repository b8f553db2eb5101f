//! What a strategy is told about the market.
//!
//! Invariant: an empty side, or a price that does not exist yet, is `None`, never 0.

use crate::{Duration, Price, Side, Time};

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The traded symbol.
    pub symbol: String,
    /// Cash at the start, in cents.
    pub starting_cash: i64,
    /// When the market opens for you: your ticks begin then, and requests that arrive before are rejected. The others trade a while
    /// before (the scenario's warm-up), and you see their quotes.
    pub market_open: Time,
    /// When the market closes.
    pub market_close: Time,
    /// One-way latency to the exchange, at least: what you see is at least this old, what you send arrives at least this late.
    pub latency: Duration,
    /// Time between `on_tick` calls; `None` means that there are none but the wake-ups you ask for.
    pub tick_interval: Option<Duration>,
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
