//! The terms of an order in full: everything that `RequestKind::Limit` and `RequestKind::Market` leave at its default.
//!
//! The numbers are unchecked, like those of every request, but narrow: whatever does not fit is pressed to the end of its type, which is
//! outside what the exchange allows. Invariant: 32 bytes, so that a request with full terms is no larger than any other.

use crate::{Side, Time};

/// How long an order lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum TimeInForce {
    /// Until the close.
    #[default]
    Day = 0,
    /// Trades what it can at once; the rest is cancelled (`NoLiquidity`).
    ImmediateOrCancel = 1,
    /// Trades at once and in full, or is rejected (`CannotFill`).
    FillOrKill = 2,
    /// Until [`Terms::expires`], at most until the close.
    GoodTill = 3,
    /// Only in the opening auction.
    AtOpen = 4,
    /// Only in the closing auction.
    AtClose = 5,
}

impl TimeInForce {
    /// Every one, in number order.
    pub const ALL: [Self; 6] =
        [Self::Day, Self::ImmediateOrCancel, Self::FillOrKill, Self::GoodTill, Self::AtOpen, Self::AtClose];
}

/// How much of a resting order others see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Display {
    /// All of it.
    #[default]
    Full = 0,
    /// Nothing; ranks behind every visible order at its price.
    Hidden = 1,
    /// [`Terms::shown`] shares at a time; each refill goes to the end of the queue.
    Iceberg = 2,
    /// Price to comply: shown at its price, but ranked hidden, and traded, one tick better, as far as that meets nothing on the other
    /// side when it comes to rest; otherwise as `Full`.
    Comply = 3,
}

impl Display {
    /// Every one, in number order.
    pub const ALL: [Self; 4] = [Self::Full, Self::Hidden, Self::Iceberg, Self::Comply];
}

/// What becomes of an order that may not take liquidity and would, hidden liquidity included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum PostOnly {
    /// It may take.
    #[default]
    No = 0,
    /// It is rejected (`WouldTrade`).
    Reject = 1,
    /// It is moved to the best price at which it does not; an update says so.
    Slide = 2,
}

impl PostOnly {
    /// Every one, in number order.
    pub const ALL: [Self; 3] = [Self::No, Self::Reject, Self::Slide];
}

/// What an order waits for before it is entered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Trigger {
    /// Nothing.
    #[default]
    None = 0,
    /// A trade at [`Terms::trigger_at`] or beyond: at or above it to buy, at or below it to sell.
    Stop = 1,
    /// A trade [`Terms::trigger_at`] cents or more above the lowest since it was accepted to buy, below the highest to sell.
    Trail = 2,
}

impl Trigger {
    /// Every one, in number order.
    pub const ALL: [Self; 3] = [Self::None, Self::Stop, Self::Trail];
}

/// See the module documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// When a `GoodTill` order ends; without meaning otherwise.
    pub expires: Time,
    /// Limit price in cents; 0 for an order at market.
    pub price: i32,
    /// Shares.
    pub quantity: u32,
    /// Shares that an `Iceberg` shows at a time; without meaning otherwise.
    pub shown: u32,
    /// Cents; see [`Trigger`].
    pub trigger_at: i32,
    /// Side.
    pub side: Side,
    /// How long it lives.
    pub time_in_force: TimeInForce,
    /// How much of it is seen.
    pub display: Display,
    /// Whether it may take liquidity.
    pub post_only: PostOnly,
    /// What it waits for.
    pub trigger: Trigger,
}

impl Terms {
    /// The terms with these numbers, as a guest sends them: a `price` of 0 is an order at market, and what does not fit is pressed to the end of
    /// its type.
    #[must_use]
    pub fn pressed(side: Side, price: i64, quantity: u64) -> Self {
        Self { price: narrow(price), ..Self::limit(side, 1, quantity) }
    }

    /// A plain limit order; `price` in cents, `quantity` in shares.
    #[must_use]
    pub fn limit(side: Side, price: i64, quantity: u64) -> Self {
        Self {
            expires: Time(0),
            // A limit of zero is not an order at market, but a price out of bounds.
            price: if price == 0 { -1 } else { narrow(price) },
            quantity: u32::try_from(quantity).unwrap_or(u32::MAX),
            shown: 0,
            trigger_at: 0,
            side,
            time_in_force: TimeInForce::Day,
            display: Display::Full,
            post_only: PostOnly::No,
            trigger: Trigger::None,
        }
    }

    /// A plain market order.
    #[must_use]
    pub fn market(side: Side, quantity: u64) -> Self {
        Self { price: 0, ..Self::limit(side, 1, quantity) }
    }

    /// The same, with this time in force; for `GoodTill` see [`good_till`](Self::good_till).
    #[must_use]
    pub fn with(self, time_in_force: TimeInForce) -> Self {
        Self { time_in_force, ..self }
    }

    /// The same, ending at `expires`.
    #[must_use]
    pub fn good_till(self, expires: Time) -> Self {
        Self { time_in_force: TimeInForce::GoodTill, expires, ..self }
    }

    /// The same, hidden or price-to-comply; for an iceberg see [`iceberg`](Self::iceberg).
    #[must_use]
    pub fn shown_as(self, display: Display) -> Self {
        Self { display, ..self }
    }

    /// The same, showing `shown` shares at a time.
    #[must_use]
    pub fn iceberg(self, shown: u64) -> Self {
        Self { display: Display::Iceberg, shown: u32::try_from(shown).unwrap_or(u32::MAX), ..self }
    }

    /// The same, which may or may not take liquidity.
    #[must_use]
    pub fn post_only(self, post_only: PostOnly) -> Self {
        Self { post_only, ..self }
    }

    /// The same, waiting for a trade at `cents` or beyond.
    #[must_use]
    pub fn stop(self, cents: i64) -> Self {
        Self { trigger: Trigger::Stop, trigger_at: narrow(cents), ..self }
    }

    /// The same, waiting for a trade `cents` off the best.
    #[must_use]
    pub fn trail(self, cents: i64) -> Self {
        Self { trigger: Trigger::Trail, trigger_at: narrow(cents), ..self }
    }
}

fn narrow(cents: i64) -> i32 {
    cents.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

const _: () = assert!(size_of::<Terms>() == 32 && size_of::<crate::Request>() == 40);
