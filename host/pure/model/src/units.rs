//! Units: prices and cash in integer cents, quantities in shares, times in integer nanoseconds since the Unix epoch.
//!
//! Invariant: a [`Price`] and a [`Quantity`] are always within their published bounds, so `price × quantity` fits an
//! `i64` with room for ninety thousand such trades.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The highest price an order may name: one million dollars a share.
pub const PRICE_MAX_CENTS: i64 = 100_000_000;
/// The step between prices.
pub const TICK_CENTS: i64 = 1;
/// The largest quantity of one order.
pub const QUANTITY_MAX: u64 = 1_000_000;

/// A price in integer cents, `1..=PRICE_MAX_CENTS`. One cent is one tick.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Price(u32);

impl Price {
    /// A checked price; `None` outside `1..=PRICE_MAX_CENTS`.
    #[must_use]
    pub const fn new(cents: i64) -> Option<Self> {
        // The cast is exact: the range check comes first.
        if cents >= 1 && cents <= PRICE_MAX_CENTS { Some(Self(cents as u32)) } else { None }
    }

    /// The nearest valid price.
    #[must_use]
    pub const fn clamped(cents: i64) -> Self {
        if cents < 1 {
            Self(1)
        } else if cents > PRICE_MAX_CENTS {
            Self(PRICE_MAX_CENTS as u32)
        } else {
            Self(cents as u32)
        }
    }

    /// The price of `ticks` ticks, or the nearest valid one; as [`clamped`](Self::clamped), in fewer steps.
    #[must_use]
    #[inline]
    pub const fn of_ticks(ticks: u32) -> Self {
        const MAX: u32 = PRICE_MAX_CENTS as u32;
        if ticks.wrapping_sub(1) < MAX { Self(ticks) } else { Self(if ticks == 0 { 1 } else { MAX }) }
    }

    /// Cents.
    #[must_use]
    pub const fn cents(self) -> i64 {
        self.0 as i64
    }

    /// Ticks above zero; equal to cents, as an index.
    #[must_use]
    pub const fn ticks(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Cents(self.cents()).fmt(f)
    }
}

/// A number of shares in one order or trade, `1..=QUANTITY_MAX`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Quantity(u32);

impl Quantity {
    /// A checked quantity; `None` outside `1..=QUANTITY_MAX`.
    #[must_use]
    pub const fn new(shares: u64) -> Option<Self> {
        if shares >= 1 && shares <= QUANTITY_MAX { Some(Self(shares as u32)) } else { None }
    }

    /// Shares.
    #[must_use]
    pub const fn shares(self) -> u32 {
        self.0
    }
}

/// An amount of money in integer cents; may be negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cents(pub i64);

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let whole = self.0.unsigned_abs();
        f.pad(&format!("{sign}{}.{:02}", whole / 100, whole % 100))
    }
}

/// A point in time: nanoseconds since the Unix epoch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// One second.
    pub const SECOND: Self = Self(1_000_000_000);

    /// Whole seconds as nanoseconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * Self::SECOND.0)
    }
}

impl std::ops::Add<Nanos> for Time {
    type Output = Self;
    /// Saturates: a wake-up asked for "at the end of time" must not wrap into the past.
    fn add(self, rhs: Nanos) -> Self {
        Self(self.0.saturating_add(rhs.0))
    }
}

impl Time {
    /// The time since `earlier`, zero if it is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Which side of the book an order is on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// A bid.
    Buy,
    /// An offer.
    Sell,
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }

    /// +1 for a buy, −1 for a sell.
    #[must_use]
    pub const fn sign(self) -> i64 {
        match self {
            Self::Buy => 1,
            Self::Sell => -1,
        }
    }
}
