//! The limits that numbers of a scenario are checked against, where more than one table has them or others may want to know.

use std::ops::RangeInclusive;

use assay_model::{Nanos, PRICE_MAX_CENTS, QUANTITY_MAX};

/// Longest scenario file: a hundred times the largest preset.
pub const SCENARIO_BYTES_MAX: usize = 256 << 10;
/// Longest latency, computation delay or pause: beyond a minute nothing resembles a market any more.
pub const LATENCY_MAX: Nanos = Nanos::from_secs(60);
/// Shortest mean time between wake-ups of a background agent: 23 million wake-ups a day.
pub const WAKE_INTERVAL_MIN: Nanos = Nanos(1_000_000);
/// Shortest tick interval of the strategy other than zero: 23 million ticks a day.
pub const TICK_INTERVAL_MIN: Nanos = Nanos(1_000_000);
/// Most levels that a market maker quotes on a side.
pub const LEVELS_MAX: u32 = 100;
/// Longest moving average of a momentum agent, in observations.
pub const WINDOW_MAX: u32 = 10_000;
/// Least starting cash, in cents: a dollar. With nothing a strategy can hold nothing, and every return is undefined.
pub const STARTING_CASH_MIN: i64 = 100;
/// Most starting cash, in cents: a trillion dollars, far from overflow.
pub const STARTING_CASH_MAX: i64 = 100_000_000_000_000;
/// Largest position limit, in shares: a thousand of the largest orders, as good as none.
pub const POSITION_LIMIT_MAX: i64 = 1_000 * QUANTITY_MAX as i64;

pub(super) const SHARE: RangeInclusive<f64> = 0.0..=1.0;
pub(super) const CENTS: RangeInclusive<f64> = 0.0..=PRICE_MAX_CENTS as f64;
pub(super) const VARIANCE: RangeInclusive<f64> = 0.0..=1e16;
/// At most half of the distance to the mean is lost in a millisecond.
pub(super) const REVERSION: RangeInclusive<f64> = 0.0..=500.0;
