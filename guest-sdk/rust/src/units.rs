//! Units: prices in integer cents, quantities in shares, times in nanoseconds since the Unix epoch.
//!
//! Invariant: a [`Price`] and a [`Quantity`] are always within the bounds that the exchange accepts, so no order is refused for them.

use core::fmt;
use core::ops::{Add, Sub};

/// A length of time; the standard library's.
pub use core::time::Duration;

/// The highest price an order may name: one million dollars a share.
pub const PRICE_MAX_CENTS: i64 = 100_000_000;
/// The largest quantity of one order, in shares.
pub const QUANTITY_MAX: u64 = 1_000_000;

/// A price in integer cents, `1..=PRICE_MAX_CENTS`. One cent is one tick.
///
/// `price + 2` and `price - 2` are two cents up and down and stop at the bounds; `price - other` is the distance in cents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Price(i64);

impl Price {
    /// A checked price; `None` outside `1..=PRICE_MAX_CENTS`.
    #[must_use]
    pub const fn new(cents: i64) -> Option<Self> {
        if cents >= 1 && cents <= PRICE_MAX_CENTS { Some(Self(cents)) } else { None }
    }

    /// A price that is known when the code is written: in a `const`, a bad one does not compile.
    ///
    /// # Panics
    /// Outside `1..=PRICE_MAX_CENTS`.
    #[must_use]
    pub const fn of(cents: i64) -> Self {
        Self::new(cents).expect("a price is between 1 and PRICE_MAX_CENTS cents")
    }

    /// The nearest price at or below `cents`, the side to round a bid to; `None` out of bounds or if not a number.
    #[must_use]
    pub fn floor(cents: f64) -> Option<Self> {
        // The cast saturates, and turns what is not a number into 0: both are out of bounds.
        Self::new(cents.floor() as i64)
    }

    /// The nearest price at or above `cents`, the side to round an offer to; `None` out of bounds or if not a number.
    #[must_use]
    pub fn ceil(cents: f64) -> Option<Self> {
        Self::new(cents.ceil() as i64)
    }

    /// Cents.
    #[must_use]
    pub const fn cents(self) -> i64 {
        self.0
    }
}

impl Add<i64> for Price {
    type Output = Self;
    fn add(self, cents: i64) -> Self {
        Self(self.0.saturating_add(cents).clamp(1, PRICE_MAX_CENTS))
    }
}

impl Sub<i64> for Price {
    type Output = Self;
    fn sub(self, cents: i64) -> Self {
        Self(self.0.saturating_sub(cents).clamp(1, PRICE_MAX_CENTS))
    }
}

impl Sub for Price {
    type Output = i64;
    fn sub(self, other: Self) -> i64 {
        self.0 - other.0
    }
}

/// In dollars, `1000.05`.
impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// A number of shares in one order or fill, `1..=QUANTITY_MAX`; never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Quantity(u64);

impl Quantity {
    /// A checked quantity; `None` outside `1..=QUANTITY_MAX`.
    #[must_use]
    pub const fn new(shares: u64) -> Option<Self> {
        if shares >= 1 && shares <= QUANTITY_MAX { Some(Self(shares)) } else { None }
    }

    /// A quantity that is known when the code is written: in a `const`, a bad one does not compile.
    ///
    /// # Panics
    /// Outside `1..=QUANTITY_MAX`.
    #[must_use]
    pub const fn of(shares: u64) -> Self {
        Self::new(shares).expect("a quantity is between 1 and QUANTITY_MAX shares")
    }

    /// As much of `shares` as one order may carry; `None` if that is nothing.
    #[must_use]
    pub const fn up_to(shares: u64) -> Option<Self> {
        Self::new(if shares > QUANTITY_MAX { QUANTITY_MAX } else { shares })
    }

    /// Shares.
    #[must_use]
    pub const fn shares(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Which side of the book an order is on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Side {
    /// A bid.
    Buy = 0,
    /// An offer.
    Sell = 1,
}

impl Side {
    /// Both, in number order.
    pub const ALL: [Self; 2] = [Self::Buy, Self::Sell];

    /// The side that moves a position by `shares`: buy for more, sell for fewer, `None` for 0.
    #[must_use]
    pub const fn toward(shares: i64) -> Option<Self> {
        match shares {
            0 => None,
            1.. => Some(Self::Buy),
            _ => Some(Self::Sell),
        }
    }

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

/// The name in the interface.
impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
        })
    }
}

/// A point in time: nanoseconds since the Unix epoch.
///
/// `time + duration` and `time - duration` stop at the ends of time; `time - earlier` is a [`Duration`], zero if that is later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Time(pub u64);

/// Five centuries fit; longer lengths stand for "never".
fn nanoseconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000_000).saturating_add(duration.subsec_nanos().into())
}

impl Add<Duration> for Time {
    type Output = Self;
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(nanoseconds(duration)))
    }
}

impl Sub<Duration> for Time {
    type Output = Self;
    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(nanoseconds(duration)))
    }
}

impl Sub for Time {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}
